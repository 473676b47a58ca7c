"""The event log: exactly what was missed, or told that it is gone."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime
from itertools import islice

import pytest

from app.display.updates import ExchangeOpened, TextGrew, Update
from app.feed.feed import Entry, Trimmed
from app.feed.memory import MemoryFeed


def text(piece: str) -> Update:
    return TextGrew("x1", "t1", "t1-b0", piece)


def opened(exchange: str) -> Update:
    return ExchangeOpened(exchange, "hello", datetime(2026, 1, 1, tzinfo=UTC))


async def read(feed: MemoryFeed, after: str, count: int) -> list[Entry]:
    entries: list[Entry] = []
    async with aclosing(feed.follow("c1", after)) as following:
        async for entry in following:
            entries.append(entry)
            if len(entries) == count:
                break
    return entries


async def test_a_reader_gets_exactly_what_follows_its_position() -> None:
    feed = MemoryFeed()
    start = (await feed.held("c1")).position
    positions = [await feed.append("c1", [text(str(number))]) for number in range(5)]
    for index, position in enumerate([start, *positions[:-1]]):
        entries = await read(feed, position, 5 - index)
        assert [entry.position for entry in entries] == positions[index:]


async def test_a_waiting_reader_is_woken() -> None:
    feed = MemoryFeed()
    start = (await feed.held("c1")).position
    waiting = [asyncio.create_task(read(feed, start, 2)) for _ in range(3)]
    await asyncio.sleep(0)
    await feed.append("c1", [text("a")])
    await asyncio.sleep(0)
    await feed.append("c1", [text("b")])
    for entries in await asyncio.gather(*waiting):
        assert [entry.updates for entry in entries] == [(text("a"),), (text("b"),)]


async def test_conversations_do_not_meet() -> None:
    feed = MemoryFeed()
    await feed.append("c2", [text("secret")])
    assert (await feed.held("c1")).entries == ()


@pytest.mark.parametrize("position", ["", "x-1", "nonsense", "abcdef12-3", "-", "abcdef12-x"])
async def test_a_position_that_is_not_of_this_log_is_told_as_trimmed(position: str) -> None:
    feed = MemoryFeed()
    await feed.append("c1", [text("a")])
    with pytest.raises(Trimmed):
        await read(feed, position, 1)


async def test_a_position_of_the_process_before_is_told_as_trimmed() -> None:
    before = MemoryFeed()
    position = await before.append("c1", [text("a")])
    with pytest.raises(Trimmed):
        await read(MemoryFeed(), position, 1)


async def test_a_position_from_the_future_is_told_as_trimmed() -> None:
    feed = MemoryFeed()
    position = await feed.append("c1", [text("a")])
    mark = position.split("-")[0]
    with pytest.raises(Trimmed):
        await read(feed, f"{mark}-9", 1)


async def test_the_open_exchange_is_never_cut_and_older_ones_are() -> None:
    feed = MemoryFeed()
    first = await feed.append("c1", [opened("x1")])
    for exchange in ("x2", "x3"):
        for _ in range(100):
            await feed.append("c1", [text("a")])
        await feed.append("c1", [opened(exchange)])
    for _ in range(5000):
        await feed.append("c1", [text("b")])
    held = (await feed.held("c1")).entries
    assert held[0].updates == (opened("x2"),)
    assert len(held) == 1 + 100 + 1 + 5000
    with pytest.raises(Trimmed):
        await read(feed, first, 1)


async def test_a_reader_that_falls_behind_the_cut_is_told() -> None:
    feed = MemoryFeed()
    start = await feed.append("c1", [opened("x1")])
    following = feed.follow("c1", start)
    await feed.append("c1", [text("a")])
    assert (await anext(following)).updates == (text("a"),)
    for exchange in ("x2", "x3", "x4"):
        await feed.append("c1", [opened(exchange)])
    with pytest.raises(Trimmed):
        await anext(following)


async def test_a_log_that_is_forgotten_ends_its_readers() -> None:
    feed = MemoryFeed()
    start = await feed.append("c1", [text("a")])
    reading = asyncio.create_task(read(feed, start, 1))
    await asyncio.sleep(0)
    await feed.forget("c1")
    with pytest.raises(Trimmed):
        await reading


async def test_positions_grow_and_are_simple() -> None:
    feed = MemoryFeed()
    positions = [await feed.append("c1", [text("a")]) for _ in range(3)]
    assert len(set(positions)) == 3
    assert all(part.isalnum() for position in islice(positions, 3) for part in position.split("-"))


async def test_a_position_of_a_forgotten_log_is_never_taken_for_one_since() -> None:
    feed = MemoryFeed()
    old = [(await feed.held("c1")).position]
    old += [await feed.append("c1", [text(str(number))]) for number in range(3)]
    await feed.forget("c1")
    fresh = (await feed.held("c1")).position
    assert fresh not in old
    for number in range(6):
        await feed.append("c1", [text(str(number))])
    for position in old:
        with pytest.raises(Trimmed):
            await read(feed, position, 1)
    assert len(await read(feed, fresh, 6)) == 6
