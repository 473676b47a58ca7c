"""Counts who follows a conversation, and says when nobody has for a while."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable


class Watchers:
    """``unwatched`` is called with a conversation's id once nobody has followed it for ``after_s``
    seconds; never when that is None. A tab that is hidden or reloads comes back within the grace.
    """

    def __init__(self, after_s: float | None, unwatched: Callable[[str], Awaitable[None]]) -> None:
        self._after = after_s
        self._unwatched = unwatched
        self._counts: Counter[str] = Counter()
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def watched(self) -> frozenset[str]:
        """The conversations that somebody follows now."""
        return frozenset(self._counts)

    def came(self, conversation: str) -> None:
        self._counts[conversation] += 1
        timer = self._timers.pop(conversation, None)
        if timer is not None:
            timer.cancel()

    def left(self, conversation: str) -> None:
        self._counts[conversation] -= 1
        if self._counts[conversation] <= 0:
            del self._counts[conversation]
            self.expect(conversation)

    def expect(self, conversation: str) -> None:
        """Start the grace for a conversation that nobody follows now."""
        if self._after is None or self._closed:
            return
        if conversation in self._counts or conversation in self._timers:
            return
        self._timers[conversation] = asyncio.create_task(self._wait(conversation, self._after))

    async def _wait(self, conversation: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._timers.pop(conversation, None)
        await self._unwatched(conversation)

    def close(self) -> None:
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
