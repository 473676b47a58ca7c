"""The one strict parse, and the same rules for objects."""

from dataclasses import replace
from decimal import Decimal
from typing import cast

import pytest
from hypothesis import given

from app.calls.argument_changes import NumberText, SettledValue
from app.calls.json_types import JsonObject, JsonValue
from app.calls.limits import DEFAULT_LIMITS
from app.calls.reasons import Reason
from app.calls.strict import StrictFault, check_object, measure, parse_strict
from tests.calls.json_texts import Written, arguments

GOOD: list[tuple[str, JsonObject]] = [
    ("", {}),
    (" \t\r\n", {}),
    ("{}", {}),
    (' {"a" : 1 } \n', {"a": 1}),
    ('{"id": 2512292042121000001}', {"id": 2512292042121000001}),
    ('{"x": 1250.00, "y": -0.5e-3}', {"x": Decimal("1250.00"), "y": Decimal("-0.5e-3")}),
    ('{"x": 1e400}', {"x": Decimal("1e400")}),
    ('{"x": [true, false, null, "", []]}', {"x": [True, False, None, "", []]}),
    ('{"x": "\\ud83d\\ude00"}', {"x": "😀"}),
    ('{"x": "\ud83d\ude00"}', {"x": "😀"}),
    ('{"x": "\\u0001\\u007f\\/"}', {"x": "\u0001\u007f/"}),
    ('{"__proto__": {"x": 1}}', {"__proto__": {"x": 1}}),
    ('{"a": {"x": 1}, "b": {"x": 1}}', {"a": {"x": 1}, "b": {"x": 1}}),
]


@pytest.mark.parametrize(("text", "value"), GOOD)
def test_a_good_text_gives_its_object(text: str, value: JsonObject) -> None:
    parsed = parse_strict(text)
    assert parsed == value
    assert repr(parsed) == repr(value)
    assert check_object(parsed) is parsed


BAD: list[tuple[str, str]] = [
    ("[1]", "not an object"),
    ('"text"', "not an object"),
    ("null", "not an object"),
    ("2", "not an object"),
    ('{"amount": NaN}', "NaN"),
    ('{"amount": Infinity}', "Infinity"),
    ('{"amount": -Infinity}', "Infinity"),
    ('{"a": 1, "a": 1}', "twice"),
    ('{"o": [{"a": 1, "\\u0061": 2}]}', "twice"),
    ('{"\ud83d\ude00": 1, "😀": 2}', "twice"),
    ('{"x": 1}}', "Extra data"),
    ("{}{}", "Extra data"),
    ('{"x": 1}\n\nI will now', "Extra data"),
    ('{"x": 1', "delimiter"),
    ('{"x": "half', "Unterminated"),
    ('{"dry_run": tr', "Expecting value"),
    ('{"t": "line1\nline2"}', "control character"),
    ('{"t": "a\0b"}', "control character"),
    ('{"t": "a\\u0000b"}', "NUL"),
    ('{"a\\u0000": 1}', "NUL"),
    ('{"t": ["\\ud83d"]}', "surrogate"),
    ('{"t": "\\ude00\\ud83d"}', "surrogate"),
    ('{"\\ud83d": 1}', "surrogate"),
    ('{"t": "\ud83d"}', "surrogate"),
    ('{"a": 01}', "delimiter"),
    ('{"a": 1.}', "delimiter"),
    ('{"a": .5}', "Expecting value"),
    ('{"a": +1}', "Expecting value"),
    ('{"a": 1,}', "Expecting property name"),
    ("{'a': 1}", "Expecting property name"),
    ("\ufeff{}", "Expecting value"),
    ("\u00a0", "Expecting value"),
]


@pytest.mark.parametrize(("text", "detail"), BAD)
def test_a_bad_text_is_invalid_json(text: str, detail: str) -> None:
    with pytest.raises(StrictFault, match=detail) as caught:
        parse_strict(text)
    assert caught.value.reason is Reason.INVALID_JSON


def test_a_fault_never_quotes_the_text() -> None:
    for text, _ in BAD:
        with pytest.raises(StrictFault) as caught:
            parse_strict(text.replace('{"', '{"s3cret') + "s3cret")
        assert "s3cret" not in caught.value.detail


SMALL = replace(DEFAULT_LIMITS, call_bytes=60, depth=3, number_chars=8)

TOO_LARGE = [
    ('{"x": "' + "x" * 60 + '"}', "60 bytes: 69"),
    ('{"x": "' + "é" * 30 + '"}', "60 bytes: 69"),
    (" " * 61, "60 bytes: 61"),
    ('{"a": [[[1]]]}', "deeper than 3"),
    ('{"a": 123456789}', "8 characters: 9"),
    ('{"a": -1.234567}', "8 characters: 9"),
    ('{"a": 1e9}', "8 characters: 9"),
    ('{"a": 1e-9}', "8 characters: 9"),
]


