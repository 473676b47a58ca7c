"""Runs the calls of one persisted turn, each at most once.

The order that makes the screen true: the claim is on record before the tool is called, the result
is on record before it is shown. A call that cannot be claimed is somebody else's and is left
alone. A stop before the claim is certain; after it, the tool is asked to end, and when it does not
within the grace its outcome is unknown.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from app.calls.gate import Verdict
from app.calls.json_types import JsonObject, JsonValue
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.results import result_headings, result_rows, summary
from app.display.updates import CallChanged
from app.exchange.answers import (
    UNKNOWN_OUTCOME,
    approved_with_changes,
    bounded,
    not_run,
    result_text,
)
from app.exchange.exchange_trace import ExchangeTrace
from app.exchange.parts import Parts
from app.exchange.publisher import Publisher
from app.exchange.rules import Person
from app.exchange.stopping import StopSignal
from app.records.rows import CallRecord
from app.tools.registry import CallContext, ToolFault

log = logging.getLogger(__name__)

DEFAULT_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Runnable:
    """A call that the gate let through. ``digest`` is that of the arguments it judged.

    ``again``: a process that was lost left it running, as its record and the screen say.
    ``asked``: a person was, and pages of requests tell what comes of it. ``edited``: the
    arguments are theirs, who changed those that the model wrote.
    """

    id: str
    name: str
    arguments: JsonObject
    digest: str
    again: bool = False
    asked: bool = False
    edited: bool = False


@dataclass(frozen=True, slots=True)
class _Outcome:
    state: CallState
    content: str
    duration_ms: int
    fault: str | None = None
    result: JsonValue = None


class Dispatch:
    """Runs calls for one exchange and tells its viewers."""

    def __init__(
        self,
        parts: Parts,
        publisher: Publisher,
        stop: StopSignal,
        person: Person,
        conversation: str,
        exchange: str,
        trace: ExchangeTrace,
    ) -> None:
        self._parts = parts
        self._publisher = publisher
        self._stop = stop
        self._person = person
        self._conversation = conversation
        self._exchange = exchange
        self._trace = trace

    async def run(self, turn: str, calls: Sequence[Runnable]) -> None:
        """Run calls side by side, up to the bound; returns when each has ended."""
        room = asyncio.Semaphore(self._parts.bounds.parallel_calls)
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(self._one(turn, call, room))

    async def _one(self, turn: str, call: Runnable, room: asyncio.Semaphore) -> None:
        self._trace.named(call.id, call.name)
        async with room, self._parts.running:
            claimed = await self._parts.records.claim_call(call.id, self._parts.worker, call.digest)
            self._tell_who_was_asked(call)
            if claimed:
                if not call.again:
                    await self._tell(turn, call.id, CallState.RUNNING)
                with self._trace.dispatching(call.id):
                    outcome = await self._call_once(call)
                await self._settle(turn, call, outcome)
            else:
                await self._not_claimed(turn, call)
            self._tell_who_was_asked(call)

    def _tell_who_was_asked(self, call: Runnable) -> None:
        """Pages of requests look at once whether the record says something new of a call."""
        if call.asked:
            self._parts.asked.happened()

    async def _not_claimed(self, turn: str, call: Runnable) -> None:
        """Say why a call could not be claimed, unless somebody else is running it."""
        recorded = await self._parts.records.call(call.id)
        changed = recorded is None or recorded.digest != call.digest
        reason = _reason_to_refuse(recorded, changed=changed)
        if await self._parts.records.refuse_call(call.id, reason, not_run(reason)):
            await self._tell(turn, call.id, CallState.NOT_RUN, reason=reason)
        elif call.again and await self._parts.records.lose_released(call.id, UNKNOWN_OUTCOME):
            await self._tell(turn, call.id, CallState.UNKNOWN)
        else:
            log.warning("call %s was claimed elsewhere; not run here", call.id)

    async def _call_once(self, call: Runnable) -> _Outcome:
        """Call the tool; a fault of our own on the way leaves its outcome unknown."""
        try:
            return await self._call(call)
        except Exception:
            log.exception("call %s was lost", call.id)
            return _Outcome(CallState.UNKNOWN, UNKNOWN_OUTCOME, 0)

    async def _call(self, call: Runnable) -> _Outcome:
        clock = asyncio.get_running_loop().time
        known = self._parts.maps.get(call.name)
        timeout = (known.timeout_s if known else None) or DEFAULT_TIMEOUT_S
        cancelled = asyncio.Event()
        began = clock()
        context = CallContext(
            call_id=call.id,
            user=self._person.id,
            conversation=self._conversation,
            idempotency_key=call.id,
            cancelled=cancelled,
            deadline=began + timeout,
        )
        running = asyncio.create_task(self._parts.registry.run(call.name, call.arguments, context))
        ended = await self._wait(running, cancelled, timeout)
        duration_ms = round((clock() - began) * 1000)
        if not ended:
            return await self._give_up(running, duration_ms, timeout)
        return self._outcome(call, running, duration_ms)

    async def _wait(
        self, running: asyncio.Task[JsonValue], cancelled: asyncio.Event, seconds: float
    ) -> bool:
        """Wait for a tool; a stop asks it to end and shortens the wait to the grace."""
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait(
                {running, stopping}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            stopping.cancel()
        if running.done():
            return True
        cancelled.set()
        if self._stop.given:
            await asyncio.wait({running}, timeout=self._parts.bounds.stop_grace_s)
        return running.done()

    async def _give_up(
        self, running: asyncio.Task[JsonValue], duration_ms: int, seconds: float
    ) -> _Outcome:
        running.cancel()
        if self._stop.given:
            return _Outcome(CallState.UNKNOWN, UNKNOWN_OUTCOME, duration_ms)
        fault = f"no answer within {seconds:g} s; it may or may not have happened"
        return _Outcome(CallState.FAILED, f"Failed: {fault}", duration_ms, fault)

    def _outcome(
        self, call: Runnable, running: asyncio.Task[JsonValue], duration_ms: int
    ) -> _Outcome:
        if running.cancelled():
            return _Outcome(CallState.UNKNOWN, UNKNOWN_OUTCOME, duration_ms)
        try:
            result = running.result()
        except ToolFault as fault:  # the registry lets nothing else out
            text = str(fault)
            return _Outcome(CallState.FAILED, f"Failed: {text}", duration_ms, text)
        content = bounded(result_text(result), self._parts.bounds.result_chars)
        return _Outcome(CallState.DONE, content, duration_ms, result=result)

    async def _settle(self, turn: str, call: Runnable, outcome: _Outcome) -> None:
        before = approved_with_changes(call.arguments) if call.edited else ""
        recorded = await self._parts.records.record_result(
            call.id,
            self._parts.worker,
            outcome.state,
            before + outcome.content,
            outcome.result,
            outcome.state is not CallState.DONE,
            outcome.duration_ms,
            reason=outcome.fault,
        )
        if recorded:
            await self._publisher.put([self._ended(turn, call, outcome)])
        else:
            log.warning("call %s was taken for lost while it ran; its result came late", call.id)

    def _ended(self, turn: str, call: Runnable, outcome: _Outcome) -> CallChanged:
        known = self._parts.maps.get(call.name)
        done = known if outcome.state is CallState.DONE else None
        rows = result_rows(done, outcome.result, self._parts.formats) if done else ()
        return CallChanged(
            self._exchange,
            turn,
            call.id,
            outcome.state,
            reason=outcome.fault,
            summary=summary(done, outcome.result, self._parts.formats) if done else None,
            duration_ms=outcome.duration_ms,
            result=rows,
            result_headings=result_headings(done, rows) if done else (),
        )

    async def _tell(
        self, turn: str, call: str, state: CallState, reason: str | None = None
    ) -> None:
        await self._publisher.put([CallChanged(self._exchange, turn, call, state, reason)])


def _reason_to_refuse(recorded: CallRecord | None, *, changed: bool) -> Reason:
    """Why a call cannot be claimed that nobody else has claimed."""
    if not changed:
        return Reason.STOPPED
    approved = recorded is not None and recorded.verdict is Verdict.ASK
    # An approval covers the tool, its schema and the arguments that were shown, and no others.
    return Reason.NOT_AUTHORISED if approved else Reason.PROTOCOL_ERROR
