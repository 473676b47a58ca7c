"""Arguments that come as an object: the same changes as from text, the same limits."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.argument_changes import Change, Grew, NumberText, Opened, Settled, SettledValue
from app.calls.argument_faults import FaultCode, Status
from app.calls.json_types import JsonObject, JsonValue, Path
from app.calls.limits import DEFAULT_LIMITS
from app.calls.object_arguments import ObjectArguments
from app.calls.strict import parse_strict
from tests.calls.json_texts import Written, arguments
from tests.calls.reading import frozen, merged, plain, read

N = NumberText


@given(written=arguments())
def test_a_whole_object_reports_what_its_text_would(written: Written) -> None:
    if "\0" in written.text or "\\u0000" in written.text:
        return
    value = parse_strict(written.text)
    whole = ObjectArguments()
    whole.whole(value)
    _, from_text = read([written.text])
    assert [_numbers_by_value(each) for each in frozen(whole.changes())] == [
        _numbers_by_value(each) for each in merged(from_text)
    ]
    assert whole.status is Status.COMPLETE
    assert whole.value == value
    assert whole.open_path is None


def _numbers_by_value(change: Change) -> object:
    """A change in which ``1E+2`` and ``100`` are the same number: an object kept no literal."""

    def value_of(tree: SettledValue) -> object:
        if isinstance(tree, dict):
            return [(key, value_of(member)) for key, member in tree.items()]
        if isinstance(tree, list):
            return [value_of(element) for element in tree]
        return ("number", Decimal(tree)) if isinstance(tree, NumberText) else tree

    if isinstance(change, Settled):
        return (change.path, value_of(change.value))
    return change


def test_numbers_keep_their_exact_text() -> None:
    taken = ObjectArguments()
    taken.whole({"a": 12345678901234567890, "b": Decimal("1250.00"), "c": True})
    assert plain(taken.settled) == {
        "a": ("number", "12345678901234567890"),
        "b": ("number", "1250.00"),
        "c": True,
    }


PATCHES: list[tuple[Path, JsonValue, bool]] = [
    (("to",), "ada@example.org", False),
    (("body",), "Dear \ud83d", True),
    (("body",), "\ude00 Ada", True),
    (("body",), "", False),
    (("lines", 0, "sku"), "A1", False),
    (("lines", 0, "n"), 2, False),
    (("lines", 1, "sku"), "B2", False),
    (("tags", 0), "x", True),
    (("tags", 0), "y", False),
    (("tags", 1), None, False),
    (("extra",), {"deep": [True]}, False),
]

PATCHED: JsonObject = {
    "to": "ada@example.org",
    "body": "Dear 😀 Ada",
    "lines": [{"sku": "A1", "n": 2}, {"sku": "B2"}],
    "tags": ["xy", None],
    "extra": {"deep": [True]},
}


def patched(patches: list[tuple[Path, JsonValue, bool]]) -> tuple[ObjectArguments, list[Change]]:
    taken = ObjectArguments()
    changes: list[Change] = []
    for path, value, continues in patches:
        taken.patch(path, value, continues)
        changes += frozen(taken.changes())
    return taken, changes


def test_patches_report_members_at_once_and_containers_at_the_end() -> None:
    taken, changes = patched(PATCHES)
    taken.finish()
    changes += frozen(taken.changes())
    assert changes == [
        Opened(()),
        Opened(("to",)),
        Grew(("to",), "ada@example.org"),
        Settled(("to",), "ada@example.org"),
        Opened(("body",)),
        Grew(("body",), "Dear "),
        Grew(("body",), "😀 Ada"),
        Settled(("body",), "Dear 😀 Ada"),
        Opened(("lines",)),
        Opened(("lines", 0)),
        Opened(("lines", 0, "sku")),
        Grew(("lines", 0, "sku"), "A1"),
        Settled(("lines", 0, "sku"), "A1"),
        Opened(("lines", 0, "n")),
        Settled(("lines", 0, "n"), N("2")),
        Opened(("lines", 1)),
        Opened(("lines", 1, "sku")),
        Grew(("lines", 1, "sku"), "B2"),
        Settled(("lines", 1, "sku"), "B2"),
        Opened(("tags",)),
        Opened(("tags", 0)),
        Grew(("tags", 0), "x"),
        Grew(("tags", 0), "y"),
        Settled(("tags", 0), "xy"),
        Opened(("tags", 1)),
        Settled(("tags", 1), None),
        Opened(("extra",)),
        Opened(("extra", "deep")),
        Opened(("extra", "deep", 0)),
        Settled(("extra", "deep", 0), True),
        Settled(("extra", "deep"), [True]),
        Settled(("extra",), {"deep": [True]}),
        Settled(("tags",), ["xy", None]),
        Settled(("lines", 1), {"sku": "B2"}),
        Settled(("lines", 0), {"sku": "A1", "n": N("2")}),
        Settled(("lines",), [{"sku": "A1", "n": N("2")}, {"sku": "B2"}]),
        Settled((), taken.settled),
    ]
    assert taken.value == PATCHED
    assert (taken.status, taken.open_path) == (Status.COMPLETE, None)


@pytest.mark.parametrize("count", range(len(PATCHES)))
def test_an_open_string_is_in_no_settled_view(count: int) -> None:
    taken, _ = patched(PATCHES[: count + 1])
    path, _, continues = PATCHES[count]
    assert taken.open_path == (path if continues else path[:-1])
    assert (taken.open_text is not None) == continues
    taken.finish()
    assert taken.status is (Status.BROKEN if continues else Status.COMPLETE)
    if continues:
        assert taken.fault is not None
        assert taken.fault.code is FaultCode.INCOMPLETE
        assert taken.changes() == []


def test_half_a_pair_waits_for_the_other() -> None:
    taken, _ = patched(PATCHES[:2])
    assert taken.open_text == "Dear "
    taken.patch(("body",), "x", False)
    assert taken.value["body"] == "Dear \ud83dx"


@given(text=st.text("ab\ud83d\ude00😀", max_size=12), sizes=st.lists(st.integers(1, 3), min_size=1))
def test_growth_adds_up_to_the_string(text: str, sizes: list[int]) -> None:
    taken = ObjectArguments()
    start, turn = 0, 0
    grown = ""
    while start < len(text):
        size = sizes[turn % len(sizes)]
        taken.patch(("s",), text[start : start + size], continues=True)
        grown += "".join(each.text for each in taken.changes() if isinstance(each, Grew))
        start, turn = start + size, turn + 1
    taken.patch(("s",), "", continues=False)
    grown += "".join(each.text for each in taken.changes() if isinstance(each, Grew))
    reference, _ = read(['"' + text + '"'])
    assert grown == taken.value["s"] == reference.settled


IMPOSSIBLE: list[tuple[list[tuple[Path, JsonValue, bool]], FaultCode]] = [
    ([(("a",), 1, False), (("a",), 1, False)], FaultCode.INVALID),
    ([(("a",), 1, False), (("a", "b"), 1, False)], FaultCode.INVALID),
    ([(("a",), {}, False), (("a", "b"), 1, False)], FaultCode.INVALID),
    ([(("a", "b"), 1, False), (("a", 0), 1, False)], FaultCode.INVALID),
    ([(("a", 0), 1, False), (("a", "b"), 1, False)], FaultCode.INVALID),
    ([(("a", 1), 1, False)], FaultCode.INVALID),
    ([(("a", 0), 1, False), (("a", 2), 1, False)], FaultCode.INVALID),
    ([(("a", 0), "x", True), (("a", 1), 1, False)], FaultCode.INVALID),
    ([(("a", -1), 1, False)], FaultCode.INVALID),
    ([((0,), 1, False)], FaultCode.INVALID),
    ([((), 1, False)], FaultCode.INVALID),
    ([(("a",), "x", True), (("a",), 1, False)], FaultCode.INVALID),
    ([(("a",), "x", True), (("a", "b"), 1, False)], FaultCode.INVALID),
    ([(("a",), 1, True)], FaultCode.INVALID),
    ([(("a",), Decimal("NaN"), False)], FaultCode.INVALID),
]


@pytest.mark.parametrize(("patches", "code"), IMPOSSIBLE)
def test_an_impossible_patch_breaks_the_arguments_and_shows_nothing(
    patches: list[tuple[Path, JsonValue, bool]], code: FaultCode
) -> None:
    before, shown = patched(patches[:-1])
    assert before.fault is None
    taken, changes = patched(patches)
    assert [each for each in changes if each != Opened(())] == [
        each for each in shown if each != Opened(())
    ]
    assert taken.status is Status.BROKEN
    assert taken.fault is not None
    assert taken.fault.code is code
    settled = plain(taken.settled)
    taken.patch(("later",), 1)
    taken.whole({"later": 1})
    taken.finish()
    assert (taken.changes(), plain(taken.settled)) == ([], settled)


def test_nothing_sent_counts_as_an_empty_object() -> None:
    taken = ObjectArguments()
    assert (taken.settled, taken.value, taken.open_path) == (None, {}, None)
    taken.finish()
    assert taken.changes() == [Opened(()), Settled((), {})]
    assert (taken.settled, taken.value, taken.status) == ({}, {}, Status.COMPLETE)


def test_the_whole_repeated_is_no_news() -> None:
    taken, _ = patched(PATCHES)
    taken.whole(PATCHED)
    assert taken.status is Status.COMPLETE
    taken.changes()
    taken.whole(PATCHED)
    taken.finish()
    assert (taken.status, taken.changes()) == (Status.COMPLETE, [])


@pytest.mark.parametrize("other", [{}, {"a": True}, {"a": [1, 2]}, {"b": 1}, {"a": 1, "b": 1}])
def test_another_whole_breaks_the_arguments(other: JsonObject) -> None:
    for first in (ObjectArguments.whole, None):
        taken = ObjectArguments()
        if first:
            first(taken, {"a": 1})
        else:
            taken.patch(("a",), 1)
        taken.changes()
        taken.whole(other)
        assert (taken.status, taken.changes(), taken.value) == (Status.BROKEN, [], {"a": 1})


def test_a_patch_after_the_end_breaks_the_arguments() -> None:
    taken = ObjectArguments()
    taken.whole({"a": 1})
    taken.patch(("b",), 1)
    assert taken.fault is not None
    assert taken.fault.code is FaultCode.TRAILING_TEXT


SMALL = replace(DEFAULT_LIMITS, call_bytes=40, depth=3, number_chars=8)


@pytest.mark.parametrize(
    "value", [{"a": "x" * 50}, {"a": [[[1]]]}, {"a": 10**9}, {"a": Decimal("1e10")}]
)
def test_limits_hold_for_the_whole_and_for_a_patch(value: JsonObject) -> None:
    whole, part = ObjectArguments(SMALL), ObjectArguments(SMALL)
    whole.whole(value)
    part.patch(("a",), value["a"])
    for taken in (whole, part):
        assert taken.fault is not None
        assert taken.fault.code is FaultCode.TOO_LARGE
        assert taken.changes() == []


def test_many_small_patches_come_to_the_limit_too() -> None:
    growing, members = ObjectArguments(SMALL), ObjectArguments(SMALL)
    for index in range(60):
        growing.patch(("s",), "x", continues=True)
        members.patch(("l", index), 1)
    for taken in (growing, members):
        assert taken.fault is not None
        assert taken.fault.code is FaultCode.TOO_LARGE
    assert len(growing.open_text or "") == 38
