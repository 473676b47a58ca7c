"""One exchange, every way it can go: what ran, what is on record, what the screen says."""

import asyncio
from pathlib import Path

import pytest

from app.calls.events import (
    ArgumentFragment,
    CallAnnounced,
    CallCompleted,
    ProtocolFault,
    Stop,
    TextDelta,
    TurnEnded,
    Usage,
)
from app.calls.history import AssistantTurn, ToolResults, UserMessage
from app.calls.states import CallState
from app.display.view import ConversationView, NoticeView, TextView
from app.exchange.parts import Bounds
from app.providers.provider import FailureKind
from tests.exchange.world import (
    OWNER,
    Step,
    assert_lawful,
    call,
    calls,
    failure,
    said,
    world,
)

NOTE = '{"text": "milk and bread"}'


async def test_an_answer_without_calls(tmp_path: Path) -> None:
    async with world(tmp_path, said("Hel", "lo.")) as here:
        await here.say("hi")
        [turn] = await here.turns()
        assert turn.calls == ()
        assert await here.notices() == []
        history = await here.records.history(here.conversation)
        assert [type(item) for item in history] == [UserMessage, AssistantTurn]


async def test_a_call_runs_once_and_the_model_is_told_its_result(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "note", NOTE)), said("Noted.")) as here:
        await here.say()
        assert [(name, given) for name, given, _ in here.log.ran] == [
            ("note", {"text": "milk and bread"})
        ]
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert told.results[0].wire_id == "id0"
        assert '"note_id":"N-1"' in told.results[0].content
        [shown] = here.call_views(await here.view())
        assert (shown.state, shown.summary) == (CallState.DONE, "N-1")
        assert shown.duration_ms is not None
        assert_lawful(await here.updates())


async def test_the_context_names_the_call_the_person_and_the_conversation(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "note", NOTE)), said("Noted.")) as here:
        await here.say()
        [(_, _, context)] = here.log.ran
        [turn] = [turn for turn in await here.turns() if turn.calls]
        assert context.call_id == turn.calls[0].id == context.idempotency_key
        assert (context.user, context.conversation) == (OWNER, here.conversation)


async def test_running_is_on_record_before_the_tool_is_called(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "slow", "{}")), said("Done.")) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hi")
        while not here.log.ran:
            await asyncio.sleep(0.002)
        recorded = await here.records.call(here.log.ran[0][2].call_id)
        assert recorded is not None
        assert recorded.state is CallState.RUNNING
        here.log.hold.set()
        await here.idle()


ABANDONED: dict[str, tuple[list[Step], str]] = {
    "cut off in mid-arguments": (
        [
            CallAnnounced(0, "id", "note"),
            ArgumentFragment(0, '{"text": "half'),
            TurnEnded(Stop.TRUNCATED, "max_tokens"),
        ],
        "truncated",
    ),
    "cut off with parseable arguments": (
        calls(call(0, "note", NOTE), stop=Stop.TRUNCATED),
        "truncated",
    ),
    "called good at the token limit": (
        [*call(0, "note", NOTE), Usage(4096), TurnEnded(Stop.COMPLETE, "tool_use")],
        "truncated",
    ),
    "a stream that ends without an end": (call(0, "note", NOTE), "incomplete"),
    "an unknown reason": (calls(call(0, "note", NOTE), stop=Stop.INCOMPLETE), "incomplete"),
    "a call that was never completed": (
        [
            *call(0, "note", NOTE),
            CallAnnounced(1, "id1", "note"),
            TurnEnded(Stop.COMPLETE, "tool_use"),
        ],
        "incomplete",
    ),
    "invalid JSON beside a valid call": (
        calls(call(0, "note", NOTE), call(1, "note", '{"text": "a"} and more')),
        "invalid_json",
    ),
    "a late fragment": (
        [*call(0, "note", NOTE), ArgumentFragment(0, "}"), TurnEnded(Stop.COMPLETE, "tool_use")],
        "protocol_error",
    ),
    "a fault of the protocol": (
        [*call(0, "note", NOTE), ProtocolFault("odd"), TurnEnded(Stop.COMPLETE, "tool_use")],
        "protocol_error",
    ),
    "a turn that the provider calls failed": (
        calls(call(0, "note", NOTE), stop=Stop.ERROR),
        "protocol_error",
    ),
    "a call without an id": (
        [
            CallAnnounced(0, None, "note"),
            ArgumentFragment(0, NOTE),
            CallCompleted(0),
            TurnEnded(Stop.COMPLETE, "tool_use"),
        ],
        "protocol_error",
    ),
}


@pytest.mark.parametrize("kind", ABANDONED)
async def test_an_unusable_turn_runs_nothing_and_leaves_nothing_behind(
    tmp_path: Path, kind: str
) -> None:
    turn, reason = ABANDONED[kind]
    async with world(tmp_path, turn, turn, turn, said("Hello again.")) as here:
        await here.say("first")
        assert here.log.ran == []
        assert await here.turns() == []
        shown = await here.shown()
        assert {(state, why) for _, state, why in shown} == {("not_run", reason)}
        assert await here.notices() == ["regenerating", "regenerating", "gave_up"]
        assert_lawful(await here.updates())
        await here.say("second")
        assert [type(item) for item in here.model.requests[-1].history] == [UserMessage] * 2
        assert len(await here.turns()) == 1


