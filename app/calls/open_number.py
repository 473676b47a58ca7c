"""A JSON number while it is being written: text in, in any pieces; its literal text out."""

from app.calls.argument_changes import NumberText
from app.calls.argument_faults import Break, FaultCode

_DIGIT_1_TO_9 = "123456789"
_DIGIT = "0" + _DIGIT_1_TO_9

NUMBER_STARTS = "-" + _DIGIT

_PARTS: dict[str, dict[str, str]] = {
    "start": {"-": "minus", "0": "zero", **dict.fromkeys(_DIGIT_1_TO_9, "integer")},
    "minus": {"0": "zero", **dict.fromkeys(_DIGIT_1_TO_9, "integer")},
    "zero": {".": "point", "e": "power", "E": "power"},
    "integer": {**dict.fromkeys(_DIGIT, "integer"), ".": "point", "e": "power", "E": "power"},
    "point": dict.fromkeys(_DIGIT, "fraction"),
    "fraction": {**dict.fromkeys(_DIGIT, "fraction"), "e": "power", "E": "power"},
    "power": {"+": "power_sign", "-": "power_sign", **dict.fromkeys(_DIGIT, "exponent")},
    "power_sign": dict.fromkeys(_DIGIT, "exponent"),
    "exponent": dict.fromkeys(_DIGIT, "exponent"),
}
"""Part of a number, its next character -> the part that this leads to (RFC 8259, section 6).

A character that is missing ends the number, if it may end there.
"""

_WHOLE = frozenset({"zero", "integer", "fraction", "exponent"})
"""The parts in which a number may end."""


class OpenNumber:
    """Reads one number after the other."""

    __slots__ = ("_length", "_max_length", "_part", "_pieces")

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._pieces: list[str] = []
        self._length = 0
        self._part = "start"

    @property
    def is_whole(self) -> bool:
        """Whether the number could end here."""
        return self._part in _WHOLE

    def read(self, text: str, position: int) -> int:
        """Read what belongs to the number; return where that ends."""
        part = self._part
        end = position
        while end < len(text):
            following = _PARTS[part].get(text[end])
            if following is None:
                break
            part = following
            end += 1
        self._part = part
        self._length += end - position
        if self._length > self._max_length:
            raise self._too_long(end)
        self._pieces.append(text[position:end])
        return end

    def take(self) -> NumberText:
        """The literal text of a whole number; makes ready for the next one."""
        literal = NumberText("".join(self._pieces))
        self._pieces = []
        self._length = 0
        self._part = "start"
        return literal

    def _too_long(self, end: int) -> Break:
        limit = self._max_length
        message = f"a number is longer than {limit} characters: {limit + 1}"
        return Break(FaultCode.TOO_LARGE, message, end - (self._length - limit))
