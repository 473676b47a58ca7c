"""The accumulator: identity of calls, order, completion, limits, faults."""

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.blocks import Call, TextBlock
from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    ArgumentPatch,
    ArgumentSnapshot,
    CallAnnounced,
    CallCompleted,
    CallIdentified,
    Event,
    ProtocolFault,
    ProviderWork,
    Retained,
    Stop,
    TextDelta,
    TurnEnded,
    Usage,
)
from app.calls.limits import Limits
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.calls.turn import FinishedTurn, Turn
from app.calls.turn_changes import ArgumentsGrew, CallBegan, CallGotName, CallMoved, Change

END = TurnEnded(Stop.COMPLETE, "tool_use")


def play(*events: Event, limits: Limits | None = None) -> tuple[Turn, list[Change]]:
    turn = Turn(limits or Limits())
    changes = [change for event in events for change in turn.receive(event)]
    return turn, changes


def finished(*events: Event, limits: Limits | None = None) -> FinishedTurn:
    return play(*events, limits=limits)[0].finish()


def test_calls_that_interleave_keep_their_own_text() -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"),
        ArgumentFragment(0, '{"x":'),
        CallAnnounced(1, "b", "g"),
        ArgumentFragment(1, '{"y":'),
        ArgumentFragment(0, "1}"),
        ArgumentFragment(1, "2}"),
    )
    assert [call.text for call in turn.calls] == ['{"x":1}', '{"y":2}']


@given(st.data())
def test_any_interleaving_gives_each_call_its_own_text(data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5))
    turn = Turn()
    for block, _ in enumerate(texts):
        turn.receive(CallAnnounced(block, f"id{block}", "f"))
    left = dict(enumerate(texts))
    while left:
        block = data.draw(st.sampled_from(sorted(left)))
        size = data.draw(st.integers(1, len(left[block])))
        turn.receive(ArgumentFragment(block, left[block][:size]))
        left[block] = left[block][size:]
        if not left[block]:
            del left[block]
    for block in range(len(texts)):
        turn.receive(CallCompleted(block))
    assert [call.text for call in turn.calls] == texts
    assert turn.fault is None


def test_the_same_provider_id_twice_is_two_calls() -> None:
    turn, _ = play(CallAnnounced(0, "f:0", "f"), CallAnnounced(1, "f:0", "f"))
    assert [(call.ordinal, call.provider_id) for call in turn.calls] == [(0, "f:0"), (1, "f:0")]


def test_an_id_and_a_name_may_come_late_and_in_pieces() -> None:
    turn, changes = play(
        CallAnnounced(0, "a", None), CallIdentified(0, None, "f"), CallIdentified(0, "a", "f")
    )
    assert (turn.calls[0].provider_id, turn.calls[0].name) == ("a", "f")
    assert [type(change) for change in changes] == [CallBegan, CallGotName]


@pytest.mark.parametrize("late", [CallIdentified(0, "b", None), CallIdentified(0, None, "g")])
def test_an_id_or_a_name_that_changes_is_a_protocol_error(late: CallIdentified) -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), late)
    assert turn.fault is not None
    assert (turn.fault.reason, turn.fault.call) == (Reason.PROTOCOL_ERROR, 0)


def states(events: list[Event]) -> list[tuple[int, CallState]]:
    """Each state a call was in, in the order in which they were entered."""
    turn, told = Turn(), list[tuple[int, CallState]]()
    for event in events:
        for change in turn.receive(event):
            if isinstance(change, CallBegan | CallMoved):
                told.append((change.call.ordinal, change.call.state))
    return told


def test_a_call_behind_an_open_one_is_queued_until_its_first_fragment() -> None:
    events: list[Event] = [
        CallAnnounced(0, "a", "f"),
        CallAnnounced(1, "b", "g"),
        ArgumentFragment(0, "{}"),
        CallCompleted(0),
        ArgumentFragment(1, "{}"),
        CallCompleted(1),
    ]
    assert states(events) == [
        (0, CallState.PREPARING),
        (1, CallState.QUEUED),
        (0, CallState.READY),
        (1, CallState.PREPARING),
        (1, CallState.READY),
    ]


def test_a_call_after_a_completed_one_is_not_queued() -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), CallCompleted(0), CallAnnounced(1, "b", "g"))
    assert turn.calls[1].state is CallState.PREPARING


def test_an_empty_fragment_changes_nothing() -> None:
    turn, changes = play(CallAnnounced(0, "a", "f"), ArgumentFragment(0, ""))
    assert [type(change) for change in changes] == [CallBegan]
    assert turn.calls[0].text == ""


