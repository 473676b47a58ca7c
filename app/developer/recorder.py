"""Observes exchanges, and keeps what it saw in the store.

What is seen is put into a buffer at once, with its time, and written in the background a few
times a second, so that another process can follow it live. A fault in here ends the observing,
never the exchange. Nothing of what is seen is logged.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from app.calls.events import ArgumentFragment, Event
from app.calls.gate import Judgement, Rules, Terms
from app.calls.gate_steps import steps
from app.calls.turn import FinishedTurn
from app.developer.observations import Line, event_line, pack, update_line
from app.developer.wire import Piece, masked, pack_pieces
from app.display.updates import RowChanged, RowGrew, TextGrew, Update
from app.exchange.observer import ExchangeObserver
from app.providers.provider import ProviderFailure
from app.providers.transports import Sink
from app.records.observations import LOG, WIRE, NewObservation

WRITE_EVERY_S = 0.4
EVENT_BYTES = 64
"""About what an event takes beside its text."""
_GROWTH = (TextGrew, RowChanged, RowGrew)


class Keeper(Protocol):
    """Where observations are kept."""

    async def append_observations(
        self, subject: str, exchange_id: str | None, rows: Sequence[NewObservation]
    ) -> None: ...


class WireTap:
    """The tap of a provider, which leads to whoever observes the request that is under way."""

    def __init__(self) -> None:
        self._sink: ContextVar[Sink | None] = ContextVar("wire", default=None)

    def tap(self) -> Sink:
        """The sink of a response, in the task that asked for it."""
        return self._sink.get() or _ignore

    @contextmanager
    def into(self, sink: Sink) -> Generator[None]:
        """Lead the responses to requests made in here, and in tasks begun in here, to a sink."""
        before = self._sink.set(sink)
        try:
            yield
        finally:
            self._sink.reset(before)


def _ignore(data: bytes) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Recorder:
    """Makes an observer for each exchange. ``turn_bytes`` bounds what is kept of one turn."""

    keeper: Keeper
    wire: WireTap
    dialect: str
    model: str
    turn_bytes: int
    secrets: Sequence[str] = field(default=(), repr=False)

    def observe(self, conversation: str, exchange: str) -> ExchangeObserver:
        """An observer of one exchange; called within the loop that it runs in."""
        del conversation  # the exchange is on record as part of it
        return _Observer(self, exchange)


class _Observer:
    def __init__(self, recorder: Recorder, exchange: str) -> None:
        self._recorder = recorder
        self._exchange = exchange
        self._began = time.perf_counter_ns()
        self._lines: list[Line] = [["begin", 0, time.time_ns() // 1000]]
        self._rows: list[NewObservation] = []
        self._pieces: list[Piece] = []
        self._fragments: Line | None = None
        self._turn = ""
        self._requested = 0
        self._kept = 0
        self._cut = False
        self._failed = False
        self._timer: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    # What the exchange tells

    @contextmanager
    def requesting(self, turn: str) -> Generator[None]:
        self._note(lambda: self._request(turn))
        ended, detail = "ended", ""
        try:
            with self._recorder.wire.into(self._take_bytes):
                yield
        except ProviderFailure as failure:
            ended, detail = f"failed: {failure.kind}", failure.detail
            raise
        except BaseException as error:
            ended = f"lost: {type(error).__name__}"
            raise
        finally:
            self._note(lambda: ["streamed", self._now(), ended, detail])

    def took(self, event: Event) -> None:
        if self._cut:
            return
        if isinstance(event, ArgumentFragment):
            self._note(lambda: self._fragment(event))
        else:
            self._note(lambda: self._event(event))

    def judged(
        self, turn: str, finished: FinishedTurn, rules: Rules, terms: Terms, judgement: Judgement
    ) -> None:
        self._note(
            lambda: [
                "judged",
                self._now(),
                turn,
                judgement.usable,
                judgement.reason,
                judgement.detail,
                [
                    [step.name, step.call, step.answer.value, step.reason, step.detail]
                    for step in steps(finished, rules, terms)
                ],
                [
                    [each.ordinal, each.verdict.value, each.reason, each.detail]
                    for each in judgement.calls
                ],
            ]
        )

    def shown(self, updates: Sequence[Update]) -> None:
        told = [u for u in updates if not (self._cut and isinstance(u, _GROWTH))]
        if told:
            self._note(lambda: update_line(self._now(), told))

    async def aclose(self) -> None:
        if self._timer is not None:
            async with self._writing:  # a write under way is let through: it holds lines
                self._timer.cancel()
            await asyncio.wait({self._timer})
        await self._write(last=True)

    # Within

    def _now(self) -> int:
        return (time.perf_counter_ns() - self._began) // 1000

    def _note(self, line_of: Callable[[], Line | None]) -> None:
        """Put a line into the buffer, after the fragments that came before it."""
        if self._failed:
            return
        try:
            line = line_of()
        except Exception as error:  # noqa: BLE001 - to observe must never break what is observed
            self._fail(error)
            return
        if line is not None:
            self._end_fragments()
            self._lines.append(line)
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._write_soon())

    def _fail(self, error: Exception) -> None:
        # Neither the message nor the traceback: both may hold what a model wrote.
        logging.getLogger(__name__).error("observing failed: %s", type(error).__name__)
        self._failed = True

    def _request(self, turn: str) -> Line:
        self._keep_pieces(last=True)
        self._turn, self._requested = turn, self._now()
        self._kept, self._cut = 0, False
        return ["request", self._requested, turn, self._recorder.dialect, self._recorder.model]

    def _take_bytes(self, data: bytes) -> None:
        if not self._cut and self._room_for(len(data)):
            self._pieces.append(Piece(self._now() - self._requested, data))

    def _fragment(self, event: ArgumentFragment) -> Line | None:
        if not self._room_for(len(event.text)):
            return None
        run = self._fragments
        if run is None or run[1] != event.block:
            self._end_fragments()
            run = self._fragments = ["fragments", event.block, [], []]
        run[2].append(self._now())
        run[3].append(event.text)
        return None

    def _event(self, event: Event) -> Line | None:
        room = self._room_for(EVENT_BYTES + len(getattr(event, "text", "")))
        return event_line(self._now(), event) if room else None

    def _room_for(self, size: int) -> bool:
        self._kept += size
        if self._kept > self._recorder.turn_bytes and not self._cut:
            self._cut = True
            self._end_fragments()
            self._lines.append(["cut", self._now(), self._recorder.turn_bytes])
        return not self._cut

    def _end_fragments(self) -> None:
        if self._fragments is not None:
            self._lines.append(self._fragments)
            self._fragments = None

    async def _write_soon(self) -> None:
        while self._lines or self._pieces or self._fragments is not None:
            await asyncio.sleep(WRITE_EVERY_S)
            await self._write()

    async def _write(self, *, last: bool = False) -> None:
        async with self._writing:
            rows = self._taken(last)
            if not rows or self._failed:
                return
            try:
                await self._recorder.keeper.append_observations(
                    self._exchange, self._exchange, rows
                )
            except Exception as error:  # noqa: BLE001 - as above
                self._fail(error)

    def _taken(self, last: bool) -> list[NewObservation]:
        self._keep_pieces(last=last)
        self._end_fragments()
        if self._lines:
            packed = pack(self._lines)
            self._rows.append(NewObservation(LOG, None, len(packed), packed))
            self._lines = []
        rows, self._rows = self._rows, []
        return rows

    def _keep_pieces(self, *, last: bool) -> None:
        """Make a row of the bytes that came, without those that may yet turn out a secret."""
        ready, self._pieces = masked(self._pieces, self._recorder.secrets, last=last)
        if ready:
            size = sum(len(piece.data) for piece in ready)
            self._rows.append(NewObservation(WIRE, self._turn, size, pack_pieces(ready)))
