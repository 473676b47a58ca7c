"""Objects out of a row of them, however the bytes are cut."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers import json_objects
from app.providers.json_marks import JsonMarks
from app.providers.json_objects import ObjectReader
from app.providers.streaming import BrokenOff


def read(body: bytes, chunk: int) -> tuple[list[str], bool]:
    reader = ObjectReader()
    pieces = [body[at : at + chunk] for at in range(0, len(body), chunk)]
    return [text for piece in pieces for text in reader.feed(piece)], reader.whole


@pytest.mark.parametrize(
    ("body", "objects", "whole"),
    [
        (b'{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}'], True),
        (b'{"a":1}{"b":2}', ['{"a":1}', '{"b":2}'], True),
        (b'{"a":"}{\\"]\\\\"}\r\n\n', ['{"a":"}{\\"]\\\\"}'], True),
        ('{"a":"ü😀"}'.encode(), ['{"a":"ü😀"}'], True),
        (b'[{"a":[{}]},\n{"b":2}]', ['{"a":[{}]}', '{"b":2}'], True),
        (b'[{"a":1},', ['{"a":1}'], False),
        (b'{"a":1}\n{"b"', ['{"a":1}'], False),
        (b'{"a":1}\noops{"b":2}\n', ['{"a":1}', '{"b":2}'], False),
        (b'{"a":1}}', ['{"a":1}'], False),
        (b"", [], True),
    ],
)
def test_case_whole_and_cut_at_every_byte(body: bytes, objects: list[str], whole: bool) -> None:
    for chunk in range(1, max(2, len(body) + 1)):
        assert read(body, chunk) == (objects, whole), chunk


@given(st.lists(st.dictionaries(st.text(), st.text() | st.lists(st.text()))), st.integers(1, 20))
def test_any_objects_come_out_as_they_went_in(objects: list[dict[str, str]], chunk: int) -> None:
    texts = [json.dumps(each, ensure_ascii=False) for each in objects]
    lines = "".join(text + "\n" for text in texts).encode("utf-8", "surrogatepass")
    assert read(lines, chunk) == (texts, True)


def test_an_endless_object_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_objects, "MAX_OBJECT_CHARS", 32)
    reader = ObjectReader()
    reader.feed(b'{"a":"xxxxxxxxxx"}' * 20)
    reader.feed(b'{"a":"')
    with pytest.raises(BrokenOff, match="limit 32"):
        [reader.feed(b"x") for _ in range(40)]


@given(st.lists(st.text('{}[]"\\a', max_size=3)))
def test_marks_are_the_same_however_the_text_is_cut(pieces: list[str]) -> None:
    whole, cut = JsonMarks(), JsonMarks()
    expected = [mark for _, mark in whole.feed("".join(pieces))]
    assert [mark for piece in pieces for _, mark in cut.feed(piece)] == expected