@pytest.mark.parametrize(
    "late",
    [
        ArgumentFragment(0, "}"),
        ArgumentObject(0, {}),
        ArgumentPatch(0, ("x",), 1),
        ArgumentSnapshot(0, '{"other":1}'),
    ],
)
def test_arguments_after_the_completion_event_are_a_protocol_error(late: Event) -> None:
    turn, changes = play(
        CallAnnounced(0, "a", "f"), ArgumentFragment(0, "{}"), CallCompleted(0), late
    )
    assert turn.fault is not None
    assert turn.fault.reason is Reason.PROTOCOL_ERROR
    assert turn.calls[0].text == "{}"
    assert len(changes) == 3


@pytest.mark.parametrize("repeat", ["{}", '{"x":1}'])
def test_a_snapshot_equal_to_the_fragments_is_no_change(repeat: str) -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"),
        ArgumentFragment(0, repeat),
        ArgumentSnapshot(0, repeat),
        CallCompleted(0),
        ArgumentSnapshot(0, repeat),
    )
    assert (turn.calls[0].text, turn.fault) == (repeat, None)


def test_a_snapshot_without_fragments_is_the_text() -> None:
    turn, changes = play(CallAnnounced(0, "a", "f"), ArgumentSnapshot(0, '{"x":1}'))
    assert turn.calls[0].text == '{"x":1}'
    assert any(isinstance(change, ArgumentsGrew) for change in changes)


def test_a_snapshot_that_differs_is_a_protocol_error() -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"), ArgumentFragment(0, '{"x":1}'), ArgumentSnapshot(0, '{"x":2}')
    )
    assert turn.fault is not None
    assert turn.fault.reason is Reason.PROTOCOL_ERROR


def test_fragments_and_an_object_for_one_call_are_a_protocol_error() -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"), ArgumentFragment(0, "{}"), ArgumentObject(0, {"x": 1})
    )
    assert turn.fault is not None


@pytest.mark.parametrize(
    "stray",
    [
        ArgumentFragment(7, "{}"),
        CallCompleted(7),
        CallIdentified(7, "a", None),
        ArgumentObject(7, {}),
        ArgumentSnapshot(7, "{}"),
        ArgumentPatch(7, ("x",), 1),
    ],
)
def test_data_for_a_block_that_is_no_call_is_a_protocol_error(stray: Event) -> None:
    for opening in ([], [TextDelta(7, "hello")]):
        turn, _ = play(*opening, stray)
        assert turn.fault is not None
        assert turn.fault.reason is Reason.PROTOCOL_ERROR


def test_a_block_announced_twice_is_a_protocol_error() -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), CallAnnounced(0, "b", "g"))
    assert turn.fault is not None
    assert len(turn.calls) == 1


def test_after_a_fault_nothing_more_is_taken_in() -> None:
    turn, changes = play(
        CallAnnounced(0, "a", "f"),
        ArgumentFragment(0, '{"x":'),
        ProtocolFault("bad", 0),
        ArgumentFragment(0, "1}"),
        CallCompleted(0),
        CallAnnounced(1, "b", "g"),
    )
    assert turn.calls[0].text == '{"x":'
    assert len(turn.calls) == 1
    assert len(changes) == 2
    assert not turn.overfull


def test_the_end_of_a_turn_with_an_open_call_is_incomplete() -> None:
    turn = finished(CallAnnounced(0, "a", "f"), ArgumentFragment(0, "{}"), END)
    assert turn.stop is Stop.INCOMPLETE


def test_a_stream_without_an_end_is_incomplete() -> None:
    assert finished(TextDelta(0, "hello")).stop is Stop.INCOMPLETE


@pytest.mark.parametrize(
    ("limits", "events", "both_numbers"),
    [
        (Limits(turn_calls=1), [CallAnnounced(1, "b", "g")], "limit 1"),
        (Limits(call_bytes=4), [ArgumentFragment(0, '{"x":1}')], "7 bytes .*limit 4"),
        (Limits(turn_bytes=4), [ArgumentFragment(0, '{"x":1}')], "7 bytes .*limit 4"),
        (Limits(call_bytes=4), [ArgumentFragment(0, "ééé")], "6 bytes .*limit 4"),
        (Limits(call_bytes=4), [ArgumentObject(0, {"key": "value"})], "limit 4"),
        (Limits(call_bytes=4), [ArgumentPatch(0, ("x",), "value")], "limit 4"),
    ],
)
def test_past_a_limit_the_turn_is_too_large(
    limits: Limits, events: list[Event], both_numbers: str
) -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), *events, limits=limits)
    assert turn.fault is not None
    assert turn.fault.reason is Reason.TOO_LARGE
    assert turn.overfull
    assert re.search(both_numbers, turn.fault.detail)


