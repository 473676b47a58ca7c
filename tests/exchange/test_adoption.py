"""A process takes up what a lost one left, once, and no other."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.calls.gate import Verdict
from app.calls.history import ToolResults
from app.calls.states import CallState
from app.display.updates import ExchangeOpened
from app.feed.feed import Trimmed
from app.records.rows import Outcome
from tests.exchange.world import OWNER, Step, World, assert_lawful, call, calls, said, world
from tests.records.making import new_call, new_turn

LEASE_S = 30.0


async def left_behind(here: World, *, idempotent: bool = True) -> str:
    """A lost worker's exchange, one call of it running and one not started; the running call."""
    exchange = (await here.records.open_exchange(here.conversation, "hello", "lost")).exchange_id
    given = [
        new_call(0, name="note", arguments={"text": "a"}, provider_id="x", idempotent=idempotent),
        new_call(1, name="note", arguments={"text": "b"}, provider_id="y"),
    ]
    turn = new_turn(*given)
    await here.records.record_turn(exchange, turn)
    running = f"{turn.id}-0"
    assert await here.records.claim_call(running, "lost", given[0].digest)
    return running


async def recovered(here: World) -> None:
    report = await here.records.recover(
        datetime.now(UTC), LEASE_S, restarted="lost", rerun_idempotent=True
    )
    await here.exchanges.tell_afresh(ended.conversation_id for ended in report.interrupted)


async def outcomes(here: World) -> list[Outcome | None]:
    transcript = await here.records.transcript(here.conversation)
    return [each.exchange.outcome for each in transcript.exchanges]


async def test_an_idempotent_call_runs_again_under_its_key_and_the_exchange_goes_on(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, said("Both noted.")) as here:
        running = await left_behind(here)
        await recovered(here)
        await here.exchanges.take_up()
        await here.idle()
        assert [(given, context.idempotency_key) for _, given, context in here.log.ran] == [
            ({"text": "a"}, running),
            ({"text": "b"}, running.removesuffix("0") + "1"),
        ]
        [told] = [i for i in here.model.requests[0].history if isinstance(i, ToolResults)]
        assert [result.wire_id for result in told.results] == ["x", "y"]
        assert await outcomes(here) == [Outcome.ANSWERED]
        assert_lawful(await here.updates())
        watched = await here.shown()
        assert [state for _, state, _ in watched] == ["done", "done"]
        await here.recorded_view()
        assert await here.shown() == watched


async def test_of_two_processes_one_takes_it_up(tmp_path: Path) -> None:
    async with (
        world(tmp_path, said("Here.")) as one,
        world(tmp_path, said("There.")) as other,
    ):
        other.conversation = one.conversation
        await left_behind(one)
        await recovered(one)
        await asyncio.gather(one.exchanges.take_up(), other.exchanges.take_up())
        await one.idle()
        await other.idle()
        assert len(one.log.ran) + len(other.log.ran) == 2
        assert len(one.model.requests) + len(other.model.requests) == 1
        assert await outcomes(one) == [Outcome.ANSWERED]


async def test_a_stop_that_comes_before_it_is_taken_up_runs_nothing_again(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        running = await left_behind(here)
        await recovered(here)
        await here.conversations.stop(OWNER, here.conversation)
        await here.exchanges.take_up()
        await here.idle()
        assert here.log.ran == []
        recorded = await here.records.call(running)
        assert recorded is not None
        assert recorded.state is CallState.UNKNOWN
        assert recorded.result_content is not None
        assert "may or may not have happened" in recorded.result_content
        assert await outcomes(here) == [Outcome.STOPPED]
        assert_lawful(await here.updates())
        states = [state for _, state, _ in await here.shown()]
        assert states == ["unknown", "not_run"]


async def test_what_waits_for_a_person_is_left_to_wait(tmp_path: Path) -> None:
    async with world(tmp_path) as here:
        exchange = (
            await here.records.open_exchange(here.conversation, "hello", "lost")
        ).exchange_id
        turn = new_turn(new_call(0, name="costly", arguments={}, verdict=Verdict.ASK))
        await here.records.record_turn(exchange, turn)
        await recovered(here)
        await here.exchanges.take_up()
        waiting = await here.records.waiting_approvals("operator")
        assert [each.exchange_id for each in waiting] == [exchange]
        assert here.model.requests == []


async def test_kept_messages_of_a_lost_process_are_sent_by_a_running_one(tmp_path: Path) -> None:
    async with world(tmp_path, said("Better late.")) as here:
        await left_behind(here, idempotent=False)
        assert await here.records.queue_message(here.conversation, "and then?")
        await recovered(here)
        await here.exchanges.take_up()
        await here.idle()
        assert await outcomes(here) == [Outcome.INTERRUPTED, Outcome.ANSWERED]


async def test_viewers_of_what_was_ended_elsewhere_begin_afresh(tmp_path: Path) -> None:
    held: list[Step] = calls(call(0, "note", '{"text": "a"}'))
    async with world(tmp_path, held, said("Noted.")) as here:
        await here.say()
        _, position = await here.conversations.view(OWNER, here.conversation)
        await left_behind(here, idempotent=False)
        following = here.conversations.follow(here.conversation, position)
        waiting = asyncio.create_task(anext(following))
        await asyncio.sleep(0)
        await recovered(here)
        with pytest.raises(Trimmed):
            await waiting
        await following.aclose()
        view = await here.view()
        assert view.open_exchange is None
        assert [c.state for c in here.call_views(view)] == ["done", "unknown", "not_run"]


async def test_what_is_running_here_is_not_told_afresh(tmp_path: Path) -> None:
    hold: list[Step] = [asyncio.Event()]
    async with world(tmp_path, hold) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.exchanges.tell_afresh([here.conversation])
        assert [u for u in await here.updates() if isinstance(u, ExchangeOpened)]
