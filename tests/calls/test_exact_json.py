import math
from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.exact_json import MAX_DEPTH, NotJson, digest, dump_exact, load_exact
from app.calls.json_types import JsonValue

texts = st.text(st.characters(exclude_categories=()))  # lone surrogates and NUL included
decimals = st.decimals(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | decimals | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=30
)


def same(a: Any, b: Any) -> bool:
    """Equal in type and text as well; a whole Decimal may come back as the int it spells."""
    if isinstance(a, dict):
        one, two = cast(dict[str, Any], a), cast(dict[str, Any], b)
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if isinstance(a, list):
        left, right = cast(list[Any], a), cast(list[Any], b)
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(a, Decimal):
        return str(a) == str(b) or (str(a) == "-0" and b == 0)
    return type(a) is type(b) and a == b


@given(values)
def test_what_is_written_reads_back_exactly(value: JsonValue) -> None:
    text = dump_exact(value)
    assert same(value, load_exact(text))
    assert "\x00" not in text
    text.encode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ({"b": [1, {"a": None}], "a": True}, '{"b":[1,{"a":null}],"a":true}'),
        (Decimal("1250.00"), "1250.00"),
        (Decimal("1E+400"), "1E+400"),
        (12345678901234567890, "12345678901234567890"),
        ("é\n\x00\ud83d", '"é\\n\\u0000\\ud83d"'),
        ("\U0001f600", '"\U0001f600"'),
    ],
)
def test_text(value: JsonValue, text: str) -> None:
    assert dump_exact(value) == text


def test_an_integer_longer_than_python_converts_directly() -> None:
    value = 7**20000
    assert load_exact(dump_exact([value])) == [value]


@pytest.mark.parametrize(
    "value", [1.5, math.nan, Decimal("NaN"), Decimal("Infinity"), {1: 2}, b"x", (1,), {"a": {1}}]
)
def test_what_is_not_json_is_refused_without_telling_the_value(value: Any) -> None:
    with pytest.raises(NotJson, match="type"):
        dump_exact(value)


def test_depth_is_bounded_on_writing_and_the_deepest_can_be_read() -> None:
    deepest: JsonValue = 1
    for _ in range(MAX_DEPTH):
        deepest = [deepest]
    assert load_exact(dump_exact(deepest)) == deepest
    with pytest.raises(NotJson, match=str(MAX_DEPTH)):
        dump_exact([deepest])


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "[1,]", ""])
def test_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        load_exact(text)


def test_digest_is_the_sha256_of_the_utf8() -> None:
    assert digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert digest("é") != digest("e")
