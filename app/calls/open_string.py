r"""A JSON string while it is being written: text in, in any pieces; decoded text out.

Half of a surrogate pair waits for the other half, whether it came as an escape or as a raw code
point (decoders of ``"\ud83d"`` leave such), and joins it to one character. Once it is certain
that no other half comes it is kept alone, as it was written.
"""

import re

from app.calls.argument_faults import Break, FaultCode

_find_special = re.compile(r'["\\\x00-\x1f\ud800-\udfff]').search
"""Where a run of plain text ends: a quote, an escape, a control character, half a pair."""

_match_hex = re.compile(r"[0-9a-fA-F]*").match

_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}


_PIECES = 512
"""So many pieces are joined to one. Kept apart, each takes some 50 bytes beside its text."""


class OpenString:
    """Decodes one string after the other, each from behind its opening quote."""

    __slots__ = ("_escape", "_high", "_joined", "closed", "pieces", "reported")

    def __init__(self) -> None:
        self._joined: list[str] = []
        self.pieces: list[str] = []
        """The last of the text, behind what was joined."""
        self.reported = 0
        """How many of the pieces :meth:`growth` has given."""
        self.closed = False
        self._escape: str | None = None
        """What came of an escape behind its backslash: ``""``, ``"u"``, ``"u00"``."""
        self._high = ""

    def read(self, text: str, position: int) -> int:
        """Read a run of plain text, an escape or the closing quote; return where it ends."""
        if self._escape is not None:
            return self._read_escape(text, position)
        special = _find_special(text, position)
        end = len(text) if special is None else special.start()
        if end > position:
            if self._high:
                self._release_half()
            self.pieces.append(text[position:end])
        if special is None:
            return end
        self._read_special(text[end], end)
        return end + 1

    def growth(self) -> str:
        """The decoded text since the last time this was asked; may be empty."""
        pieces = self.pieces
        start = self.reported
        self.reported = len(pieces)
        fresh = pieces[start] if self.reported == start + 1 else "".join(pieces[start:])
        if self.reported > _PIECES:
            self._joined.append("".join(pieces))
            pieces.clear()
            self.reported = 0
        return fresh

    def text(self) -> str:
        """The whole decoded text so far."""
        return "".join(self._joined) + "".join(self.pieces)

    def take(self) -> str:
        """The whole text of a closed string; makes ready for the next one."""
        whole = self.text()
        self._joined = []
        self.pieces = []
        self.reported = 0
        self.closed = False
        return whole

    def _read_special(self, char: str, position: int) -> None:
        if char == '"':
            self._release_half()
            self.closed = True
        elif char == "\\":
            self._escape = ""
        elif char < " ":
            raise Break(FaultCode.INVALID, "a control character in a string", position)
        else:
            self._add_half(char)

    def _read_escape(self, text: str, position: int) -> int:
        if self._escape:
            return self._read_hex(text, position)
        char = text[position]
        if char == "u":
            self._escape = "u"
        elif char in _ESCAPES:
            self._add(_ESCAPES[char])
            self._escape = None
        else:
            raise Break(FaultCode.INVALID, "an escape that JSON does not have", position)
        return position + 1

    def _read_hex(self, text: str, position: int) -> int:
        escape = self._escape or ""
        wanted = position + len("uFFFF") - len(escape)
        digits = _match_hex(text, position, wanted)
        end = digits.end() if digits else position
        escape += text[position:end]
        if end == wanted:
            self._add_unit(chr(int(escape[1:], 16)))
            self._escape = None
        elif end == len(text):
            self._escape = escape
        else:
            raise Break(FaultCode.INVALID, "expected four hexadecimal digits", end)
        return end

    def _add_unit(self, unit: str) -> None:
        if "\ud800" <= unit <= "\udfff":
            self._add_half(unit)
        else:
            self._add(unit)

    def _add(self, text: str) -> None:
        if self._high:
            self._release_half()
        self.pieces.append(text)

    def _add_half(self, half: str) -> None:
        if half >= "\udc00" and self._high:
            pair = 0x10000 + ((ord(self._high) - 0xD800) << 10) + (ord(half) - 0xDC00)
            self.pieces.append(chr(pair))
            self._high = ""
            return
        self._release_half()
        if half >= "\udc00":
            self.pieces.append(half)
        else:
            self._high = half

    def _release_half(self) -> None:
        if self._high:
            self.pieces.append(self._high)
            self._high = ""
