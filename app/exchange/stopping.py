"""One stop signal for an exchange, with who gave it: the cause decides what the screen says."""

import asyncio
from enum import StrEnum


class StopCause(StrEnum):
    PERSON = "person"
    UNWATCHED = "unwatched"
    SHUTDOWN = "shutdown"


class StopSignal:
    def __init__(self) -> None:
        self.cause: StopCause | None = None
        self._given = asyncio.Event()

    @property
    def given(self) -> bool:
        return self.cause is not None

    def give(self, cause: StopCause) -> None:
        """The first cause stands; a second stop adds nothing."""
        if self.cause is None:
            self.cause = cause
            self._given.set()

    async def wait(self) -> None:
        await self._given.wait()

    async def sleep(self, seconds: float) -> bool:
        """Wait, cut short by a stop; returns whether it was."""
        try:
            async with asyncio.timeout(seconds):
                await self._given.wait()
        except TimeoutError:
            return False
        return True
