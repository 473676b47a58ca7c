"""A call that a person must approve: asked once, decided once, run once or never."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app.calls.history import ToolResults
from app.calls.states import CallState
from app.display.updates import CallChanged
from app.exchange.approvals import Decision, Refusal, Ruling, UnknownApproval
from app.exchange.conversations import UnknownConversation
from app.exchange.parts import Bounds
from app.records.approvals import NewDecision
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind, Outcome
from tests.exchange.world import (
    OWNER,
    Step,
    World,
    assert_lawful,
    call,
    calls,
    said,
    world,
)

SPEND: list[Step] = calls(call(0, "costly", "{}"))
PAY = '{"sum": 250.00, "to": "Ada", "purpose": "lunch"}'


async def parked(here: World, count: int = 1) -> Sequence[ApprovalRecord]:
    """Wait until nothing holds the exchange and so many requests of operators wait."""
    async with asyncio.timeout(20):
        while True:
            waiting = await here.approvals.waiting()
            held = await here.records.open_exchange_of(here.conversation)
            if len(waiting) == count and held is not None and held.worker is None:
                return waiting
            await asyncio.sleep(0.005)


async def asked(here: World, text: str = "hello") -> ApprovalRecord:
    await here.conversations.send(OWNER, here.conversation, text)
    [only] = await parked(here)
    return only


def approve(asked: ApprovalRecord, **more: Any) -> Ruling:
    return Ruling(Decision.APPROVE, asked.digest, **more)


def deny(asked: ApprovalRecord, **more: Any) -> Ruling:
    return Ruling(Decision.DENY, asked.digest, **more)


def results_told(here: World, request: int = -1) -> list[tuple[str, bool]]:
    """What the model was told of its last calls, with whether it is an error."""
    last = [item for item in here.model.requests[request].history if isinstance(item, ToolResults)]
    return [(result.content, result.is_error) for result in last[-1].results]


async def trail(here: World) -> list[str]:
    return [f"{line.kind} {line.actor or '-'}" async for line in here.approvals.audit()]


async def agree(here: World) -> None:
    """The page that watched and the page made from the record tell the same of every call."""
    live = here.call_views(await here.view())
    assert live == here.call_views(await here.recorded_view())


async def test_approved_it_runs_once_and_the_conversation_goes_on(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        request = await asked(here)
        assert here.log.names == []
        [shown] = here.call_views(await here.view())
        assert shown.approval is not None
        assert (shown.state, shown.approval.by, shown.approval.whole) == (
            "awaiting_approval",
            "operator",
            None,
        )
        ruled = await here.approvals.decide("grace", request.id, approve(request, note="fine"))
        assert (ruled.changed, ruled.refusal) == (True, None)
        assert (ruled.record.state, ruled.record.decided_by) == (ApprovalState.APPROVED, "grace")
        await here.idle()
        assert here.log.names == ["costly"]
        assert [state for _, state, _ in await here.shown()] == ["done"]
        assert results_told(here) == [("null", False)]
        assert_lawful(await here.updates())
        await agree(here)
        assert await trail(here) == [
            f"requested {OWNER}",
            "approved grace",
            "dispatched -",
            "ended -",
        ]


async def test_what_becomes_of_an_approved_call_is_heard_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.exchange.approvals.LOOK_AGAIN_S", 3600)
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        here.log.hold = asyncio.Event()
        request = await asked(here)
        async with asyncio.timeout(20), aclosing(here.approvals.changes()) as changes:
            await anext(changes)
            await here.approvals.decide("grace", request.id, approve(request))
            while (await here.approvals.request(request.id)).call_state is not CallState.RUNNING:
                await anext(changes)
            here.log.hold.set()
            while (await here.approvals.request(request.id)).call_state is not CallState.DONE:
                await anext(changes)
        await here.idle()


async def test_what_happens_while_a_follower_is_busy_is_heard_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.exchange.approvals.LOOK_AGAIN_S", 3600)
    async with world(tmp_path, SPEND, said("All right.")) as here:
        request = await asked(here)
        async with asyncio.timeout(20), aclosing(here.approvals.changes()) as changes:
            await anext(changes)
            await here.approvals.decide("grace", request.id, deny(request))
            await anext(changes)
        await here.idle()


async def test_denied_it_never_runs_and_the_model_is_told_why(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("All right.")) as here:
        request = await asked(here)
        await here.approvals.decide("grace", request.id, deny(request, reason="Too dear."))
        await here.idle()
        assert here.log.names == []
        assert results_told(here) == [("Not run: a person denied this call. Too dear.", True)]
        assert await here.shown() == [("Spend", "not_run", "denied")]
        assert_lawful(await here.updates())
        await agree(here)


@pytest.mark.parametrize("again", ['{"sum": 250, "to": "Ada"}', '{"to":"Ada","sum":2.5e2}'])
async def test_what_was_denied_is_refused_without_asking_when_made_again(
    tmp_path: Path, again: str
) -> None:
    first = calls(call(0, "pay", '{"sum": 250.00, "to": "Ada"}'))
    repeated, other = calls(call(0, "pay", again)), '{"sum": 251, "to": "Ada"}'
    async with world(tmp_path, first, repeated, calls(call(0, "pay", other)), said("No.")) as here:
        request = await asked(here)
        await here.approvals.decide("grace", request.id, deny(request))
        [third] = await parked(here)
        assert third.arguments["sum"] == 251
        assert [reason for _, _, reason in await here.shown()] == ["denied", "denied", None]
        await here.approvals.decide("grace", third.id, deny(third))
        await here.idle()
        assert here.log.names == []


async def test_a_policy_asks_for_what_it_names_and_no_more(tmp_path: Path) -> None:
    small = calls(call(0, "pay", '{"sum": 100, "to": "Ada"}'))
    async with world(tmp_path, small, said("Paid.")) as here:
        await here.say()
        assert here.log.names == ["pay"]
        assert await here.approvals.waiting() == ()


async def test_twenty_operators_race_and_one_decides(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Done.")) as here:
        request = await asked(here)
        rulings = [approve(request), deny(request)] * 10
        ruled = await asyncio.gather(
            *(
                here.approvals.decide(f"op-{n}", request.id, ruling)
                for n, ruling in enumerate(rulings)
            )
        )
        await here.idle()
        [winner] = [n for n, each in enumerate(ruled) if each.changed]
        for each in ruled:
            assert each.record.decided_by == f"op-{winner}", "the others are told who did"
            assert each.refusal is (None if each.changed else Refusal.DECIDED)
        assert here.log.names == (["costly"] if winner % 2 == 0 else [])
        kinds = [line.split()[0] for line in await trail(here)]
        assert kinds.count(AuditKind.REFUSED) == 19


async def test_a_decision_names_what_was_shown(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Done.")) as here:
        request = await asked(here)
        other = replace(approve(request), digest="0" * 64)
        ruled = await here.approvals.decide("grace", request.id, other)
        assert (ruled.changed, ruled.refusal) == (False, Refusal.OTHER_ARGUMENTS)
        assert here.log.names == []
        assert (await trail(here))[-1] == "refused grace"
        await parked(here)


async def test_only_who_is_asked_can_decide(tmp_path: Path) -> None:
    post = calls(call(0, "post", '{"text": "Hello"}'))
    async with world(tmp_path, SPEND, post, said("Posted."), said("Done.")) as here:
        request = await asked(here)
        with pytest.raises(UnknownApproval):
            await here.approvals.decide_own(OWNER, here.conversation, request.id, approve(request))
        first = here.conversation
        await here.begin()
        await here.conversations.send(OWNER, here.conversation, "post it")
        await here.until(CallState.AWAITING_APPROVAL)
        [own] = [c.approval for c in here.call_views(await here.view()) if c.approval]
        assert own.whole is not None
        assert [(row.label, row.exact) for row in own.whole.rows] == [("Text", "Hello")]
        ruling = Ruling(Decision.APPROVE, own.digest)
        with pytest.raises(UnknownApproval):
            await here.approvals.decide("grace", own.id, ruling)
        with pytest.raises(UnknownConversation):
            await here.approvals.decide_own("someone", here.conversation, own.id, ruling)
        with pytest.raises(UnknownApproval):
            await here.approvals.decide_own(OWNER, first, own.id, ruling)
        assert here.log.names == []
        ruled = await here.approvals.decide_own(OWNER, here.conversation, own.id, ruling)
        assert ruled.changed
        await here.idle()
        assert here.log.names == ["post"]


class Hours:
    """The store's clock, which a test moves."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


