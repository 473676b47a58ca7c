"""Exchanges: at most one open in a conversation, held by one worker or parked."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, RowMapping, and_, func, insert, not_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.states import FINAL_STATES, CallState
from app.records.errors import CallsNotEnded, ConversationBusy, NotFound
from app.records.from_rows import exchange_record
from app.records.ids import Kind, new_id
from app.records.queries import (
    Queries,
    exchange_row,
    lock_conversation,
    next_place_in,
)
from app.records.rows import ApprovalState, ExchangeRecord, ExchangeState, Outcome
from app.records.storable import mended_or_none, mended_text
from app.records.tables import approvals, calls, conversations, exchanges, turns
from app.records.workers import beat

_IS_OPEN = exchanges.c.state == ExchangeState.OPEN
_AWAITS = calls.c.state == CallState.AWAITING_APPROVAL
_WAITS = and_(_AWAITS, approvals.c.state == ApprovalState.WAITING)
_MAY_START = or_(
    calls.c.state == CallState.READY,
    and_(calls.c.state == CallState.RUNNING, calls.c.worker.is_(None)),
    and_(_AWAITS, approvals.c.state == ApprovalState.APPROVED),
)
"""Nobody is at work on the call, and nobody has to decide."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An exchange that was just opened, as it is on record.

    ``kept`` is the id of the kept message that it began with, where it did.
    """

    exchange_id: str
    message: str
    at: datetime
    kept: str | None = None


class ExchangeQueries(Queries):
    async def open_exchange(self, conversation_id: str, message: str, worker: str) -> Opened:
        """Begin an exchange with a message. Counts as a heartbeat of the worker.

        Raises :class:`ConversationBusy` while another is open, :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            await lock_conversation(connection, conversation_id)
            return await insert_exchange(
                connection, conversation_id, mended_text(message), worker, self._clock()
            )

    async def exchange(self, exchange_id: str) -> ExchangeRecord | None:
        async with self._database.reading() as connection:
            try:
                return exchange_record(await exchange_row(connection, exchange_id))
            except NotFound:
                return None

    async def open_exchange_of(self, conversation_id: str) -> ExchangeRecord | None:
        """The exchange that is open in a conversation, or None."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(exchanges).where(exchanges.c.conversation_id == conversation_id, _IS_OPEN)
            )
            row = found.mappings().first()
        return None if row is None else exchange_record(row)

    async def ask_stop(self, conversation_id: str) -> str | None:
        """Put the wish to stop on record: from then on no call of the exchange can be claimed.

        The id of the open exchange, or None when there is none. Asking again changes nothing.
        """
        async with self._database.writing() as connection:
            asked = await connection.execute(
                update(exchanges)
                .where(exchanges.c.conversation_id == conversation_id, _IS_OPEN)
                .values(stop_asked_at=func.coalesce(exchanges.c.stop_asked_at, self._clock()))
                .returning(exchanges.c.id)
            )
            return asked.scalar_one_or_none()

    async def stops_asked_of(self, worker: str) -> tuple[str, ...]:
        """Conversations whose open exchange a worker holds and somebody asked to stop."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(exchanges.c.conversation_id)
                .where(
                    _IS_OPEN, exchanges.c.worker == worker, exchanges.c.stop_asked_at.is_not(None)
                )
                .order_by(exchanges.c.conversation_id)
            )
            return tuple(found.scalars())

    async def end_exchange(
        self, exchange_id: str, outcome: Outcome, detail: str | None = None
    ) -> bool:
        """False when it had ended before; then nothing was changed.

        Raises :class:`CallsNotEnded` while a call of it has no result: history would be broken.
        """
        async with self._database.writing() as connection:
            row = await exchange_row(connection, exchange_id)
            await lock_conversation(connection, row["conversation_id"])
            await exchange_row(connection, exchange_id, locked=True)
            await _refuse_unended(connection, exchange_id)
            return await close_exchange(connection, exchange_id, outcome, detail, self._clock())

    async def park_exchange(
        self, exchange_id: str, worker: str, *, with_approved: bool = False
    ) -> bool:
        """Let go of an open exchange that waits for a person: no process holds it any more.

        False, and nothing changed, when it waits for none, or when a call was approved and has
        not started, which is for the holder to run: unless it closes (``with_approved``).
        """
        async with self._database.writing() as connection:
            row = await exchange_row(connection, exchange_id, locked=True)
            if row["state"] != ExchangeState.OPEN or row["worker"] != worker:
                return False
            found = await connection.execute(
                select(approvals.c.state)
                .join(calls, calls.c.id == approvals.c.call_id)
                .join(turns, turns.c.id == calls.c.turn_id)
                .where(
                    turns.c.exchange_id == exchange_id,
                    calls.c.state == CallState.AWAITING_APPROVAL,
                )
            )
            left = set(found.scalars())
            if not left or (ApprovalState.APPROVED in left and not with_approved):
                return False
            await connection.execute(
                update(exchanges).where(exchanges.c.id == exchange_id).values(worker=None)
            )
            return True

    async def adopt_exchange(self, exchange_id: str, worker: str) -> bool:
        """Take up a parked exchange. Of any number of workers, exactly one is told True."""
        async with self._database.writing() as connection:
            changed = await connection.execute(
                update(exchanges)
                .where(exchanges.c.id == exchange_id, _IS_OPEN, exchanges.c.worker.is_(None))
                .values(worker=worker)
            )
            await beat(connection, worker, self._clock())
        return changed.rowcount == 1

    async def parked_exchanges(self) -> tuple[ExchangeRecord, ...]:
        """Open exchanges that no worker holds and that can go on, oldest first.

        Not one in which all that is left waits for a person: of those there may be many, for days.
        """
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(exchanges)
                .where(
                    _IS_OPEN,
                    exchanges.c.worker.is_(None),
                    or_(
                        _has(_MAY_START), not_(_has(_WAITS)), exchanges.c.stop_asked_at.is_not(None)
                    ),
                )
                .order_by(exchanges.c.created_at, exchanges.c.id)
            )
            return tuple(exchange_record(row) for row in found.mappings())


