"""What an operator is told: spans that nest and end on every way out, counts, and no value."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from opentelemetry.trace import StatusCode, get_current_span

from app.calls.events import (
    ArgumentFragment,
    CallAnnounced,
    CallCompleted,
    Event,
    Stop,
    TextDelta,
    TurnEnded,
)
from app.calls.states import CallState
from app.display.updates import CallChanged, CallOpened, ExchangeOpened, Update
from app.exchange.approvals import Decision, Ruling
from app.exchange.observer import Unobserved
from app.exchange.parts import Bounds
from app.exchange.publisher import Publisher
from app.exchange.rules import Person
from app.exchange.runner import ExchangeRunner
from app.providers.provider import FailureKind, TurnRequest
from app.records.rows import Outcome
from app.tools.registry import CallContext, Registry, ToolFault
from tests.exchange.told import Told, attributes, identity, told
from tests.exchange.world import OWNER, Step, World, WrittenModel, call, calls, failure, said, world

TOOLS = ("note", "slow", "polite", "broken", "rude", "gated", "boxed", "long", "costly")
NOTE = '{"text": "canary-argument"}'
MESSAGE = "canary-message"
CANARIES = ("canary", "hidden", "paper", "told by the test", OWNER, "outside the box")
"""Arguments, a result, messages, names a model made up, texts of errors, the person."""


async def say(here: World) -> None:
    await here.say(MESSAGE)


async def stop_while_writing(here: World) -> None:
    await here.conversations.send(OWNER, here.conversation, MESSAGE)
    async with asyncio.timeout(20):
        while not here.call_views(await here.view()):
            await asyncio.sleep(0.002)
    await here.conversations.stop(OWNER, here.conversation)
    await here.idle()


async def stop_while_running(here: World) -> None:
    here.log.hold = asyncio.Event()
    await here.conversations.send(OWNER, here.conversation, MESSAGE)
    await here.until(CallState.RUNNING)
    await here.conversations.stop(OWNER, here.conversation)
    await here.idle()


async def shut_down(here: World) -> None:
    await here.conversations.send(OWNER, here.conversation, MESSAGE)
    while not here.model.requests:
        await asyncio.sleep(0.002)
    await here.exchanges.close()


@dataclass(frozen=True)
class Way:
    """One way for an exchange to go, and what is counted of it."""

    outcome: str
    script: list[list[Step]]
    turns: dict[tuple[str, ...], int]
    """(what became of it, stop) -> how many."""
    calls: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    """(reason, state, tool) -> how many."""
    go: Callable[[World], Awaitable[None]] = say
    bounds: Bounds = field(default_factory=Bounds)
    retries: dict[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    """(cause, kind) -> how many."""


KEPT = ("kept", "complete")
OPEN_CALL: list[Step] = [CallAnnounced(1, "id", "note"), ArgumentFragment(1, '{"text": "canary')]
CUT = [TextDelta(0, "canary"), *OPEN_CALL, TurnEnded(Stop.TRUNCATED, "max_tokens")]
WAYS = {
    "an answer": Way("answered", [said("canary")], {KEPT: 1}),
    "nothing": Way("answered", [said()], {("empty", "complete"): 1}),
    "a call": Way(
        "answered",
        [calls(call(0, "note", NOTE)), said("canary")],
        {KEPT: 2},
        {("none", "done", "note"): 1},
    ),
    "calls side by side": Way(
        "answered",
        [calls(call(0, "note", NOTE), call(1, "slow", "{}"), call(2, "long", "{}")), said("!")],
        {KEPT: 2},
        {(*("none", "done"), tool): 1 for tool in ("note", "slow", "long")},
    ),
    "tools that fail": Way(
        "answered",
        [calls(call(0, "broken", "{}"), call(1, "rude", "{}")), said("!")],
        {KEPT: 2},
        {("none", "failed", "broken"): 1, ("none", "failed", "rude"): 1},
    ),
    "calls the gate refuses": Way(
        "answered",
        [
            calls(
                call(0, "canary-name", NOTE),
                call(1, "canary-other", NOTE),
                call(2, "note", '{"canary": 1}'),
                call(3, "boxed", "{}"),
                call(4, "gated", "{}"),
            ),
            said("!"),
        ],
        {KEPT: 2},
        {
            ("unknown_tool", "not_run", "unknown"): 2,
            ("invalid_arguments", "not_run", "note"): 1,
            ("out_of_scope", "not_run", "boxed"): 1,
            ("not_authorised", "not_run", "gated"): 1,
        },
    ),
    "cut off, then well": Way(
        "answered",
        [CUT, said("!")],
        {("truncated", "truncated"): 1, KEPT: 1},
        {("truncated", "not_run", "note"): 1},
        retries={("truncated", "regeneration"): 1},
    ),
    "cut off for good": Way(
        "gave_up",
        [CUT, CUT],
        {("truncated", "truncated"): 2},
        {("truncated", "not_run", "note"): 2},
        bounds=Bounds(regenerations=1),
        retries={("truncated", "regeneration"): 1},
    ),
    "invalid JSON": Way(
        "gave_up",
        [calls(call(0, "note", '{"canary": }'))],
        {("invalid_json", "complete"): 1},
        {("invalid_json", "not_run", "note"): 1},
        bounds=Bounds(regenerations=0),
    ),
    "refused by the model": Way(
        "refused",
        [[TextDelta(0, "canary"), TurnEnded(Stop.REFUSED, "canary-stop")]],
        {("refused_by_model", "refused"): 1},
    ),
    "the API fails": Way(
        "failed",
        [[*OPEN_CALL, failure(FailureKind.AUTHENTICATION)]],
        {("incomplete", "incomplete"): 1},
        {("incomplete", "not_run", "note"): 1},
    ),
    "the API fails, then serves": Way(
        "answered",
        [[failure(FailureKind.RATE_LIMIT, retry_after=0.0)], said("!")],
        {("incomplete", "incomplete"): 1, KEPT: 1},
        retries={("rate_limit", "api"): 1},
    ),
    "stopped while the model writes": Way(
        "stopped",
        [[*OPEN_CALL, asyncio.Event()]],
        {("stopped", "incomplete"): 1},
        {("stopped", "not_run", "note"): 1},
        stop_while_writing,
    ),
    "stopped while a tool runs": Way(
        "stopped",
        [calls(call(0, "slow", "{}"))],
        {KEPT: 1},
        {("none", "unknown", "slow"): 1},
        stop_while_running,
    ),
    "the process ends": Way(
        "interrupted",
        [[TextDelta(0, "canary"), asyncio.Event()]],
        {("incomplete", "incomplete"): 1},
        go=shut_down,
    ),
    "a bug of ours": Way(
        "internal_error", [[*OPEN_CALL, RuntimeError("canary-bug")]], {("lost", "none"): 1}
    ),
    "too many turns": Way(
        "turn_limit",
        [calls(call(0, "note", NOTE))],
        {KEPT: 1},
        {("none", "done", "note"): 1},
        bounds=Bounds(exchange_turns=1),
    ),
}


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_out_is_told_whole_and_without_a_value(tmp_path: Path, way: str) -> None:
    expected, operator = WAYS[way], told(*TOOLS)
    script = [list(turn) for turn in expected.script]
    async with world(
        tmp_path, *script, bounds=expected.bounds, telemetry=operator.telemetry
    ) as here:
        await expected.go(here)
    operator.assert_nested()
    assert operator.counts("turns") == expected.turns
    assert operator.counts("calls") == expected.calls
    assert operator.counts("retries") == expected.retries
    assert operator.counts("exchanges") == {(expected.outcome,): 1}
    [exchange] = operator.named("exchange")
    assert attributes(exchange) == {"outcome": expected.outcome}
    assert len(operator.named("turn")) == sum(expected.turns.values())
    assert len(operator.named("call")) >= sum(expected.calls.values())
    words = operator.words()
    assert not [canary for canary in CANARIES if canary in words]


async def test_a_call_lasts_from_its_announcement_and_its_dispatch_while_it_runs(
    tmp_path: Path,
) -> None:
    operator = told(*TOOLS)
    async with world(
        tmp_path, calls(call(0, "note", NOTE)), said("!"), telemetry=operator.telemetry
    ) as here:
        await say(here)
    [made], [dispatch] = operator.named("call"), operator.named("dispatch")
    assert [event.name for event in made.events] == ["preparing", "ready", "running", "done"]
    assert attributes(made) == {"tool": "note", "state": "done", "reason": "none"}
    assert operator.parent(dispatch) is made
    assert (made.start_time or 0) < (dispatch.start_time or 0)
    first, second = operator.named("turn")
    assert operator.parent(made) is first
    assert attributes(first) == {"stop": "complete", "output_tokens": 0, "outcome": "kept"}
    assert (second.start_time or 0) >= (first.end_time or 0)


async def test_every_fragment_and_every_entry_of_the_log_is_counted(tmp_path: Path) -> None:
    operator = told(*TOOLS)
    pieces: list[Step] = [ArgumentFragment(0, piece) for piece in NOTE]
    turn = calls([CallAnnounced(0, "id", "note"), *pieces, CallCompleted(0)])
    async with world(tmp_path, turn, said("!"), telemetry=operator.telemetry) as here:
        await say(here)
        entries = (await here.feed.held(here.conversation)).entries
    assert operator.counts("fragments") == {(): len(NOTE)}
    opening = 1  # not the exchange's own: it is written before the exchange runs
    assert operator.counts("flushes") == {(): len(entries) - opening}


async def test_fragments_of_a_turn_that_nobody_is_shown_are_counted_at_its_end() -> None:
    operator = told(*TOOLS)
    trace = operator.telemetry.exchange("c", "x")
    trace.watch(ArgumentFragment(0, "{"))
    assert operator.counts("fragments") == {(): 0}
    trace.close()
    assert operator.counts("fragments") == {(): 1}


async def test_open_streams_are_those_that_are_followed_now(tmp_path: Path) -> None:
    operator = told()
    async with world(tmp_path, said("!"), telemetry=operator.telemetry) as here:
        assert operator.counts("streams.open") == {(): 0}
        _, position = await here.conversations.view(OWNER, here.conversation)
        streams = [here.conversations.follow(here.conversation, position) for _ in range(2)]
        steps = [asyncio.ensure_future(anext(stream)) for stream in streams]
        await say(here)
        await asyncio.gather(*steps)
        assert operator.counts("streams.open") == {(): 2}
        await streams[0].aclose()
        assert operator.counts("streams.open") == {(): 1}
        await streams[1].aclose()
    assert operator.counts("streams.open") == {(): 0}


@dataclass
class Looker:
    """A provider and a tool that look for the current span, as a library's own spans do."""

    model: WrittenModel
    request: int = 0
    tool: int = 0
    dialect = WrittenModel.dialect
    needs_call_ids = WrittenModel.needs_call_ids

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        self.request = self.request or get_current_span().get_span_context().span_id
        async for event in self.model.stream(request):
            yield event

    async def close(self) -> None:
        pass

    def tools(self) -> Registry:
        registry = Registry()

        @registry.tool("look")
        async def look(context: CallContext) -> None:
            self.tool = get_current_span().get_span_context().span_id
            raise ToolFault("canary")

        return registry