async def test_past_its_time_it_never_runs(tmp_path: Path) -> None:
    clock = Hours()
    async with world(tmp_path, SPEND, said("Too late."), clock=clock) as here:
        request = await asked(here)
        await here.approvals.expire()
        assert await here.approvals.waiting() == (request,)
        clock.ahead = timedelta(hours=2)
        ruled = await here.approvals.decide("grace", request.id, approve(request))
        assert (ruled.changed, ruled.refusal) == (False, Refusal.EXPIRED)
        await here.idle()
        assert here.log.names == []
        assert results_told(here)[0][0].startswith("Not run: the request for approval expired")
        assert await here.shown() == [("Spend", "not_run", "expired")]


async def test_an_expiry_that_nobody_saw_is_found_at_the_next_start(tmp_path: Path) -> None:
    clock = Hours()
    async with world(tmp_path, SPEND, said("Too late."), clock=clock) as here:
        await asked(here)
        clock.ahead = timedelta(hours=2)
        other = here.restarted()
        await other.expire()
        await here.idle()
        assert here.log.names == []
        [ended] = await here.approvals.history()
        assert ended.state is ApprovalState.EXPIRED


async def test_whichever_process_hears_the_decision_goes_on(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        request = await asked(here)
        ruled = await here.restarted().decide("grace", request.id, approve(request))
        assert ruled.changed
        await here.idle()
        assert here.log.names == ["costly"]
        await here.exchanges.heed_decisions()
        await agree(here)


async def test_a_message_sent_meanwhile_withdraws_it(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("What else?")) as here:
        request = await asked(here)
        await here.conversations.send(OWNER, here.conversation, "never mind")
        async with asyncio.timeout(20):
            while len(here.model.requests) < 2:
                await asyncio.sleep(0.005)
        await here.idle()
        assert here.log.names == []
        assert await here.shown() == [("Spend", "not_run", "superseded")]
        transcript = await here.records.transcript(here.conversation)
        outcomes = [each.exchange.outcome for each in transcript.exchanges]
        assert outcomes == [Outcome.SUPERSEDED, Outcome.ANSWERED]
        assert len(here.model.requests) == 2, "no turn was spent on the withdrawal itself"
        assert results_told(here)[0][0].startswith("Not run: the person went on")
        late = await here.approvals.decide("grace", request.id, approve(request))
        assert (late.changed, late.refusal) == (False, Refusal.WITHDRAWN)
        assert_lawful(await here.updates())
        await agree(here)


async def test_a_stop_while_it_waits_is_certain(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND) as here:
        request = await asked(here)
        await here.conversations.stop(OWNER, here.conversation)
        await here.idle()
        assert await here.shown() == [("Spend", "not_run", "stopped")]
        assert await here.notices() == ["stopped"]
        late = await here.approvals.decide("grace", request.id, approve(request))
        assert (late.changed, late.refusal) == (False, Refusal.WITHDRAWN)
        assert here.log.names == []
        await agree(here)


async def test_siblings_run_at_once_and_what_is_approved_does_not_wait_for_them(
    tmp_path: Path,
) -> None:
    turn = calls(call(0, "costly", "{}"), call(1, "slow", "{}"), call(2, "note", '{"text": "a"}'))
    async with world(tmp_path, turn, said("All done.")) as here:
        here.log.hold = asyncio.Event()
        await here.conversations.send(OWNER, here.conversation, "hello")
        async with asyncio.timeout(20):
            while not (waiting := await here.approvals.waiting()) or len(here.log.ran) < 2:
                await asyncio.sleep(0.005)
        assert sorted(here.log.names) == ["note", "slow"]
        await here.approvals.decide("grace", waiting[0].id, approve(waiting[0]))
        async with asyncio.timeout(20):
            while "costly" not in here.log.names:
                await asyncio.sleep(0.005)
        here.log.hold.set()
        await here.idle()
        assert results_told(here)[0] == ("null", False)
        assert_lawful(await here.updates())
        await agree(here)


async def test_two_that_wait_are_decided_one_by_one(tmp_path: Path) -> None:
    turn = calls(call(0, "costly", "{}"), call(1, "pay", PAY))
    async with world(tmp_path, turn, said("Done.")) as here:
        await here.conversations.send(OWNER, here.conversation, "hello")
        first, second = await parked(here, 2)
        assert [first.tool, second.tool] == ["costly", "pay"], "oldest first, in call order"
        await here.approvals.decide("grace", second.id, approve(second))
        [left] = await parked(here)
        assert (left.id, here.log.names) == (first.id, ["pay"])
        await here.approvals.decide("grace", first.id, deny(first))
        await here.idle()
        assert [state for _, state, _ in await here.shown()] == ["not_run", "done"]
        assert len(here.model.requests) == 2
        await agree(here)


async def test_changed_arguments_are_what_runs_and_the_model_is_told(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "pay", PAY)), said("Paid less.")) as here:
        request = await asked(here)
        ruled = await here.approvals.decide(
            "grace", request.id, approve(request, edits={"sum": "120.5"})
        )
        assert ruled.changed
        await here.idle()
        [(_, ran, _)] = here.log.ran
        assert ran == {"sum": Decimal("120.5"), "to": "Ada", "purpose": "lunch"}
        [(content, _)] = results_told(here)
        assert content.startswith("A person changed the arguments before approving. What ran: ")
        assert '"sum":120.5' in content
        [kept] = await here.approvals.history()
        assert (kept.arguments["sum"], kept.edited) == (
            Decimal("250.00"),
            {"sum": Decimal("120.5"), "to": "Ada", "purpose": "lunch"},
        )


