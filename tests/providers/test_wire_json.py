"""JSON on the wire: exact in, and as exact as a JSON library can carry out."""

import json
import math
import sys
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.json_types import JsonValue
from app.providers.wire_json import (
    MAX_INTEGER_DIGITS,
    SurrogateJoiner,
    UnreadableJson,
    plain,
    read,
    readable,
)


def test_numbers_are_read_as_they_are_written() -> None:
    value = read('{"amount":1250.00,"id":12345678901234567890,"big":1e400}')
    assert value == {
        "amount": Decimal("1250.00"),
        "id": 12345678901234567890,
        "big": Decimal("1e400"),
    }
    assert isinstance(value, dict)
    assert str(value["amount"]) == "1250.00"


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a":NaN}', "[Infinity]", "-Infinity", "{} {}", "[" * 100_000, "9" * 5000, b"\xff"],
)
def test_what_is_no_document_is_refused_by_one_error(text: str | bytes) -> None:
    with pytest.raises(UnreadableJson):
        read(text)


def test_a_key_twice_is_refused_where_that_is_asked_for() -> None:
    assert read('{"a":1,"a":2}') == {"a": 2}
    with pytest.raises(UnreadableJson, match="twice"):
        read('[{"b":{"a":1,"a":2}}]', unique_keys=True)


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (Decimal("1250.00"), "1250.0"),
        (Decimal("0.1"), "0.1"),
        (Decimal("0E+9999999"), "0.0"),
        (Decimal("12345678901234567890.0"), "12345678901234567890"),
        (Decimal("1e30"), "1000000000000000000000000000000"),
        (Decimal("-1e400"), "-1" + "0" * 400),
        (Decimal("1e-9999999"), "0.0"),
        (Decimal("1.5e400"), "15" + "0" * 399),
        (Decimal(f"1e{MAX_INTEGER_DIGITS}"), repr(sys.float_info.max)),
        (Decimal("-1e9999999"), repr(-sys.float_info.max)),
        (True, "true"),
        (None, "null"),
        ([{"a": Decimal("2.5")}], '[{"a": 2.5}]'),
    ],
)
def test_a_value_is_sent_as_exactly_as_a_library_can(value: JsonValue, sent: str) -> None:
    assert json.dumps(plain(value)) == sent


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_no_decimal_is_sent_as_anything_but_a_finite_number(value: Decimal) -> None:
    sent = plain(value)
    assert isinstance(sent, int) or math.isfinite(sent)
    if abs(value) < Decimal("1e300"):
        assert float(sent) == float(value)


@given(st.integers() | st.text() | st.booleans() | st.none())
def test_any_other_value_is_sent_as_it_is(value: JsonValue) -> None:
    assert plain(value) is value


@given(st.text(st.characters(exclude_categories=())), st.lists(st.integers(0, 50)))
def test_pieces_join_to_the_same_whatever_the_cuts(text: str, cuts: list[int]) -> None:
    joiner = SurrogateJoiner()
    places = sorted({0, len(text), *(cut for cut in cuts if cut <= len(text))})
    pieces = [text[a:b] for a, b in pairwise(places)]
    fed = [joiner.feed(piece) for piece in pieces]
    whole = "".join(fed) + joiner.finish()
    assert whole == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def test_a_pair_split_over_two_pieces_is_one_character() -> None:
    joiner = SurrogateJoiner()
    assert joiner.feed("a\ud83d") == "a"
    assert joiner.feed("\ude00b") == "😀b"
    assert joiner.feed("\ud83d") == ""
    assert joiner.finish() == "\ud83d"
    assert joiner.finish() == ""


def test_text_to_show_has_no_half_of_a_pair() -> None:
    assert readable("a\ud83db\ude00") == "a\ufffdb\ufffd"
    assert readable("Grüße 😀") == "Grüße 😀"
