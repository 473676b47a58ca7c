"""Ids never collide and never need escaping, whatever a model calls its keys."""

import re

from hypothesis import given
from hypothesis import strategies as st

from app.calls.json_types import dotted
from app.web.page_ids import ItemIds, encode_step

PATHS = st.lists(st.text(max_size=6) | st.integers(0, 300), min_size=1, max_size=4).map(tuple)


@given(PATHS, PATHS)
def test_different_paths_have_different_ids(one: tuple[str | int, ...], two: tuple[str | int, ...]):
    ids = ItemIds(0, 1, 2)
    assert (ids.slot(one) == ids.slot(two)) == (list(map(repr, one)) == list(map(repr, two)))


@given(PATHS)
def test_an_id_is_a_selector_as_it_stands(path: tuple[str | int, ...]):
    ids = ItemIds(3, 0, 11)
    for identity in (ids.slot(path), ids.value(path), ids.mark(path), ids.elements(path)):
        assert re.fullmatch(r"[a-z][A-Za-z0-9_-]*", identity)


def test_a_key_that_looks_like_another_step_does_not_encode_like_it():
    steps: list[str | int] = [0, "0", "", "x", "_", "__", "_x_", "a-b", "a_b", "a", "ä", "30", 30]
    assert len({encode_step(step) for step in steps}) == len(steps)


def test_parts_of_different_kinds_do_not_share_ids():
    ids = ItemIds(0, 0, 0)
    path = ("a",)
    every = [ids.block, ids.state, ids.outcome]
    every += [ids.slot(path), ids.value(path), ids.mark(path), ids.elements(path)]
    assert len(set(every)) == len(every)


def test_the_field_mark_is_the_dotted_path():
    assert dotted(("lines", 0, "item")) == "lines.0.item"


def test_the_rows_of_a_result_have_ids_of_their_own():
    ids = ItemIds(0, 0, 0)
    assert ids.of_result.slot(("x",)) != ids.slot(("x",))
    keys: list[str | int] = ["=", "-", "", "_", 0]
    arguments = {ids.slot((key, "x")) for key in keys} | {ids.slot((key,)) for key in keys}
    results = {ids.of_result.slot((key, "x")) for key in keys}
    assert not arguments & (results | {ids.of_result.slot((key,)) for key in keys})
