from typing import Any

import pytest

from app.display.schema_reading import SchemaReader, leads_somewhere, references

STRING = {"type": "string"}


def test_a_schema_is_read_through_references_and_alternatives() -> None:
    schema: dict[str, Any] = {
        "$defs": {
            "line": {"type": "object", "properties": {"sku": STRING}, "required": ["sku"]},
            "self": {"$ref": "#/$defs/self"},
        },
        "type": "object",
        "properties": {
            "line": {"$ref": "#/$defs/line"},
            "maybe": {"anyOf": [{"$ref": "#/$defs/line"}, {"type": "null"}]},
            "all": {"allOf": [{"$ref": "#/$defs/line"}, {"properties": {"n": {}}}]},
            "self": {"$ref": "#/$defs/self"},
        },
    }
    reader = SchemaReader(schema)
    members = reader.members(schema)
    assert list(reader.members(members["line"])) == ["sku"]
    assert reader.kinds(members["maybe"]) == {"object"}
    assert list(reader.members(members["maybe"])) == ["sku"]
    assert sorted(reader.members(members["all"])) == ["n", "sku"]
    assert reader.required(members["all"]) == {"sku"}
    assert reader.required(members["maybe"]) == frozenset()
    assert reader.kinds(members["self"]) == frozenset()


KINDS: list[tuple[dict[str, Any], set[str]]] = [
    ({"type": "string"}, {"string"}),
    ({"type": ["string", "null"]}, {"string"}),
    ({"properties": {}}, {"object"}),
    ({"items": {}}, {"array"}),
    (
        {"enum": ["a", 1, True, None, [], {}]},
        {"string", "number", "boolean", "array", "object"},
    ),
    ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, {"integer", "string"}),
    ({}, set()),
    ({"$ref": "#/nowhere"}, set()),
]


@pytest.mark.parametrize(("schema", "kinds"), KINDS)
def test_kinds_are_those_a_value_may_have(schema: dict[str, Any], kinds: set[str]) -> None:
    assert SchemaReader(schema).kinds(schema) == kinds


def test_references_are_found_at_any_depth_and_lead_within_the_document() -> None:
    document = {"$defs": {"a b/c~d": {"type": "string"}, "n": 5}, "items": [{"$ref": "#/x"}]}
    assert list(references(document)) == ["#/x"]
    assert leads_somewhere("#", document)
    assert leads_somewhere("#/$defs/a%20b~1c~0d", document)
    assert not leads_somewhere("#/x", document)
    assert not leads_somewhere("#/$defs/n", document)
    assert not leads_somewhere("#anchor", document)
    assert not leads_somewhere("https://example.invalid/#/$defs", document)
