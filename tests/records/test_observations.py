"""What was observed is kept in order, goes with its exchange, and goes when its time is over."""

from datetime import timedelta

import pytest

from app.records.observations import LOG, WIRE, NewObservation
from app.records.store import Records
from tests.records.making import TickingClock


def row(data: bytes, kind: str = LOG, turn: str | None = None) -> NewObservation:
    return NewObservation(kind, turn, len(data), data)


async def opened(records: Records) -> tuple[str, str]:
    conversation = await records.create_conversation("ada", "x")
    return conversation, (await records.open_exchange(conversation, "hello", "w1")).exchange_id


async def test_rows_come_back_in_order_by_kind_and_turn(records: Records) -> None:
    conversation, exchange = await opened(records)
    await records.append_observations(exchange, exchange, [row(b"1"), row(b"a", WIRE, "t1")])
    await records.append_observations(exchange, exchange, [row(b"2"), row(b"bc", WIRE, "t1")])
    await records.append_observations(exchange, exchange, [row(b"d\x00\xff", WIRE, "t2")])
    log = await records.observed_log(exchange)
    assert [each.data for each in log] == [b"1", b"2"]
    assert [each.data for each in await records.observed_log(exchange, log[0].position)] == [b"2"]
    assert [each.data for each in await records.observed_wire(exchange, "t1")] == [b"a", b"bc"]
    assert [each.data for each in await records.observed_wire(exchange, "t2")] == [b"d\x00\xff"]
    assert await records.wire_sizes(exchange) == {"t1": 3, "t2": 3}
    assert await records.observed_until(conversation) == {exchange: 5}


async def test_rows_go_with_their_conversation(records: Records) -> None:
    conversation, exchange = await opened(records)
    await records.append_observations(exchange, exchange, [row(b"1")])
    await records.append_observations("r1", None, [row(b"2")])
    await records.delete_conversation(conversation)
    assert await records.observed_log(exchange) == ()
    assert [each.data for each in await records.observed_log("r1")] == [b"2"]


async def test_rows_go_when_their_time_is_over(records: Records, clock: TickingClock) -> None:
    _, exchange = await opened(records)
    await records.append_observations(exchange, exchange, [row(b"1")])
    between = clock()
    await records.append_observations(exchange, exchange, [row(b"2")])
    assert await records.delete_observations_before(between) == 1
    assert [each.data for each in await records.observed_log(exchange)] == [b"2"]
    assert await records.delete_observations_before(clock() + timedelta(days=1)) == 1


@pytest.mark.parametrize("limit", [1, 5])
async def test_the_latest_conversations_are_everybodys(records: Records, limit: int) -> None:
    made = [await records.create_conversation(owner, "x") for owner in ("ada", "bob", "cy")]
    await records.hide_conversation(await records.create_conversation("ada", "deleted"))
    latest = await records.latest_conversations(limit)
    assert [each.id for each in latest] == made[::-1][:limit]
