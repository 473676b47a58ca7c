"""What of a growing text may be shown now, so that no character is seen half-made.

A grapheme that may still be changed by what follows (a letter with a combining mark, an emoji with
a joiner, half a flag) waits for the next character. A plain letter does not wait, although a mark
may follow it: whether one does cannot be told, and then the mark alone waits.
"""

import unicodedata

MOST_HELD = 64
"""Code points that may wait. No real grapheme is longer; a text of nothing but marks would be."""

_JOINER = "\u200d"
_VIRAMA_CLASS = 9
_JOINED = frozenset({"Lo", "So", "Sm"})
"""Categories of what a joiner or a virama joins: letters without case, emoji."""


class Held:
    """Holds back the tail of a text that grows."""

    def __init__(self) -> None:
        self._tail = ""

    def add(self, text: str) -> str:
        """Take the next piece; return what may be shown after what was shown before."""
        text = self._tail + text
        cut = _safe_length(text)
        self._tail = text[cut:]
        return text[:cut]


def _safe_length(text: str) -> int:
    """How much of the text ends before a grapheme that may be unfinished."""
    if not text or text[-1].isascii():
        return len(text)  # what is in ASCII joins nothing before it
    lowest = max(0, len(text) - MOST_HELD)
    start = len(text) - 1
    while start > lowest and _belongs_together(text, start):
        start -= 1
    if start == lowest and lowest > 0:
        return len(text)
    return start if _may_be_half(text, start) else len(text)


def _belongs_together(text: str, index: int) -> bool:
    """Whether the character at the index continues the grapheme of the one before it."""
    char, before = text[index], text[index - 1]
    if _extends(char):
        return True
    if before == _JOINER or unicodedata.combining(before) == _VIRAMA_CLASS:
        return unicodedata.category(char) in _JOINED
    return _is_flag_half(char) and _flag_halves_before(text, index) % 2 == 1


def _may_be_half(text: str, start: int) -> bool:
    """Whether the grapheme that begins at ``start`` and ends the text has begun to be composed."""
    is_composed = len(text) - start > 1
    return is_composed or _extends(text[start]) or _is_flag_half(text[start])


def _extends(char: str) -> bool:
    if char < "\u0300":
        return False
    code = ord(char)
    return (
        unicodedata.category(char)[0] == "M"
        or char in "\u200c\u200d"
        or 0x1F3FB <= code <= 0x1F3FF  # skin tones
        or 0x1160 <= code <= 0x11FF  # Hangul vowels and finals
        or 0xE0020 <= code <= 0xE007F  # tags of a flag
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, index: int) -> int:
    count = 0
    while count < MOST_HELD and index - count > 0 and _is_flag_half(text[index - count - 1]):
        count += 1
    return count