@pytest.mark.parametrize("limit", [0, 1, 2])
async def test_regeneration_is_bounded_by_its_setting(tmp_path: Path, limit: int) -> None:
    cut = calls(call(0, "note", NOTE), stop=Stop.TRUNCATED)
    async with world(tmp_path, *[cut] * 5, bounds=Bounds(regenerations=limit)) as here:
        await here.say()
        assert len(here.model.requests) == limit + 1
        assert await here.notices() == ["regenerating"] * limit + ["gave_up"]


async def test_a_turn_that_is_good_at_the_second_try_runs_once(tmp_path: Path) -> None:
    cut = calls(call(0, "note", NOTE), stop=Stop.TRUNCATED)
    good = calls(call(0, "note", NOTE))
    async with world(tmp_path, cut, good, said("Noted.")) as here:
        await here.say()
        assert here.log.names == ["note"]
        assert [state for _, state, _ in await here.shown()] == ["not_run", "done"]
        assert here.model.requests[0].history == here.model.requests[1].history


async def test_a_refusal_is_told_and_never_asked_again(tmp_path: Path) -> None:
    refused = [TextDelta(0, "I can't"), *call(1, "note", NOTE), TurnEnded(Stop.REFUSED, "refusal")]
    async with world(tmp_path, refused) as here:
        await here.say()
        assert len(here.model.requests) == 1
        assert here.log.ran == []
        assert await here.shown() == [("Take a note", "not_run", "refused_by_model")]
        assert await here.notices() == ["refused"]


REFUSED_ALONE = {
    "unknown_tool": ("nope", "{}"),
    "invalid_arguments": ("note", '{"text": ""}'),
    "out_of_scope": ("boxed", "{}"),
    "not_authorised": ("gated", "{}"),
}


@pytest.mark.parametrize("reason", REFUSED_ALONE)
async def test_a_call_that_is_refused_is_answered_and_its_siblings_go_on(
    tmp_path: Path, reason: str
) -> None:
    name, text = REFUSED_ALONE[reason]
    turn = calls(call(0, name, text), call(1, "note", NOTE))
    async with world(tmp_path, turn, said("One of two.")) as here:
        await here.say()
        assert here.log.names == ["note"]
        assert [(state, why) for _, state, why in await here.shown()] == [
            ("not_run", reason),
            ("done", None),
        ]
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert [(result.wire_id, result.is_error) for result in told.results] == [
            ("id0", True),
            ("id1", False),
        ]
        assert_lawful(await here.updates())


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [("broken", "The printer is out of paper."), ("rude", "The tool had an internal error.")],
)
async def test_a_tool_that_fails_is_told_as_failed(
    tmp_path: Path, tool: str, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(tmp_path, calls(call(0, tool, "{}")), said("It failed.")) as here:
        await here.say()
        assert await here.shown() == [(tool, "failed", sentence)]
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert told.results[0].is_error
        assert sentence in told.results[0].content
    assert "canary-in-traceback" not in caplog.text


async def test_a_tool_that_takes_too_long_failed_and_may_have_happened(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "slow", "{}")), said("Too slow.")) as here:
        here.log.hold = asyncio.Event()
        await here.say()
        [(_, state, reason)] = await here.shown()
        assert state == "failed"
        assert reason is not None
        assert "may or may not have happened" in reason
        assert here.log.ran[0][2].cancelled.is_set()


async def test_a_long_result_is_cut_for_the_model_and_whole_on_record(tmp_path: Path) -> None:
    bounds = Bounds(result_chars=500)
    turns = (calls(call(0, "long", "{}")), said("Long."))
    async with world(tmp_path, *turns, bounds=bounds) as here:
        await here.say()
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert "500 of 10000 characters" in told.results[0].content
        assert len(told.results[0].content) < 700
        [recorded] = (await here.turns())[0].calls
        assert recorded.result_full == "x" * 10_000


async def test_calls_of_one_turn_run_side_by_side_and_are_told_in_call_order(
    tmp_path: Path,
) -> None:
    turn = calls(call(0, "slow", "{}"), call(1, "note", NOTE))
    async with world(tmp_path, turn, said("Both.")) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.DONE)
        assert [state for _, state, _ in await here.shown()] == ["running", "done"]
        here.log.hold.set()
        await here.idle()
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert [result.name for result in told.results] == ["slow", "note"]


async def test_no_more_calls_run_side_by_side_than_the_bound(tmp_path: Path) -> None:
    turn = calls(*(call(block, "slow", "{}") for block in range(4)))
    async with world(tmp_path, turn, said("All."), bounds=Bounds(parallel_calls=2)) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hi")
        await here.until(CallState.RUNNING)
        await asyncio.sleep(0.05)
        assert len(here.log.ran) == 2
        here.log.hold.set()
        await here.idle()
        assert len(here.log.ran) == 4


