"""A value with nothing in it left unseen, for somebody who is to approve exactly that value.

Stricter than :func:`app.display.visible.visible`, which is for reading along: here every character
that has no look of its own is told by number and name, every space that could hide or push
something away is drawn, and letters that stand for others are pointed at. The pieces keep the
characters that they stand for, so that together they are the value, to the character.

What ordinary writing needs stays as it is: joiners between the letters and emoji that they join,
variation selectors behind their base, a space between two words.

A value is marked in time that grows with its length alone, and quickly: what follows from a
character is found once for each, a run of one is one step, and past :data:`MOST_MARKS` marks the
rest of the value is one piece. A text of nothing but such characters must not hold up a server.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import islice

from app.display.look_alikes import MANY, suspects


class Mark(StrEnum):
    """Why a piece of a value is pointed at."""

    PLAIN = ""
    INVISIBLE = "invisible"
    BIDI = "bidi"
    """A control that reorders what is around it."""
    SPACE = "space"
    MIXED = "mixed"
    """Letters of another script than they seem to be."""
    RIDDLED = "riddled"
    """The rest of a value with more marks than anybody reads: their characters are numbers."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a value. ``text`` is what shows, ``source`` the characters that it stands for."""

    text: str
    kind: Mark
    source: str


MOST_MARKS = 5_000
"""Marks of one value that are pieces of their own: each is an element of a page."""

MOST_DRAWN = 8
"""Spaces, tabs or line breaks that are drawn one by one; of more, the number is told."""

MOST_STACKED = 8
"""Combining marks on one letter. Tibetan comes near; what is meant to cover lines has more."""

_SIGNS = {" ": "\u2423", "\t": "\u21e5\t", "\n": "\u21b5\n", "\r": "\u240d"}
"""White space as it is drawn; a tab and a line break still do what they do."""

_INDENT = 16
"""Spaces at a line's beginning that are seen for what they are."""

_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_SPACES = re.compile(rf"\A +| +(?=\n|\Z)|(?<=[^\n ]) {{2,}}| {{{_INDENT + 1},}}|\n+|\t+|\r")
_CANDIDATES = re.compile(rf"{_SPACES.pattern}|([^\w -~\n\t\r]|[{_FILLERS}])\1*")
"""What may have to be marked, in runs: no letter or digit has to, but for those with no look."""
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SEEN_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
"""Characters of category Cf that are drawn."""

