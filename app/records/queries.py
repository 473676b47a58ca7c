"""What all queries stand on: a database, a clock, and the locks that put writers in order.

On PostgreSQL a row lock is what SQLite's one writer is anyway. They are taken from the outside
in (conversation, exchange, call, worker), so that two transactions never wait for each other.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sqlalchemy import RowMapping, Table, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.states import TRANSITIONS, CallState
from app.records.database import Database
from app.records.errors import ExchangeOver, NotFound
from app.records.rows import ExchangeState
from app.records.tables import abandoned_turns, conversations, exchanges, notices, turns

Clock: TypeAlias = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Queries:
    """A group of queries; each public method is one transaction."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock


def states_before(state: CallState) -> tuple[CallState, ...]:
    """The states from which an event leads to this one; the table of calls is the only source."""
    return tuple(sorted(before for (before, _), after in TRANSITIONS.items() if after is state))


async def lock_conversation(connection: AsyncConnection, conversation_id: str) -> None:
    """Raises :class:`NotFound`."""
    found = await connection.execute(
        select(conversations.c.id).where(conversations.c.id == conversation_id).with_for_update()
    )
    if found.first() is None:
        raise NotFound("conversation", conversation_id)


async def lock_exchange(
    connection: AsyncConnection, exchange_id: str, worker: str | None = None
) -> None:
    """Lock an open exchange, which ``worker`` must hold where one is named.

    Raises :class:`NotFound` or :class:`ExchangeOver`.
    """
    row = await exchange_row(connection, exchange_id, locked=True)
    if row["state"] != ExchangeState.OPEN or (worker is not None and row["worker"] != worker):
        raise ExchangeOver(exchange_id)


async def exchange_row(
    connection: AsyncConnection, exchange_id: str, *, locked: bool = False
) -> RowMapping:
    """Raises :class:`NotFound`."""
    query = select(exchanges).where(exchanges.c.id == exchange_id)
    found = await connection.execute(query.with_for_update() if locked else query)
    row = found.mappings().first()
    if row is None:
        raise NotFound("exchange", exchange_id)
    return row


async def next_place_in(connection: AsyncConnection, table: Table, column: Any, value: str) -> int:
    """The position after the last of the rows with that parent."""
    last = await connection.execute(select(func.max(table.c.position)).where(column == value))
    return int(last.scalar_one() or 0) + 1


async def next_entry_position(connection: AsyncConnection, exchange_id: str) -> int:
    """Turns, rolled-back turns and notices stand on one scale. The exchange must be locked."""
    every = union_all(
        *(
            select(table.c.position).where(table.c.exchange_id == exchange_id)
            for table in (turns, abandoned_turns, notices)
        )
    ).subquery()
    last = await connection.execute(select(func.max(every.c.position)))
    return int(last.scalar_one() or 0) + 1
