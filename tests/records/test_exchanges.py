import asyncio

import pytest

from app.calls.gate import Verdict
from app.calls.reasons import Reason
from app.records.errors import CallsNotEnded, ConversationBusy, ExchangeOver, NotFound
from app.records.exchanges import Opened
from app.records.rows import ExchangeState, Outcome
from app.records.store import Records
from tests.records.making import TickingClock, new_call, new_turn, open_with_calls


async def test_an_exchange_opens_held_by_its_worker(records: Records, clock: TickingClock) -> None:
    conversation_id = await records.create_conversation("ada", "x")
    opened = await records.open_exchange(conversation_id, "hello \ud800", "worker-1")
    found = await records.exchange(opened.exchange_id)
    assert found is not None
    assert (opened.message, opened.at) == (found.message, found.created_at)
    assert found == await records.open_exchange_of(conversation_id)
    assert (found.state, found.worker, found.position) == (ExchangeState.OPEN, "worker-1", 1)
    assert (found.message, found.created_at) == ("hello \ufffd", clock.moment)
    assert await records.heartbeat("worker-1"), "opening counts as a heartbeat"


async def test_of_many_that_open_at_once_one_does(database_url: str) -> None:
    stores = [await Records.open(database_url) for _ in range(3)]
    conversation_id = await stores[0].create_conversation("ada", "x")
    results = await asyncio.gather(
        *(
            stores[n % 3].open_exchange(conversation_id, str(n), f"worker-{n % 4}")
            for n in range(24)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(result, Opened) for result in results) == 1
    assert sum(isinstance(result, ConversationBusy) for result in results) == 23
    for store in stores:
        await store.close()


async def test_ending_is_told_once_and_frees_the_conversation(records: Records) -> None:
    opened = await open_with_calls(records, [])
    assert await records.end_exchange(opened.exchange_id, Outcome.FAILED, "overloaded\x00")
    assert not await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    found = await records.exchange(opened.exchange_id)
    assert found is not None
    assert (found.outcome, found.outcome_detail) == (Outcome.FAILED, "overloaded\ufffd")
    assert (found.worker, found.state) == (None, ExchangeState.ENDED)
    assert await records.open_exchange_of(opened.conversation_id) is None
    await records.open_exchange(opened.conversation_id, "again", "worker-1")
    transcript = await records.transcript(opened.conversation_id)
    assert [e.exchange.position for e in transcript.exchanges] == [1, 2]


async def test_an_exchange_does_not_end_over_a_call_without_result(records: Records) -> None:
    opened = await open_with_calls(records, [new_call(0), new_call(1)])
    assert await records.refuse_call(opened.call_ids[0], Reason.STOPPED, "stopped")
    with pytest.raises(CallsNotEnded) as caught:
        await records.end_exchange(opened.exchange_id, Outcome.STOPPED)
    assert caught.value.call_ids == (opened.call_ids[1],)
    found = await records.exchange(opened.exchange_id)
    assert found is not None
    assert found.state is ExchangeState.OPEN


async def test_stop_is_on_record_once(records: Records) -> None:
    opened = await open_with_calls(records, [])
    assert await records.ask_stop(opened.conversation_id) == opened.exchange_id
    first = await records.exchange(opened.exchange_id)
    assert await records.ask_stop(opened.conversation_id) == opened.exchange_id
    assert await records.exchange(opened.exchange_id) == first
    assert first is not None
    assert first.stop_asked_at is not None
    await records.end_exchange(opened.exchange_id, Outcome.STOPPED)
    assert await records.ask_stop(opened.conversation_id) is None


async def test_an_ended_exchange_takes_no_turn(records: Records) -> None:
    opened = await open_with_calls(records, [])
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    with pytest.raises(ExchangeOver):
        await records.record_turn(opened.exchange_id, new_turn())


async def test_a_worker_that_does_not_hold_it_records_nothing(records: Records) -> None:
    opened = await open_with_calls(records, [])
    with pytest.raises(ExchangeOver):
        await records.record_turn(opened.exchange_id, new_turn(), worker="worker-2")
    await records.record_turn(opened.exchange_id, new_turn(), worker="worker-1")
    with pytest.raises(NotFound):
        await records.record_turn("x0", new_turn())


async def test_a_parked_exchange_is_adopted_by_one(records: Records) -> None:
    opened = await open_with_calls(records, [new_call(verdict=Verdict.ASK)])
    assert not await records.park_exchange(opened.exchange_id, "worker-2")
    assert await records.parked_exchanges() == ()
    assert await records.park_exchange(opened.exchange_id, "worker-1")
    adopted = await asyncio.gather(
        *(records.adopt_exchange(opened.exchange_id, f"worker-{n}") for n in range(12))
    )
    assert sum(adopted) == 1
    found = await records.exchange(opened.exchange_id)
    assert found is not None
    assert found.worker == f"worker-{adopted.index(True)}"
    assert await records.parked_exchanges() == ()
