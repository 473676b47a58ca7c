from typing import Any

import pytest

from app.display.map_check import Finding, Severity, check
from tests.display.maps import compiled

STRING = {"type": "string"}
NESTED = {"type": "object", "properties": {"a": STRING, "b": STRING}, "required": ["a"]}


def found(findings: list[Finding], severity: Severity) -> list[tuple[str, str]]:
    return [(each.pointer, each.text) for each in findings if each.severity is severity]


def errors(*args: Any, **more: Any) -> list[tuple[str, str]]:
    return found(check(compiled(*args, **more)), Severity.ERROR)


def test_a_map_that_decides_everything_has_no_findings() -> None:
    assert (
        check(compiled({"a": STRING, "b": STRING}, {"a": {"label": "A"}, "b": {"hidden": True}}))
        == []
    )


def test_fields_that_nobody_decided_on_are_for_review() -> None:
    field_map = compiled(
        {
            "a": STRING,
            "b": STRING,
            "group": NESTED,
            "lines": {"type": "array", "items": NESTED},
            "hidden": NESTED,
        },
        {
            "a": {"label": "A"},
            "group": {"label": "Group", "fields": {"a": {"label": "A"}}},
            "lines": {"label": "Lines", "items": {"fields": {"b": {"hidden": True}}}},
            "hidden": {"hidden": True},
        },
    )
    pointers = [pointer for pointer, _ in found(check(field_map), Severity.REVIEW)]
    assert pointers == ["/display/b", "/display/group/fields/b", "/display/lines/items/fields/a"]
    assert found(check(field_map), Severity.ERROR) == []


@pytest.mark.parametrize(
    ("properties", "display", "pointer", "words"),
    [
        ({}, {"gone": {"label": "Gone"}}, "/display/gone", "no field"),
        ({}, {"a/b~": {"label": "Gone"}}, "/display/a~1b~0", "no field"),
        ({"a": STRING}, {"a": {}}, "/display/a", "needs a label"),
        ({"a": STRING}, {"a": {"label": "A", "fields": {}}}, "/display/a", "no object"),
        ({"a": STRING}, {"a": {"label": "A", "items": {}}}, "/display/a", "no array"),
        ({"a": NESTED}, {"a": {"label": "A"}}, "/display/a", "name what is shown"),
        (
            {"a": {"type": "array", "items": NESTED}},
            {"a": {"label": "A"}},
            "/display/a",
            "name what is shown",
        ),
        (
            {"a": NESTED},
            {"a": {"label": "A", "fields": {"c": {"label": "C"}}}},
            "/display/a/fields/c",
            "no field",
        ),
        ({"a": STRING}, {"a": {"label": "A", "format": "yes_no"}}, "/display/a", "never fits"),
        ({"a": STRING}, {"a": {"label": "Sending"}}, "/display/a/label", "Sending"),
        (
            {"ticket_id": STRING},
            {"ticket_id": {"label": "Ticket", "mode": "stream"}},
            "/display/ticket_id/mode",
            "names a thing",
        ),
    ],
)
def test_what_cannot_be_shown_or_would_be_untrue_is_an_error(
    properties: dict[str, Any], display: dict[str, Any], pointer: str, words: str
) -> None:
    ((where, text),) = errors(properties, display)[:1]
    assert where == pointer
    assert words in text


def test_what_is_an_error_shows_nothing() -> None:
    field_map = compiled(
        {"a": STRING, "b": NESTED}, {"a": {}, "b": {"label": "B"}, "c": {"label": "C"}}
    )
    assert field_map.display.members == {}


@pytest.mark.parametrize(
    "name",
    ["id", "ticket_id", "ticketId", "userIDs", "invoice-number", "api_key", "email", "to",
     "recipient", "path", "url", "sku", "order_ref", "phone", "uuid"],
)  # fmt: skip
def test_identifiers_do_not_stream(name: str) -> None:
    entry = {"label": "Name", "mode": "stream"}
    assert errors({name: STRING}, {name: entry}) != []
    assert errors({name: STRING}, {name: {"label": "Name"}}) == []


@pytest.mark.parametrize("name", ["body", "description", "content", "reason", "video", "candidate"])
def test_prose_may_stream(name: str) -> None:
    assert errors({name: STRING}, {name: {"label": "Name", "mode": "stream"}}) == []


def test_the_labels_of_the_tool_and_of_results_are_checked_too() -> None:
    result = {"display": {"x": {"label": "Loading…"}, "y": {"label": "Y", "hidden": True}}}
    field_map = compiled({}, {}, label="Creating ticket", result=result)
    pointers = [pointer for pointer, _ in found(check(field_map), Severity.ERROR)]
    assert pointers == ["/label", "/result/display/x/label"]


