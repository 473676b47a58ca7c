"""Hypothesis strategies for JSON texts, each beside the value it stands for.

Texts are written here from their parts, not by a JSON library, so that a test knows what must
come out without asking another parser: literal numbers, escapes of every kind, white space.
"""

from dataclasses import dataclass

from hypothesis import strategies as st

from app.calls.argument_changes import NumberText, SettledValue
from app.calls.surrogates import join_pairs

SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


NUMBERS = [
    sign + whole + part + power
    for sign in ("", "-")
    for whole in ("0", "1", "12", "1250", "12345678901234567890")
    for part in ("", ".0", ".00", ".125")
    for power in ("", "e1", "E+2", "e-7", "e400")
]


@dataclass(frozen=True)
class Written:
    """A JSON text and the value, numbers as their text, that it settles to."""

    text: str
    value: SettledValue


def _as_units(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


def _renderings(char: str) -> list[str]:
    ways = [_as_units(char), _as_units(char).upper().replace("\\U", "\\u")]
    if char in SHORT_ESCAPES:
        ways.append(SHORT_ESCAPES[char])
    if char >= " " and char not in '"\\':
        ways.append(char)
    return ways


AWKWARD = '"\\/\b\n\t\0\x7fé\u0301\u200d😀'


@st.composite
def strings(draw: st.DrawFn, halves: bool = False, max_size: int = 12) -> Written:
    """Strings; with ``halves``, also of lone or meeting halves of surrogate pairs."""
    kinds = [
        st.text(st.characters(exclude_categories=["Cs"]), max_size=max_size),
        st.text(AWKWARD, max_size=max_size),
    ]
    if halves:
        kinds.append(st.text("a\ud83d\udbff\ude00\udfff😀", max_size=max_size))
    chars = draw(st.one_of(kinds))
    # One draw for the whole string: a draw for each character is slow.
    seed = draw(st.integers(0, 2**24))
    ways = [_renderings(char) for char in chars]
    text = "".join(way[(seed >> place) % len(way)] for place, way in enumerate(ways))
    return Written(f'"{text}"', join_pairs(chars))


@st.composite
def numbers(draw: st.DrawFn) -> Written:
    literal = draw(st.sampled_from(NUMBERS))
    return Written(literal, NumberText(literal))


LITERALS = [Written("true", True), Written("false", False), Written("null", None)]
SPACES = ["", "", " ", "\n  ", "\t\r\n"]


@st.composite
def values(draw: st.DrawFn, halves: bool = False, depth: int = 3) -> Written:
    kind = draw(st.integers(0, 5 if depth else 3))
    if kind < 2:
        return draw(strings(halves))
    if kind == 2:
        return draw(numbers())
    if kind == 3:
        return draw(st.sampled_from(LITERALS))
    if kind == 4:
        return draw(_arrays(halves, depth - 1))
    return draw(arguments(halves, depth - 1))


@st.composite
def _arrays(draw: st.DrawFn, halves: bool, depth: int) -> Written:
    written = draw(st.lists(values(halves, depth), max_size=3))
    return _joined(draw, "[", [each.text for each in written], "]", [e.value for e in written])


@st.composite
def arguments(draw: st.DrawFn, halves: bool = False, depth: int = 3) -> Written:
    """Objects, as the arguments of a call are."""
    texts: list[str] = []
    value: dict[str, SettledValue] = {}
    space = draw(st.sampled_from(SPACES))
    for _ in range(draw(st.integers(0, 3))):
        key = draw(strings(halves, max_size=4))
        if str(key.value) not in value:
            member = draw(values(halves, depth))
            texts.append(f"{key.text}{space}:{space}{member.text}")
            value[str(key.value)] = member.value
    return _joined(draw, "{", texts, "}", value)


def _joined(
    draw: st.DrawFn, start: str, texts: list[str], end: str, value: SettledValue
) -> Written:
    before, after = draw(st.sampled_from(SPACES)), draw(st.sampled_from(SPACES))
    spaced = [f"{before}{text}{after}" for text in texts] or [before]
    return Written(start + ",".join(spaced) + end, value)


def sizes() -> st.SearchStrategy[list[int]]:
    """Sizes of the fragments to cut a text into, over and over."""
    return st.lists(st.integers(1, 8), min_size=1, max_size=12)