@pytest.mark.parametrize("edits", [{"sum": "5000"}, {"to": "Eve"}, {"sum": "much"}, {"x": "1"}])
async def test_a_change_that_may_not_be_made_decides_nothing(
    tmp_path: Path, edits: dict[str, str]
) -> None:
    async with world(tmp_path, calls(call(0, "pay", PAY)), said("Paid.")) as here:
        request = await asked(here)
        ruled = await here.approvals.decide("grace", request.id, approve(request, edits=edits))
        assert (ruled.changed, ruled.refusal) == (False, Refusal.BAD_EDIT)
        assert ruled.detail
        assert "Eve" not in ruled.detail
        assert [each.id for each in await here.approvals.waiting()] == [request.id]


async def test_a_tool_that_has_changed_since_can_only_be_denied(tmp_path: Path) -> None:
    async with world(tmp_path, calls(call(0, "pay", PAY)), said("No.")) as here:
        request = await asked(here)
        newer = dict(here.parts.maps)
        newer["pay"] = replace(newer["pay"], parameters={**newer["pay"].parameters, "title": "x"})
        later = here.restarted(newer)
        ruled = await later.decide("grace", request.id, approve(request))
        assert (ruled.changed, ruled.refusal) == (False, Refusal.TOOL_CHANGED)
        assert (await later.decide("grace", request.id, deny(request))).changed
        await here.idle()
        assert here.log.names == []


