"""Sends a conversation's updates to its feed, no oftener than the pacing allows.

One publisher per conversation, used by whatever runs there. ``put`` returns at once for growth,
which a timer sends when it is due; a change of state is in the feed when ``put`` returns.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from app.display.pacing import Pacing
from app.display.updates import Update
from app.feed.feed import Feed

Observe = Callable[[Sequence[Update]], None]


class Publisher:
    """``observe`` is given what each flush sends, before it is sent."""

    def __init__(self, feed: Feed, conversation: str, interval_s: float, observe: Observe) -> None:
        self._feed = feed
        self._conversation = conversation
        self._observe = observe
        self._pacing = Pacing(interval_s)
        self._sending = asyncio.Lock()
        self._timer: asyncio.Task[None] | None = None

    async def put(self, updates: Iterable[Update]) -> None:
        self._pacing.add(updates)
        due = self._pacing.due_at()
        if due is None:
            return
        wait = due - _now()
        if wait <= 0:
            await self.flush()
        elif self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._flush_when_due())

    async def flush(self) -> None:
        """Send what waits, now."""
        async with self._sending:
            taken = self._pacing.take(_now())
            if taken:
                self._observe(taken)
                await self._feed.append(self._conversation, taken)

    async def _flush_when_due(self) -> None:
        """Until nothing waits: what came in while a flush was under way is waited for too."""
        while (due := self._pacing.due_at()) is not None:
            await asyncio.sleep(max(0.0, due - _now()))
            await self.flush()

    async def close(self) -> None:
        """Send what waits and end the timer."""
        if self._timer is not None:
            async with self._sending:  # a flush under way is let through: it holds updates
                self._timer.cancel()
        await self.flush()


def _now() -> float:
    return asyncio.get_running_loop().time()
