"""The brackets of a JSON text that is fed in pieces: those that stand outside of its strings."""

import re
from collections.abc import Iterator

_MARKS = re.compile(r'["\\{}\[\]]')


class JsonMarks:
    """Each character is looked at once, however the text is cut. It is not checked for validity."""

    def __init__(self) -> None:
        self._in_string = False
        self._escaped = False

    def feed(self, text: str) -> Iterator[tuple[int, str]]:
        """Place and mark of every bracket, and of every quote that opens a string.

        To be read to its end before the next piece is fed.
        """
        skip = 0 if self._escaped else -1
        self._escaped = self._escaped and not text
        for found in _MARKS.finditer(text):
            at, mark = found.start(), found[0]
            if at == skip:
                continue
            if not self._in_string:
                self._in_string = mark == '"'
                yield at, mark
            elif mark == "\\":
                skip = at + 1
                self._escaped = skip == len(text)
            elif mark == '"':
                self._in_string = False
