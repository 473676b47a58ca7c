"""What shows of a text at a prefix of it: the tables of the design, three ways."""

import pytest

from app.calls.argument_changes import Change, Grew, NumberText, Opened, Settled, SettledValue
from app.calls.argument_faults import FaultCode, Status
from app.calls.arguments import ArgumentParser
from app.calls.json_types import Path
from tests.calls.reading import merged, opened, plain, read, settled_scalars, ways_to_cut

N = NumberText

PREFIXES: list[tuple[str, dict[Path, SettledValue], Path | None]] = [
    # text so far, every settled scalar, the open path
    ("", {}, None),
    ("  ", {}, None),
    ("{", {}, ()),
    ('{"pri', {}, ()),
    ('{"prior"', {}, ("prior",)),
    ('{"title": "Mar', {}, ("title",)),
    ('{"title": "M\\u00', {}, ("title",)),
    ('{"title": "ends with \\\\', {}, ("title",)),
    ('{"title": "ends with \\\\"', {("title",): "ends with \\"}, ()),
    ('{"title": "say \\"', {}, ("title",)),
    (
        '{"project": "BILLING", "title": "March invoice run failed", "prior',
        {("project",): "BILLING", ("title",): "March invoice run failed"},
        (),
    ),
    ('{"limit": 1', {}, ("limit",)),
    ('{"limit": 12', {}, ("limit",)),
    ('{"limit": -', {}, ("limit",)),
    ('{"limit": 1.', {}, ("limit",)),
    ('{"limit": 1e', {}, ("limit",)),
    ('{"limit": 1e+', {}, ("limit",)),
    ('{"limit": 100,', {("limit",): N("100")}, ()),
    ('{"limit": 100}', {("limit",): N("100")}, None),
    ('{"limit": 100\n', {("limit",): N("100")}, ()),
    ('{"limit": [100]', {("limit", 0): N("100")}, ()),
    ('{"dry_run": t', {}, ("dry_run",)),
    ('{"dry_run": tru', {}, ("dry_run",)),
    ('{"dry_run": true', {("dry_run",): True}, ()),
    ('{"dry_run": false', {("dry_run",): False}, ()),
    ('{"dry_run": nul', {}, ("dry_run",)),
    ('{"dry_run": null', {("dry_run",): None}, ()),
    (
        '{"filter": {"status": "open", "since": "2026-0',
        {("filter", "status"): "open"},
        ("filter", "since"),
    ),
    ('{"filter": {"status": "open"', {("filter", "status"): "open"}, ("filter",)),
    ('{"tags": ["a", "b', {("tags", 0): "a"}, ("tags", 1)),
    ('{"tags": ["a", 7', {("tags", 0): "a"}, ("tags", 1)),
    ('{"tags": ["a"', {("tags", 0): "a"}, ("tags",)),
    (
        '{"lines": [{"sku": "A1", "n": 2}, {"sku": "B2", "n": 3',
        {("lines", 0, "sku"): "A1", ("lines", 0, "n"): N("2"), ("lines", 1, "sku"): "B2"},
        ("lines", 1, "n"),
    ),
    ('{"amount": 1250.00,', {("amount",): N("1250.00")}, ()),
    ('{"id": 12345678901234567890}', {("id",): N("12345678901234567890")}, None),
    ('{"big": 1e400 ', {("big",): N("1e400")}, ()),
    ('{"s": "\\ud83d\\ude00"', {("s",): "😀"}, ()),
    ('{"s": "\\ud83d"', {("s",): "\ud83d"}, ()),
    ('{"s": "\ud83d\ude00"', {("s",): "😀"}, ()),
    ('{"__proto__": {"x": true', {("__proto__", "x"): True}, ("__proto__",)),
    ('{"": "", "a": {"": 0}}', {("",): "", ("a", ""): N("0")}, None),
]


@pytest.mark.parametrize(("text", "settled", "open_path"), PREFIXES)
def test_a_prefix_shows_what_has_settled_and_no_more(
    text: str, settled: dict[Path, SettledValue], open_path: Path | None
) -> None:
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        found = settled_scalars(changes)
        assert found == settled
        assert {path: type(value) for path, value in found.items()} == {
            path: type(value) for path, value in settled.items()
        }
        assert parser.open_path == open_path
        assert parser.received == len(text)
        assert parser.fault is None


GROWTH = [
    ('{"s": "Mar', "Mar"),
    ('{"s": "M\\u00', "M"),
    ('{"s": "a\\', "a"),
    ('{"s": "a\\n', "a\n"),
    ('{"s": "a\\ud83d', "a"),
    ('{"s": "a\\ud83d\\ud', "a"),
    ('{"s": "a\\ud83d\\ude00', "a😀"),
    ('{"s": "a\ud83d', "a"),
    ('{"s": "a\ud83d\ude00', "a😀"),
    ('{"s": "\\ud83dx', "\ud83dx"),
    ('{"s": "\\ud83d\\ud83d\\ude00', "\ud83d😀"),
    ('{"s": "\\ude00', "\ude00"),
]


