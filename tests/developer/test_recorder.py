"""Observing keeps everything, within its bound, and never changes or breaks what it observes."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.calls.events import ArgumentFragment, Stop, TextDelta
from app.developer.observations import Line, unpack
from app.developer.recorder import WRITE_EVERY_S, Recorder, WireTap
from app.developer.shown import flushes_of, shown_calls
from app.developer.turn_log import ExchangeLog, Run, TurnLog
from app.developer.wire import unpack_pieces
from app.exchange.conversations import Conversations
from app.exchange.exchanges import Exchanges
from app.providers.demo import make_demo
from app.providers.provider import FailureKind
from app.records.observations import LOG, NewObservation
from tests.developer.making import terms
from tests.exchange.world import OWNER, Step, World, call, calls, failure, said, world

NOTE = call(0, "note", '{"text":"canary-text","n":12}')


@asynccontextmanager
async def observed(
    w: World, turn_bytes: int = 1 << 20, wire: WireTap | None = None
) -> AsyncGenerator[Conversations]:
    recorder = Recorder(w.records, wire or WireTap(), "anthropic-messages", "m", turn_bytes)
    parts = replace(w.parts, observe=recorder.observe)
    exchanges = Exchanges(parts)
    conversations = Conversations(parts, exchanges, ())
    try:
        yield conversations
    finally:
        await exchanges.close()


async def log_of(w: World) -> ExchangeLog:
    transcript = await w.records.transcript(w.conversation)
    log = ExchangeLog(terms(w.parts.maps))
    for row in await w.records.observed_log(transcript.exchanges[0].exchange.id):
        log.take(unpack(row.data))
    return log


async def turns_of(
    folder: Path, *turns: Sequence[Step], turn_bytes: int = 1 << 20
) -> list[TurnLog]:
    async with world(folder, *turns) as w:
        async with observed(w, turn_bytes) as conversations:
            await conversations.send(OWNER, w.conversation, "hello")
            await w.idle()
        return list((await log_of(w)).turns.values())


async def test_a_turn_is_kept_with_its_calls_gate_and_end(tmp_path: Path) -> None:
    async with world(tmp_path, calls(NOTE), said("Done.")) as w:
        async with observed(w) as conversations:
            await conversations.send(OWNER, w.conversation, "hello")
            await w.idle()
        log = await log_of(w)
        [first, second] = log.turns.values()
        recorded = {turn.id for turn in await w.turns()}
    assert set(log.turns) == recorded
    [made] = first.calls
    assert "".join(made.texts) == '{"text":"canary-text","n":12}'
    assert [span.state for span in made.states] == ["preparing", "ready", "not_run"]
    assert made.states[-1].reason == "invalid_arguments"
    assert first.gate is not None
    assert [(v.verdict, v.reason) for v in first.gate.verdicts] == [("refuse", "invalid_arguments")]
    assert first.streamed is not None
    assert first.streamed[1] == "ended"
    assert second.ended is not None
    assert second.ended.stop is Stop.COMPLETE
    [row] = shown_calls(first.id, log.flushes)[f"{first.id}-0"].in_order()
    assert (row.label, row.text, row.status) == ("Text", "canary-text", "settled")
    told = [line for _, lines in flushes_of(first.id, log.flushes) for line in lines]
    assert told[-1] == "call 0 not_run, invalid_arguments"


async def test_every_attempt_is_kept_whatever_became_of_it(tmp_path: Path) -> None:
    cut = calls(NOTE, stop=Stop.TRUNCATED)
    turns = await turns_of(
        tmp_path, [failure(FailureKind.OVERLOADED, retry_after=0.0)], cut, said("No.")
    )
    assert [turn.streamed[1] for turn in turns if turn.streamed] == [
        "failed: overloaded", "ended", "ended",
    ]  # fmt: skip
    assert [turn.gate.reason if turn.gate else "-" for turn in turns] == ["-", "truncated", None]


async def test_a_running_tool_and_its_result_are_kept(tmp_path: Path) -> None:
    [turn, _] = await turns_of(tmp_path, calls(call(0, "note", '{"text":"x"}')), said("Done."))
    states = [span.state for span in turn.calls[0].states]
    assert states == ["preparing", "ready", "running", "done"]
    times = [span.at for span in turn.calls[0].states]
    assert times == sorted(times)


async def test_past_the_bound_nothing_more_of_a_turn_is_kept(tmp_path: Path) -> None:
    long = [ArgumentFragment(0, "x" * 50) for _ in range(100)]
    first = [*call(0, "note", '{"text":"')[:-1], *long, *calls(call(1, "note", "{}"))]
    turns = await turns_of(
        tmp_path, first, calls(NOTE), said("Done."), said("Done."), turn_bytes=1000
    )
    assert turns[0].cut == 1000
    assert len("".join(turns[0].calls[0].texts)) < 1000
    assert turns[0].streamed is not None
    assert turns[0].gate is not None
    assert turns[1].cut is None, "the bound is that of one turn"


async def test_the_wire_is_kept_byte_for_byte_and_in_its_turn(tmp_path: Path) -> None:
    wire, seen = WireTap(), list[bytes]()
    sink = wire.tap

    def tap():
        into = sink()

        def both(data: bytes) -> None:
            seen.append(data)
            into(data)

        return both

    provider = make_demo(1, 0, tap=tap)
    async with world(tmp_path, provider=provider) as w:
        async with observed(w, wire=wire) as conversations:
            await conversations.send(OWNER, w.conversation, "Hello")
            await w.idle()
        [exchange] = (await w.records.transcript(w.conversation)).exchanges
        [turn] = (await log_of(w)).turns
        rows = await w.records.observed_wire(exchange.exchange.id, turn)
        pieces = [piece for row in rows for piece in unpack_pieces(row.data)]
    await provider.close()
    assert [piece.data for piece in pieces] == seen
    assert b"message_stop" in pieces[-1].data


async def test_nothing_is_tapped_outside_of_a_request() -> None:
    WireTap().tap()(b"dropped")


class Full:
    async def append_observations(
        self, subject: str, exchange_id: str | None, rows: Sequence[NewObservation]
    ) -> None:
        raise OSError("canary: the disk is full")


async def test_a_store_that_fails_ends_the_observing_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(tmp_path, said("Hello.")) as w:
        recorder = Recorder(Full(), WireTap(), "anthropic-messages", "m", 1 << 20)
        parts = replace(w.parts, observe=recorder.observe)
        exchanges = Exchanges(parts)
        conversations = Conversations(parts, exchanges, ())
        with caplog.at_level(logging.INFO):
            await conversations.send(OWNER, w.conversation, "hello")
            await w.idle()
            await exchanges.close()
        assert await w.notices() == []
        assert len(await w.turns()) == 1
    assert "observing failed: OSError" in caplog.text
    assert "canary" not in caplog.text


class Slow:
    """A store that is at work for a while, and keeps a write that was let through."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    async def append_observations(
        self, subject: str, exchange_id: str | None, rows: Sequence[NewObservation]
    ) -> None:
        await asyncio.sleep(0.3)
        for row in rows:
            if row.kind == LOG:
                self.lines += unpack(row.data)


async def test_a_write_under_way_at_the_end_is_let_through() -> None:
    slow = Slow()
    observer = Recorder(slow, WireTap(), "d", "m", 1 << 20).observe("c", "x")
    with observer.requesting("t"):
        await asyncio.sleep(WRITE_EVERY_S + 0.1)
        observer.took(TextDelta(0, "late"))
    await observer.aclose()
    assert [line[0] for line in slow.lines] == ["begin", "request", "took", "streamed"]


async def test_what_was_observed_is_written_while_the_turn_goes_on(tmp_path: Path) -> None:
    hold = asyncio.Event()
    turns = [*NOTE[:2], hold, *NOTE[2:], *calls()], said("Done.")
    async with world(tmp_path, *turns) as w, observed(w) as conversations:
        await conversations.send(OWNER, w.conversation, "hello")
        async with asyncio.timeout(10):
            while not any(turn.calls for turn in (await log_of(w)).turns.values()):
                await asyncio.sleep(0.05)
        [turn] = (await log_of(w)).turns.values()
        assert turn.streamed is None
        assert any(isinstance(item, Run) for item in turn.items)
        hold.set()
        await w.idle()
