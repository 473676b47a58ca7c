"""The trace of one exchange, made of what its runner does and of the updates its viewers get.

    exchange > turn > call > dispatch

A turn's span lasts from its request until the last of its calls has ended, a call's from its
announcement to its final state; a call that a process before this one announced begins where it
goes on, as a part of the exchange. A span that nothing ended by name is ended, as lost, when what
it is part of ends: on no way out does one stay open. The spans of a killed process go with it.

While a person is waited for, no process holds the exchange: what is open then ends as parked, and
what follows the decision is another trace, as is the wait itself
(:meth:`app.exchange.telemetry.Telemetry.waited`).

OpenTelemetry's own recording of exceptions is not used: their texts may hold argument values.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    Span,
    StatusCode,
    Tracer,
    set_span_in_context,
    use_span,
)

from app.calls.call_ids import call_id
from app.calls.events import ArgumentFragment, Event
from app.calls.reasons import Reason
from app.calls.states import FINAL_STATES, CallState
from app.calls.turn import FinishedTurn
from app.display.updates import CallChanged, CallOpened, Noticed, Update
from app.display.view import NoticeKind, NoticeView
from app.exchange.counts import Counts, reason_code
from app.records.rows import Outcome

KEPT = "kept"
"""The turn is on record as a part of the conversation."""
EMPTY = "empty"
"""The turn ended well and held nothing."""
LOST = "lost"
"""Nothing told of an end: a fault of ours, or another process has taken over."""
PARKED = "parked"
"""It goes on when a person has decided."""
NO_STOP = "none"
"""The turn's stream did not come to an end."""

_FAULTY = frozenset({Outcome.FAILED, Outcome.GAVE_UP, Outcome.INTERNAL_ERROR})


@dataclass(slots=True)
class _CallSpans:
    span: Span
    stage: Span | None = None
    waits: bool = False
    """For a person: what became of that is told by the wait's own span."""

    def end_stage(self) -> None:
        if self.stage is not None:
            self.stage.end()
            self.stage = None


@dataclass(slots=True)
class _TurnSpans:
    id: str
    span: Span
    stop: str = NO_STOP
    outcome: str | None = None


