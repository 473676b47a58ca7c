"""Kinds of JSON text, valid and not: our own, and the public test suite where it is at hand."""

import os
from decimal import Decimal
from json import JSONDecoder
from pathlib import Path

import pytest

from app.calls.argument_faults import FaultCode, Status
from app.calls.arguments import ArgumentParser
from app.calls.strict import StrictFault, parse_strict
from tests.calls.reading import merged, plain, read, ways_to_cut

OUR_VALID = [
    "{}",
    "[]",
    '""',
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0",
    "10",
    "1.5",
    "1E5",
    "1e+5",
    "1e-5",
    "0.0e0",
    "0e1",
    "123456789012345678901234567890",
    "1e400",
    "-1e-400",
    " [ 1 , 2 ] ",
    "\r\n{\t}\r\n",
    '[[],{},[[]],{"a":{}}]',
    '{"a":[{"b":[{"c":[]}]}]}',
    '{"":""}',
    '{"a":"","b":"","c":[]}',
    '["\\"\\\\\\/\\b\\f\\n\\r\\t"]',
    '["\\u0041\\u00e9\\u20AC"]',
    '["\\ud83d\\ude00 \\uD83D\\uDE00"]',
    '["\\u0000\\u001f\\u007f"]',
    '["\x7f\u0080\u2028\u2029\ufeff\ufffe\U0010ffff"]',
    '["e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467"]',
    '["\\\\u0041"]',
    '["{\\"a\\":1}"]',
    '["// no comment /* here */"]',
    '{"__proto__":1,"constructor":2,"toString":3}',
    '{"a\\u0062":1}',
]

OUR_INVALID = [
    "{",
    "[",
    '"',
    "}",
    "]",
    ",",
    ":",
    "-",
    "+1",
    "01",
    "-01",
    "1.",
    ".1",
    "1e",
    "1e+",
    "1.e1",
    "1.2.3",
    "1e1.5",
    "1 2",
    "0x10",
    "1_0",
    "1,",
    "--1",
    "\u0661",
    "\uff11",
    "nul",
    "nulll",
    "True",
    "NULL",
    "NaN",
    "Infinity",
    "-Infinity",
    "undefined",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1:2]",
    "[1}",
    "[1",
    "[1]]",
    '["a"',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1 "b":2}',
    '{"a":1]',
    '{"a" "b"}',
    '{"a"::1}',
    '{"a",1}',
    "{1:1}",
    "{null:1}",
    "{a:1}",
    "{'a':1}",
    '{"a":1}}',
    '{"a":1}{"a":1}',
    '{"a":1} x',
    '{"a":1,"a":1}',
    "'a'",
    '"a\n"',
    '"a\t"',
    '"a\0"',
    '"\\a"',
    '"\\"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\U0041"',
    '"\\x41"',
    '"\\u 041"',
    '"\\u+041"',
    "\ufeff{}",
    "\u00a0{}",
    "\f{}",
    "{}\v",
    "{}\u2028",
    "{}\0",
    "// x\n{}",
    "/* x */{}",
    "{}# x",
    "```json\n{}\n```",
    "<json>{}</json>",
    "[" * 100_000,
    '[{"":' * 50_000,
]


def reference(text: str) -> object:
    """What the standard parser makes of the text, numbers as :func:`plain` tells them."""

    def number(literal: str) -> object:
        return ("number", literal)

    return JSONDecoder(parse_int=number, parse_float=number).decode(text)


def settle(fragments: list[str]) -> ArgumentParser:
    parser, _ = read(fragments)
    parser.finish()
    return parser


def ways(text: str) -> list[list[str]]:
    """As :func:`ways_to_cut`, without the cut at every point for a text that is long."""
    return list(ways_to_cut(text)) if len(text) < 300 else [[text], list(text)]


def as_argument(text: str) -> str:
    """The text as a member of a call's arguments, which must be an object."""
    return '{"value": ' + text + "}"


@pytest.mark.parametrize("text", OUR_VALID)
def test_a_valid_text_settles_to_what_the_standard_parser_gives(text: str) -> None:
    for fragments in ways(text):
        parser = settle(fragments)
        assert parser.status is Status.COMPLETE
        assert plain(parser.settled) == reference(text)


@pytest.mark.parametrize("text", OUR_INVALID, ids=lambda text: text[:12])
def test_an_invalid_text_is_broken_and_never_dispatchable(text: str) -> None:
    shown = None
    for fragments in ways(text):
        parser, changes = read(fragments)
        parser.finish()
        assert parser.status is Status.BROKEN
        assert shown is None or merged(changes) == shown
        shown = merged(changes)
    assert_refused(text)
    assert_refused(as_argument(text))


ROOT = Path(__file__).parents[2]
RECORDINGS = Path(os.environ.get("FORMWORK_RECORDINGS", ROOT.parent / "shared" / "captures"))
SUITE = RECORDINGS.parent / "corpus" / "json-test-suite"

REPEATED_KEYS = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}
"""Valid JSON to the suite; refused here, on purpose, at the second key."""

WITH_NUL = {"y_object_escaped_null_in_key.json", "y_string_null_escape.json"}
"""Valid JSON to the suite, and it shows; but no database would keep it, so it is refused."""

BLANK = {"n_structure_no_data.json", "n_single_space.json"}
"""No JSON to the suite; here the arguments of a call that has none."""


def files(kind: str) -> list[object]:
    found = sorted(SUITE.glob(f"{kind}_*.json"))
    if not found:
        reason = f"the JSON test suite is not at hand: no {kind}_ file"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(file, id=file.stem) for file in found]


def text_of(file: Path) -> str:
    """The text as a lenient decoder of the wire would hand it on."""
    return file.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("file", files("y"))
def test_a_valid_file_settles_to_what_the_standard_parser_gives(file: Path) -> None:
    text = text_of(file)
    for fragments in ways(text):
        parser = settle(fragments)
        if file.name in REPEATED_KEYS:
            assert parser.fault is not None
            assert parser.fault.code is FaultCode.DUPLICATE_KEY
        else:
            assert parser.status is Status.COMPLETE
            assert plain(parser.settled) == reference(text)


@pytest.mark.parametrize("file", files("y"))
def test_a_valid_file_is_dispatchable_as_an_argument(file: Path) -> None:
    text = as_argument(text_of(file))
    if file.name in REPEATED_KEYS | WITH_NUL:
        with pytest.raises(StrictFault):
            parse_strict(text)
    else:
        assert repr(parse_strict(text)) == repr(JSONDecoder(parse_float=Decimal).decode(text))


@pytest.mark.parametrize("file", files("n"))
def test_an_invalid_file_is_never_dispatchable(file: Path) -> None:
    text = text_of(file)
    assert_refused(as_argument(text))
    for fragments in ways(text):
        parser = settle(fragments)
        if file.name in BLANK:
            assert (parser.settled, parse_strict(text)) == ({}, {})
        else:
            assert parser.status is Status.BROKEN
            assert_refused(text)


@pytest.mark.parametrize("file", files("i"))
def test_a_file_that_may_go_either_way_is_no_crash_and_no_surprise(file: Path) -> None:
    text = text_of(file)
    outcomes = [settle(fragments) for fragments in ways(text)]
    assert len({(parser.status, repr(plain(parser.settled))) for parser in outcomes}) == 1
    try:
        parse_strict(as_argument(text))
    except StrictFault:
        return
    assert outcomes[0].status is Status.COMPLETE


def assert_refused(text: str) -> None:
    with pytest.raises(StrictFault):
        parse_strict(text)