@pytest.mark.parametrize(("text", "shown"), GROWTH)
def test_a_string_grows_by_whole_decoded_characters(text: str, shown: str) -> None:
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        grown = "".join(change.text for change in changes if isinstance(change, Grew))
        assert grown == shown
        assert parser.open_text == shown
        assert parser.settled == {}


def test_the_changes_of_a_document_in_order() -> None:
    text = '{"title": "Hi", "lines": [7, {"ok": true}, []], "none": null}'
    expected: list[Change] = [
        Opened(()),
        Opened(("title",)),
        Grew(("title",), "Hi"),
        Settled(("title",), "Hi"),
        Opened(("lines",)),
        Opened(("lines", 0)),
        Settled(("lines", 0), N("7")),
        Opened(("lines", 1)),
        Opened(("lines", 1, "ok")),
        Settled(("lines", 1, "ok"), True),
        Settled(("lines", 1), {"ok": True}),
        Opened(("lines", 2)),
        Settled(("lines", 2), []),
        Settled(("lines",), [N("7"), {"ok": True}, []]),
        Opened(("none",)),
        Settled(("none",), None),
        Settled((), {"title": "Hi", "lines": [N("7"), {"ok": True}, []], "none": None}),
    ]
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        assert merged(changes) == expected
        assert parser.status is Status.COMPLETE


def test_changes_that_nobody_drains_are_kept_and_growth_is_merged() -> None:
    parser = ArgumentParser()
    for char in '{"a": "one", "b':  # a key is never half-shown
        parser.feed(char)
    assert parser.changes() == [
        Opened(()),
        Opened(("a",)),
        Grew(("a",), "one"),
        Settled(("a",), "one"),
    ]
    assert parser.changes() == []


@pytest.mark.parametrize("text", ["", " ", "\n\t \r"])
def test_a_blank_text_counts_as_an_empty_object_once_the_call_is_complete(text: str) -> None:
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        assert (changes, parser.status, parser.is_blank) == ([], Status.OPEN, True)
        parser.finish()
        assert parser.changes() == [Opened(()), Settled((), {})]
        assert (parser.status, parser.settled) == (Status.COMPLETE, {})
        assert not parser.is_blank


@pytest.mark.parametrize("text", ["0", "-12.50e+3", " 7"])
def test_a_number_at_the_root_settles_when_no_more_comes(text: str) -> None:
    for fragments in ways_to_cut(text):
        parser, changes = read(fragments)
        assert settled_scalars(changes) == {}
        parser.finish()
        assert settled_scalars(parser.changes()) == {(): N(text.strip())}
        assert parser.status is Status.COMPLETE


@pytest.mark.parametrize(
    "text", ["{", '{"a"', '{"a": 1', '{"a": "x', '{"a": tr', "[1", "-", "1e", '"x', "nul"]
)
def test_a_document_that_ends_inside_a_value_is_broken_and_shows_nothing_more(text: str) -> None:
    for fragments in ways_to_cut(text):
        parser, _ = read(fragments)
        before = (parser.open_path, parser.open_text, plain(parser.settled))
        parser.finish()
        assert parser.changes() == []
        assert parser.status is Status.BROKEN
        assert parser.fault is not None
        assert (parser.fault.code, parser.fault.offset) == (FaultCode.INCOMPLETE, len(text))
        assert (parser.open_path, parser.open_text, plain(parser.settled)) == before


@pytest.mark.parametrize("text", ['{"a": 1}', "", "12"])
@pytest.mark.parametrize("late", ["}", " ", "{}"])
def test_text_after_the_completion_event_breaks_the_document(text: str, late: str) -> None:
    parser, _ = read([text])
    parser.finish()
    parser.changes()
    before = plain(parser.settled)
    parser.feed("")
    assert parser.status is Status.COMPLETE
    parser.feed(late)
    assert parser.status is Status.BROKEN
    assert parser.fault is not None
    assert parser.fault.code is FaultCode.TRAILING_TEXT
    assert parser.changes() == []
    assert plain(parser.settled) == before


def test_finishing_twice_changes_nothing() -> None:
    for text in ("{}", "", "{", "1"):
        parser, _ = read([text])
        parser.finish()
        parser.changes()
        before = (parser.status, parser.fault)
        parser.finish()
        assert (parser.status, parser.fault, parser.changes()) == (*before, [])


def test_an_element_opens_at_its_first_character() -> None:
    _, before = read(["[1, "])
    _, after = read(["[1, -"])
    assert (0,) in opened(before)
    assert (1,) not in opened(before)
    assert opened(after)[-1] == (1,)
