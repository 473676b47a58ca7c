from decimal import Decimal
from typing import Any

import pytest

from app.calls.json_types import JsonValue
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.results import result_headings, result_rows, summary
from app.display.view import RowKind, RowStatus
from tests.display.maps import compiled

EN = Formats("en")


def mapped(display: dict[str, Any], template: str | None = None) -> FieldMap:
    result: dict[str, Any] = {"display": display}
    return compiled({}, {}, result=result if template is None else {**result, "summary": template})


INVOICE = {
    "number": {"label": "Invoice", "order": 2},
    "total": {"label": "Total", "order": 1, "format": "currency", "currency": "EUR"},
    "customer": {"label": "Customer", "order": 3, "fields": {"name": {"label": "Name"}}},
    "lines": {"label": "Lines", "order": 4, "items": {"fields": {"sku": {"label": "Article"}}}},
    "tags": {"label": "Tags", "order": 5},
    "note": {"label": "Note", "order": 6, "format": "multiline"},
    "secret": {"hidden": True},
    "unlabelled": {},
}


def test_rows_of_a_result_are_those_its_map_names_in_its_order() -> None:
    result: JsonValue = {
        "number": "INV-1",
        "total": Decimal("1250.50"),
        "customer": {"name": "Ada", "email": "canary"},
        "lines": [{"sku": "A", "cost": "canary"}, {"cost": "canary"}, {"sku": "B"}],
        "tags": ["x", True, {"y": "canary"}, ["canary"]],
        "note": None,
        "secret": "canary",
        "unlabelled": "canary",
        "extra": "canary",
    }
    rows = result_rows(mapped(INVOICE), result, EN)
    assert [(row.path, row.label, row.text) for row in rows] == [
        (("total",), "Total", "€1,250.50"),
        (("number",), "Invoice", "INV-1"),
        (("customer", "name"), "Name", "Ada"),
        (("lines", 0, "sku"), "Article", "A"),
        (("lines", 2, "sku"), "Article", "B"),
        (("tags", 0), "Tags", "x"),
        (("tags", 1), "Tags", "true"),
        (("note",), "Note", "null"),
    ]
    assert {row.status for row in rows} == {RowStatus.SETTLED}
    assert rows[-1].kind is RowKind.PROSE
    assert result_headings(mapped(INVOICE), rows) == (
        (("customer",), "Customer"),
        (("lines",), "Lines"),
        (("tags",), "Tags"),
    )


def test_what_holds_rows_within_an_element_has_its_label_too() -> None:
    display = {
        "orders": {
            "label": "Orders",
            "items": {
                "fields": {
                    "to": {"label": "Addressee", "fields": {"city": {"label": "City"}}},
                    "marks": {"label": "Marks"},
                }
            },
        }
    }
    result: JsonValue = {"orders": [{"to": {"city": "Bonn"}}, {"marks": [1, 2]}, {"to": {}}]}
    rows = result_rows(mapped(display), result, EN)
    assert result_headings(mapped(display), rows) == (
        (("orders",), "Orders"),
        (("orders", 0, "to"), "Addressee"),
        (("orders", 1, "marks"), "Marks"),
    )


@pytest.mark.parametrize(
    "result",
    ["canary", ["canary"], None, {"number": {"a": "canary"}}, {"customer": "canary"}, {"lines": 1}],
)
def test_a_result_of_another_kind_shows_nothing(result: JsonValue) -> None:
    assert result_rows(mapped(INVOICE), result, EN) == ()


@pytest.mark.parametrize(
    ("template", "result", "expected"),
    [
        ("{number}", {"number": "INV-1"}, "INV-1"),
        ("{number} · {total}", {"number": "INV-1", "total": 5}, "INV-1 · €5.00"),
        ("by {customer.name}", {"customer": {"name": "Ada"}}, "by Ada"),
        ("{number} {secret}", {"number": "INV-1", "secret": "canary"}, "INV-1"),
        ("{number}{unlabelled}{extra}", {"number": "1", "unlabelled": "c", "extra": "c"}, "1"),
        ("{secret}", {"secret": "canary"}, None),
        ("{number}", {}, None),
        ("{number}", {"number": None}, None),
        ("{number}", {"number": {"a": "canary"}}, None),
        ("{number.x}", {"number": {"x": "canary"}}, None),
        ("{number}", "canary", None),
        ("{lines}", {"lines": ["canary"]}, None),
        ("{}", {"": "canary"}, None),
        ("{number.__class__}", {"number": "x"}, None),
        ("no place", {}, "no place"),
        ("{number}", {"number": "{secret}", "secret": "canary"}, "{secret}"),
        ("{number}", {"number": "a\u202eb"}, "a[U+202E]b"),
    ],
)
def test_a_summary_names_shown_fields_alone(
    template: str, result: JsonValue, expected: str | None
) -> None:
    assert summary(mapped(INVOICE, template), result, EN) == expected


def test_without_a_template_there_is_no_summary() -> None:
    assert summary(mapped(INVOICE), {"number": "INV-1"}, EN) is None
