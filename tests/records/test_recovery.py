"""What a lost process left behind is made true again, and told once."""

import asyncio
from datetime import timedelta

import pytest

from app.calls.gate import Verdict
from app.calls.history import ToolResults
from app.calls.states import CallState
from app.records.recovery import NEVER_STARTED, OUTCOME_UNKNOWN, STOPPED_FIRST, Recovered
from app.records.rows import ExchangeState, NoticeRecord, Outcome
from app.records.store import Records
from tests.records.making import Opened, TickingClock, new_call, new_turn, open_with_calls
from tests.records.processes import kill_while_holding

LEASE_S = 30.0
TWO_CALLS = (new_call(0, provider_id="a"), new_call(1, provider_id="b"))
MAY_REPEAT = (new_call(0, provider_id="a", idempotent=True), new_call(1, provider_id="b"))


async def claim(records: Records, opened: Opened, n: int, worker: str) -> bool:
    return await records.claim_call(opened.call_ids[n], worker, opened.digests[n])


async def states(records: Records, opened: Opened) -> list[CallState]:
    found = [await records.call(call_id) for call_id in opened.call_ids]
    return [call.state for call in found if call is not None]


async def recover_later(
    records: Records, clock: TickingClock, seconds: float = LEASE_S + 5
) -> Recovered:
    clock.moment += timedelta(seconds=seconds)
    return await records.recover(clock.moment, LEASE_S, rerun_idempotent=True)


async def test_a_live_worker_is_left_alone(records: Records, clock: TickingClock) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    await claim(records, opened, 0, "worker-1")
    clock.moment += timedelta(seconds=LEASE_S + 60)
    assert await records.heartbeat("worker-1")
    assert await records.recover(clock.moment, LEASE_S) == Recovered()
    assert await states(records, opened) == [CallState.RUNNING, CallState.READY]


