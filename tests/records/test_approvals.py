"""Requests for a decision on both databases: over exactly once, with a trail that only grows."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.calls.exact_json import dump_exact
from app.calls.gate import Verdict
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.records.approvals import NewDecision
from app.records.database import Database
from app.records.errors import NotFound
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind
from app.records.store import Records
from tests.records.making import Opened, TickingClock, new_call, open_with_calls

LONG = timedelta(hours=2)


async def ask(records: Records, count: int = 1, **more: Any) -> Opened:
    asking = [
        new_call(n, provider_id=f"p{n}", name="refund", verdict=Verdict.ASK, **more)
        for n in range(count)
    ]
    return await open_with_calls(records, asking)


async def first(records: Records, opened: Opened) -> ApprovalRecord:
    return (await records.approvals_of(opened.exchange_id))[0]


def approve(asked: ApprovalRecord, by: str = "grace") -> NewDecision:
    return NewDecision(approve=True, digest=asked.digest, by=by)


def deny(asked: ApprovalRecord, by: str = "grace") -> NewDecision:
    return NewDecision(approve=False, digest=asked.digest, by=by, told="denied", reason="no")


async def trail(records: Records) -> list[tuple[str, str | None, str]]:
    return [(line.kind, line.actor, line.detail) async for line in records.audit_trail()]


async def claim(records: Records, opened: Opened, worker: str = "worker-1") -> bool:
    return await records.claim_call(opened.call_ids[0], worker, opened.digests[0])


async def test_a_request_is_on_record_with_its_turn(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    assert (asked.state, asked.by, asked.asked_by) == (ApprovalState.WAITING, "operator", "grace")
    assert (asked.tool, asked.message, asked.arguments) == ("refund", "What is due?", {"number": 0})
    assert asked.call_state is CallState.AWAITING_APPROVAL
    assert await records.waiting_approvals("operator") == (asked,)
    assert await records.waiting_approvals("operator", "refund") == (asked,)
    assert await records.waiting_approvals("operator", "other") == ()
    assert await records.waiting_approvals("user") == ()
    transcript = await records.transcript(opened.conversation_id)
    assert transcript.exchanges[0].turns[0].calls[0].approval == asked


async def test_many_decide_and_one_does(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    decisions = [(approve, deny)[n % 2](asked, f"op-{n}") for n in range(12)]
    made = await asyncio.gather(*(records.decide(asked.id, each) for each in decisions))
    [winner] = [n for n, each in enumerate(made) if each.changed]
    assert {each.approval.decided_by for each in made} == {f"op-{winner}"}
    kinds = [kind for kind, _, _ in await trail(records)]
    assert kinds.count(AuditKind.REFUSED) == 11
    assert await claim(records, opened) == (winner % 2 == 0)


async def test_claims_wait_for_the_approval_and_one_succeeds(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    before = await asyncio.gather(*(claim(records, opened, f"w{n}") for n in range(5)))
    assert not any(before)
    await records.decide(asked.id, approve(asked))
    after = await asyncio.gather(*(claim(records, opened, f"w{n}") for n in range(50)))
    assert sum(after) == 1
    await records.record_result(
        opened.call_ids[0], f"w{after.index(True)}", CallState.DONE, "ok", None, False, 1
    )
    assert [kind for kind, _, _ in await trail(records)] == [
        AuditKind.REQUESTED,
        AuditKind.APPROVED,
        AuditKind.DISPATCHED,
        AuditKind.ENDED,
    ]


async def test_changed_arguments_are_claimed_by_their_own_digest(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    decision = NewDecision(
        True, asked.digest, "grace", edited={"number": 7}, edited_digest="changed"
    )
    made = await records.decide(asked.id, decision)
    assert (made.approval.arguments, made.approval.edited) == ({"number": 0}, {"number": 7})
    assert made.approval.digest == asked.digest, "what was shown stays on record"
    assert not await claim(records, opened), "what was shown is not what was approved"
    assert await records.claim_call(opened.call_ids[0], "worker-1", "changed")
    exported = dump_exact(await records.export(opened.conversation_id))
    assert '"edited_arguments":{"number":7}' in exported


async def test_a_stop_and_an_expiry_make_a_decision_late(
    records: Records, clock: TickingClock
) -> None:
    stopped, expired = await ask(records), await ask(records)
    first_asked, second_asked = await first(records, stopped), await first(records, expired)
    await records.ask_stop(stopped.conversation_id)
    assert not (await records.decide(first_asked.id, approve(first_asked))).changed
    assert [each.id for each in await records.waiting_approvals("operator")] == [second_asked.id]
    clock.moment += LONG
    late = await records.decide(second_asked.id, approve(second_asked))
    assert (late.changed, late.approval.state) == (False, ApprovalState.EXPIRED)
    assert late.approval.call_state is CallState.NOT_RUN
    assert not await claim(records, expired)


async def test_expiry_ends_what_is_due_and_each_once(records: Records, clock: TickingClock) -> None:
    opened = await ask(records, 2)
    assert await records.expire_approvals("late") == ()
    clock.moment += LONG
    rounds = await asyncio.gather(*(records.expire_approvals("late") for _ in range(4)))
    ended = [each.call_id for some in rounds for each in some]
    assert sorted(ended) == sorted(opened.call_ids)
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert (call.state, call.reason, call.result_content) == ("not_run", Reason.EXPIRED, "late")


async def test_what_was_approved_is_not_superseded(records: Records) -> None:
    opened = await ask(records, 2)
    asked, other = await records.approvals_of(opened.exchange_id)
    await records.decide(asked.id, approve(asked))
    assert await records.supersede_approvals(opened.conversation_id, "went on") == (other.call_id,)
    assert await records.supersede_approvals(opened.conversation_id, "went on") == ()
    assert await claim(records, opened)


async def test_parking_waits_for_what_is_decided(records: Records) -> None:
    opened = await ask(records, 2)
    asked, _ = await records.approvals_of(opened.exchange_id)
    await records.decide(asked.id, approve(asked))
    assert not await records.park_exchange(opened.exchange_id, "worker-1"), "one is to be run"
    assert await records.park_exchange(opened.exchange_id, "worker-1", with_approved=True)
    assert [e.id for e in await records.parked_exchanges()] == [opened.exchange_id]
    assert await records.adopt_exchange(opened.exchange_id, "worker-1")
    assert await claim(records, opened)
    assert await records.park_exchange(opened.exchange_id, "worker-1")


async def test_attempts_of_those_who_may_not_are_on_the_trail(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    await records.refuse_attempt(asked.id, "eve", "not an operator")
    assert (await trail(records))[-1] == (AuditKind.REFUSED, "eve", "not an operator")
    await records.refuse_attempt("a0", "eve", "no such request")
    assert len(await trail(records)) == 2
    with pytest.raises(NotFound):
        await records.decide("a0", approve(asked))


@pytest.mark.parametrize(
    "statement",
    ["UPDATE audit SET actor = 'eve'", "DELETE FROM audit", "DELETE FROM audit WHERE 1=1"],
)
async def test_the_trail_can_only_grow(records: Records, database_url: str, statement: str) -> None:
    await ask(records)
    before = await trail(records)
    database = Database(database_url)
    with pytest.raises(DBAPIError, match="append-only"):
        async with database.writing() as connection:
            await connection.execute(text(statement))
    await database.close()
    assert await trail(records) == before


async def test_the_trail_outlives_a_conversation_and_tells_of_its_end(records: Records) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    await records.delete_conversation(opened.conversation_id)
    assert await records.approval(asked.id) is None
    assert [(kind, detail) for kind, _, detail in await trail(records)] == [
        (AuditKind.REQUESTED, ""),
        (AuditKind.STOPPED, "the conversation was deleted"),
    ]


async def test_the_trail_holds_no_argument_and_no_text_of_a_person(records: Records) -> None:
    opened = await ask(records, arguments={"to": "canary-argument"})
    asked = await first(records, opened)
    decision = NewDecision(False, asked.digest, "grace", "canary-reason", "canary-note", "told")
    await records.decide(asked.id, decision)
    lines = [repr(line) async for line in records.audit_trail()]
    assert lines
    assert not any("canary" in line for line in lines)


async def test_history_is_searched_by_what_people_remember(records: Records) -> None:
    opened = await ask(records, 2)
    asked, other = await records.approvals_of(opened.exchange_id)
    decision = NewDecision(False, asked.digest, "Grace", "Too dear", "50% off_limits", "told")
    await records.decide(asked.id, decision)
    await records.decide(other.id, approve(other, "alan"))
    assert [each.id for each in await records.past_approvals("operator")] == [other.id, asked.id]
    for words, found in (
        ("too DEAR", [asked.id]),
        ("50% off_l", [asked.id]),
        ("%", [asked.id]),
        ("alan", [other.id]),
        ("refund", [other.id, asked.id]),
        ("nothing of it", []),
    ):
        past = await records.past_approvals("operator", words)
        assert [each.id for each in past] == found, words
    assert [each.id for each in await records.past_approvals("operator", limit=1)] == [other.id]
    [latest] = await records.past_approvals("operator", "alan")
    earlier = await records.past_approvals("operator", before=latest.decided_at)
    assert [each.id for each in earlier] == [asked.id]
    assert await records.past_approvals("user") == ()


async def test_a_lost_process_takes_no_request_with_it(
    records: Records, clock: TickingClock
) -> None:
    opened = await ask(records)
    asked = await first(records, opened)
    await records.heartbeat("worker-1")
    clock.moment += timedelta(minutes=10)
    await records.recover(clock.moment, 30.0)
    assert (await records.approval(asked.id)) == asked
    await records.decide(asked.id, approve(asked))
    assert await records.adopt_exchange(opened.exchange_id, "worker-2")
    assert await claim(records, opened, "worker-2")
    clock.moment += timedelta(minutes=10)
    report = await records.recover(clock.moment, 30.0)
    assert report.unknown == opened.call_ids
    assert (await trail(records))[-1][::2] == (AuditKind.ENDED, CallState.UNKNOWN)
