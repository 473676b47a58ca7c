"""Stop, in every phase: what had not begun does not, what may have happened is told as that."""

import asyncio
from pathlib import Path

import pytest

from app.calls.events import ArgumentFragment, CallAnnounced, TextDelta
from app.calls.history import ToolResults, UserMessage
from app.calls.states import CallState
from app.exchange.parts import Bounds
from app.providers.provider import FailureKind
from app.records.rows import Outcome
from tests.exchange.world import (
    OWNER,
    Step,
    World,
    assert_lawful,
    call,
    calls,
    failure,
    said,
    world,
)

NOTE = '{"text": "milk"}'


async def stopped(here: World) -> None:
    """Stop, and wait for the end that it leads to."""
    await here.conversations.stop(OWNER, here.conversation)
    await here.idle()
    assert_lawful(await here.updates())


async def outcome(here: World) -> Outcome | None:
    return (await here.records.transcript(here.conversation)).exchanges[-1].exchange.outcome


PHASES: dict[str, list[Step]] = {
    "before the first byte": [],
    "in the text": [TextDelta(0, "Hello")],
    "after the announcement": [CallAnnounced(0, "id", "note")],
    "in the arguments": [CallAnnounced(0, "id", "note"), ArgumentFragment(0, '{"text": "mi')],
    "after the completion event": call(0, "note", NOTE),
}


@pytest.mark.parametrize("phase", PHASES)
async def test_stop_while_the_model_writes(tmp_path: Path, phase: str) -> None:
    turn: list[Step] = [*PHASES[phase], asyncio.Event()]
    async with world(tmp_path, turn, said("Hello again.")) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        while not here.model.requests:
            await asyncio.sleep(0.002)
        await asyncio.sleep(0.02)
        await stopped(here)
        assert here.log.ran == []
        assert await here.turns() == []
        assert {(state, why) for _, state, why in await here.shown()} <= {("not_run", "stopped")}
        assert await here.notices() == ["stopped"]
        assert await outcome(here) is Outcome.STOPPED
        await here.say("again")
        assert [type(i) for i in here.model.requests[1].history] == [UserMessage, UserMessage]


async def test_stop_while_a_tool_runs_that_ends_when_asked(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "polite", "{}")), said("Hello.")) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.RUNNING)
        await stopped(here)
        assert [state for _, state, _ in await here.shown()] == ["done"]


async def test_stop_while_a_tool_runs_that_does_not_end(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "slow", "{}")), said("Hello.")) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.RUNNING)
        await stopped(here)
        assert [state for _, state, _ in await here.shown()] == ["unknown"]
        await here.say("and now?")
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert "may or may not have happened" in told.results[0].content


async def test_stop_before_a_call_has_its_turn(tmp_path: Path) -> None:
    turn = calls(call(0, "slow", "{}"), call(1, "note", NOTE))
    async with world(tmp_path, turn, said("Hi."), bounds=Bounds(parallel_calls=1)) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.RUNNING)
        await stopped(here)
        assert here.log.names == ["slow"]
        assert [(state, why) for _, state, why in await here.shown()] == [
            ("unknown", None),
            ("not_run", "stopped"),
        ]
        await here.say("go on")
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert [result.wire_id for result in told.results] == ["id0", "id1"]


async def test_stop_while_waiting_to_ask_the_provider_again(tmp_path: Path) -> None:
    waits: list[Step] = [failure(FailureKind.OVERLOADED, retry_after=30)]
    async with world(tmp_path, waits) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        while await here.notices() != ["waiting_to_retry"]:
            await asyncio.sleep(0.002)
        await stopped(here)
        assert await here.notices() == ["waiting_to_retry", "stopped"]


async def test_a_stop_through_another_process_is_heeded(tmp_path: Path) -> None:
    turn: list[Step] = [*call(0, "note", NOTE), asyncio.Event()]
    async with world(tmp_path, turn) as here, world(tmp_path) as other:
        other.conversation = here.conversation
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.READY)
        await other.conversations.stop(OWNER, here.conversation)
        await other.exchanges.heed_stops()
        assert (await here.view()).open_exchange is not None, "the other one holds nothing"
        await here.exchanges.heed_stops()
        await here.idle()
        assert await here.notices() == ["stopped"]
        assert await outcome(here) is Outcome.STOPPED
        assert here.log.ran == []


async def test_stop_with_nothing_at_work_changes_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, said("Hello.")) as here:
        await here.say()
        await here.conversations.stop(OWNER, here.conversation)
        assert await outcome(here) is Outcome.ANSWERED


async def test_closing_the_process_ends_what_is_at_work_as_interrupted(tmp_path: Path) -> None:
    turn: list[Step] = [TextDelta(0, "Hello"), asyncio.Event()]
    async with world(tmp_path, turn) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        await asyncio.sleep(0.02)
        await here.exchanges.close()
        assert await outcome(here) is Outcome.INTERRUPTED
        assert await here.notices() == ["interrupted"]
        assert [turn.abandoned for turn in here.turn_views(await here.view())] == ["incomplete"]


async def test_a_closed_browser_does_not_stop_the_turn(tmp_path: Path) -> None:
    hold = asyncio.Event()
    async with world(tmp_path, [TextDelta(0, "Hel"), hold, *said("lo.")]) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        following = here.conversations.follow(here.conversation, (await position(here)))
        reading = asyncio.create_task(anext(following))
        await asyncio.sleep(0.02)
        reading.cancel()
        await asyncio.wait({reading})
        await following.aclose()
        hold.set()
        await here.idle()
        assert await outcome(here) is Outcome.ANSWERED


async def test_an_exchange_that_nobody_watches_ends_where_a_setting_says_so(
    tmp_path: Path,
) -> None:
    turn: list[Step] = [TextDelta(0, "Hello"), asyncio.Event()]
    async with world(tmp_path, turn, unwatched_stop_s=0.6) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        following = here.conversations.follow(here.conversation, (await position(here)))
        watching = asyncio.create_task(anext(following))
        await asyncio.sleep(1.0)
        assert (await here.view()).open_exchange is not None
        watching.cancel()
        await asyncio.wait({watching})
        await following.aclose()
        await here.idle()
        assert await outcome(here) is Outcome.STOPPED
        assert await here.notices() == ["unwatched"]


async def position(here: World) -> str:
    return (await here.conversations.view(OWNER, here.conversation))[1]
