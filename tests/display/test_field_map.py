from decimal import Decimal
from typing import Any

import pytest

from app.display.field_map import Approver, FieldMapFault
from app.tools.map_files import map_compiler
from tests.display.maps import compiled, document

STRING = {"type": "string"}


def test_a_map_is_compiled_with_its_defaults() -> None:
    field_map = compiled({"a": STRING}, {"a": {"label": "A"}})
    assert (field_map.tool, field_map.label, field_map.timeout_s) == ("tool", "Tool", 60.0)
    assert field_map.approval is None
    assert not field_map.asks({})
    assert not field_map.streams
    assert field_map.problems == ()


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"tool": "no spaces"}, "/tool"),
        ({"tool": "x" * 65}, "/tool"),
        ({"label": ""}, "/label"),
        ({"label": " "}, "/label"),
        ({"label": "a\x00"}, "/label"),
        ({"label": "a\n"}, "/label"),
        ({"tool": "tool\n"}, "/tool"),
        ({"description": 5}, "/description"),
        ({"more": 1}, ""),
        ({"timeout_s": 0}, "/timeout_s"),
        ({"parameters": {"type": "array"}}, "/parameters/type"),
        ({"parameters": {"type": "object", "properties": {"a": {"type": 5}}}}, "/parameters"),
        ({"parameters": {"type": "object", "$ref": "https://example.invalid"}}, "/parameters"),
        ({"display": {"a": {"label": "A", "mode": "later"}}}, "/display/a/mode"),
        ({"display": {"a": {"label": "A", "format": "roman"}}}, "/display/a/format"),
        ({"display": {"a": {"label": "A", "colour": "red"}}}, "/display/a"),
        ({"display": {"a": {"label": "A", "format": "currency"}}}, "/display/a"),
        ({"display": {"a": {"label": "A", "currency": "EUR"}}}, "/display/a"),
        ({"display": {"a": {"fields": {}, "items": {}}}}, "/display/a"),
        ({"display": {"a": {"label": "A", "items": {"label": "no"}}}}, "/display/a/items"),
        ({"approval": {}}, "/approval"),
        ({"approval": {"required": True, "by": "anyone"}}, "/approval/by"),
        ({"approval": {"when": {"type": "strin"}}}, "/approval/when"),
        ({"result": {"rows": {}}}, "/result"),
    ],
)
def test_a_document_that_is_no_map_is_refused_with_its_place(
    change: dict[str, Any], pointer: str
) -> None:
    bad = {**document({"a": STRING}, {"a": {"label": "A"}}), **change}
    with pytest.raises(FieldMapFault) as caught:
        map_compiler().compile(bad)
    assert caught.value.pointer.startswith(pointer)
    assert caught.value.reason


@pytest.mark.parametrize("missing", ["tool", "label", "description", "parameters", "display"])
def test_every_part_of_a_map_that_is_needed_is_asked_for(missing: str) -> None:
    bad = document({"a": STRING}, {})
    del bad[missing]
    with pytest.raises(FieldMapFault, match=missing):
        map_compiler().compile(bad)


@pytest.mark.parametrize(
    ("schema", "entry"),
    [
        ({**STRING, "enum": ["x"]}, {}),
        ({**STRING, "const": "x"}, {}),
        ({**STRING, "format": "uri"}, {}),
        ({**STRING, "pattern": "x"}, {}),
        ({"anyOf": [{**STRING, "enum": ["x"]}, {"type": "null"}]}, {}),
        ({"type": "integer"}, {}),
        ({"type": ["string", "integer"]}, {}),
        ({}, {}),
        ({"type": "array", "items": {"type": "integer"}}, {}),
        (STRING, {"format": "title_case"}),
        (STRING, {"format": "date"}),
    ],
)
def test_a_value_that_means_something_only_when_whole_is_not_streamed(
    schema: dict[str, Any], entry: dict[str, Any]
) -> None:
    with pytest.raises(FieldMapFault, match="mode stream"):
        compiled({"a": schema}, {"a": {"label": "A", "mode": "stream", **entry}})


@pytest.mark.parametrize(
    ("schema", "entry"),
    [
        (STRING, {}),
        ({**STRING, "maxLength": 5}, {"format": "code"}),
        ({"anyOf": [STRING, {"type": "null"}]}, {"format": "multiline"}),
        ({"type": "array", "items": STRING}, {}),
    ],
)
def test_prose_is_streamed(schema: dict[str, Any], entry: dict[str, Any]) -> None:
    field_map = compiled({"a": schema}, {"a": {"label": "A", "mode": "stream", **entry}})
    assert field_map.streams


def test_results_are_not_streamed() -> None:
    result = {"display": {"a": {"label": "A", "mode": "stream"}}}
    with pytest.raises(FieldMapFault, match="a result comes whole"):
        compiled({}, {}, result=result)


def test_members_stand_in_the_order_given_and_else_in_that_of_the_schema() -> None:
    properties: dict[str, Any] = {"c": STRING, "a": STRING, "b": STRING, "d": STRING}
    display: dict[str, Any] = {name: {"label": name} for name in ("a", "b", "c", "d")}
    assert list(compiled(properties, display).display.members) == ["c", "a", "b", "d"]
    display["d"]["order"] = 0
    display["c"]["order"] = 2.5
    assert list(compiled(properties, display).display.members) == ["d", "a", "c", "b"]


def test_approval_asks_always_or_by_the_arguments() -> None:
    when = {"properties": {"amount": {"exclusiveMinimum": 100}}, "required": ["amount"]}
    asked = compiled({}, {}, approval={"when": when, "by": "operator", "expires_after_s": 5})
    assert asked.approval is not None
    assert (asked.approval.by, asked.approval.expires_after_s) == (Approver.OPERATOR, 5)
    assert asked.asks({"amount": Decimal("100.01")})
    assert not asked.asks({"amount": 100})
    assert not asked.asks({})
    always = compiled({}, {}, approval={"required": True})
    assert always.approval is not None
    assert (always.approval.by, always.approval.expires_after_s) == (Approver.USER, 3600)
    assert always.asks({})


def test_arguments_are_judged_by_the_schema() -> None:
    field_map = compiled({"a": {"type": "integer"}}, {}, required=("a",))
    assert field_map.schema_faults({"a": 5}) == ()
    assert field_map.schema_faults({}) == ("arguments: needs a",)
