"""How the demo model types, checked by sampling; nothing here sleeps."""

from itertools import islice
from random import Random
from statistics import median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers.demo_typing import (
    LONGEST_FRAGMENT,
    STALL_S,
    awkward_places,
    fragments,
    gaps,
)

TURNS, GAPS = 3000, 60


def sampled() -> list[list[float]]:
    return [list(islice(gaps(Random(f"turn {turn}")), GAPS)) for turn in range(TURNS)]


def test_gaps_are_like_a_real_providers() -> None:
    turns = sampled()
    every = [gap for turn in turns for gap in turn if gap < STALL_S[0]]
    assert median(every) == pytest.approx(0.011, rel=0.03)
    assert quantiles(every, n=100)[98] == pytest.approx(0.084, rel=0.05)


def test_about_one_turn_in_300_stalls_for_over_a_second_once() -> None:
    stalls = [[gap for gap in turn if gap >= STALL_S[0]] for turn in sampled()]
    stalled = [turn for turn in stalls if turn]
    assert 3 <= len(stalled) <= 20
    assert all(len(turn) == 1 and turn[0] <= STALL_S[1] for turn in stalled)


def test_the_same_seed_types_the_same() -> None:
    assert list(islice(gaps(Random(7)), 50)) == list(islice(gaps(Random(7)), 50))
    assert fragments("a" * 100, Random(7)) == fragments("a" * 100, Random(7))


@given(st.text(), st.integers())
def test_fragments_are_the_text_and_none_is_long_or_empty(text: str, seed: int) -> None:
    pieces = fragments(text, Random(seed))
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= LONGEST_FRAGMENT for piece in pieces)


@given(st.text(min_size=1, max_size=300), st.integers(), st.data())
def test_a_count_is_met_exactly(text: str, seed: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(-(-len(text) // 6), len(text)))
    pieces = fragments(text, Random(seed), count)
    assert len(pieces) == count
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= LONGEST_FRAGMENT for piece in pieces)


@pytest.mark.parametrize("count", [0, 1, 8, 101])
def test_a_count_that_cannot_be_met_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="100 characters"):
        fragments("a" * 100, Random(1), count)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (r'"a\nb"', '"a\\', 'nb"'),
        (r'"\ud83e\uddfe"', '"\\ud83e', '\\uddfe"'),
        (r'"\u20ac"', '"\\u20', 'ac"'),
        ('{"key":1}', '{"key"', ":1}"),
        ("1250.00", "125", "0.00"),
        ("1250.00", "1250", ".00"),
    ],
)
def test_awkward_places_are_known(text: str, before: str, after: str) -> None:
    assert before + after == text
    assert len(before) in awkward_places(text)


def test_awkward_places_are_cut_at_often() -> None:
    text = r'{"amount":1250.00,"note":"a\nb \ud83e\uddfe"}' * 4
    cuts: set[int] = set()
    for seed in range(30):
        place = 0
        for piece in fragments(text, Random(seed)):
            place += len(piece)
            cuts.add(place)
    assert awkward_places(text) <= cuts
