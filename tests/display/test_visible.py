import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.visible import visible

BIDI_CONTROLS = [chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F))] + [
    chr(code) for code in range(0x2066, 0x206A)
]


@pytest.mark.parametrize("control", BIDI_CONTROLS)
def test_what_reorders_text_shows_by_number(control: str) -> None:
    assert visible(f"a{control}b") == f"a[U+{ord(control):04X}]b"


def test_controls_show_as_pictures_and_lines_and_tabs_stay() -> None:
    assert visible("a\x00b\x1b[0m\r\n\tc\x7f\x85") == "a\u2400b\u241b[0m\u240d\n\tc\u2421[U+0085]"


def test_a_lone_surrogate_is_no_character() -> None:
    assert visible("a\ud83d") == "a\ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, 東京",
        "👩\u200d💻",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "क्\u200dष",
        "❤\ufe0f",
        "ends in \n",
    ],
)
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text(), st.text())
def test_the_visible_form_of_a_prefix_is_a_prefix(start: str, end: str) -> None:
    assert visible(start + end) == visible(start) + visible(end)


@given(st.text(st.characters()))
def test_nothing_that_could_break_a_page_or_reorder_it_is_left(text: str) -> None:
    for char in visible(text):
        assert unicodedata.category(char) not in {"Cs", "Zl", "Zp"}
        assert unicodedata.category(char) != "Cc" or char in "\n\t"
        assert unicodedata.bidirectional(char) not in {
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        }  # fmt: skip
