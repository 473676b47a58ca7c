from hypothesis import given
from hypothesis import strategies as st

from app.display import places
from app.display.places import Keys, Places

_keys = st.lists(st.integers(0, 30), min_size=2, max_size=2).map(tuple)


@given(st.lists(st.tuples(_keys, st.booleans()), max_size=120))
def test_places_are_those_of_a_sorted_list(steps: list[tuple[Keys, bool]]) -> None:
    known, reference = Places(), list[Keys]()
    for keys, removes in steps:
        if keys in reference:
            if removes:
                known.remove(keys)
                reference.remove(keys)
            continue
        place = known.add(keys, keys)
        reference = sorted([*reference, keys])
        assert place == reference.index(keys)
        assert [known.of(each) for each in reference] == list(range(len(reference)))
        assert len(known) == len(reference)
    assert list(known) == reference


def test_many_rows_before_others_are_placed_right_across_blocks() -> None:
    block = places._BLOCK  # pyright: ignore[reportPrivateUsage]
    known, count = Places(), 3 * block
    for index in range(count):
        assert known.add((1, index), (1, index)) == index
    for index in range(count):
        assert known.add((0, index), (0, index)) == index
    for index in range(count - 1, -1, -2):
        known.remove((1, index))
    assert list(known) == [(0, i) for i in range(count)] + [(1, i) for i in range(0, count, 2)]
    assert known.add((1, count), (1, count)) == len(known) - 1