async def test_a_tool_runs_within_its_dispatch_and_a_request_within_its_turn(
    tmp_path: Path,
) -> None:
    operator = told("look")
    looker = Looker(WrittenModel([calls(call(0, "look", "{}")), said("!")]))
    async with world(
        tmp_path,
        provider=looker,
        registry=looker.tools(),
        maps={},
        telemetry=operator.telemetry,
    ) as here:
        await say(here)
    assert looker.tool == identity(operator.named("dispatch")[0])
    assert looker.request == identity(operator.named("turn")[0])
    assert not get_current_span().get_span_context().is_valid
    assert operator.counts("calls") == {("none", "failed", "look"): 1}


async def _run_alone(here: World, operator: Told) -> ExchangeRunner:
    """A runner without a conversation around it that would see to its task."""
    parts = here.parts
    opened = (
        await here.records.open_exchange(here.conversation, MESSAGE, parts.worker)
    ).exchange_id
    await here.feed.append(
        here.conversation, [ExchangeOpened(opened, MESSAGE, datetime.now(UTC), None)]
    )
    trace = operator.telemetry.exchange(here.conversation, opened)
    publisher = Publisher(here.feed, here.conversation, 0.0, trace.observe)
    return ExchangeRunner(
        parts, here.conversation, opened, Person(OWNER), publisher, trace, Unobserved()
    )


