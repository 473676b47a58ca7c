"""The event log of one process, in memory.

Positions carry the process's own mark, so that one from before a restart is told as unknown. The
log of a conversation keeps its last two exchanges: the open one is never cut, and a viewer who was
away for the end of the one before still gets exactly what was missed.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from app.display.updates import ExchangeOpened, Update
from app.feed.feed import Entry, Held, Trimmed

KEPT_EXCHANGES = 2


@dataclass(slots=True)
class _Log:
    entries: deque[Entry] = field(default_factory=deque[Entry])
    first: int = 1
    """The number of the first entry held."""
    starts: deque[int] = field(default_factory=deque[int])
    """The numbers of the held entries that open an exchange."""
    grown: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def last(self) -> int:
        return self.first + len(self.entries) - 1


class MemoryFeed:
    """A :class:`~app.feed.feed.Feed` for one process."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(4)
        self._logs: dict[str, _Log] = {}

    async def append(self, conversation: str, updates: Sequence[Update]) -> str:
        log = self._logs.setdefault(conversation, _Log())
        number = log.last + 1
        position = self._position(number)
        log.entries.append(Entry(position, tuple(updates)))
        if any(isinstance(update, ExchangeOpened) for update in updates):
            log.starts.append(number)
            _trim(log)
        log.grown.set()
        log.grown = asyncio.Event()
        return position

    async def held(self, conversation: str) -> Held:
        log = self._logs.get(conversation, _Log())
        return Held(tuple(log.entries), self._position(log.last))

    async def follow(self, conversation: str, after: str) -> AsyncGenerator[Entry, None]:
        log = self._logs.setdefault(conversation, _Log())
        next_number = self._number(after) + 1
        if next_number > log.last + 1:
            raise Trimmed(after)
        while True:
            grown = log.grown
            if next_number < log.first:
                raise Trimmed(after)
            while next_number <= log.last:
                yield log.entries[next_number - log.first]
                next_number += 1
                if next_number < log.first:
                    raise Trimmed(after)
            await grown.wait()

    async def forget(self, conversation: str) -> None:
        """Drop a conversation's log; its followers begin again from a snapshot.

        Numbers go on after a gap, so that no position of the dropped log is taken for one since.
        """
        log = self._logs.get(conversation)
        if log is not None:
            self._logs[conversation] = _Log(first=log.last + 2)
            log.first = log.last + 2
            log.entries.clear()
            log.grown.set()

    def _position(self, number: int) -> str:
        return f"{self._mark}-{number}"

    def _number(self, position: str) -> int:
        mark, _, number = position.partition("-")
        if mark != self._mark or not number.isdecimal():
            raise Trimmed(position)
        return int(number)


def _trim(log: _Log) -> None:
    while len(log.starts) > KEPT_EXCHANGES:
        log.starts.popleft()
        while log.first < log.starts[0]:
            log.entries.popleft()
            log.first += 1