class ExchangeTrace:
    """What is told of one exchange while it runs; ``close`` it on every way out.

    The exchange's publisher gives it what it flushes (:meth:`observe`), which tells of calls and
    notices; its runner what no viewer is told, or not always: a turn of which nothing was shown.
    """

    def __init__(self, counts: Counts, tracer: Tracer, conversation: str, exchange: str) -> None:
        self._counts = counts
        self._tracer = tracer
        self._fragments = 0
        self._outcome: Outcome | None = None
        self._parked = False
        self._turn: _TurnSpans | None = None
        self._calls: dict[str, _CallSpans] = {}
        """Calls that have not ended, by our id."""
        self._names: dict[str, str | None] = {}
        self._span = tracer.start_span(
            "exchange",
            Context(),  # a root: the request that brought the message ends long before
            attributes={"formwork.conversation": conversation, "formwork.exchange": exchange},
        )

    # What the runner tells

    def watch(self, event: Event) -> None:
        """Count a fragment; it is added to the metric with the next flush."""
        if isinstance(event, ArgumentFragment):
            self._fragments += 1

    def streamed(self, finished: FinishedTurn) -> None:
        """The open turn's stream has come to an end."""
        turn = self._turn
        if turn is None:
            return
        turn.stop = finished.stop.value
        turn.span.set_attribute("formwork.stop", turn.stop)
        turn.span.set_attribute("formwork.output_tokens", finished.output_tokens)
        turn.span.add_event("streamed")
        for call in finished.calls:
            self.named(call_id(turn.id, call.ordinal), call.name)

    def named(self, call: str, name: str | None) -> None:
        """The tool that a call is for, before the call ends."""
        self._names[call] = name

    def kept(self) -> None:
        """The open turn is on record."""
        self._decide(KEPT)

    def abandoned(self, reason: Reason) -> None:
        """The open turn was rolled back, and its viewers were told how its calls ended."""
        self._decide(reason.value)
        self._end_turn()

    def ended(self, outcome: Outcome) -> None:
        """The exchange has ended, on record."""
        self._outcome = outcome

    def parked(self) -> None:
        """The exchange waits for a person, and no process holds it."""
        self._parked = True

    def close(self) -> None:
        """End what is open, and the exchange with it."""
        self._receive()
        self._end_turn()
        if self._outcome is not None:
            self._counts.exchange_ended(self._outcome)
        left = PARKED if self._parked else LOST
        _end(
            self._span,
            "formwork.outcome",
            left if self._outcome is None else self._outcome.value,
            faulty=(self._outcome is None and not self._parked) or self._outcome in _FAULTY,
        )

    # What runs within a span, so that spans of libraries and tools find their place

    def streaming(self, turn: str) -> AbstractContextManager[Span]:
        """Within a turn, which this opens: its request to the provider."""
        self._end_turn()
        self._turn = _TurnSpans(turn, self._start("turn", self._span, turn=turn))
        return _within(self._turn.span)

    def dispatching(self, call: str) -> AbstractContextManager[Span]:
        """Within the dispatch of a call, once its viewers were told that it runs."""
        spans = self._calls.get(call)
        return _within(None if spans is None else spans.stage)

    # What the publisher flushes

    def observe(self, updates: Sequence[Update]) -> None:
        """Updates on their way to the viewers, in order."""
        self._counts.flushed()
        self._receive()
        for update in updates:
            match update:
                case CallOpened(call=call, state=state):
                    self._open_call(call, state)
                case CallChanged():
                    self._move_call(update)
                case Noticed(notice=notice):
                    self._note(notice)
                case _:
                    pass

    def _receive(self) -> None:
        self._counts.received(self._fragments)
        self._fragments = 0

    def _note(self, notice: NoticeView) -> None:
        told = dict(notice.params)
        match notice.kind:
            case NoticeKind.REGENERATING:
                self._retry("regeneration", told, "reason")
            case NoticeKind.WAITING_TO_RETRY:
                self._retry("api", told, "failure")
            case NoticeKind.EMPTY_ANSWER:
                self._decide(EMPTY)
            case _:
                pass

    def _retry(self, kind: str, told: Mapping[str, str], cause: str) -> None:
        self._counts.retried(kind, told[cause])
        self._span.add_event("retry", {"formwork.kind": kind, "formwork.cause": told[cause]})

    def _decide(self, outcome: str) -> None:
        """Say what became of the open turn; the first word stands."""
        if self._turn is not None and self._turn.outcome is None:
            self._turn.outcome = outcome
            self._counts.turn_ended(self._turn.stop, outcome)

    def _end_turn(self) -> None:
        self._decide(LOST)
        for call, spans in list(self._calls.items()):
            self._end_call(call, PARKED if spans.waits else LOST, faulty=not spans.waits)
        self._names.clear()
        turn, self._turn = self._turn, None
        if turn is not None:
            outcome = turn.outcome or LOST
            _end(turn.span, "formwork.outcome", outcome, faulty=outcome not in (KEPT, EMPTY))

    def _open_call(self, call: str, state: CallState) -> _CallSpans:
        parent = self._span if self._turn is None else self._turn.span
        self._calls[call] = spans = _CallSpans(self._start("call", parent, call=call))
        spans.span.add_event(state.value)
        return spans

    def _move_call(self, moved: CallChanged) -> None:
        """A call has a new state: the stage of the last one ends, that of this one begins."""
        call, state = moved.call, moved.state
        spans = self._calls.get(call)
        if spans is None:
            spans = self._open_call(call, state)
        else:
            spans.end_stage()
            spans.span.add_event(state.value)
        spans.waits = state is CallState.AWAITING_APPROVAL
        if state is CallState.RUNNING:
            spans.stage = self._start("dispatch", spans.span, call=call)
        if state in FINAL_STATES:
            self._counts.call_ended(self._names.get(call), state, moved.reason)
            spans.span.set_attribute("formwork.reason", reason_code(state, moved.reason))
            faulty = state in (CallState.FAILED, CallState.UNKNOWN)
            self._end_call(call, state.value, faulty=faulty)

    def _end_call(self, call: str, state: str, *, faulty: bool) -> None:
        spans = self._calls.pop(call)
        spans.end_stage()
        spans.span.set_attribute("formwork.tool", self._counts.tool(self._names.pop(call, None)))
        _end(spans.span, "formwork.state", state, faulty=faulty)

    def _start(self, name: str, parent: Span, **ids: str) -> Span:
        attributes = {f"formwork.{key}": value for key, value in ids.items()}
        return self._tracer.start_span(name, set_span_in_context(parent), attributes=attributes)


def _end(span: Span, attribute: str, value: str, *, faulty: bool) -> None:
    span.set_attribute(attribute, value)
    if faulty:
        span.set_status(StatusCode.ERROR, value)
    span.end()


def _within(span: Span | None) -> AbstractContextManager[Span]:
    return use_span(
        INVALID_SPAN if span is None else span,
        record_exception=False,
        set_status_on_exception=False,
    )
