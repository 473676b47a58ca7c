import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.graphemes import MOST_HELD, Held

TECHNOLOGIST = "\U0001f469\u200d\U0001f4bb"
FLAG = "\U0001f1e9\U0001f1ea"


def steps(text: str) -> list[str]:
    """What shows after each character."""
    held, shown = Held(), ""
    seen: list[str] = []
    for char in text:
        shown += held.add(char)
        seen.append(shown)
    return seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", ["a", "ab", "abc"]),
        ("e\u0301!", ["e", "e", "e\u0301!"]),
        ("\u2764\ufe0f!", ["\u2764", "\u2764", "\u2764\ufe0f!"]),
        (FLAG + "!", ["", "", FLAG + "!"]),
        (FLAG + FLAG + "!", ["", "", FLAG, FLAG, FLAG + FLAG + "!"]),
        (
            TECHNOLOGIST + "!",
            ["\U0001f469", "\U0001f469", "\U0001f469", TECHNOLOGIST + "!"],
        ),
        ("\U0001f44d\U0001f3fd!", ["\U0001f44d", "\U0001f44d", "\U0001f44d\U0001f3fd!"]),
        ("\u0915\u094d\u0937!", ["\u0915", "\u0915", "\u0915", "\u0915\u094d\u0937!"]),
    ],
)
def test_what_may_be_half_waits_for_the_next_character(text: str, expected: list[str]) -> None:
    assert steps(text) == expected


@pytest.mark.parametrize(
    "text", ["e\u0301", TECHNOLOGIST, FLAG, "\U0001f44d\U0001f3fd", "\u0915\u094d"]
)
def test_a_grapheme_that_came_at_once_shows_at_once_or_not_at_all(text: str) -> None:
    held = Held()
    assert held.add("x" + text) == "x"
    assert held.add("y") == text + "y"


def test_a_text_of_nothing_but_marks_does_not_wait_for_ever() -> None:
    held = Held()
    shown = "".join(held.add("\u0301") for _ in range(10 * MOST_HELD))
    assert 10 * MOST_HELD - len(shown) <= MOST_HELD


@given(
    st.lists(st.text(st.sampled_from("ab\u0301\u200d\U0001f469\U0001f1e9\U0001f3fd\u094d\u0937")))
)
def test_what_shows_is_a_prefix_and_little_waits(fragments: list[str]) -> None:
    held, shown, whole = Held(), "", ""
    for fragment in fragments:
        whole += fragment
        shown += held.add(fragment)
        assert whole.startswith(shown)
        assert len(whole) - len(shown) <= MOST_HELD
    assert shown + held.add(" ") == whole + " "
