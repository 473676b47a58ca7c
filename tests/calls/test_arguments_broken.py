"""What cannot be JSON: it breaks at its first character, and nothing of it or after it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.argument_changes import Change
from app.calls.argument_faults import FaultCode, Status
from app.calls.arguments import ArgumentParser
from app.calls.strict import StrictFault, parse_strict
from tests.calls.json_texts import Written, arguments, sizes
from tests.calls.reading import cut, frozen, merged, plain, read, ways_to_cut
from tests.calls.slow_reader import verdict

INVALID, DUPLICATE = FaultCode.INVALID, FaultCode.DUPLICATE_KEY
TRAILING, TOO_LARGE = FaultCode.TRAILING_TEXT, FaultCode.TOO_LARGE

BROKEN: list[tuple[str, FaultCode, int]] = [
    # text, fault, the offset of the character that cannot be there
    ('{"amount": NaN}', INVALID, 11),
    ('{"amount": Infinity}', INVALID, 11),
    ('{"amount": -Infinity}', INVALID, 12),
    ('{"a": 01}', INVALID, 7),
    ('{"a": +1}', INVALID, 6),
    ('{"a": .5}', INVALID, 6),
    ('{"a": 1.}', INVALID, 8),
    ('{"a": 1e}', INVALID, 8),
    ('{"a": 1e+}', INVALID, 9),
    ('{"a": -}', INVALID, 7),
    ('{"a": 0x1}', INVALID, 7),
    ('{"a": 1]', INVALID, 7),
    ("[1}", INVALID, 2),
    ("1,", INVALID, 1),
    ('{"a": 1_000}', INVALID, 7),
    ('{"a": \u0661}', INVALID, 6),
    ('{"a": True}', INVALID, 6),
    ('{"a": trve}', INVALID, 8),
    ('{"a": truex', INVALID, 10),
    ('{"a": "line1\nline2"}', INVALID, 12),
    ('{"a": "tab\there"}', INVALID, 10),
    ('{"a": "nul\0"}', INVALID, 10),
    ('{"a": "\\x41"}', INVALID, 8),
    ('{"a": "\\U0041"}', INVALID, 8),
    ('{"a": "\\u00g0"}', INVALID, 11),
    ('{"a": "\\u\uff11234"}', INVALID, 9),
    ("{'a': 1}", INVALID, 1),
    ("{a: 1}", INVALID, 1),
    ('{"a" 1}', INVALID, 5),
    ('{"a": 1,}', INVALID, 8),
    ('{,"a": 1}', INVALID, 1),
    ('{"a": 1 "b": 2}', INVALID, 8),
    ('{"a": }', INVALID, 6),
    ('{"a": [1,]}', INVALID, 9),
    ('{"a": [,1]}', INVALID, 7),
    ('{"a": [1 2]}', INVALID, 9),
    ('{"a": [1}', INVALID, 8),
    ('{"a": 1]', INVALID, 7),
    ('{"a": 1} // done', TRAILING, 9),
    ('{"a": /* x */ 1}', INVALID, 6),
    ("\ufeff{}", INVALID, 0),
    ("\u00a0{}", INVALID, 0),
    ("]", INVALID, 0),
    ("}", INVALID, 0),
    ("```json\n{}", INVALID, 0),
    ('{"a": 1}}', TRAILING, 8),
    ('{"c": "ls"}{"c": "ls"}', TRAILING, 11),
    ("{} I will now", TRAILING, 3),
    ("{}\0", TRAILING, 2),
    ("[][]", TRAILING, 2),
    ("true false", TRAILING, 5),
    ('{"a": 1, "a": 2}', DUPLICATE, 11),
    ('{"a": 1, "\\u0061": 2}', DUPLICATE, 16),
    ('{"o": {"a": 1, "b": {"a": 2}, "a": 3}}', DUPLICATE, 32),
    ('{"": 1, "": 1}', DUPLICATE, 9),
    ('{"😀": 1, "\\ud83d\\ude00": 1}', DUPLICATE, 22),
    ('{"a": {"x": 1}, "a": {"y": 1}}', DUPLICATE, 18),
]


@pytest.mark.parametrize(("text", "code", "offset"), BROKEN)
def test_the_first_impossible_character_breaks_the_document(
    text: str, code: FaultCode, offset: int
) -> None:
    _, before = read([text[:offset]])
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        assert parser.status is Status.BROKEN
        assert parser.fault is not None
        assert (parser.fault.code, parser.fault.offset) == (code, offset)
        assert merged(changes) == merged(before)
        assert parser.received == len(text)


@pytest.mark.parametrize(("text", "code", "offset"), BROKEN)
def test_a_broken_document_stays_as_it_was_whatever_comes(
    text: str, code: FaultCode, offset: int
) -> None:
    parser, _ = read([text])
    before = (plain(parser.settled), parser.open_path, parser.open_text, parser.fault)
    for more in ('", "b": true}', "}", '{"b": 1}', "1", " "):
        parser.feed(more)
    parser.finish()
    assert parser.changes() == []
    assert (plain(parser.settled), parser.open_path, parser.open_text, parser.fault) == before
    assert parser.status is Status.BROKEN


def test_a_fault_never_quotes_the_text() -> None:
    for text, _, _ in BROKEN:
        parser, _ = read([text.replace('"a"', '"s3cret"') + "s3cret"])
        assert parser.fault is not None
        assert "s3cret" not in parser.fault.message


def test_what_was_shown_before_a_duplicate_key_stays() -> None:
    parser, _ = read(['{"to": "ada@example.org", "to": "eve@example.org"}'])
    assert parser.settled == {"to": "ada@example.org"}


@given(
    written=arguments(halves=True),
    place=st.floats(0, 1),
    change=st.sampled_from(["insert", "delete", "replace", "cut", "append"]),
    char=st.sampled_from(list('{}[]":,\\/ \n\t0123456789+-.eEuntrfals\0\x1fxN\ud83d\ude00é')),
    sizes=sizes(),
)
def test_a_mutation_breaks_exactly_where_no_document_goes_on(
    written: Written, place: float, change: str, char: str, sizes: list[int]
) -> None:
    at = round(place * len(written.text))
    head, tail = written.text[:at], written.text[at:]
    text = {
        "insert": head + char + tail,
        "delete": head + tail[1:],
        "replace": head + char + tail[1:],
        "cut": head,
        "append": written.text + char,
    }[change]
    _assert_as_the_slow_reader_says(text, sizes)


@given(
    text=st.text(st.sampled_from(list('{}[]":,\\ \n01-+.eEutrnfalsx\ud83d\ude00')), max_size=30),
    sizes=sizes(),
)
def test_any_text_breaks_exactly_where_no_document_goes_on(text: str, sizes: list[int]) -> None:
    _assert_as_the_slow_reader_says(text, sizes)


def _assert_as_the_slow_reader_says(text: str, sizes: list[int]) -> None:
    expected = verdict(text)
    parser, changes = read(cut(text, sizes))
    if isinstance(expected, int):
        assert parser.status is Status.BROKEN
        assert parser.fault is not None
        assert parser.fault.offset == expected
        _, before = read([text[:expected]])
        assert merged(changes) == merged(before)
        settled = plain(parser.settled)
        parser.feed('"more": [true]}')
        parser.finish()
        assert (parser.changes(), plain(parser.settled)) == ([], settled)
    else:
        assert parser.fault is None
        parser.finish()
        blank = not text.strip(" \t\n\r")
        complete = expected == "complete" or blank
        assert parser.status is (Status.COMPLETE if complete else Status.BROKEN)


@given(
    written=arguments(),
    place=st.floats(0, 1),
    junk=st.text(st.sampled_from(list('{}[]":,\\ 01-.etrx')), min_size=1, max_size=8),
)
def test_no_continuation_takes_back_what_was_shown(
    written: Written, place: float, junk: str
) -> None:
    head = written.text[: round(place * len(written.text))]
    parser = ArgumentParser()
    parser.feed(head)
    shown: list[Change] = merged(frozen(parser.changes()))
    both, all_changes = read([head, junk])
    assert merged(all_changes)[: max(len(shown) - 1, 0)] == shown[:-1]
    if both.fault is not None and both.fault.offset <= len(head):
        assert merged(all_changes) == shown


@given(written=arguments(halves=True), place=st.floats(0, 1), char=st.sampled_from('{}":,1\\x '))
def test_strict_and_incremental_agree_on_what_is_a_document(
    written: Written, place: float, char: str
) -> None:
    """They differ in three rules only, all of them the strict parse's.

    A NUL, an unpaired surrogate, and a number too long when written without its exponent are
    JSON, and so the parser shows them; but they are never dispatched.
    """
    at = round(place * len(written.text))
    for text in (written.text, written.text[:at] + char + written.text[at:], written.text[:at]):
        parser, _ = read([text])
        parser.finish()
        try:
            value = parse_strict(text)
        except StrictFault as fault:
            only_strict = "NUL" in fault.detail or "surrogate" in fault.detail
            is_object = isinstance(parser.settled, dict)
            assert parser.status is Status.BROKEN or not is_object or only_strict
        else:
            assert parser.status is Status.COMPLETE
            assert isinstance(parser.settled, dict)
            assert parser.settled.keys() == value.keys()
