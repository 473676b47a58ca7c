"""Ids that go back to a provider: its own, made unique within a conversation.

Some servers number calls anew in each round, or give every call the same id. A history with an
id twice is refused by some, and loses a result with others. The id stays as it is at its first
use; a repeat gets a suffix, the same in the call and in its result.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.records.tables import calls, exchanges, turns


def unique_wire_ids(
    provider_ids: Sequence[str | None], used: Iterable[str]
) -> tuple[str | None, ...]:
    """One for each provider id, in order; None stays None (a dialect without ids)."""
    taken = set(used)
    return tuple(_unique(provider_id, taken) for provider_id in provider_ids)


def _unique(provider_id: str | None, taken: set[str]) -> str | None:
    if provider_id is None:
        return None
    wire_id, use = provider_id, 1
    while wire_id in taken:
        use += 1
        wire_id = f"{provider_id}_{use}"
    taken.add(wire_id)
    return wire_id


async def wire_ids_of(connection: AsyncConnection, conversation_id: str) -> Sequence[str]:
    """All that a conversation has used."""
    found = await connection.execute(
        select(calls.c.wire_id)
        .join(turns, turns.c.id == calls.c.turn_id)
        .join(exchanges, exchanges.c.id == turns.c.exchange_id)
        .where(exchanges.c.conversation_id == conversation_id, calls.c.wire_id.is_not(None))
    )
    return found.scalars().all()
