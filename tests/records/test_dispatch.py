"""At most one dispatch of a call, and exactly one end."""

import asyncio
from typing import Any, cast

import pytest

from app.calls.exact_json import NotJson
from app.calls.gate import Verdict
from app.calls.json_types import JsonValue
from app.calls.reasons import Reason
from app.calls.states import TRANSITIONS, CallState
from app.records.errors import ExchangeOver
from app.records.queries import states_before
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import Opened, TickingClock, new_call, open_with_calls
from tests.records.processes import race_claims


async def claim(records: Records, opened: Opened, n: int = 0, worker: str = "worker-1") -> bool:
    return await records.claim_call(opened.call_ids[n], worker, opened.digests[n])


async def finish(records: Records, opened: Opened, state: CallState = CallState.DONE) -> bool:
    return await records.record_result(
        opened.call_ids[0], "worker-1", state, "fine", {"ok": True}, False, 12
    )


def test_the_states_before_come_from_the_table_alone() -> None:
    for state in CallState:
        assert set(states_before(state)) == {
            before for (before, _), after in TRANSITIONS.items() if after is state
        }


async def test_of_fifty_claims_in_one_process_one_succeeds(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, [new_call()])
    won = await asyncio.gather(*(claim(records, opened, 0, f"w{n}") for n in range(50)))
    assert sum(won) == 1
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert (call.state, call.worker) == (CallState.RUNNING, f"w{won.index(True)}")
    assert call.running_at is not None


async def test_of_fifty_claims_in_four_processes_one_succeeds(
    records: Records, database_url: str
) -> None:
    opened = await open_with_calls(records, [new_call(n, provider_id=str(n)) for n in range(2)])
    claims = list(zip(opened.call_ids, opened.digests, strict=True))
    winners = await race_claims(database_url, claims, processes=4, claims_each=13)
    for call_id in opened.call_ids:
        assert len(winners[call_id]) == 1
        call = await records.call(call_id)
        assert call is not None
        assert [call.worker] == winners[call_id]


async def test_a_claim_names_the_digest_that_was_recorded(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    assert not await records.claim_call(opened.call_ids[0], "worker-1", "other")
    assert not await records.claim_call("t0-0", "worker-1", opened.digests[0])
    assert await claim(records, opened)


async def test_a_call_that_must_ask_is_not_claimed(records: Records) -> None:
    opened = await open_with_calls(records, [new_call(verdict=Verdict.ASK)])
    assert not await claim(records, opened)
    assert await records.refuse_call(opened.call_ids[0], Reason.DENIED, "denied")


async def test_after_a_stop_no_claim_succeeds(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await records.ask_stop(opened.conversation_id)
    assert not await claim(records, opened)
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert call.state is CallState.READY


async def test_a_stop_and_a_claim_that_race_agree(records: Records) -> None:
    """Whoever sees the stop on record sees a call that is claimed already, or never will be."""
    for _ in range(15):
        opened = await open_with_calls(records, [new_call()])

        async def stop_then_look(opened: Opened) -> bool:
            await records.ask_stop(opened.conversation_id)
            call = await records.call(opened.call_ids[0])
            assert call is not None
            return call.state is CallState.RUNNING

        running, won = await asyncio.gather(stop_then_look(opened), claim(records, opened))
        assert running == won


@pytest.mark.parametrize("state", [CallState.DONE, CallState.FAILED, CallState.UNKNOWN])
async def test_a_result_ends_a_running_call_once(records: Records, state: CallState) -> None:
    opened = await open_with_calls(records, [new_call()])
    assert not await finish(records, opened, state), "it is not running"
    await claim(records, opened)
    assert await finish(records, opened, state)
    assert not await finish(records, opened, state)
    assert not await records.refuse_call(opened.call_ids[0], Reason.STOPPED, "too late")
    assert not await claim(records, opened)
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert (call.state, call.duration_ms, call.result_content) == (state, 12, "fine")
    assert call.result_full == {"ok": True}


async def test_only_the_worker_that_claimed_may_end_it(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await claim(records, opened, worker="worker-2")
    assert not await finish(records, opened)


async def test_a_result_cannot_lead_to_a_state_the_table_does_not_allow(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await claim(records, opened)
    for state in set(CallState) - {CallState.DONE, CallState.FAILED, CallState.UNKNOWN}:
        with pytest.raises(ValueError, match=state):
            await finish(records, opened, state)
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert call.state is CallState.RUNNING


async def test_what_cannot_be_stored_of_a_result_is_replaced_and_counted(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await claim(records, opened)
    full: JsonValue = {"a\x00": ["\ud800", "fine"]}
    assert await records.record_result(
        opened.call_ids[0],
        "worker-1",
        CallState.FAILED,
        "told\x00",
        full,
        True,
        3,
        reason="it broke\x00",
        detail="\udc00",
    )
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert call.result_full == {"a\ufffd": ["\ufffd", "fine"]}
    assert (call.result_content, call.result_mended) == ("told\ufffd", 3)
    assert (call.reason, call.detail) == ("it broke\ufffd", "\ufffd")


async def test_a_result_that_is_not_json_changes_nothing(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await claim(records, opened)
    with pytest.raises(NotJson, match="float"):
        await records.record_result(
            opened.call_ids[0],
            "worker-1",
            CallState.DONE,
            "x",
            cast(Any, 1.5),
            False,
            1,
        )
    assert await finish(records, opened)


async def test_a_refusal_ends_a_call_that_has_not_started(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    assert await records.refuse_call(opened.call_ids[0], Reason.STOPPED, "the user stopped", "why")
    call = await records.call(opened.call_ids[0])
    assert call is not None
    assert (call.state, call.reason, call.detail) == (CallState.NOT_RUN, "stopped", "why")
    assert (call.result_content, call.is_error) == ("the user stopped", True)
    assert not await claim(records, opened)


async def test_all_that_has_not_started_can_be_refused_at_once(records: Records) -> None:
    calls = [
        new_call(0),
        new_call(1, provider_id="b", verdict=Verdict.ASK),
        new_call(2, provider_id="c"),
        new_call(3, provider_id="d", verdict=Verdict.REFUSE),
    ]
    opened = await open_with_calls(records, calls)
    other = await open_with_calls(records, [new_call()])
    await claim(records, opened, 2)
    refused = await records.refuse_unstarted(opened.exchange_id, Reason.SUPERSEDED, "went on")
    assert refused == (opened.call_ids[0], opened.call_ids[1])
    states = [c and c.state for c in [await records.call(i) for i in opened.call_ids]]
    assert states == ["not_run", "not_run", "running", "not_run"]
    untouched = await records.call(other.call_ids[0])
    assert untouched is not None
    assert untouched.state is CallState.READY


async def test_an_ended_exchange_refuses_nothing_more(records: Records) -> None:
    opened = await open_with_calls(records, [])
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    with pytest.raises(ExchangeOver):
        await records.refuse_unstarted(opened.exchange_id, Reason.STOPPED, "x")


async def test_a_cancelled_writer_leaves_whole_records_and_free_connections(
    records: Records,
) -> None:
    """Cancelled at many moments: each change is there or not, and the next writer gets on."""
    for delay in range(12):
        opened = await open_with_calls(records, [new_call()])
        tasks = [asyncio.create_task(claim(records, opened, 0, f"w{n}")) for n in range(4)]
        await asyncio.sleep(delay * 0.0007)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        call = await records.call(opened.call_ids[0])
        assert call is not None
        assert (call.state is CallState.RUNNING) == (call.worker is not None)
        assert sum(result is True for result in results) <= 1
        if call.worker is None:
            assert await claim(records, opened)
