"""The publisher: the trailing edge always gets through, in order, also over a slow feed."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from app.display.updates import TextGrew, Update
from app.exchange.publisher import Publisher
from app.feed.feed import Entry, Held
from app.feed.memory import MemoryFeed


class SlowFeed:
    """A feed across a network: each append takes a while."""

    def __init__(self) -> None:
        self._feed = MemoryFeed()
        self.appends = 0

    async def append(self, conversation: str, updates: Sequence[Update]) -> str:
        self.appends += 1
        await asyncio.sleep(0.02)
        return await self._feed.append(conversation, updates)

    async def held(self, conversation: str) -> Held:
        return await self._feed.held(conversation)

    def follow(self, conversation: str, after: str) -> AsyncGenerator[Entry, None]:
        return self._feed.follow(conversation, after)

    async def forget(self, conversation: str) -> None:
        await self._feed.forget(conversation)

    async def text(self) -> str:
        return "".join(
            update.text
            for entry in (await self.held("c1")).entries
            for update in entry.updates
            if isinstance(update, TextGrew)
        )


def grew(text: str) -> list[Update]:
    return [TextGrew("x1", "t1", "t1-b0", text)]


async def test_what_comes_in_during_a_flush_is_sent_without_another_put() -> None:
    feed = SlowFeed()
    publisher = Publisher(feed, "c1", 0.01, lambda _: None)
    waited = asyncio.create_task(publisher.put(grew("a")))
    await asyncio.sleep(0.005)
    for piece in "bcdef":
        await publisher.put(grew(piece))
        await asyncio.sleep(0.006)
    await waited
    async with asyncio.timeout(10):
        while await feed.text() != "abcdef":
            await asyncio.sleep(0.005)
    assert feed.appends < 7
    await publisher.close()


async def test_closing_sends_what_waits() -> None:
    feed = SlowFeed()
    publisher = Publisher(feed, "c1", 60.0, lambda _: None)
    await publisher.put(grew("a"))
    await publisher.put(grew("b"))
    await publisher.close()
    assert await feed.text() == "ab"