@pytest.mark.parametrize(
    "kind",
    [FailureKind.AUTHENTICATION, FailureKind.BAD_REQUEST, FailureKind.CONTEXT_TOO_LONG],
)
async def test_an_api_failure_that_stays_is_reported_at_once(
    tmp_path: Path, kind: FailureKind
) -> None:
    async with world(tmp_path, [failure(kind)]) as here:
        await here.say()
        assert len(here.model.requests) == 1
        assert await here.notices() == ["provider_failed"]


async def test_an_api_failure_that_may_pass_is_waited_for(tmp_path: Path) -> None:
    broken: list[Step] = [TextDelta(0, "Hel"), failure(FailureKind.OVERLOADED, retry_after=0.01)]
    async with world(tmp_path, broken, said("Hello.")) as here:
        await here.say()
        assert await here.notices() == ["waiting_to_retry"]
        assert len(await here.turns()) == 1


async def test_api_retries_are_bounded_and_so_is_the_wait(tmp_path: Path) -> None:
    passing = [failure(FailureKind.RATE_LIMIT, retry_after=0.001)]
    async with world(tmp_path, *[passing] * 9, bounds=Bounds(api_retries=2)) as here:
        await here.say()
        assert await here.notices() == ["waiting_to_retry"] * 2 + ["provider_failed"]
    long = [failure(FailureKind.RATE_LIMIT, retry_after=3600)]
    second = tmp_path / "second"
    second.mkdir()
    async with world(second, long) as here:
        await here.say()
        assert await here.notices() == ["provider_failed"]


async def test_a_conversation_of_too_many_turns_ends(tmp_path: Path) -> None:
    turns = [calls(call(0, "note", NOTE))] * 9
    async with world(tmp_path, *turns, bounds=Bounds(exchange_turns=3)) as here:
        await here.say()
        assert len(here.model.requests) == 3
        assert await here.notices() == ["turn_limit"]


async def test_an_empty_answer_is_told_as_one(tmp_path: Path) -> None:
    async with world(tmp_path, [TurnEnded(Stop.COMPLETE, "end_turn")], said("Hi.")) as here:
        await here.say()
        assert await here.notices() == ["empty_answer"]
        await here.say()
        assert [type(i) for i in here.model.requests[1].history] == [UserMessage, UserMessage]


async def test_a_turn_that_the_provider_paused_is_sent_back(tmp_path: Path) -> None:
    paused: list[Step] = [
        TextDelta(0, "Searching"),
        TurnEnded(Stop.COMPLETE, "pause_turn", resume=True),
    ]
    async with world(tmp_path, paused, said("Found.")) as here:
        await here.say()
        assert [type(i) for i in here.model.requests[1].history] == [UserMessage, AssistantTurn]


async def test_a_fault_of_our_own_ends_the_exchange_with_a_notice(tmp_path: Path) -> None:
    async with world(tmp_path, [RuntimeError("a bug")], said("Better.")) as here:
        await here.say()
        assert await here.notices() == ["internal_error"]
        await here.say()
        assert len(await here.turns()) == 1


@pytest.mark.parametrize(
    "turns",
    [
        [said("Hello.")],
        [calls(call(0, "note", NOTE), call(1, "nope", "{}")), said("Done.")],
        [calls(call(0, "broken", "{}")), said("Failed.")],
        [calls(call(0, "note", NOTE), stop=Stop.TRUNCATED), said("Again.")],
        [[TextDelta(0, "no"), TurnEnded(Stop.REFUSED, "refusal")]],
    ],
)
async def test_a_page_made_from_the_record_says_what_the_page_that_watched_says(
    tmp_path: Path, turns: list[list[Step]]
) -> None:
    async with world(tmp_path, *turns) as here:
        await here.say()
        watched = await here.view()
        recorded = await here.recorded_view()
        assert _texts(recorded) == _texts(watched)
        assert [
            (c.id, c.label, c.state, c.rows, c.reason, c.summary, c.duration_ms, c.result)
            for c in here.call_views(recorded)
        ] == [
            (c.id, c.label, c.state, c.rows, c.reason, c.summary, c.duration_ms, c.result)
            for c in here.call_views(watched)
        ]


def _texts(view: ConversationView) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    for exchange in view.exchanges.values():
        told.append(("message", exchange.message))
        for entry in exchange.entries.values():
            if isinstance(entry, NoticeView):
                told.append((entry.kind, repr(entry.params)))
            else:
                told += [("text", i.text) for i in entry.items.values() if isinstance(i, TextView)]
                told.append(("abandoned", str(entry.abandoned)))
        told.append(("open", str(exchange.open)))
    return told


async def test_a_server_without_ids_is_served_with_ids_of_ours_where_that_is_set(
    tmp_path: Path,
) -> None:
    turn: list[Step] = [
        CallAnnounced(0, None, "note"),
        ArgumentFragment(0, NOTE),
        CallCompleted(0),
        TurnEnded(Stop.COMPLETE, "tool_use"),
    ]
    async with world(tmp_path, turn, said("Noted."), assign_missing_ids=True) as here:
        await here.say()
        assert here.log.names == ["note"]
        [told] = [i for i in here.model.requests[1].history if isinstance(i, ToolResults)]
        assert told.results[0].wire_id
