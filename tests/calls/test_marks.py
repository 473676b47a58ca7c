"""Marks stand where a second opinion says, and marking changes nothing of what is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.argument_changes import Grew
from app.calls.arguments import ArgumentParser
from app.calls.marks import MarkingParser
from tests.calls.settle_oracle import settles

PIECES = st.sampled_from(
    ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"\\ud83d\\ude00"', "1", "-0.5e3", "12", "true",
     "nul", "null", " ", "\n", '"open', "\\", "x"]
)  # fmt: skip


TEXTS = (
    "",
    " \n",
    "12",
    "-0.5e3 ",
    "{}",
    "[]",
    '{"a":1,"b":[true,null,"x"],"c":{"d":-0.5e3}}',
    '{ "a" : "\\ud83d\\ude00\\n\\"" , "b" : 12 }',
    '{"a":1,"a":2}',
    "[1,2,3",
    '{"a":12x',
    '{"a":"open',
    "[tru",
    '{"a":"é😀","b":1}',
    '{"a":1}}',
    "[[[]]]",
    "[12}",
)


def marked(text: str, size: int, *, finished: bool) -> MarkingParser:
    parser = MarkingParser()
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
        parser.changes()
    if finished:
        parser.finish()
    return parser


def assert_as_the_oracle_says(text: str) -> None:
    for finished in (False, True):
        expected = settles(text, finished=finished)
        for size in (1, 3, max(len(text), 1)):
            found = marked(text, size, finished=finished).marks
            assert [(mark.path, mark.offset) for mark in found] == expected, (text, size, finished)


@pytest.mark.parametrize("text", TEXTS)
def test_marks_stand_where_the_oracle_says(text: str) -> None:
    assert_as_the_oracle_says(text)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_marks_of_any_text_stand_where_the_oracle_says(text: str) -> None:
    assert_as_the_oracle_says(text)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_marking_changes_nothing_of_what_is_read(text: str) -> None:
    plain, marking = ArgumentParser(), MarkingParser()
    for parser in (plain, marking):
        parser.feed(text)
        parser.finish()
    assert [c for c in plain.changes() if not isinstance(c, Grew)] == [
        c for c in marking.changes() if not isinstance(c, Grew)
    ]
    assert (plain.status, plain.fault) == (marking.status, marking.fault)


def test_an_oracle_that_is_wrong_is_noticed() -> None:
    assert settles('{"a":12}', finished=False) == [(("a",), 8), ((), 8)]
    assert settles('[1, "x"', finished=False) == [((0,), 3), ((1,), 7)]
    assert settles("12", finished=False) == []
    assert settles("12", finished=True) == [((), 2)]
