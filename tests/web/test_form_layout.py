"""Rows find their places in the frame, in schema order."""

import pytest

from app.calls.json_types import Path
from app.display.view import Row, RowStatus, Slot
from app.web.form_layout import (
    Element,
    Group,
    Leaf,
    RowWithoutSlot,
    Series,
    arrange,
    element_at,
    element_paths,
    elements_of,
    lay_out,
)
from tests.web.random_updates import LINES, MATRIX, PLACE


def rows(*paths: Path) -> dict[Path, Row]:
    return {path: Row(path, "L", str(path), RowStatus.SETTLED) for path in paths}


def test_a_leaf_keeps_its_place_before_it_has_a_row():
    title, priority = Slot(("title",), "Title"), Slot(("priority",), "Priority")
    shown = rows(("priority",))
    assert lay_out((title, priority), shown) == (
        Leaf(title, ("title",), None),
        Leaf(priority, ("priority",), shown["priority",]),
    )


def test_a_group_holds_the_places_of_its_members():
    (group,) = lay_out((PLACE,), rows(("place", "city")))
    assert isinstance(group, Group)
    (leaf,) = group.places
    assert isinstance(leaf, Leaf)
    assert leaf.row is not None


def test_an_array_starts_empty_and_holds_elements_by_index():
    assert lay_out((LINES,), {}) == (Series(LINES, ("lines",), ()),)
    (series,) = lay_out((LINES,), rows(("lines", 1, "item"), ("lines", 0, "note")))
    assert isinstance(series, Series)
    assert [element.path for element in series.elements] == [("lines", 0), ("lines", 1)]
    assert [place.path for place in series.elements[0].places] == [
        ("lines", 0, "item"),
        ("lines", 0, "parts"),
        ("lines", 0, "note"),
    ]


def test_an_array_of_arrays_holds_arrays():
    (series,) = lay_out((MATRIX,), rows(("matrix", 0, 0), ("matrix", 0, 1)))
    assert isinstance(series, Series)
    (inner,) = series.elements[0].places
    assert isinstance(inner, Series)
    assert inner.path == ("matrix", 0)
    assert [element.path for element in inner.elements] == [("matrix", 0, 0), ("matrix", 0, 1)]


def test_a_member_called_like_the_wildcard_is_a_member():
    star = Slot(("a",), "A", repeated=True, members=(Slot(("a", "*", "*"), "Star", repeated=True),))
    (series,) = lay_out((star,), rows(("a", 0, "*", 0)))
    assert isinstance(series, Series)
    (inner,) = series.elements[0].places
    assert inner.path == ("a", 0, "*")


@pytest.mark.parametrize(
    ("frame", "path"),
    [((LINES,), ("lines", 1)), ((MATRIX,), ("matrix", 0)), ((MATRIX,), ("matrix", 0, 1))],
)
def test_an_element_alone_is_the_element_within_the_whole(frame: tuple[Slot, ...], path: Path):
    shown = rows(("lines", 1, "item"), ("lines", 1, "parts", 0))
    if path[0] == "matrix":
        shown = rows(("matrix", 0, 0), ("matrix", 0, 1))
    (series,) = lay_out(frame, shown)
    assert isinstance(series, Series)
    elements: list[Element] = []
    pending = [*series.elements]
    while pending:
        element = pending.pop()
        elements.append(element)
        for place in element.places:
            if isinstance(place, Series):
                pending.extend(place.elements)
    assert element_at(frame, shown, path) in elements


def test_elements_on_a_path_come_outermost_first():
    path = ("lines", 1, "parts", 0)
    assert list(element_paths(path)) == [("lines", 1), path]
    assert elements_of([path, ("title",)]) == {("lines", 1), path}


@pytest.mark.parametrize("path", [("other",), ("lines", 0, "other"), ("place",)])
def test_a_row_that_the_frame_does_not_know_is_an_error(path: Path):
    with pytest.raises(RowWithoutSlot):
        lay_out((LINES, PLACE), rows(path))


def test_rows_that_came_whole_stand_within_what_holds_them():
    shown = rows(
        ("found",), ("by", "name"), ("lines", 0, "sku"), ("lines", 0, "n"), ("lines", 2, "sku")
    )
    found, by, lines = arrange([*shown.values()], {("by",): "By", ("lines",): "Lines"})
    assert isinstance(found, Leaf)
    assert isinstance(by, Group)
    assert isinstance(lines, Series)
    assert (by.slot.label, lines.slot.label) == ("By", "Lines")
    assert [place.path for place in by.places] == [("by", "name")]
    assert [element.path for element in lines.elements] == [("lines", 0), ("lines", 2)]
    assert [place.path for place in lines.elements[0].places] == [
        ("lines", 0, "sku"),
        ("lines", 0, "n"),
    ]


def test_bare_values_and_arrays_of_arrays_came_whole_too():
    shown = rows(("tags", 0), ("tags", 1), ("grid", 0, 0), ("grid", 1, 0), ("grid", 1, 1))
    tags, grid = arrange([*shown.values()], {("tags",): "Tags", ("grid",): "Grid"})
    assert isinstance(tags, Series)
    assert [element.places[0] for element in tags.elements] == [
        Leaf(Slot(path, "L"), path, shown[path]) for path in [("tags", 0), ("tags", 1)]
    ]
    assert isinstance(grid, Series)
    (inner,) = grid.elements[1].places
    assert isinstance(inner, Series)
    assert [element.path for element in inner.elements] == [("grid", 1, 0), ("grid", 1, 1)]
