"""Our own ids of calls, which name them inside and on the page."""


def call_id(turn: str, ordinal: int) -> str:
    """The id of a call: its turn's id and its ordinal within that."""
    return f"{turn}-{ordinal}"


def turn_of(call: str) -> str:
    """The turn that one of our call ids belongs to."""
    return call.rpartition("-")[0]
