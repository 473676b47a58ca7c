"""Events out of bytes, as the standard reads them, however the bytes are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers.answer_reader import AnswerReader
from app.providers.event_reader import EventReader, ServerEvent
from app.providers.streaming import BrokenOff

CASES: list[tuple[bytes, list[tuple[str, str]]]] = [
    (b"data: a\n\n", [("", "a")]),
    (b"data:a\ndata:  b\n\n", [("", "a\n b")]),
    (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a"), ("", "b")]),
    (b"data: a\nevent: x\n\n", [("x", "a")]),
    (b": comment\n\ndata: a\n\n", [("", "a")]),
    (b"data:\n\nevent: x\n\ndata: a\n\n", [("", "a")]),
    (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [("", "a"), ("", "b"), ("", "c")]),
    (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
    (b"id: 1\nretry: 2\ndata: a\nnonsense\n\n", [("", "a")]),
    ("data: ü😀\n\n".encode(), [("", "ü😀")]),
    (b"data: a\n\ndata: cut", [("", "a")]),
    (b"data: a\n", []),
]


def read(body: bytes, chunk: int) -> list[tuple[str, str]]:
    reader = EventReader()
    pieces = [body[at : at + chunk] for at in range(0, len(body), chunk)]
    return [(event.name, event.data) for piece in pieces for event in reader.feed(piece)]


@pytest.mark.parametrize(("body", "events"), CASES)
def test_case_whole_and_cut_at_every_byte(body: bytes, events: list[tuple[str, str]]) -> None:
    for chunk in range(1, len(body) + 1):
        assert read(body, chunk) == events, chunk


@given(st.lists(st.sampled_from([b"data: a", b"event: e", b": c", b"\n", b"\r", b"\r\n", b"x"])))
def test_any_body_reads_the_same_however_it_is_cut(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    assert read(body, 1) == read(body, 3) == read(body, max(1, len(body)))


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        (b"data: a\n\n", None),
        (b"", None),
        (b": comment\n", None),
        (b"data: a\n", "a"),
        (b"data: [DONE]", "[DONE]"),
        (b"data: a\ndata: b", "a\nb"),
        (b"dat", "dat"),
    ],
)
def test_what_the_end_cuts_off_is_known(body: bytes, rest: str | None) -> None:
    reader = EventReader()
    reader.feed(body)
    assert reader.rest() == rest


def test_keep_alives_are_counted() -> None:
    reader = EventReader()
    reader.feed(b": a\n: b\n\ndata:\n\ndata: x\n\n")
    assert reader.skipped == 3


@pytest.mark.parametrize("body", [b"data: " + b"x" * 40, b"data: xxxxxxxx\n" * 4])
def test_an_endless_event_is_broken_off_with_both_numbers(body: bytes) -> None:
    reader = EventReader(max_event_bytes=32)
    with pytest.raises(BrokenOff, match=r"event of \d+ bytes \(limit 32\)"):
        [reader.feed(bytes([byte])) for byte in body]


def test_many_small_events_are_not_an_endless_one() -> None:
    reader = EventReader(max_event_bytes=32)
    assert len([event for _ in range(100) for event in reader.feed(b"data: xxxx\n\n")]) == 100


@pytest.mark.parametrize(
    ("body", "payloads", "rest"),
    [
        (b'data: {"a":1}\n\n', ['{"a":1}'], None),
        (b'\n [{"a":1}\n,\r\n{"b":"]}"}]\n', ['{"a":1}', '{"b":"]}"}'], None),
        (b'[{"a":1}', ['{"a":1}'], "an object or an array"),
        (b'{"a":{"b":[1]}}', ['{"a":{"b":[1]}}'], None),
        (b'{"a":', [], "an object or an array"),
    ],
)
def test_an_answer_is_read_as_events_or_as_bare_json(
    body: bytes, payloads: list[str], rest: str | None
) -> None:
    for chunk in range(1, len(body) + 1):
        reader = AnswerReader()
        pieces = [body[at : at + chunk] for at in range(0, len(body), chunk)]
        events: list[ServerEvent] = [event for piece in pieces for event in reader.feed(piece)]
        assert [event.data for event in events] == payloads
        assert reader.rest() == rest
