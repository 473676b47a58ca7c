import re
import sys
import unicodedata
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display import look_alikes, marks
from app.display.marks import MOST_DRAWN, MOST_MARKS, MOST_STACKED, Mark, has_look, marked

ODD = st.sampled_from(
    "\u200b\u200c\u200d\u202e\u2066\u00a0\u00ad\ufeff\ufe0f\u0301\u3164\u2028\x1b\r\t\n a."
    "\u0430\u03bf\U0001f469\u0645@:/\U000e0041\ue000"
)
MANY_OF_THEM = st.lists(ODD, min_size=1, max_size=6).map("".join)
TEXTS = (
    st.text() | st.lists(ODD).map("".join) | st.builds(str.__mul__, MANY_OF_THEM, st.just(1_000))
)

UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufe0f\u0430]")
TraceFunction = Any
"""What ``sys.settrace`` takes and its functions return."""


def pointed_at(text: str) -> list[tuple[str, Mark]]:
    return [(piece.text, piece.kind) for piece in marked(text) if piece.kind]


@given(TEXTS)
def test_the_pieces_are_the_value_to_the_character(text: str) -> None:
    pieces = marked(text)
    assert "".join(piece.source for piece in pieces) == text
    assert all(piece.source for piece in pieces)
    assert all(piece.text == piece.source for piece in pieces if not piece.kind)


@given(TEXTS)
def test_nothing_that_shows_is_unseen_or_turns_what_is_around_it(text: str) -> None:
    shown = "".join(piece.text for piece in marked(text))
    for at, char in enumerate(shown):
        kind = unicodedata.category(char)
        assert kind not in {"Cs", "Co", "Zl", "Zp"}
        assert kind != "Cc" or char in "\n\t"
        assert kind != "Zs" or char == " "
        assert unicodedata.bidirectional(char) not in {
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        }  # fmt: skip
        if char in "\u200c\u200d":
            assert 0 < at < len(shown) - 1


@pytest.mark.parametrize(
    ("char", "name", "kind"),
    [
        ("\u200b", "U+200B zero width space", Mark.INVISIBLE),
        ("\u200d", "U+200D zero width joiner", Mark.INVISIBLE),
        ("\u00ad", "U+00AD soft hyphen", Mark.INVISIBLE),
        ("\ufeff", "U+FEFF zero width no-break space", Mark.INVISIBLE),
        ("\u3164", "U+3164 hangul filler", Mark.INVISIBLE),
        ("\u2800", "U+2800 braille pattern blank", Mark.INVISIBLE),
        ("\ufe0f", "U+FE0F variation selector-16", Mark.INVISIBLE),
        ("\U000e0041", "U+E0041 tag latin capital letter a", Mark.INVISIBLE),
        ("\x1b", "U+001B escape", Mark.INVISIBLE),
        ("\x85", "U+0085 control", Mark.INVISIBLE),
        ("\u2028", "U+2028 line separator", Mark.INVISIBLE),
        ("\ue000", "U+E000 private use", Mark.INVISIBLE),
        ("\ud800", "U+D800 half a surrogate pair", Mark.INVISIBLE),
        ("\uffff", "U+FFFF not assigned", Mark.INVISIBLE),
        ("\u202e", "U+202E right-to-left override", Mark.BIDI),
        ("\u2066", "U+2066 left-to-right isolate", Mark.BIDI),
        ("\u200f", "U+200F right-to-left mark", Mark.BIDI),
        ("\u00a0", "U+00A0 no-break space", Mark.SPACE),
        ("\u3000", "U+3000 ideographic space", Mark.SPACE),
        ("\t", "\u21e5\t", Mark.SPACE),
        ("\n", "\u21b5\n", Mark.SPACE),
        ("\r", "\u240d", Mark.SPACE),
        ("  ", "\u2423\u2423", Mark.SPACE),
    ],
)
def test_what_has_no_look_is_told_by_name(char: str, name: str, kind: Mark) -> None:
    assert pointed_at(f"a{char}b") == [(name, kind)]


LOOKLESS = [
    *["", " ", "\t\n", "\u200b", "\u200b\u200d \u2060", "\u202e\u2066", "\u00ad\ufeff", "\u3164"],
    *["\u2800 \u115f", "\U000e0041", "\ufe0f", "\u0301", "\x00", "\u2028", "\u00a0"],
]


@pytest.mark.parametrize("text", LOOKLESS)
def test_what_has_no_look_is_told_from_what_has(text: str) -> None:
    assert not has_look(text)
    assert not has_look(text * 20)
    for seen in ("a", "0", "\u0430", "\u732b", "\u2764\ufe0f", "\U0001f469", "-"):
        assert has_look(f"{text}{seen}{text}")


@pytest.mark.parametrize("text", [" a", "a ", "a \nb", "  ", "\ta", "a\n"])
def test_white_space_at_an_edge_is_drawn(text: str) -> None:
    assert Mark.SPACE in [kind for _, kind in pointed_at(text)]