async def test_an_end_that_cannot_be_recorded_is_told_as_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None:
        raise OSError("canary: the store is gone")

    operator = told(*TOOLS)
    async with world(tmp_path, calls(call(0, "note", NOTE))) as here:
        runner = await _run_alone(here, operator)
        for written in ("record_turn", "record_notice", "end_exchange"):
            monkeypatch.setattr(here.records, written, gone)
        with pytest.raises(OSError, match="canary"):
            await runner.run()
    operator.assert_nested()
    assert operator.counts("turns") == {("lost", "complete"): 1}
    assert attributes(operator.named("exchange")[0]) == {"outcome": "lost"}
    assert not [canary for canary in CANARIES if canary in operator.words()]


@pytest.mark.parametrize("state", [CallState.PREPARING, CallState.RUNNING])
async def test_a_task_that_is_cancelled_leaves_no_span_open(
    tmp_path: Path, state: CallState
) -> None:
    operator = told(*TOOLS)
    held: list[Step] = [*OPEN_CALL, asyncio.Event()]
    turn = held if state is CallState.PREPARING else calls(call(0, "slow", "{}"))
    async with world(tmp_path, turn) as here:
        here.log.hold = asyncio.Event()
        runner = await _run_alone(here, operator)
        task = asyncio.create_task(runner.run())
        await here.until(state)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
    operator.assert_nested()
    assert attributes(operator.named("call")[0])["state"] == "lost"


