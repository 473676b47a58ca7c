"""The seam of the event log: append, read from a position, wait for more.

A position is an opaque, ordered string. A reader that asks for what follows a position that the
log does not know, or no longer holds, gets
:class:`Trimmed` and must begin from a fresh snapshot.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.display.updates import ExchangeOpened, Update


@dataclass(frozen=True, slots=True)
class Entry:
    position: str
    updates: Sequence[Update]


@dataclass(frozen=True, slots=True)
class Held:
    """What the log holds now. ``position`` is that of the last entry, ever, held or not."""

    entries: Sequence[Entry]
    position: str

    @property
    def updates(self) -> list[Update]:
        """Those of all entries, in order."""
        return [update for entry in self.entries for update in entry.updates]

    @property
    def opened(self) -> frozenset[str]:
        """The exchanges that are held from their beginning."""
        return frozenset(u.exchange for u in self.updates if isinstance(u, ExchangeOpened))


class Trimmed(Exception):
    """The log no longer holds what follows the position that was asked for."""


class Feed(Protocol):
    """One log per conversation, named by the conversation's id."""

    async def append(self, conversation: str, updates: Sequence[Update]) -> str:
        """Add one entry; its position is returned. Readers that wait are woken."""
        ...

    async def held(self, conversation: str) -> Held:
        """All entries the log still holds, oldest first, and where it ends."""
        ...

    def follow(self, conversation: str, after: str) -> AsyncGenerator[Entry, None]:
        """Entries after a position, then new ones as they come, without end.

        Raises :class:`Trimmed` on the first step when entries after ``after`` are gone.
        """
        ...

    async def forget(self, conversation: str) -> None:
        """Drop a conversation's log; its followers begin again from a snapshot."""
        ...