@pytest.mark.parametrize(
    "text",
    [
        "a b c",
        "Grüße, 東京",
        "\U0001f469\u200d\U0001f4bb ❤\ufe0f 1\ufe0f\u20e3 \U0001f44d\U0001f3fd",
        "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001fae8",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "क्\u200dष",
        "e\u0301, Vie\u0323\u0302t",
        "葛\U000e0100",
    ],
)
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert pointed_at(text) == []


def test_an_indentation_is_seen_for_what_it_is() -> None:
    assert pointed_at("def f():\n    return 1") == [("\u21b5\n", Mark.SPACE)]


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        (" " * 400, "\u2423 \u00d7400 "),
        ("\n" * 40, "\u21b5 \u00d740\n"),
        ("\t" * 40, "\u21e5 \u00d740\t"),
        ("\u200b" * 4_000, "U+200B zero width space \u00d74000"),
    ],
)
def test_of_a_long_run_the_number_is_told(run: str, shown: str) -> None:
    assert [text for text, _ in pointed_at(f"git{run}push")] == [shown]
    assert len(pointed_at("a" + " " * MOST_DRAWN + "b")[0][0]) == MOST_DRAWN


def test_a_mark_without_a_letter_and_one_of_too_many_are_told() -> None:
    assert pointed_at("\u0301a") == [("U+0301 combining acute accent", Mark.INVISIBLE)]
    stacked = pointed_at("e" + "\u0301" * (MOST_STACKED + 13))
    assert [kind for _, kind in stacked] == [Mark.INVISIBLE]


def test_letters_that_stand_for_others_are_shown_and_named() -> None:
    [found] = pointed_at("p\u0430ypal@example.com")
    assert found == ("\u0430 U+0430 Cyrillic", Mark.MIXED)
    assert pointed_at("https://bank.com\u2044x") == [("\u2044 U+2044 fraction slash", Mark.MIXED)]


RIDDLED = {
    "one character": "\u200b",
    "two in turn": "\u200b\u200c",
    "one behind every letter": "a\u200d",
    "one mark": "\u0301",
    "selectors": "\ufe0f",
    "marks on letters": "a\u0301",
    "emoji": "\U0001f44d\U0001f3fd\u200d",
    "turned around": "\u202e \u2066",
    "look-alikes": "p\u0430ypal ",
    "look-alikes in one word": "\u0430a",
    "addresses": "ex\u0430mple.com/",
    "white space": "a \n\t",
    "a script": "\u043f\u0440\u0438 ",
}


@pytest.mark.parametrize("unit", RIDDLED.values(), ids=RIDDLED)
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    """Counted in lines run, not in time: a run of twice the length takes at most twice the steps,
    and no text as many as a few for each of its characters."""
    small, large = (_steps((unit * size)[:size]) for size in (20_000, 40_000))
    assert large < 2.5 * small + 1_000
    assert large < 20 * 40_000


def _steps(text: str) -> int:
    count = 0

    def local(_frame: FrameType, event: str, _argument: object) -> TraceFunction:
        nonlocal count
        count += event == "line"
        return local

    def every(frame: FrameType, _event: str, _argument: object) -> TraceFunction | None:
        ours = frame.f_code.co_filename in (marks.__file__, look_alikes.__file__)
        return local if ours else None

    before = sys.gettrace()
    sys.settrace(every)
    try:
        marked(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("unit", RIDDLED.values(), ids=RIDDLED)
def test_of_too_many_marks_the_rest_is_one_piece_with_nothing_unseen(unit: str) -> None:
    text = unit * (MOST_MARKS * 3)
    pieces = marked(text)
    assert "".join(piece.source for piece in pieces) == text
    assert sum(1 for piece in pieces if piece.kind) <= MOST_MARKS + 1
    assert not UNSEEN.search("".join(piece.text for piece in pieces if piece.kind is Mark.RIDDLED))


def test_the_rest_of_a_riddled_value_has_the_numbers_of_its_characters() -> None:
    *_, last = marked("a\u200b" * (MOST_MARKS + 2) + "é  \U0001f469")
    assert last.kind is Mark.RIDDLED
    assert last.text == "a[U+200B]a[U+200B]é\u2423\u2423[U+1F469]"
    *_, last = marked("p\u0430y \u200b" * MOST_MARKS + "é")
    assert last.text.endswith("p[U+0430]y [U+200B][U+00E9]")


def test_a_long_text_of_many_lines_stays_as_legible_as_it_is() -> None:
    line = "Grüße, \u0928\u092e\u0938\u094d\u0924\u0947 — \U0001f44d\U0001f3fd\n"
    pieces = marked(line * (MOST_MARKS + 3))
    assert {piece.kind for piece in pieces} == {Mark.PLAIN, Mark.SPACE}
    assert pieces[-1].text == line.replace("\n", "\u21b5\n") * 3