def test_memory_does_not_grow_past_a_limit() -> None:
    turn = Turn(Limits(call_bytes=100))
    turn.receive(CallAnnounced(0, "a", "f"))
    for _ in range(1000):
        turn.receive(ArgumentFragment(0, "\t" * 10))
    assert len(turn.calls[0].text) == 100


def test_a_pair_of_surrogates_cut_between_fragments_is_joined() -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"), ArgumentFragment(0, '"\ud83d'), ArgumentFragment(0, '\ude00"')
    )
    assert turn.calls[0].text == '"\U0001f600"'


@given(st.text(max_size=20), st.lists(st.integers(0, 40), max_size=10))
def test_any_cut_of_utf16_units_gives_the_text_back(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le")
    edges = sorted({0, len(units), *(2 * cut for cut in cuts if 2 * cut < len(units))})
    turn = Turn()
    turn.receive(CallAnnounced(0, "a", "f"))
    for start, end in pairwise(edges):
        piece = units[start:end].decode("utf-16-le", "surrogatepass")
        turn.receive(ArgumentFragment(0, piece))
    turn.receive(CallCompleted(0))
    assert turn.calls[0].text == text


def test_a_lone_surrogate_is_kept_for_the_strict_parse_to_refuse() -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), ArgumentFragment(0, '"\ud83d'), CallCompleted(0))
    assert turn.calls[0].text == '"\ud83d'


def test_usage_ends_nothing() -> None:
    turn, changes = play(CallAnnounced(0, "a", "f"), Usage(5), ArgumentFragment(0, "{}"), Usage(3))
    assert turn.output_tokens == 5
    assert turn.calls[0].text == "{}"
    assert len(changes) == 2


def test_what_the_provider_wants_back_stands_beside_its_block_or_alone() -> None:
    turn, _ = play(
        Retained(0, {"type": "thinking"}),
        TextDelta(1, "hello"),
        CallAnnounced(2, "a", "f"),
        Retained(2, {"signature": "s"}),
        Retained(1, {"annotations": []}),
        ProviderWork(3, "web_search", False),
        Retained(3, {"type": "server_tool_use"}),
    )
    kinds: list[Any] = [type(block).__name__ for block in turn.blocks.values()]
    assert kinds == ["OpaqueBlock", "TextBlock", "Call", "OpaqueBlock"]
    text, call = turn.blocks[1], turn.blocks[2]
    assert isinstance(text, TextBlock)
    assert text.extra == {"annotations": []}
    assert isinstance(call, Call)
    assert call.extra == {"signature": "s"}


PIECES: dict[str, list[Event]] = {
    "a string that never ends": [ArgumentPatch(0, ("q",), "half", continues=True)],
    "the same place twice": [ArgumentPatch(0, ("q",), "a"), ArgumentPatch(0, ("q",), "b")],
    "a gap in an array": [ArgumentPatch(0, ("q", 0), 1), ArgumentPatch(0, ("q", 2), 3)],
    "a member below a scalar": [ArgumentPatch(0, ("q",), "a"), ArgumentPatch(0, ("q", "z"), "b")],
    "an index beyond all": [ArgumentPatch(0, ("q", 999_999_999), 1)],
    "deeper than the limit": [ArgumentPatch(0, ("q",) * 100, 1)],
    "an object as well": [ArgumentObject(0, {"q": "x"}), ArgumentPatch(0, ("q",), "y")],
    "fragments as well": [ArgumentFragment(0, "{"), ArgumentPatch(0, ("q",), "y")],
}


@pytest.mark.parametrize("kind", PIECES)
def test_pieces_that_do_not_make_an_object_are_a_fault(kind: str) -> None:
    turn, _ = play(CallAnnounced(0, "a", "f"), *PIECES[kind], CallCompleted(0))
    assert turn.fault is not None
    assert turn.fault.call == 0


def test_pieces_that_make_an_object_are_that_object() -> None:
    turn, _ = play(
        CallAnnounced(0, "a", "f"),
        ArgumentPatch(0, ("q",), "ab", continues=True),
        ArgumentPatch(0, ("q",), "c"),
        ArgumentPatch(0, ("tags", 0), 1),
        CallCompleted(0),
    )
    assert (turn.fault, turn.calls[0].value) == (None, {"q": "abc", "tags": [1]})


@pytest.mark.parametrize(
    "events",
    [
        [CallAnnounced(0, "a", "x" * 513)],
        [CallAnnounced(0, "a", None), CallIdentified(0, None, "x" * 513)],
    ],
)
def test_a_name_longer_than_any_tools_is_too_large(events: list[Event]) -> None:
    turn, _ = play(*events)
    assert turn.fault is not None
    assert turn.fault.reason is Reason.TOO_LARGE
    assert not any(call.name for call in turn.calls)