def test_a_summary_names_only_shown_fields() -> None:
    shown = {"a": {"label": "A"}, "b": {"hidden": True}}
    for template, count in (("{a}", 0), ("{b}", 1), ("{c} {a}", 1), ("{} {a.b}", 2)):
        result = {"summary": template, "display": shown}
        assert len(errors({}, {}, result=result)) == count


@pytest.mark.parametrize("by", ["user", "operator"])
def test_a_user_who_approves_sees_every_required_field(by: str) -> None:
    found_errors = errors(
        {"a": STRING, "b": STRING, "c": STRING, "group": NESTED},
        {
            "a": {"label": "A"},
            "b": {"hidden": True},
            "group": {"label": "Group", "fields": {"a": {"hidden": True}}},
        },
        required=("a", "b", "c", "group"),
        approval={"required": True, "by": by},
    )
    pointers = [pointer for pointer, _ in found_errors]
    expected = ["/display/b", "/display/c", "/display/group/fields/a"]
    assert pointers == (expected if by == "user" else [])


def test_so_they_do_in_the_elements_of_an_array() -> None:
    found_errors = errors(
        {"lines": {"type": "array", "items": NESTED}},
        {"lines": {"label": "Lines", "items": {"fields": {"b": {"label": "B"}}}}},
        required=("lines",),
        approval={"required": True, "by": "user"},
    )
    assert [pointer for pointer, _ in found_errors] == ["/display/lines/items/fields/a"]


EDITABLE = {"label": "A", "editable": True}
ASKED = {"required": True, "by": "operator"}


@pytest.mark.parametrize(
    ("schema", "entry", "words"),
    [
        (STRING, {"hidden": True, "editable": True}, "nobody edits what is not shown"),
        (NESTED, {**EDITABLE, "fields": {"a": {"label": "A"}}}, "no single value"),
        ({"type": "array", "items": STRING}, EDITABLE, "no single value"),
    ],
)
def test_only_a_single_value_that_shows_can_be_edited(
    schema: dict[str, Any], entry: dict[str, Any], words: str
) -> None:
    [(where, text)] = errors({"a": schema}, {"a": entry}, approval=ASKED)
    assert where == "/display/a"
    assert words in text


def test_what_is_editable_has_somebody_who_may_edit_it() -> None:
    assert errors({"a": STRING}, {"a": EDITABLE}, approval=ASKED) == []
    [(where, text)] = errors({"a": STRING}, {"a": EDITABLE})
    assert where == "/display/a/editable"
    assert "no approval is asked" in text


def test_a_result_is_not_edited() -> None:
    result = {"display": {"a": EDITABLE}}
    [(where, text)] = errors({}, {}, result=result, approval=ASKED)
    assert where == "/result/display/a"
    assert "has happened" in text


def test_a_map_is_compared_with_what_the_tool_takes() -> None:
    field_map = compiled({"a": STRING, "b": STRING}, {"a": {"hidden": True}, "b": {"hidden": True}})
    accepted = {
        "type": "object",
        "properties": {"a": STRING, "c": STRING, "d": STRING},
        "required": ["a", "c"],
        "additionalProperties": False,
    }
    findings = check(field_map, accepted)
    assert [text for _, text in found(findings, Severity.ERROR)] == [
        "the tool takes no 'b'",
        "the tool needs 'a', which the schema does not require",
        "the tool needs 'c', which the schema does not require",
    ]
    assert [text for _, text in found(findings, Severity.REVIEW)] == [
        "the tool takes 'c', which the model is not told of",
        "the tool takes 'd', which the model is not told of",
    ]


@pytest.mark.parametrize("unseen", ["\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff", "\u2060"])
def test_a_label_holds_nothing_that_cannot_be_seen(unseen: str) -> None:
    found_errors = errors({"a": STRING}, {"a": {"label": f"Am{unseen}ount"}})
    assert found_errors[0][0] == "/display/a/label"
    assert f"U+{ord(unseen):04X}" in found_errors[0][1]
    assert errors({}, {}, label=f"Open{unseen}") != []
    assert errors({"a": STRING}, {"a": {"label": "Montant dû"}}) == []


def test_no_two_fields_side_by_side_have_one_order() -> None:
    one, two = {"label": "A", "order": 1}, {"label": "B", "order": 1}
    assert [where for where, _ in errors({"a": STRING, "b": STRING}, {"a": one, "b": two})] == [
        "/display/b/order"
    ]
    inner = {"label": "G", "order": 1, "fields": {"a": one, "b": {"label": "B", "order": 2}}}
    assert errors({"a": STRING, "g": NESTED}, {"a": {"label": "A", "order": 2}, "g": inner}) == []
    hidden = {"hidden": True, "order": 1}
    assert errors({"a": STRING, "b": STRING}, {"a": one, "b": hidden}) == []
    result = {"display": {"x": one, "y": two}}
    assert [where for where, _ in errors({}, {}, result=result)] == ["/result/display/y/order"]
