from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from app.tools.results import NotAResult, json_value


@dataclass
class Line:
    sku: str
    amount: Decimal


class Model(BaseModel):
    when: date


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (None, None),
        (True, True),
        (0.1, Decimal("0.1")),
        (Decimal("1250.00"), Decimal("1250.00")),
        (Line("a", Decimal(1)), {"sku": "a", "amount": Decimal(1)}),
        (Model(when=date(2026, 3, 1)), {"when": "2026-03-01"}),
        (Colour.RED, "red"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ((1, {"a": {2}}), [1, {"a": [2]}]),
        (Path("a/b"), "a/b"),
        ("a\x00\ud800b", "a\ufffd\ufffdb"),
        ({"k\x00": True}, {"k\ufffd": True}),
    ],
)
def test_what_a_tool_returns_becomes_exact_json(returned: Any, expected: Any) -> None:
    result = json_value(returned)
    assert result == expected
    assert not isinstance(result, float)
    assert str(result) == str(expected)


def endless() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


@pytest.mark.parametrize(
    "returned",
    [object(), b"canary", {1: 2}, float("nan"), Decimal("Infinity"), endless(), [object], Line],
)
def test_what_is_no_json_is_refused_without_being_quoted(returned: Any) -> None:
    with pytest.raises(NotAResult) as caught:
        json_value(returned)
    assert "canary" not in str(caught.value)
