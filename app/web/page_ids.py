"""Element ids of our own, short and safe as selectors.

htmx takes a partial's id or selector as it stands, and a bad one ends the stream (it reconnects
and meets the same message again). So an id is never a model's key or a provider's id: it is a
letter for the kind, the ordinals of exchange, entry and item, and for a row the path, encoded
injectively into letters, digits, ``_`` and ``-``. Ordinals also keep the stream small.
"""

import re
from copy import copy

from app.calls.json_types import Path

LOG = "log"
KEPT = "kept"
STOP = "stop"
ASKS = "asks"
SAY = "say"

_UNSAFE = re.compile(r"^[0-9]|[^A-Za-z0-9]")


def exchange_id(ordinal: int) -> str:
    return f"x{ordinal}"


def entry_id(exchange: int, entry: int) -> str:
    return f"t{exchange}-{entry}"


class ItemIds:
    """The ids of one item of a turn: the block itself and the parts of a call."""

    def __init__(self, exchange: int, entry: int, item: int) -> None:
        self._place = f"{exchange}-{entry}-{item}"

    @property
    def of_result(self) -> "ItemIds":
        """The ids of the result's own rows, whose paths may be those of arguments.

        No step of a path encodes as nothing, so a second dash is no argument's.
        """
        ids = copy(self)
        ids._place = f"{self._place}-"
        return ids

    @property
    def block(self) -> str:
        return f"c{self._place}"

    @property
    def state(self) -> str:
        """The line that tells the call's state."""
        return f"s{self._place}"

    @property
    def outcome(self) -> str:
        """What came of the call: its result, or what happens next."""
        return f"o{self._place}"

    def text(self, number: int) -> str:
        """A block of a text that shows as it was written."""
        return f"w{self._place}{_later(number)}"

    def code(self, number: int) -> str:
        """The code of such a block."""
        return f"y{self._place}{_later(number)}"

    def slot(self, path: Path) -> str:
        """The reserved room of a leaf, or the box of one array element."""
        return f"r{self._place}{_suffix(path)}"

    def value(self, path: Path) -> str:
        """The text of a row."""
        return f"v{self._place}{_suffix(path)}"

    def mark(self, path: Path) -> str:
        """The sign that a streamed row is still being written."""
        return f"m{self._place}{_suffix(path)}"

    def elements(self, path: Path) -> str:
        """Where an array's elements are appended."""
        return f"l{self._place}{_suffix(path)}"


def _later(number: int) -> str:
    """Most texts have one block, whose id is sent with every piece of it."""
    return f"-{number}" if number else ""


def _suffix(path: Path) -> str:
    return "".join(f"-{encode_step(step)}" for step in path)


def encode_step(step: str | int) -> str:
    """One key or index; different steps never encode alike.

    An index is its digits. A key keeps its letters and its digits but a first one; ``_`` is
    doubled and anything else becomes ``_<code point in hex>_``; the empty key is ``_x_``.
    """
    if isinstance(step, int):
        return str(step)
    return _UNSAFE.sub(_escape, step) if step else "_x_"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return "__" if character == "_" else f"_{ord(character):x}_"
