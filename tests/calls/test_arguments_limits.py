"""Past a limit nothing more is read, shown or kept; a fragment costs the same early and late."""

import gc
import sys
import tracemalloc
from dataclasses import replace
from statistics import median

import pytest

from app.calls.argument_faults import FaultCode, Status
from app.calls.arguments import ArgumentParser
from app.calls.limits import DEFAULT_LIMITS
from tests.calls.reading import merged, read, ways_to_cut

SMALL = replace(DEFAULT_LIMITS, call_bytes=40, depth=3, number_chars=8)

BREACHES: list[tuple[str, int, tuple[str, ...]]] = [
    # text, characters that were within the limit, both numbers of the message
    ('{"text": "' + "x" * 50, 40, ("40 bytes",)),
    ('{"text": "' + "é" * 50, 25, ("40 bytes",)),
    ('{"text": "' + "😀" * 50, 17, ("40 bytes",)),
    ('{"text": "' + "x€" * 50, 25, ("40 bytes",)),
    ('{"a": "b"}' + " " * 50, 40, ("40 bytes",)),
    (" " * 50, 40, ("40 bytes",)),
    ('{"a": [[[1]]]}', 8, ("3", "4")),
    ('{"a": [{"b": {}}]}', 13, ("3", "4")),
    ("[[[[", 3, ("3", "4")),
    ('{"a": 123456789}', 14, ("8", "9")),
    ('{"a": -1.25e+10}', 14, ("8", "9")),
    ("123456789", 8, ("8", "9")),
]


@pytest.mark.parametrize(("text", "offset", "numbers"), BREACHES)
def test_a_breach_is_told_with_both_numbers_and_shows_nothing_more(
    text: str, offset: int, numbers: tuple[str, ...]
) -> None:
    within, before = read([text[:offset]], SMALL)
    assert within.fault is None
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments, SMALL)
        assert parser.status is Status.BROKEN
        assert parser.fault is not None
        assert (parser.fault.code, parser.fault.offset) == (FaultCode.TOO_LARGE, offset)
        assert all(number in parser.fault.message for number in numbers)
        assert merged(changes) == merged(before)


@pytest.mark.parametrize(
    "text", ['{"a": [{}, [1], {"b": 2}]}', '{"a": 12345678}', '{"text": "' + "x" * 28 + '"}']
)
def test_what_reaches_a_limit_exactly_is_within_it(text: str) -> None:
    for fragments in ways_to_cut(text):
        parser, _ = read(fragments, SMALL)
        assert parser.status is Status.COMPLETE


@pytest.mark.parametrize(
    "start", ['{"text": "', "[" * 5000, '{"n": 1', '{"k', '{"a": 1}  ', '{"x": "\\u00', "{'"]
)
def test_memory_does_not_grow_past_a_breach(start: str) -> None:
    parser = ArgumentParser(SMALL)
    filler = "1" * 10_000
    parser.feed(start)
    parser.feed(filler)
    parser.changes()
    assert parser.status is Status.BROKEN
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(500):
            parser.feed(filler)
            assert parser.changes() == []
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 2_000
    assert parser.received == len(start) + 501 * len(filler)


GROWING = {
    "one string": ('{"text": "', "plain text, \\n and "),
    "one key": ('{"', "a long key "),
    "one array": ("[0", ", 1234, true"),
    "records": ('{"records": [{}', ', {"id": 17, "name": "Ada", "tags": ["a", null]}'),
    "deep in an object": ('{"a": {"b": {"c": ["', 'x", "'),
    "white space": ('{"a": 1', "   \n"),
}


@pytest.mark.parametrize("kind", GROWING)
def test_a_fragment_takes_no_more_memory_late_than_early(kind: str) -> None:
    """A copy or a re-scan of what came before would show as memory taken for a moment."""
    start, repeated = GROWING[kind]
    parser = ArgumentParser()
    parser.feed(start)
    fragments = [repeated[i : i + 4] for i in range(0, len(repeated), 4)]
    peaks: list[int] = []
    tracemalloc.start()
    try:
        while parser.received < 200_000:
            for fragment in fragments:
                before, _ = tracemalloc.get_traced_memory()
                tracemalloc.reset_peak()
                parser.feed(fragment)
                parser.changes()
                peaks.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()
    assert parser.fault is None
    assert median(peaks[-500:]) <= median(peaks[:500]) + 200


@pytest.mark.parametrize("kind", GROWING)
def test_a_fragment_takes_no_more_calls_late_than_early(kind: str) -> None:
    start, repeated = GROWING[kind]
    parser = ArgumentParser()
    parser.feed(start)

    def calls_of_one_round() -> int:
        count = 0

        def on_event(_frame: object, event: str, _arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(on_event)
        try:
            for char in repeated:
                parser.feed(char)
                parser.changes()
        finally:
            sys.setprofile(None)
        return count

    calls_of_one_round()
    early = calls_of_one_round()
    for _ in range(2_000):
        parser.feed(repeated)
        parser.changes()
    late = calls_of_one_round()
    assert parser.fault is None
    assert late == early


def test_a_long_string_takes_little_more_memory_than_its_text() -> None:
    parser = ArgumentParser()
    parser.feed('{"text": "')
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(100_000):
            parser.feed(f"{number % 1000:03}")
            parser.changes()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 2 * 300_000
    text = parser.open_text or ""
    assert len(text) == 300_000
    assert text[:9] + text[-6:] == "000001002998999"