def _has(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the exchange has such a call."""
    return (
        select(calls.c.id)
        .join(turns, turns.c.id == calls.c.turn_id)
        .outerjoin(approvals, approvals.c.call_id == calls.c.id)
        .where(turns.c.exchange_id == exchanges.c.id, condition)
        .correlate(exchanges)
        .exists()
    )


async def insert_exchange(
    connection: AsyncConnection,
    conversation_id: str,
    message: str,
    worker: str,
    now: datetime,
    *,
    beside: RowMapping | None = None,
) -> Opened:
    """Open an exchange in a conversation that is locked. Raises :class:`ConversationBusy`.

    It follows the last one of the branch that is shown, or takes its place ``beside`` another.
    """
    if await has_open_exchange(connection, conversation_id):
        raise ConversationBusy(conversation_id)
    exchange_id = new_id(Kind.EXCHANGE)
    position = await next_place_in(
        connection, exchanges, exchanges.c.conversation_id, conversation_id
    )
    await connection.execute(
        insert(exchanges).values(
            id=exchange_id,
            conversation_id=conversation_id,
            position=position,
            message=message,
            created_at=now,
            state=ExchangeState.OPEN,
            worker=worker,
            parent_id=await _head(connection, conversation_id)
            if beside is None
            else beside["parent_id"],
        )
    )
    await beat(connection, worker, now)
    await connection.execute(
        update(conversations)
        .where(conversations.c.id == conversation_id)
        .values(updated_at=now, head_id=exchange_id)
    )
    return Opened(exchange_id, message, now)


async def _head(connection: AsyncConnection, conversation_id: str) -> str | None:
    found = await connection.execute(
        select(conversations.c.head_id).where(conversations.c.id == conversation_id)
    )
    return found.scalar_one()


async def has_open_exchange(connection: AsyncConnection, conversation_id: str) -> bool:
    found = await connection.execute(
        select(exchanges.c.id).where(exchanges.c.conversation_id == conversation_id, _IS_OPEN)
    )
    return found.first() is not None


async def close_exchange(
    connection: AsyncConnection,
    exchange_id: str,
    outcome: Outcome,
    detail: str | None,
    now: datetime,
) -> bool:
    """End an exchange whose calls have all ended; False when it had ended before."""
    ended = await connection.execute(
        update(exchanges)
        .where(exchanges.c.id == exchange_id, _IS_OPEN)
        .values(
            state=ExchangeState.ENDED,
            outcome=outcome,
            outcome_detail=mended_or_none(detail),
            ended_at=now,
            worker=None,
        )
        .returning(exchanges.c.conversation_id)
    )
    conversation_id = ended.scalar_one_or_none()
    if conversation_id is None:
        return False
    await connection.execute(
        update(conversations).where(conversations.c.id == conversation_id).values(updated_at=now)
    )
    return True


async def _refuse_unended(connection: AsyncConnection, exchange_id: str) -> None:
    found = await connection.execute(
        select(calls.c.id)
        .join(turns, turns.c.id == calls.c.turn_id)
        .where(turns.c.exchange_id == exchange_id, calls.c.state.not_in(FINAL_STATES))
        .order_by(turns.c.position, calls.c.ordinal)
    )
    if unended := found.scalars().all():
        raise CallsNotEnded(unended)
