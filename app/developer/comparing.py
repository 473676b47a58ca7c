"""A turn as it was observed beside a replay of its own recording: the first difference, or none.

Compared, in this order: every event (what is retained for the provider only by its coming),
the states that follow from events, the rows as they stood at the end, and the verdicts. Sentences
for developers are not: a connection that broke has no words in a recording.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from app.calls.call_ids import call_id
from app.calls.events import ArgumentFragment, Event, Retained, TurnEnded
from app.calls.states import CallState
from app.developer.shown import ShownCall
from app.developer.turn_log import CallLog, Gate, Run, TurnLog

_OF_EVENTS = frozenset({CallState.QUEUED, CallState.PREPARING, CallState.READY})
_Facts: TypeAlias = Iterator[tuple[str, object]]
_NOTHING: tuple[str, object] = ("", None)


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` names the place; the sides are None where one of them has nothing there."""

    what: str
    observed: str | None
    replayed: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many facts were the same, and what then was not."""

    events: int
    states: int
    rows: int
    verdicts: int
    difference: Difference | None

    @property
    def same(self) -> int:
        return self.events + self.states + self.rows + self.verdicts


def compare(observed: TurnLog, shown: Mapping[str, ShownCall], replayed: TurnLog) -> Comparison:
    """Both turns, fact by fact."""
    counts: list[int] = []
    for ours, theirs in (
        (_events(observed), _events(replayed)),
        (_states(observed), _states(replayed)),
        (_shown_rows(observed, shown), _rows(replayed)),
        (_verdicts(observed.gate), _verdicts(replayed.gate if observed.gate else None)),
    ):
        count, difference = _first(ours, theirs)
        counts.append(count)
        if difference is not None:
            return Comparison(*counts, *[0] * (4 - len(counts)), difference=difference)
    return Comparison(*counts, difference=None)


def _first(ours: _Facts, theirs: _Facts) -> tuple[int, Difference | None]:
    same = 0
    for one, other in zip_longest(ours, theirs, fillvalue=_NOTHING):
        if one != other:
            return same, Difference(one[0] or other[0], _told(one), _told(other))
        same += 1
    return same, None


def _told(fact: tuple[str, object]) -> str | None:
    return None if fact == _NOTHING else str(fact[1])


def _events(turn: TurnLog) -> _Facts:
    return ((f"event {number}", _fact(event)) for number, event in enumerate(_each(turn), 1))


def _each(turn: TurnLog) -> Iterator[Event]:
    for item in turn.items:
        if isinstance(item, Run):
            yield from (ArgumentFragment(item.block, text) for text in item.texts)
        else:
            yield item.event


def _fact(event: Event) -> object:
    match event:
        case Retained(block=block):
            return f"Retained(block={block})"
        case TurnEnded(stop=stop, provider_stop=provider_stop, resume=resume):
            return f"TurnEnded(stop={stop}, provider_stop={provider_stop}, resume={resume})"
        case _:
            return event


def _states(turn: TurnLog) -> _Facts:
    for call in _taken(turn.calls):
        for span in call.states:
            if span.state in _OF_EVENTS:
                yield f"state of call {call.ordinal}", span.state.value


def _taken(calls: Iterable[CallLog]) -> Iterator[CallLog]:
    return (call for call in calls if call.ordinal is not None)


def _shown_rows(turn: TurnLog, shown: Mapping[str, ShownCall]) -> _Facts:
    for call in _taken(turn.calls):
        assert call.ordinal is not None
        for row in shown.get(call_id(turn.id, call.ordinal), ShownCall()).in_order():
            yield _row(call.ordinal, row.path, (row.label, row.text, row.status))


def _rows(turn: TurnLog) -> _Facts:
    for call in turn.live.turn.calls:
        for row in turn.live.rows(call):
            yield _row(call.ordinal, row.path, (row.label, row.text, row.status.value))


def _row(call: int, path: Iterable[str | int], said: tuple[str, str, str]) -> tuple[str, object]:
    return f"row {'.'.join(map(str, path))} of call {call}", said


def _verdicts(gate: Gate | None) -> _Facts:
    if gate is None:
        return
    yield "whether the turn is usable", (gate.usable, gate.reason)
    for verdict in gate.verdicts:
        yield f"verdict on call {verdict.call}", (verdict.verdict, verdict.reason)