_JOINERS = frozenset("\u200c\u200d")
_JOINING = frozenset(
    {"ARABIC", "SYRIAC", "NKO", "THAANA", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI"}
    | {"GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER"}
    | {"MYANMAR", "TIBETAN"}
)
"""Scripts that are written with joiners."""


_LOOKLESS = frozenset({Mark.INVISIBLE, Mark.BIDI, Mark.SPACE})


def marked(text: str) -> tuple[Segment, ...]:
    """The pieces of a text, in order; their sources joined are the text."""
    pieces: list[Segment] = []
    at = 0
    found = _all_marks(text)
    for start, end, kind, shown in islice(found, MOST_MARKS):
        if start > at:
            pieces.append(Segment(text[at:start], Mark.PLAIN, text[at:start]))
        pieces.append(Segment(shown, kind, text[start:end]))
        at = end
    if more := next(found, None):
        is_plain = more[2] is Mark.SPACE and all(mark[2] is Mark.SPACE for mark in found)
        pieces.append(_rest(text[at:], Mark.SPACE if is_plain else Mark.RIDDLED))
    elif at < len(text):
        pieces.append(Segment(text[at:], Mark.PLAIN, text[at:]))
    return tuple(pieces)


def has_look(text: str) -> bool:
    """Whether anything of a text can be seen: it has more than spaces and what has no look.

    A text with more than :data:`MOST_MARKS` of these has one: their numbers.
    """
    return any(piece.kind not in _LOOKLESS and not piece.source.isspace() for piece in marked(text))


def _rest(text: str, kind: Mark) -> Segment:
    """What is behind the last mark with a piece of its own, as one piece.

    White space is drawn as ever. What is not plain is told by its number alone: only other white
    space where nothing else is marked, every sign otherwise, and every letter beyond ASCII where
    some stand for others.
    """
    letters = kind is Mark.RIDDLED and next(suspects(text), None) is not None
    numbers = {
        ord(char): f"[U+{ord(char):04X}]"
        for char in set(text)
        if not " " <= char <= "~" and char not in _SIGNS
        if _kind(char) is Mark.SPACE
        or (kind is Mark.RIDDLED and (letters or char in _FILLERS or not char.isalnum()))
    }
    shown = _SPACES.sub(lambda run: _drawn(run[0][0], len(run[0])), text.translate(numbers))
    return Segment(shown, kind, text)


_Found = tuple[int, int, Mark, str]


def _all_marks(text: str) -> Iterator[_Found]:
    """Both kinds in one order; where they meet, a character without a look comes first."""
    others = _look_alikes(text)
    other = next(others, None)
    for found in _merged(_odd_characters(text)):
        while other is not None and other[1] <= found[0]:
            yield other
            other = next(others, None)
        while other is not None and other[0] < found[1]:
            other = next(others, None)
        yield found
    while other is not None:
        yield other
        other = next(others, None)


def _look_alikes(text: str) -> Iterator[_Found]:
    for start, end, script in suspects(text):
        piece = text[start:end]
        chars = "" if script == MANY else "".join(dict.fromkeys(piece))
        codes = "".join(f"U+{ord(char):04X} " for char in chars)
        yield start, end, Mark.MIXED, f"{piece} {codes}{script.capitalize() or _name(piece[0])}"


def _odd_characters(text: str) -> Iterator[_Found]:
    for found in _CANDIDATES.finditer(text):
        start, end, first = found.start(), found.end(), found[0][0]
        if first in _SIGNS:
            yield start, end, Mark.SPACE, _drawn(first, end - start)
            continue
        for begin, past, kind in _kinds(text, start, end):
            if kind:
                yield begin, past, kind, _told(first)


def _kinds(text: str, start: int, end: int) -> Iterator[tuple[int, int, Mark | None]]:
    """What is wrong with a run of one character, from where to where.

    Of a character whose look depends on what stands before it, only as many are asked after as
    could have something else before them.
    """
    first = text[start]
    if not _leans(first):
        yield start, end, _kind(first)
        return
    alone = min(end, start + MOST_STACKED + 2)
    for at in range(start, alone):
        yield at, at + 1, None if _has_place(text, at) else Mark.INVISIBLE
    if alone < end:
        yield alone, end, Mark.INVISIBLE


def _merged(found: Iterator[_Found]) -> Iterator[_Found]:
    """Repetitions of one named character as one mark that tells how many."""
    last: _Found | None = None
    for each in found:
        if last is not None and each[0] == last[1] and each[2:] == last[2:]:
            last = (last[0], each[1], *each[2:])
            continue
        if last is not None:
            yield _counted(last)
        last = each
    if last is not None:
        yield _counted(last)


def _counted(found: _Found) -> _Found:
    start, end, kind, shown = found
    if end - start > 1 and shown.startswith("U+"):
        return start, end, kind, f"{shown} \u00d7{end - start}"
    return found


def _drawn(char: str, count: int) -> str:
    sign = _SIGNS[char]
    if count > MOST_DRAWN:
        return f"{sign[0]} \u00d7{count}{sign[1:] or ' '}"
    return sign * count


@lru_cache(8192)
def _leans(char: str) -> bool:
    """Whether it is a joiner, a combining mark or a selector: its look is on what is before it."""
    return char in _JOINERS or (char not in _FILLERS and unicodedata.category(char)[0] == "M")


@lru_cache(8192)
def _kind(char: str) -> Mark | None:
    """What is wrong with the look of a character beyond plain ASCII, wherever it stands."""
    if char in _BIDI:
        return Mark.BIDI
    if char in _FILLERS:
        return Mark.INVISIBLE
    match unicodedata.category(char):
        case "Zs":
            return Mark.SPACE
        case "Cf":
            return None if char in _SEEN_FORMATS else Mark.INVISIBLE
        case "Cc" | "Cs" | "Co" | "Zl" | "Zp":
            return Mark.INVISIBLE
        case "Cn":  # emoji that are younger than our tables are emoji all the same
            return None if "\U0001f000" <= char <= "\U0001faff" else Mark.INVISIBLE
        case _:
            return None


@lru_cache(8192)
def _told(char: str) -> str:
    return f"U+{ord(char):04X} {_name(char)}"


def _has_place(text: str, at: int) -> bool:
    return _joins(text, at) if text[at] in _JOINERS else _has_base(text, at)


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands where one is written: within a script that has them, or in emoji."""
    before, after = _base_before(text, at), text[at + 1 : at + 2]
    if not before or not after:
        return False
    if unicodedata.category(before) == "So":
        return text[at] == "\u200d" and unicodedata.category(after) == "So"
    return _first_word(before) in _JOINING and _first_word(after) in _JOINING


def _base_before(text: str, at: int) -> str:
    """The character that marks, selectors and skin tones before an index belong to."""
    for index in range(at - 1, max(-1, at - 2 - MOST_STACKED), -1):
        char = text[index]
        if unicodedata.category(char) not in ("Mn", "Mc", "Me", "Sk"):
            return char
    return ""


def _has_base(text: str, at: int) -> bool:
    """Whether a combining mark stands on something, and a selector behind what it selects."""
    char, before = text[at], text[at - 1 : at] if at else ""
    if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        is_base = before in "0123456789#*" or unicodedata.category(before) in ("So", "Sm", "Po")
        return before != "" and (is_base or _first_word(before) in ("CJK", "MYANMAR", "MONGOLIAN"))
    if "\u180b" <= char <= "\u180f":
        return before != "" and _first_word(before) == "MONGOLIAN"
    base = _base_before(text, at)
    return base != "" and base.isprintable() and base != " "


def _first_word(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _name(char: str) -> str:
    """The character's Unicode name; what it is where it has none."""
    if name := unicodedata.name(char, ""):
        return name.lower()
    if char < " ":
        return unicodedata.name(chr(0x2400 + ord(char))).removeprefix("SYMBOL FOR ").lower()
    match unicodedata.category(char):
        case "Cc":
            return "control"
        case "Cs":
            return "half a surrogate pair"
        case "Co":
            return "private use"
        case _:
            return "not assigned"
