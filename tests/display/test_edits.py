from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.json_types import JsonObject, JsonValue
from app.display.edits import EditRefused, changes, edited
from app.display.whole import whole_for_operator
from tests.display.maps import compiled
from tests.display.test_whole import FORMATS

STRING: dict[str, Any] = {"type": "string"}
LINE = {"type": "object", "properties": {"count": {"type": "integer"}, "sku": STRING}}
MAP = compiled(
    {
        "amount": {"type": "number"},
        "note": {"anyOf": [STRING, {"type": "null"}]},
        "express": {"type": "boolean"},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "number": STRING,
        "internal": STRING,
        "lines": {"type": "array", "items": LINE},
    },
    {
        "amount": {"label": "Amount", "editable": True},
        "note": {"label": "Note", "editable": True},
        "express": {"label": "Express", "editable": True},
        "limit": {"label": "Limit", "editable": True},
        "number": {"label": "Invoice"},
        "internal": {"hidden": True},
        "lines": {
            "label": "Lines",
            "items": {"fields": {"count": {"label": "Count", "editable": True}}},
        },
    },
    approval={"required": True},
)


def arguments() -> JsonObject:
    lines: list[JsonValue] = [{"count": 1, "sku": "x"}, {"count": 2, "sku": "y"}]
    return {
        "amount": Decimal("1250.00"),
        "note": "Paid twice\r\nin March",
        "express": True,
        "limit": None,
        "number": "INV-1",
        "internal": "desk-1",
        "lines": lines,
    }


def by_hand(**new: JsonValue) -> JsonObject:
    return arguments() | new


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, by_hand()),
        ({"amount": "1,0"}, None),
        ({"amount": " 99.50 "}, by_hand(amount=Decimal("99.50"))),
        ({"amount": "100"}, by_hand(amount=100)),
        ({"amount": "1e5"}, by_hand(amount=Decimal("1e5"))),
        ({"note": "Paid\r\ntwice"}, by_hand(note="Paid\ntwice")),
        ({"note": ""}, by_hand(note="")),
        ({"express": "false"}, by_hand(express=False)),
        ({"limit": "5"}, by_hand(limit=5)),
        ({"limit": "null"}, by_hand()),
        (
            {"lines.1.count": "7"},
            by_hand(lines=[{"count": 1, "sku": "x"}, {"count": 7, "sku": "y"}]),
        ),
    ],
)
def test_an_edit_becomes_a_value_of_the_field_s_kind(
    edits: dict[str, str], expected: JsonObject | None
) -> None:
    if expected is None:
        with pytest.raises(EditRefused):
            edited(MAP, arguments(), edits)
    else:
        assert edited(MAP, arguments(), edits) == expected


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ({"number": "INV-2"}, "cannot be changed"),
        ({"internal": "desk-2"}, "cannot be changed"),
        ({"lines.0.sku": "z"}, "cannot be changed"),
        ({"lines": "[]"}, "cannot be changed"),
        ({"lines.9.count": "1"}, "cannot be changed"),
        ({"nothing": "1"}, "cannot be changed"),
        ({"amount": ""}, "Amount must be a number"),
        ({"amount": "NaN"}, "Amount must be a number"),
        ({"amount": "01"}, "Amount must be a number"),
        ({"amount": "1" * 5_000}, "Amount is no number that can be kept"),
        ({"amount": "1e999999999"}, "Amount is no number that can be kept"),
        ({"express": "yes"}, "Express must be true or false"),
        ({"note": "a\0b"}, "Note holds a character"),
        ({"lines.0.count": "x"}, "Count must be a number"),
    ],
)
def test_what_cannot_be_made_is_refused_in_words_without_a_value(
    edits: dict[str, str], words: str
) -> None:
    before = arguments()
    with pytest.raises(EditRefused, match=words):
        edited(MAP, before, edits)
    assert before == arguments()


def test_what_an_edit_changed_is_told_by_path() -> None:
    after = edited(MAP, arguments(), {"amount": "1250.0", "lines.0.count": "3", "note": "x"})
    assert list(changes(arguments(), after)) == [("amount",), ("note",), ("lines", 0, "count")]


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.sampled_from(
    ["a\r\nb", "a\rb", "\n", "\r\n\r\n", " a ", ""]
)
NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)


@given(TEXTS, NUMBERS, st.booleans())
def test_a_form_sent_back_as_it_was_changes_nothing(
    note: str, amount: int | Decimal, express: bool
) -> None:
    before: JsonObject = by_hand(note=note, amount=amount, express=express)
    rows = whole_for_operator(MAP, before, FORMATS).rows
    form = {".".join(map(str, row.path)): row.exact for row in rows if row.editable}
    sent = {name: _as_sent(text) for name, text in form.items()}
    after = edited(MAP, before, sent)
    assert list(changes(before, after)) == []
    assert after["note"] == note


def _as_sent(text: str) -> str:
    """What a browser makes of a field's line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
