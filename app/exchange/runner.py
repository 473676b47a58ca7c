"""Runs one exchange from the person's message to its end.

    stream a turn -> gate -> usable: record, dispatch, next turn until no call is made
                                     (while a call waits for a person: parked, and let go of)
                          -> unusable: roll back, ask again (bounded), or give up
    API failure   -> wait and repeat (bounded), or report it by kind
    stop          -> roll back what is being written; refuse what has not started

Every way out ends in :meth:`ExchangeRunner._end`, and leaves a history that the next request can
use.
"""

import logging
import random
from collections.abc import Iterable, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.calls.blocks import Block, Call, TextBlock
from app.calls.call_ids import call_id
from app.calls.events import CallAnnounced, Event
from app.calls.gate import Judgement, Terms, Verdict, judge
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.calls.turn import FinishedTurn
from app.display.live_turn import LiveTurn
from app.display.updates import (
    CallChanged,
    ExchangeEnded,
    Noticed,
    StopAsked,
    TurnAbandoned,
    Update,
)
from app.display.view import NoticeKind, NoticeView
from app.exchange.adoption import left_to_run
from app.exchange.asking import Asking
from app.exchange.binding import Binding
from app.exchange.carrying_out import Carried, CarryingOut
from app.exchange.dispatch import Dispatch, Runnable
from app.exchange.exchange_trace import ExchangeTrace
from app.exchange.observer import ExchangeObserver
from app.exchange.offers import offers
from app.exchange.parts import Parts
from app.exchange.persist import new_abandoned, new_turn
from app.exchange.publisher import Publisher
from app.exchange.rules import Person, ToolRules
from app.exchange.stopping import StopCause, StopSignal
from app.exchange.stream_turn import stream_turn
from app.providers.provider import RETRYABLE, ProviderFailure, TurnRequest
from app.records.ids import Kind, new_id
from app.records.rows import Outcome

log = logging.getLogger(__name__)


class _Parked(Exception):
    """The exchange waits for a person, on record; no process holds it."""


