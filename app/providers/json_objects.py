"""JSON objects one after the other, out of bytes cut anywhere.

For bodies that are a row of objects: one per line (NDJSON), or the members of one array that is
written piece by piece. Each byte is looked at once.
"""

import codecs

from app.providers.json_marks import JsonMarks
from app.providers.streaming import BrokenOff

MAX_OBJECT_CHARS = 16 * 1024 * 1024

_BETWEEN = " \t\r\n,[]\ufeff"
"""What may stand between two objects."""


class ObjectReader:
    """Feed bytes in, get the texts of whole objects out."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pieces: list[str] = []
        self._chars = 0
        self._depth = 0
        self._marks = JsonMarks()
        self._array_open = False
        self._stray = False

    @property
    def whole(self) -> bool:
        """Whether what was fed ends between two objects, with no array left open."""
        return not (self._pieces or self._array_open or self._stray)

    def feed(self, chunk: bytes) -> list[str]:
        """The objects that these bytes complete.

        Raises :class:`~app.providers.streaming.BrokenOff` past :data:`MAX_OBJECT_CHARS`.
        """
        text = self._decode(chunk)
        objects: list[str] = []
        start = 0
        for at, mark in self._marks.feed(text):
            if self._depth == 0:
                self._look_between(mark, text[start:at])
                start = at
            elif mark in "{[":
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1
                if self._depth == 0:
                    objects.append("".join([*self._pieces, text[start : at + 1]]))
                    self._pieces.clear()
                    self._chars = 0
                    start = at + 1
        self._keep(text[start:])
        return objects

    def _look_between(self, mark: str, before: str) -> None:
        """A mark outside of every object, and the text that leads to it."""
        self._stray = self._stray or bool(before.strip(_BETWEEN)) or mark in '"\\}'
        if mark == "{":
            self._depth = 1
        elif mark in "[]":
            self._array_open = mark == "["

    def _keep(self, rest: str) -> None:
        if self._depth == 0:
            self._stray = self._stray or bool(rest.strip(_BETWEEN))
            return
        self._chars += len(rest)
        if self._chars > MAX_OBJECT_CHARS:
            raise BrokenOff(f"an object of {self._chars} characters (limit {MAX_OBJECT_CHARS})")
        self._pieces.append(rest)
