"""Replays a recorded response through the dialect's own adapter, the parser and the gate.

Nothing is dispatched and nothing is put on record. Each event gets the time at which the bytes
came that made it. An adapter may be slow on a large body, so a replay runs in a thread and a loop
of its own.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import httpx2

from app.calls.gate import Rules, judge
from app.calls.gate import Terms as GateTerms
from app.calls.gate_steps import steps
from app.calls.history import UserMessage
from app.calls.turn import FinishedTurn
from app.developer.turn_log import Gate, GateStep, Terms, TurnLog, Verdict
from app.developer.wire import WireRecording
from app.providers.provider import Provider, ProviderFailure, TurnRequest
from app.providers.transports import ByteStream

Connect = Callable[[str, httpx2.AsyncBaseTransport], Provider]
"""From a dialect and what stands in for the network to the adapter."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What the gate is asked under."""

    rules: Rules
    max_tokens: int | None = None
    assign_missing_ids: bool = False


class _Pieces(httpx2.AsyncBaseTransport):
    """Answers with recorded pieces, and knows the time of the one that was read last.

    A body that broke off breaks off again.
    """

    def __init__(self, recording: WireRecording) -> None:
        self._recording = recording
        self.now = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, stream=ByteStream(self._read(request)))

    async def _read(self, request: httpx2.Request) -> AsyncIterator[bytes]:
        for piece in self._recording.pieces:
            self.now = piece.at
            if piece.data:
                yield piece.data
        if not self._recording.whole:
            raise httpx2.ReadError("the recorded body broke off here", request=request)


class Replayer:
    """Replays one recording at a time."""

    def __init__(self, connect: Connect, terms: Terms) -> None:
        self._connect = connect
        self._terms = terms
        self._one = asyncio.Semaphore(1)

    async def replay(
        self, recording: WireRecording, judging: Judging, events: int | None = None
    ) -> TurnLog:
        """The turn that a recording makes, judged; ``events`` ends it after so many of them.

        A turn that was ended so has no end of its own, as one that was stopped has none.
        """
        async with self._one:
            return await asyncio.to_thread(
                lambda: asyncio.run(self._replay(recording, judging, events))
            )

    async def _replay(
        self, recording: WireRecording, judging: Judging, events: int | None
    ) -> TurnLog:
        wire = _Pieces(recording)
        provider = self._connect(recording.dialect, wire)
        turn = TurnLog("replay", recording.dialect, "recorded", 0, self._terms)
        turn.timed = recording.timed
        how, detail = "ended", ""
        try:
            await _read(provider, wire, turn, events)
        except ProviderFailure as failure:
            how, detail = f"failed: {failure.kind}", failure.detail
        finally:
            await provider.close()
        turn.streamed = (wire.now, how, detail)
        turn.last = max(turn.last, wire.now)
        gate_terms = GateTerms(
            judging.max_tokens,
            provider.needs_call_ids,
            judging.assign_missing_ids,
            self._terms.limits,
        )
        if how == "ended":
            turn.gate = _judged(turn, judging.rules, gate_terms, wire.now)
        return turn


async def _read(provider: Provider, wire: _Pieces, turn: TurnLog, events: int | None) -> None:
    request = TurnRequest(history=(UserMessage("replay"),), tools=(), max_tokens=1)
    taken = 0
    if events == 0:
        return
    async with aclosing(provider.stream(request)) as stream:
        async for event in stream:
            turn.take(wire.now, event)
            taken += 1
            if turn.live.turn.overfull or taken == events:
                return


def _judged(turn: TurnLog, rules: Rules, terms: GateTerms, at: int) -> Gate:
    finished: FinishedTurn = turn.live.finish()
    judgement = judge(finished, rules, terms)
    return Gate(
        at,
        judgement.usable,
        judgement.reason,
        judgement.detail,
        tuple(
            GateStep(step.name, step.call, step.answer.value, step.reason, step.detail)
            for step in steps(finished, rules, terms)
        ),
        tuple(
            Verdict(each.ordinal, each.verdict.value, each.reason, each.detail)
            for each in judgement.calls
        ),
    )