def _approved_later(last: CallChanged) -> list[Update]:
    opened = CallOpened("x", "t", "t-0", CallState.PREPARING, None, ())
    moved = [
        CallChanged("x", "t", "t-0", state)
        for state in (CallState.READY, CallState.AWAITING_APPROVAL)
    ]
    return [opened, *moved, last]


@pytest.mark.parametrize("decision", list(Decision))
async def test_a_wait_for_approval_is_a_span_and_what_is_parked_is_no_fault(
    tmp_path: Path, decision: Decision
) -> None:
    operator = told("costly")
    turns = [calls(call(0, "costly", "{}")), said("Well.")]
    async with world(tmp_path, *turns, telemetry=operator.telemetry) as here:
        await here.conversations.send(OWNER, here.conversation, MESSAGE)
        async with asyncio.timeout(20):
            while not (waiting := await here.approvals.waiting()):
                await asyncio.sleep(0.005)
        ruling = Ruling(decision, waiting[0].digest, reason="canary-reason", note="canary-note")
        await here.approvals.decide("canary-operator", waiting[0].id, ruling)
        await here.idle()
    [approval] = operator.named("approval")
    assert approval.end_time is not None
    assert attributes(approval)["decision"] in ("approved", "denied")
    assert not [span for span in operator.spans if span.status.status_code is StatusCode.ERROR]
    ended = ("none", "done") if decision is Decision.APPROVE else ("denied", "not_run")
    assert operator.counts("calls") == {(*ended, "costly"): 1}
    assert operator.counts("exchanges") == {("answered",): 1}
    assert "canary" not in str([attributes(span) for span in operator.spans])


def test_a_call_that_another_process_announced_is_a_part_of_the_exchange() -> None:
    operator = told("note")
    trace = operator.telemetry.exchange("c", "x")
    trace.named("t-0", "note")
    trace.observe([CallChanged("x", "t", "t-0", CallState.RUNNING)])
    with trace.dispatching("t-0"):
        inside = get_current_span().get_span_context().span_id
    trace.observe([CallChanged("x", "t", "t-0", CallState.DONE)])
    trace.ended(Outcome.ANSWERED)
    trace.close()
    operator.assert_nested()
    assert [span.name for span in operator.spans] == ["exchange", "call", "dispatch"]
    assert identity(operator.spans[2]) == inside
    assert operator.counts("calls") == {("none", "done", "note"): 1}


def test_what_nothing_ended_is_lost_and_a_fault() -> None:
    operator = told("note")
    trace = operator.telemetry.exchange("c", "x")
    with trace.streaming("t"):
        pass
    trace.observe(_approved_later(CallChanged("x", "t", "t-0", CallState.RUNNING)))
    trace.close()
    operator.assert_nested()
    for name in ("exchange", "turn", "call"):
        [span] = operator.named(name)
        assert span.status.status_code is StatusCode.ERROR
        assert "lost" in attributes(span).values()
    assert operator.counts("calls") == {}
    assert operator.counts("exchanges") == {}


@pytest.mark.parametrize("reason", ["canary sentence", None, "done"])
@pytest.mark.parametrize("state", [CallState.FAILED, CallState.NOT_RUN, CallState.UNKNOWN])
def test_a_reason_that_is_no_code_is_not_told(state: CallState, reason: str | None) -> None:
    operator = told("note")
    operator.telemetry.counts.call_ended("note", state, reason)
    assert operator.counts("calls") == {("none", state.value, "note"): 1}


def test_a_thousand_invented_names_are_one_row() -> None:
    operator = told("note")
    for number in range(1000):
        operator.telemetry.counts.call_ended(f"canary-{number}", CallState.UNKNOWN, None)
    assert operator.counts("calls") == {("none", "unknown", "unknown"): 1000}


async def test_without_telemetry_nothing_is_told_to_anyone(tmp_path: Path) -> None:
    """The same exchange goes the same way; what the process has set up for others is unused."""
    async with world(tmp_path, calls(call(0, "note", NOTE)), said("!")) as here:
        await say(here)
        assert [state for _, state, _ in await here.shown()] == ["done"]
        with here.parts.telemetry.exchange("c", "x").streaming("t") as span:
            assert not span.is_recording()