async def test_an_approval_of_before_a_change_does_not_cover_what_runs_after(
    tmp_path: Path,
) -> None:
    """The process that heard the decision was lost before it could go on."""
    async with world(tmp_path, calls(call(0, "pay", PAY)), said("No.")) as here:
        request = await asked(here)
        decided = await here.records.decide(
            request.id, NewDecision(approve=True, digest=request.digest, by="grace")
        )
        assert decided.changed
        newer = dict(here.parts.maps)
        newer["pay"] = replace(newer["pay"], parameters={**newer["pay"].parameters, "title": "x"})
        here.restarted(newer)
        await here.others[-1].take_up()
        await here.idle()
        assert here.log.names == []
        [shown] = here.call_views(await here.recorded_view())
        assert (shown.state, shown.reason) == ("not_run", "not_authorised")


async def test_decided_during_shutdown_it_runs_once_at_the_next_start(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        request = await asked(here)
        await here.exchanges.close()
        assert (await here.approvals.decide("grace", request.id, approve(request))).changed
        assert here.log.names == []
        here.restarted()
        await here.others[-1].take_up()
        await here.idle()
        assert here.log.names == ["costly"]


async def test_a_shutdown_leaves_what_waits_waiting(tmp_path: Path) -> None:
    turn = calls(call(0, "costly", "{}"), call(1, "polite", "{}"))
    async with world(tmp_path, turn, said("Spent.")) as here:
        await here.conversations.send(OWNER, here.conversation, "hello")
        await here.until(CallState.RUNNING)
        await here.exchanges.close()
        [request] = await parked(here)
        later = here.restarted()
        await later.decide("grace", request.id, approve(request))
        await here.idle()
        assert here.log.names == ["polite", "costly"]


async def test_a_waiting_exchange_holds_no_task(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND) as here:
        before = len(asyncio.all_tasks())
        await asked(here)
        await asyncio.sleep(0.05)
        assert len(asyncio.all_tasks()) == before


async def test_followers_hear_of_changes_here_and_elsewhere(tmp_path: Path) -> None:
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        changes = here.approvals.changes()
        first = asyncio.create_task(anext(changes))
        request = await asked(here)
        async with asyncio.timeout(10):
            await first
            elsewhere = asyncio.create_task(anext(changes))
            await asyncio.sleep(0)
            await here.restarted().decide("grace", request.id, approve(request))
            await elsewhere
        await changes.aclose()
        await here.idle()


async def test_updates_of_a_call_name_its_request_before_its_state(tmp_path: Path) -> None:
    """A screen that drew the state first would have to draw the block twice."""
    async with world(tmp_path, SPEND, said("Spent.")) as here:
        request = await asked(here)
        kinds = [type(update).__name__ for update in await here.updates()]
        assert kinds.index("ApprovalChanged") < max(
            n
            for n, update in enumerate(await here.updates())
            if isinstance(update, CallChanged) and update.state == "awaiting_approval"
        )
        await here.approvals.decide("grace", request.id, deny(request))
        await here.idle()


async def test_turns_count_across_waits(tmp_path: Path) -> None:
    """An exchange that parks and goes on, again and again, has no more turns than any other."""
    turns = [calls(call(0, "pay", f'{{"sum": {n}, "to": "Ada"}}')) for n in (200, 300, 400)]
    async with world(tmp_path, *turns, bounds=Bounds(exchange_turns=2)) as here:
        await here.conversations.send(OWNER, here.conversation, "hello")
        for _ in range(2):
            [request] = await parked(here)
            await here.approvals.decide("grace", request.id, approve(request))
        await here.idle()
        assert here.log.names == ["pay", "pay"]
        assert await here.notices() == ["turn_limit"]