class _Over(Exception):
    """The exchange has come to its end."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        self.outcome = outcome
        self.detail = detail


@dataclass(slots=True)
class _Attempt:
    """One request for one turn."""

    live: LiveTurn
    trace: ExchangeTrace
    observer: ExchangeObserver
    announced: dict[int, datetime] = field(default_factory=dict[int, datetime])

    def watch(self, event: Event) -> None:
        self.trace.watch(event)
        self.observer.took(event)
        if isinstance(event, CallAnnounced):
            for call in self.live.turn.calls:
                self.announced.setdefault(call.ordinal, datetime.now(UTC))


class ExchangeRunner:
    """One exchange of one conversation."""

    def __init__(
        self,
        parts: Parts,
        conversation: str,
        exchange: str,
        person: Person,
        publisher: Publisher,
        trace: ExchangeTrace,
        observer: ExchangeObserver,
    ) -> None:
        self.conversation = conversation
        self.exchange = exchange
        self.stop = StopSignal()
        self._parts = parts
        self._publisher = publisher
        self._trace = trace
        self._observer = observer
        self._rules = ToolRules(parts.registry, parts.maps, person)
        self._binding = Binding(parts.maps)
        self._asking = Asking(parts, exchange, person, publisher)
        dispatch = Dispatch(parts, publisher, self.stop, person, conversation, exchange, trace)
        self._calls = CarryingOut(
            parts, conversation, exchange, publisher, self.stop, dispatch, self._asking
        )
        self.decided = self._calls.decided
        """Set when something was decided that this exchange waits for."""

    async def ask_to_stop(self, cause: StopCause) -> None:
        """Give the stop signal and show that it was given."""
        if not self.stop.given:
            self.stop.give(cause)
            await self._publisher.put([StopAsked(self.exchange)])

    async def run(self, *, adopted: bool = False) -> Outcome | None:
        """Run to the end, whatever that is, and put the end on record; None when parked.

        An ``adopted`` exchange is one that was parked; its last calls come first.
        """
        async with aclosing(self._observer):
            return await self._run(adopted)

    async def _run(self, adopted: bool) -> Outcome | None:
        with closing(self._trace):
            try:
                over = await self._until_over(adopted)
            except _Parked:
                self._trace.parked()
                await self._publisher.close()
                return None
            await self._end(over)
            self._trace.ended(over.outcome)
            return over.outcome

    async def _until_over(self, adopted: bool) -> _Over:
        try:
            turns = await self._go_on_where_left() if adopted else 0
            limit = self._parts.bounds.exchange_turns
            for _ in range(turns, limit):
                await self._turn()
            await self._notice(NoticeKind.TURN_LIMIT, limit=str(limit))
            return _Over(Outcome.TURN_LIMIT)
        except _Over as end:
            return end
        except _Parked:
            raise
        except Exception:
            log.exception("exchange %s failed", self.exchange)
            await self._notice(NoticeKind.INTERNAL_ERROR)
            return _Over(Outcome.INTERNAL_ERROR)

    async def _end(self, over: _Over) -> None:
        await self._end_calls(over)
        await self._parts.records.end_exchange(self.exchange, over.outcome, over.detail or None)
        await self._publisher.put([ExchangeEnded(self.exchange)])
        await self._publisher.close()

    async def _end_calls(self, over: _Over) -> None:
        """End what an internal error left without a result, so that history stays whole."""
        if over.outcome is not Outcome.INTERNAL_ERROR:
            return
        await self._calls.refuse_unstarted(Reason.INCOMPLETE)

    # One turn

    async def _turn(self) -> None:
        """One turn, asked for until it is usable; then everything that follows from it."""
        regenerations = 0
        while True:
            attempt, finished = await self._attempt()
            self._rules.denied.update(await self._asking.denied())
            judgement = self._judge(attempt.live.id, finished)
            if judgement.usable:
                return await self._go_on(attempt, finished, judgement)
            assert judgement.reason is not None
            await self._roll_back(attempt.live, finished, judgement.reason, judgement.detail)
            self._trace.abandoned(judgement.reason)
            regenerations += 1
            await self._ask_again_or_give_up(judgement.reason, regenerations)

    def _judge(self, turn: str, finished: FinishedTurn) -> Judgement:
        bounds = self._parts.bounds
        provider = self._parts.provider
        terms = Terms(
            bounds.max_tokens, provider.needs_call_ids, self._parts.assign_missing_ids, bounds.calls
        )
        judgement = judge(finished, self._rules, terms)
        self._observer.judged(turn, finished, self._rules, terms, judgement)
        return judgement

    async def _ask_again_or_give_up(self, reason: Reason, regenerations: int) -> None:
        limit = self._parts.bounds.regenerations
        if reason is Reason.REFUSED_BY_MODEL:
            await self._notice(NoticeKind.REFUSED)
            raise _Over(Outcome.REFUSED)
        if regenerations > limit:
            await self._notice(NoticeKind.GAVE_UP, reason=reason)
            raise _Over(Outcome.GAVE_UP, reason)
        await self._notice(
            NoticeKind.REGENERATING, reason=reason, attempt=str(regenerations), of=str(limit)
        )

    async def _attempt(self) -> tuple[_Attempt, FinishedTurn]:
        """One request that the API served, repeated while it fails in a way that may pass."""
        request = await self._request()
        failures = 0
        while True:
            attempt = _Attempt(self._live_turn(), self._trace, self._observer)
            try:
                finished = await self._stream(request, attempt)
            except ProviderFailure as failure:
                failures += 1
                finished = attempt.live.finish()
                self._trace.streamed(finished)
                await self._roll_back(attempt.live, finished, Reason.INCOMPLETE, failure.detail)
                self._trace.abandoned(Reason.INCOMPLETE)
                await self._wait_or_report(failure, failures)
                continue
            if self.stop.given:
                await self._stopped_while_writing(attempt.live, finished)
            return attempt, finished

    async def _stream(self, request: TurnRequest, attempt: _Attempt) -> FinishedTurn:
        turn = attempt.live.id
        with self._trace.streaming(turn), self._observer.requesting(turn):
            finished = await stream_turn(
                self._parts.provider,
                request,
                attempt.live,
                self._publisher.put,
                self.stop,
                attempt.watch,
            )
        self._trace.streamed(finished)
        return finished

    async def _request(self) -> TurnRequest:
        return TurnRequest(
            history=await self._parts.records.history(self.conversation),
            tools=tuple(offers(self._parts.registry, self._parts.maps)),
            max_tokens=self._parts.bounds.max_tokens,
            system=self._parts.system,
        )

    def _live_turn(self) -> LiveTurn:
        parts = self._parts
        return LiveTurn(
            self.exchange, new_id(Kind.TURN), parts.maps, parts.formats, parts.bounds.calls
        )

    async def _stopped_while_writing(self, live: LiveTurn, finished: FinishedTurn) -> None:
        lost = self.stop.cause is StopCause.SHUTDOWN
        reason = Reason.INCOMPLETE if lost else Reason.STOPPED
        await self._roll_back(live, finished, reason, f"stopped: {self.stop.cause}")
        self._trace.abandoned(reason)
        raise await self._stopped()

    async def _stopped(self) -> _Over:
        if self.stop.cause is StopCause.SHUTDOWN:
            await self._notice(NoticeKind.INTERRUPTED)
            return _Over(Outcome.INTERRUPTED)
        unwatched = self.stop.cause is StopCause.UNWATCHED
        await self._notice(NoticeKind.UNWATCHED if unwatched else NoticeKind.STOPPED)
        return _Over(Outcome.STOPPED, self.stop.cause or "")

    async def _roll_back(
        self, live: LiveTurn, finished: FinishedTurn, reason: Reason, detail: str
    ) -> None:
        """Take a turn out of history, on record and on screen; none of its calls has run."""
        if not live.turn.blocks:
            return
        await self._parts.records.record_abandoned(
            self.exchange, new_abandoned(live.id, live.turn, finished, reason, detail)
        )
        ended: list[Update] = [
            CallChanged(
                self.exchange, live.id, call_id(live.id, call.ordinal), CallState.NOT_RUN, reason
            )
            for call in finished.calls
        ]
        if live.shown:
            await self._publisher.put([*ended, TurnAbandoned(self.exchange, live.id, reason)])

    # API failures

    async def _wait_or_report(self, failure: ProviderFailure, failures: int) -> None:
        bounds = self._parts.bounds
        wait = _wait_before_retry(failure, failures)
        final = failure.kind not in RETRYABLE or failures > bounds.api_retries
        if final or wait > bounds.retry_wait_s:
            log.warning("provider failed: %s", failure)
            await self._notice(NoticeKind.PROVIDER_FAILED, failure=failure.kind)
            raise _Over(Outcome.FAILED, f"{failure.kind}: {failure.detail}")
        await self._notice(
            NoticeKind.WAITING_TO_RETRY, failure=failure.kind, seconds=str(max(1, round(wait)))
        )
        if await self.stop.sleep(wait):
            raise await self._stopped()

    # After a usable turn

    async def _go_on_where_left(self) -> int:
        """Carry out what was left of the turns on record; how many of these there are."""
        transcript = await self._parts.records.transcript(self.conversation)
        [ours] = [each for each in transcript.exchanges if each.exchange.id == self.exchange]
        if ours.exchange.stop_asked_at is not None:
            self.stop.give(StopCause.PERSON)
        self._asking.find(ours.turns)
        await self._carry_out((turn.id, left_to_run(turn, self._binding)) for turn in ours.turns)
        return len(ours.turns)

    async def _carry_out(self, work: Iterable[tuple[str, Sequence[Runnable]]]) -> None:
        """Returns when nothing of the exchange is left to do but the next turn, or not at all."""
        match await self._calls.carry_out(work):
            case Carried.OUT:
                return
            case Carried.STOPPED:
                raise await self._stopped()
            case Carried.SUPERSEDED:
                raise _Over(Outcome.SUPERSEDED)
            case Carried.PARKED:
                raise _Parked

    async def _go_on(self, attempt: _Attempt, finished: FinishedTurn, judgement: Judgement) -> None:
        live = attempt.live
        if not any(_is_shown(block) for block in live.turn.blocks.values()):
            await self._notice(NoticeKind.EMPTY_ANSWER)
            raise _Over(Outcome.ANSWERED)
        await self._record(attempt, finished, judgement)
        if not judgement.calls and not finished.resume:
            raise _Over(Outcome.ANSWERED)
        await self._publisher.put(self._refused(live, judgement))
        await self._asking.show(live.id)
        await self._carry_out([(live.id, self._runnable(live, finished, judgement))])

    async def _record(
        self, attempt: _Attempt, finished: FinishedTurn, judgement: Judgement
    ) -> None:
        turn = new_turn(
            attempt.live.id,
            attempt.live.turn,
            finished,
            judgement,
            self._parts.provider,
            self._parts.model,
            attempt.announced,
            self._parts.registry.idempotent,
            self._binding,
            self._asking.request,
        )
        await self._parts.records.record_turn(self.exchange, turn, self._parts.worker)
        self._trace.kept()

    def _refused(self, live: LiveTurn, judgement: Judgement) -> list[Update]:
        return [
            CallChanged(
                self.exchange,
                live.id,
                call_id(live.id, judged.ordinal),
                CallState.NOT_RUN,
                judged.reason,
            )
            for judged in judgement.calls
            if judged.verdict is Verdict.REFUSE
        ]

    def _runnable(
        self, live: LiveTurn, finished: FinishedTurn, judgement: Judgement
    ) -> list[Runnable]:
        names = {call.ordinal: call.name for call in finished.calls}
        runnable: list[Runnable] = []
        for judged in judgement.calls:
            name, arguments = names[judged.ordinal], judged.arguments
            if judged.verdict is Verdict.RUN and name is not None and arguments is not None:
                bound = self._binding.digest(name, arguments)
                ours = call_id(live.id, judged.ordinal)
                runnable.append(Runnable(ours, name, arguments, bound))
        return runnable

    async def _notice(self, kind: NoticeKind, **params: str) -> None:
        told = tuple((name, str(value)) for name, value in params.items())
        notice_id = await self._parts.records.record_notice(self.exchange, kind, told)
        await self._publisher.put([Noticed(self.exchange, NoticeView(notice_id, kind, told))])


def _is_shown(block: Block) -> bool:
    """Whether a block is an answer of some kind: text, or a call."""
    return isinstance(block, Call) or (isinstance(block, TextBlock) and bool(block.text.strip()))


def _wait_before_retry(failure: ProviderFailure, failures: int) -> float:
    """Seconds: what the provider asked for, or a doubling wait with jitter."""
    if failure.retry_after is not None:
        return failure.retry_after
    jitter = 0.5 + random.random()  # noqa: S311 - spreads retries, guards nothing
    return 0.5 * 2**failures * jitter