async def test_a_lost_worker_leaves_unknown_not_run_and_an_interrupted_exchange(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    await claim(records, opened, 0, "worker-1")
    report = await recover_later(records, clock)
    assert report.unknown == (opened.call_ids[0],)
    assert report.not_run == (opened.call_ids[1],)
    assert (report.released, report.parked) == ((), ())
    [ended] = report.interrupted
    assert (ended.exchange_id, ended.outcome) == (opened.exchange_id, Outcome.INTERRUPTED)
    assert await states(records, opened) == [CallState.UNKNOWN, CallState.NOT_RUN]
    results = (await records.history(opened.conversation_id))[-1]
    assert isinstance(results, ToolResults)
    assert [r.content for r in results.results] == [OUTCOME_UNKNOWN, NEVER_STARTED]
    assert all(r.is_error for r in results.results)
    [exchange] = (await records.transcript(opened.conversation_id)).exchanges
    assert exchange.exchange.outcome is Outcome.INTERRUPTED
    notice = exchange.entries[-1]
    assert isinstance(notice, NoticeRecord)
    assert (notice.id, notice.kind) == (ended.notice_id, "interrupted")
    assert await records.recover(clock.moment, LEASE_S) == Recovered(), "told once"
    await records.open_exchange(opened.conversation_id, "go on", "worker-2")


async def test_a_worker_taken_for_lost_can_end_nothing_and_learns_of_it(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    await claim(records, opened, 0, "worker-1")
    await recover_later(records, clock)
    assert not await records.record_result(
        opened.call_ids[0], "worker-1", CallState.DONE, "late", None, False, 99
    )
    assert not await claim(records, opened, 1, "worker-1")
    assert not await records.heartbeat("worker-1")
    assert await records.heartbeat("worker-1"), "from then on it is a worker like any other"
    assert await states(records, opened) == [CallState.UNKNOWN, CallState.NOT_RUN]


async def test_the_worker_whose_place_is_taken_is_lost_at_once(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    report = await records.recover(clock.moment, LEASE_S, restarted="worker-1")
    assert report.not_run == opened.call_ids
    assert [ended.exchange_id for ended in report.interrupted] == [opened.exchange_id]


async def test_a_worker_without_a_heartbeat_is_lost(records: Records, clock: TickingClock) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    await claim(records, opened, 0, "never-seen")
    report = await records.recover(clock.moment, LEASE_S)
    assert report.unknown == (opened.call_ids[0],)
    assert report.interrupted == (), "the exchange is held by a worker that lives"
    found = await records.exchange(opened.exchange_id)
    assert found is not None
    assert found.worker == "worker-1"


async def test_only_an_idempotent_call_may_run_again_and_once(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, MAY_REPEAT)
    await claim(records, opened, 0, "worker-1")
    assert not await claim(records, opened, 0, "worker-2"), "not before it is released"
    report = await recover_later(records, clock)
    assert report == Recovered(released=(opened.call_ids[0],), parked=(opened.exchange_id,))
    assert await states(records, opened) == [CallState.RUNNING, CallState.READY]
    assert [e.id for e in await records.parked_exchanges()] == [opened.exchange_id]
    assert await records.adopt_exchange(opened.exchange_id, "worker-2")
    again = await asyncio.gather(*(claim(records, opened, 0, f"w{n}") for n in range(8)))
    assert sum(again) == 1
    holder = f"w{again.index(True)}"
    assert await records.record_result(
        opened.call_ids[0], holder, CallState.DONE, "ok", None, False, 1
    )


async def test_unless_the_caller_runs_them_again_idempotent_calls_are_unknown_too(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, MAY_REPEAT)
    await claim(records, opened, 0, "worker-1")
    report = await records.recover(clock.moment, LEASE_S, restarted="worker-1")
    assert (report.unknown, report.released) == ((opened.call_ids[0],), ())
    assert await states(records, opened) == [CallState.UNKNOWN, CallState.NOT_RUN]
    assert [ended.outcome for ended in report.interrupted] == [Outcome.INTERRUPTED]


async def test_what_waits_for_a_person_goes_on_waiting(
    records: Records, clock: TickingClock
) -> None:
    asking = (new_call(0, provider_id="a", verdict=Verdict.ASK), new_call(1, provider_id="b"))
    opened = await open_with_calls(records, asking)
    assert await recover_later(records, clock) == Recovered(parked=(opened.exchange_id,))
    assert [e.id for e in await records.parked_exchanges()] == [opened.exchange_id], (
        "a call is left"
    )
    assert await states(records, opened) == [CallState.AWAITING_APPROVAL, CallState.READY]


async def test_a_parked_exchange_belongs_to_no_lost_worker(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, (new_call(0, verdict=Verdict.ASK),))
    await records.park_exchange(opened.exchange_id, "worker-1")
    assert await recover_later(records, clock, 9_999_999) == Recovered()
    assert await records.parked_exchanges() == (), "all that is left waits for a person"


@pytest.mark.parametrize("calls", [MAY_REPEAT, (new_call(0, verdict=Verdict.ASK),)])
async def test_what_the_person_stopped_does_not_go_on(
    records: Records, clock: TickingClock, calls: tuple[()]
) -> None:
    opened = await open_with_calls(records, calls)
    await claim(records, opened, 0, "worker-1")
    await records.ask_stop(opened.conversation_id)
    report = await recover_later(records, clock)
    assert (report.released, report.parked) == ((), ())
    assert [ended.outcome for ended in report.interrupted] == [Outcome.STOPPED]
    not_run = await records.call(opened.call_ids[-1])
    assert not_run is not None
    assert (not_run.state, not_run.reason) == (CallState.NOT_RUN, "stopped")
    assert not_run.result_content == STOPPED_FIRST
    await records.history(opened.conversation_id)


async def test_an_exchange_with_a_call_at_work_elsewhere_is_parked(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, TWO_CALLS)
    await claim(records, opened, 0, "worker-2")
    clock.moment += timedelta(seconds=LEASE_S + 5)
    await records.heartbeat("worker-2")
    assert await records.recover(clock.moment, LEASE_S) == Recovered(parked=(opened.exchange_id,))
    assert await states(records, opened) == [CallState.RUNNING, CallState.READY]


async def test_many_that_recover_at_once_report_each_change_once(
    database_url: str, clock: TickingClock
) -> None:
    stores = [await Records.open(database_url, clock) for _ in range(3)]
    lost = [await open_with_calls(stores[0], TWO_CALLS) for _ in range(4)]
    for opened in lost:
        await claim(stores[0], opened, 0, "worker-1")
    clock.moment += timedelta(seconds=LEASE_S + 5)
    now = clock.moment
    reports = await asyncio.gather(*(stores[n % 3].recover(now, LEASE_S) for n in range(6)))
    assert sorted(c for report in reports for c in report.unknown) == sorted(
        opened.call_ids[0] for opened in lost
    )
    assert sorted(i.exchange_id for report in reports for i in report.interrupted) == sorted(
        opened.exchange_id for opened in lost
    )
    for store in stores:
        await store.close()


async def test_recovery_and_the_lost_worker_itself_race_without_a_half_state(
    records: Records, clock: TickingClock
) -> None:
    for _ in range(6):
        opened = await open_with_calls(records, TWO_CALLS)
        await claim(records, opened, 0, "worker-1")
        clock.moment += timedelta(seconds=LEASE_S + 5)
        ending = asyncio.create_task(
            records.record_result(
                opened.call_ids[0], "worker-1", CallState.DONE, "ok", None, False, 1
            )
        )
        report, _ = await asyncio.gather(
            records.recover(clock.moment, LEASE_S), records.heartbeat("worker-1")
        )
        ended = await ending
        assert ended == (report.unknown == ())
        expected = CallState.DONE if ended else CallState.UNKNOWN
        assert (await states(records, opened))[0] is expected


KILLED: dict[str, tuple[Outcome | None, list[str]]] = {
    "no_turn": (Outcome.INTERRUPTED, []),
    "ready": (Outcome.INTERRUPTED, ["not_run", "not_run"]),
    "running": (Outcome.INTERRUPTED, ["unknown", "not_run"]),
    "running_stopped": (Outcome.STOPPED, ["unknown", "not_run"]),
    "running_idempotent": (None, ["running", "ready"]),
    "awaiting": (None, ["awaiting_approval", "ready"]),
}


@pytest.mark.parametrize("moment", KILLED)
async def test_a_killed_process_leaves_the_truth(
    records: Records, clock: TickingClock, database_url: str, moment: str
) -> None:
    outcome, expected = KILLED[moment]
    conversation_id, exchange_id, calls = await kill_while_holding(database_url, moment)
    await records.recover(clock.moment, LEASE_S, restarted="doomed", rerun_idempotent=True)
    found = [await records.call(call_id) for call_id in calls]
    assert [call.state for call in found if call is not None] == expected
    exchange = await records.exchange(exchange_id)
    assert exchange is not None
    assert exchange.outcome is outcome
    assert exchange.worker is None
    if outcome is not None:
        assert exchange.state is ExchangeState.ENDED
        await records.history(conversation_id)
        again = (await records.open_exchange(conversation_id, "go on", "worker-2")).exchange_id
        await records.record_turn(again, new_turn())
