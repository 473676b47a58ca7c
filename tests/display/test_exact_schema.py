from decimal import Decimal
from typing import Any

import pytest

from app.calls.json_types import JsonValue
from app.display.exact_schema import MOST_FAULTS, BadSchema, ExactSchema


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer"}, [5, Decimal("5.0"), 10**40], [Decimal("5.5"), True, "5"]),
        ({"type": "number"}, [5, Decimal("5.5"), Decimal("1e400")], [True, "5", None]),
        (
            {"multipleOf": 0.01},
            [Decimal("0.07"), 1250, Decimal("1250.10"), Decimal("1E+20")],
            [Decimal("0.075"), Decimal("1E-400")],
        ),
        ({"multipleOf": 0.1}, [Decimal("0.3"), "no number"], [Decimal("1E+999999")]),
        ({"minimum": 0.1}, [Decimal("0.1"), 1], [Decimal("0.09")]),
        ({"enum": [0.1, "a"]}, [Decimal("0.1"), Decimal("0.10"), "a"], [Decimal("0.11"), "b"]),
        ({"const": 1}, [1, Decimal("1.0")], [True, 2]),
        ({"pattern": "^a$"}, ["a", 5], ["a\n", "b"]),
        ({"pattern": r"^[$]\$$"}, ["$$"], ["$$\n", "$"]),
        ({"format": "date"}, ["2026-03-01"], ["2026-02-30", "soon"]),
        ({"format": "email"}, ["a@b.example"], ["nobody"]),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, ["x"], [1]),
    ],
)
def test_values_are_judged_exactly(
    schema: dict[str, Any], good: list[JsonValue], bad: list[JsonValue]
) -> None:
    compiled = ExactSchema(schema)
    for value in good:
        assert compiled.faults(value) == ()
        assert compiled.allows(value)
    for value in bad:
        assert len(compiled.faults(value)) == 1
        assert not compiled.allows(value)


@pytest.mark.parametrize(
    ("rules", "arguments", "sentence"),
    [
        ({"required": ["a", "b"]}, {"a": 1}, "arguments: needs b"),
        ({"additionalProperties": False}, {"canary": 1}, "arguments: takes nothing but x"),
        ({}, {"x": "canary"}, "x: must be of type integer"),
        ({"properties": {"x": {"enum": [1, 2]}}}, {"x": "canary"}, "x: must be one of 1, 2"),
        (
            {"properties": {"x": {"maxLength": 3}}},
            {"x": "canary"},
            "x: must fit maxLength 3",
        ),
        ({"properties": {"x": {"anyOf": [{"const": 1}]}}}, {"x": "canary"}, "fits none"),
        ({"properties": {"x": {"format": "email"}}}, {"x": "canary"}, "must fit format email"),
        ({"properties": {"x": {"not": {}}}}, {"x": "canary"}, "must fit not"),
    ],
)
def test_a_fault_names_the_rule_and_no_value(
    rules: dict[str, Any], arguments: dict[str, JsonValue], sentence: str
) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, **rules}
    (fault,) = ExactSchema(schema).faults(arguments)
    assert sentence in fault
    assert "canary" not in fault


def test_faults_are_bounded() -> None:
    many: list[JsonValue] = ["x"] * 1000
    faults = ExactSchema({"items": {"type": "integer"}}).faults(many)
    assert len(faults) == MOST_FAULTS
    (fault,) = ExactSchema({"enum": ["e" * 10_000]}).faults("x")
    assert len(fault) < 300


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"properties": []},
        {"$ref": "https://example.invalid/schema"},
        {"$ref": "other.json#/a"},
        {"properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"items": [{"$dynamicRef": "#anchor"}]},
    ],
)
def test_a_schema_that_is_none_or_leads_out_of_itself_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(BadSchema):
        ExactSchema(schema)
