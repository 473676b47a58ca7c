"""Carries out the calls of an exchange, those that a person approves meanwhile among them.

    run what may start -> nothing waits for a person: the next turn
                       -> something does: parked, and let go of
    stop               -> refuse what has not started

A process that closes refuses nothing: what waits, it leaves to the next one.
"""

import asyncio
from collections.abc import Iterable, Sequence
from enum import StrEnum

from app.calls.call_ids import turn_of
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.updates import CallChanged
from app.exchange.adoption import left_to_run
from app.exchange.answers import not_run
from app.exchange.asking import Asking
from app.exchange.binding import Binding
from app.exchange.dispatch import Dispatch, Runnable
from app.exchange.parts import Parts
from app.exchange.publisher import Publisher
from app.exchange.stopping import StopCause, StopSignal


class Carried(StrEnum):
    """How it stands with an exchange whose calls were carried out."""

    OUT = "out"
    """Each of them has ended; nothing is left to do but the next turn."""

    STOPPED = "stopped"
    SUPERSEDED = "superseded"
    """The person went on without deciding on one."""

    PARKED = "parked"
    """One waits for a person, on record; no process holds the exchange."""


class CarryingOut:
    """The calls of one exchange at work."""

    def __init__(
        self,
        parts: Parts,
        conversation: str,
        exchange: str,
        publisher: Publisher,
        stop: StopSignal,
        dispatch: Dispatch,
        asking: Asking,
    ) -> None:
        self.decided = asyncio.Event()
        """Set when something was decided that this exchange waits for."""
        self._parts = parts
        self._conversation = conversation
        self._exchange = exchange
        self._publisher = publisher
        self._stop = stop
        self._dispatch = dispatch
        self._binding = Binding(parts.maps)
        self._asking = asking

    async def carry_out(self, work: Iterable[tuple[str, Sequence[Runnable]]]) -> Carried:
        """Run calls, by their turns, and those that a person approves meanwhile."""
        begun: set[str] = set()
        while True:
            await self._run_calls(work, begun)
            if not self._asking.asked:
                break
            if self._is_stopped_for_good:
                await self._asking.withdrawn(await self.refuse_unstarted(Reason.STOPPED))
                break
            parked = await self._parts.records.park_exchange(
                self._exchange, self._parts.worker, with_approved=self._stop.given
            )
            if parked:
                return Carried.PARKED
            work = [(turn, [call]) for turn, call in await self._approved() if call.id not in begun]
            if not work:
                break
        if self._stop.given:
            return Carried.STOPPED
        if self._asking.asked and await self._asking.are_superseded():
            return Carried.SUPERSEDED
        return Carried.OUT

    async def refuse_unstarted(self, reason: Reason) -> tuple[str, ...]:
        """End the calls that have not started, on record and on screen; the ids of those."""
        refused = await self._parts.records.refuse_unstarted(
            self._exchange, reason, not_run(reason)
        )
        await self._publisher.put(
            CallChanged(self._exchange, turn_of(ours), ours, CallState.NOT_RUN, reason)
            for ours in refused
        )
        return refused

    @property
    def _is_stopped_for_good(self) -> bool:
        """A process that closes leaves what waits to the next one."""
        return self._stop.given and self._stop.cause is not StopCause.SHUTDOWN

    async def _run_calls(
        self, work: Iterable[tuple[str, Sequence[Runnable]]], begun: set[str]
    ) -> None:
        async with asyncio.TaskGroup() as group:
            running: set[asyncio.Task[None]] = set()

            def begin(turn: str, calls: Sequence[Runnable]) -> None:
                begun.update(call.id for call in calls)
                running.add(group.create_task(self._dispatch.run(turn, calls)))

            for turn, calls in work:
                begin(turn, calls)
            while running:
                self.decided.clear()
                if self._asking.asked and not self._stop.given:
                    for turn, call in await self._approved():
                        if call.id not in begun:
                            begin(turn, [call])
                await self._one_of(running)
                running = {task for task in running if not task.done()}

    async def _one_of(self, running: set[asyncio.Task[None]]) -> None:
        """Wait until a task has ended or something was decided."""
        heard = asyncio.create_task(self.decided.wait())
        try:
            await asyncio.wait({*running, heard}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            heard.cancel()

    async def _approved(self) -> list[tuple[str, Runnable]]:
        """Calls that were approved and have not started, with their turns."""
        transcript = await self._parts.records.transcript(self._conversation)
        return [
            (turn.id, call)
            for each in transcript.exchanges
            if each.exchange.id == self._exchange
            for turn in each.turns
            for call in left_to_run(turn, self._binding)
        ]
