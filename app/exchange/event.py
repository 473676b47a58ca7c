"""An event that happens again and again: whoever waits hears of the next one."""

import asyncio
from contextlib import suppress


class Event:
    def __init__(self) -> None:
        self._next = asyncio.Event()

    def happened(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Until it happens, at most so long."""
        following = self._next
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await following.wait()