@pytest.mark.parametrize(("text", "detail"), TOO_LARGE)
def test_a_text_past_a_limit_is_too_large_with_both_numbers(text: str, detail: str) -> None:
    with pytest.raises(StrictFault, match=detail) as caught:
        parse_strict(text, SMALL)
    assert caught.value.reason is Reason.TOO_LARGE


@pytest.mark.parametrize(
    "text",
    ['{"a": [[1], {}]}', '{"a": 12345678}', '{"a": 1e8}', '{"x": "' + "x" * 51 + '"}'],
)
def test_a_text_at_a_limit_is_within_it(text: str) -> None:
    assert parse_strict(text, SMALL)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a": ' * 100_000,
        '{"a": ' * 65 + "1" + "}" * 65,
        '{"a": ' + "9" * 1001 + "}",
        '{"a": 0.' + "9" * 1000 + "}",
        '{"a": 1e999999999999999999999}',
        '{"a": 1e-999999999999999999999}',
        '{"a": 1e1000000}',
        '{"a": 0e1000000}',
    ],
)
def test_the_default_limits_hold_against_the_usual_attacks(text: str) -> None:
    with pytest.raises(StrictFault) as caught:
        parse_strict(text)
    assert caught.value.reason is Reason.TOO_LARGE


def test_a_limit_above_the_interpreters_own_bound_on_digits_is_no_crash() -> None:
    limits = replace(DEFAULT_LIMITS, number_chars=1_000_000)
    with pytest.raises(StrictFault, match="digits") as caught:
        parse_strict('{"a": ' + "9" * 100_000 + "}", limits)
    assert caught.value.reason is Reason.TOO_LARGE


OBJECTS: list[tuple[JsonValue, Reason, str]] = [
    ([1], Reason.INVALID_JSON, "not an object"),
    ("text", Reason.INVALID_JSON, "not an object"),
    (None, Reason.INVALID_JSON, "not an object"),
    ({"a": ["b\0"]}, Reason.INVALID_JSON, "NUL"),
    ({"a\0": 1}, Reason.INVALID_JSON, "NUL"),
    ({"a": "\ud83d"}, Reason.INVALID_JSON, "surrogate"),
    ({"a": {"\ude00": 1}}, Reason.INVALID_JSON, "surrogate"),
    ({"a": Decimal("NaN")}, Reason.INVALID_JSON, "NaN"),
    ({"a": Decimal("Infinity")}, Reason.INVALID_JSON, "Infinity"),
    ({"a": [[[1]]]}, Reason.TOO_LARGE, "deeper than 3"),
    ({"a": "x" * 60}, Reason.TOO_LARGE, "60 bytes"),
    ({"a" * 60: 1}, Reason.TOO_LARGE, "60 bytes"),
    ({"a": list(range(60))}, Reason.TOO_LARGE, "60 bytes"),
    ({"a": 10**12}, Reason.TOO_LARGE, "8 characters"),
    ({"a": -(10**100_000)}, Reason.TOO_LARGE, "8 characters"),
    ({"a": Decimal("1e400")}, Reason.TOO_LARGE, "8 characters"),
    ({"a": Decimal("1.23456789")}, Reason.TOO_LARGE, "8 characters"),
]


@pytest.mark.parametrize(("value", "reason", "detail"), OBJECTS)
def test_an_object_is_held_to_the_same_rules(value: JsonValue, reason: Reason, detail: str) -> None:
    with pytest.raises(StrictFault, match=detail) as caught:
        check_object(value, SMALL)
    assert caught.value.reason is reason


@pytest.mark.parametrize("value", [1.5, float("nan"), b"bytes", (1, 2)])
def test_what_stands_for_no_json_is_an_error_of_the_adapter(value: object) -> None:
    with pytest.raises(TypeError):
        check_object(cast("JsonObject", {"a": [value]}))


def test_a_measure_is_about_the_bytes_of_compact_json() -> None:
    assert measure({"a": "é", "b": [1, True]}) == pytest.approx(
        len('{"a":"é","b":[1,true]}'.encode()), abs=4
    )


@given(written=arguments())
def test_every_value_is_exact(written: Written) -> None:
    if "\0" in written.text or "\\u0000" in written.text:
        return
    assert _as_settled(parse_strict(written.text)) == _as_exact(written.value)


def _as_settled(value: JsonValue) -> object:
    """Numbers told from text and from truth by a tag; members and elements in their order."""
    if isinstance(value, dict):
        return [(key, _as_settled(member)) for key, member in value.items()]
    if isinstance(value, list):
        return [_as_settled(element) for element in value]
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return ("number", type(value), str(value))
    return value


def _as_exact(value: SettledValue) -> object:
    if isinstance(value, dict):
        return [(key, _as_exact(member)) for key, member in value.items()]
    if isinstance(value, list):
        return [_as_exact(element) for element in value]
    if isinstance(value, NumberText):
        number = Decimal(value) if set(value) & set(".eE") else int(value)
        return ("number", type(number), str(number))
    return value
