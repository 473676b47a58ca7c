"""An event that happens again and again.

Whoever waits names the number it knows, so that what happens between two waits is heard, too.
"""

import asyncio
from contextlib import suppress


class Event:
    def __init__(self) -> None:
        self.number = 0
        """How often it has happened."""
        self._next = asyncio.Event()

    def happened(self) -> None:
        self.number += 1
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, known: int, seconds: float) -> None:
        """Until it has happened more than ``known`` times, at most so long."""
        if self.number > known:
            return
        following = self._next
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await following.wait()
