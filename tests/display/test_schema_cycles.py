from typing import Any

import pytest

from app.display.map_check import Severity, check
from tests.display.maps import compiled

TREE = {
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
}


def cycles(parameters: dict[str, Any]) -> list[tuple[Severity, str]]:
    whole: dict[str, Any] = {"type": "object", "properties": {}, **parameters}
    found = check(compiled({}, {}, parameters=whole))
    return [(each.severity, each.pointer) for each in found if "leads" in each.text]


@pytest.mark.parametrize(
    ("definitions", "pointers"),
    [
        ({"a": {"$ref": "#/$defs/a"}}, ["/parameters/$defs/a/$ref"]),
        (
            {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            ["/parameters/$defs/a/$ref", "/parameters/$defs/b/$ref"],
        ),
        ({"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, ["/parameters/$defs/a/anyOf/0/$ref"]),
        ({"a": {"not": {"$ref": "#/$defs/a"}}}, ["/parameters/$defs/a/not/$ref"]),
    ],
)
def test_a_reference_to_the_same_value_is_an_error(
    definitions: dict[str, Any], pointers: list[str]
) -> None:
    assert cycles({"$defs": definitions}) == [(Severity.ERROR, each) for each in pointers]


def test_a_tree_is_a_good_schema_for_review() -> None:
    where = "/parameters/$defs/n/properties/children/items/$ref"
    assert cycles({"$defs": {"n": TREE}}) == [(Severity.REVIEW, where)]


def test_using_a_definition_twice_is_no_cycle() -> None:
    text = {"$ref": "#/$defs/t"}
    assert cycles({"properties": {"x": text, "y": text}, "$defs": {"t": {"type": "string"}}}) == []
