"""One message of an event stream as bytes.

Our own encoding, for two reasons: htmx splits lines at a lone carriage return, so a network chunk
that ended within CR LF would break a message in two (sse-starlette's default separator); and the
optional space after each field name is a fortieth of what streamed text costs.
"""

OPENING = b":\n\n"
"""A comment, sent at once so that a proxy passes the headers on."""
END = b"event:end\ndata:\n\n"
"""After this event htmx does not come back."""


def message(position: str, data: str) -> bytes:
    """A message and the position it leads to; one that changes nothing has no data.

    ``data`` must not hold a carriage return (the templates write it as a reference).
    """
    if "\r" in data or "\n" in position or "\r" in position:
        raise ValueError("a message would be broken by its own line ends")
    lines = [f"id:{_spaced(position)}"]
    if data:
        lines += [f"data:{_spaced(line)}" for line in data.split("\n")]
    return "\n".join((*lines, "", "")).encode()


def _spaced(value: str) -> str:
    """A reader drops one leading space, so a value's own needs another."""
    return f" {value}" if value.startswith(" ") else value
