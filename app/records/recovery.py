"""What a lost process left behind, made true again.

A worker is lost when its heartbeat is older than the lease, when it has none on record, or when
it is named as having been started anew. In one transaction:

- A call it was running may or may not have happened: ``unknown``, and the model is told so. Where
  the caller runs such calls again, one of an idempotent tool stays ``running``, without a worker,
  and may be claimed again.
- An exchange it held is parked for adoption where something of it can still go on (a call that
  waits for a person, a released call, a call another worker is running). Otherwise its calls that
  had not started are ``not_run`` and the exchange has ended, as stopped where that was asked for,
  else as interrupted, with a notice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    delete,
    false,
    not_,
    or_,
    select,
    union,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.view import NoticeKind
from app.records.approval_rows import audit_calls
from app.records.dispatch import refusal_values, refuse_unstarted_calls
from app.records.entries import insert_notice
from app.records.exchanges import close_exchange
from app.records.queries import Queries, states_before
from app.records.rows import AuditKind, ExchangeState, Outcome
from app.records.tables import calls, conversations, exchanges, turns, workers

OUTCOME_UNKNOWN = (
    "The outcome of this call is unknown: the process was lost while the tool was at work. It may"
    " or may not have taken effect. Do not assume either; find out, or ask the user."
)
NEVER_STARTED = "This call was not run: the process was lost before it was started."
STOPPED_FIRST = "This call was not run: the user stopped the exchange before it was started."


@dataclass(frozen=True, slots=True)
class Interrupted:
    """An exchange that was ended, with the notice that says so."""

    conversation_id: str
    exchange_id: str
    outcome: Outcome
    notice_id: str


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was changed: ids of calls by what became of them, and of exchanges."""

    unknown: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    interrupted: tuple[Interrupted, ...] = ()
    parked: tuple[str, ...] = ()


class RecoveryQueries(Queries):
    async def recover(
        self,
        now: datetime,
        lease_s: float,
        restarted: str | None = None,
        *,
        rerun_idempotent: bool = False,
    ) -> Recovered:
        """Run at start and now and then; any number of processes may.

        ``lease_s`` must be several heartbeats and exceed the difference between the clocks of
        the machines. ``restarted`` names a worker that is known to be lost whatever its
        heartbeat: the one whose place the caller has taken. Each change is reported once.
        ``rerun_idempotent`` is for a caller that adopts what is parked and claims what is
        released; without one, such an exchange would stay open for ever.
        """
        cutoff = now - timedelta(seconds=lease_s)
        async with self._database.writing() as connection:
            lost = await _lost_workers(connection, cutoff, restarted)
            if not lost:
                return Recovered()
            held = await _lock_held(connection, lost)
            unknown = await _lose_outcomes(connection, lost, now, rerun_idempotent)
            released = await _release(connection, lost)
            parked = await _park(connection, [row["id"] for row in held])
            not_run: list[str] = []
            interrupted: list[Interrupted] = []
            for row in held:
                if row["id"] not in parked:
                    not_run += await _refuse(connection, row, now)
                    interrupted.append(await _end(connection, row, now))
            await connection.execute(
                delete(workers).where(workers.c.id.in_(lost), _is_lost(cutoff, restarted))
            )
        return Recovered(unknown, released, tuple(not_run), tuple(interrupted), parked)


def _is_lost(cutoff: datetime, restarted: str | None) -> ColumnElement[bool]:
    return or_(workers.c.heartbeat_at < cutoff, workers.c.id == restarted)


async def _lost_workers(
    connection: AsyncConnection, cutoff: datetime, restarted: str | None
) -> frozenset[str]:
    on_record = select(workers.c.id)
    found = await connection.execute(
        union(
            on_record.where(_is_lost(cutoff, restarted)),
            select(exchanges.c.worker).where(
                exchanges.c.state == ExchangeState.OPEN, exchanges.c.worker.not_in(on_record)
            ),
            select(calls.c.worker).where(
                calls.c.state == CallState.RUNNING, calls.c.worker.not_in(on_record)
            ),
        )
    )
    lost = frozenset(found.scalars())
    return lost if restarted is None else lost | {restarted}


async def _lock_held(connection: AsyncConnection, lost: frozenset[str]) -> list[RowMapping]:
    """The open exchanges of lost workers, locked in the order that all queries keep."""
    theirs = and_(exchanges.c.state == ExchangeState.OPEN, exchanges.c.worker.in_(lost))
    await connection.execute(
        select(conversations.c.id)
        .where(conversations.c.id.in_(select(exchanges.c.conversation_id).where(theirs)))
        .order_by(conversations.c.id)
        .with_for_update()
    )
    found = await connection.execute(
        select(exchanges).where(theirs).order_by(exchanges.c.id).with_for_update()
    )
    return list(found.mappings())


async def _lose_outcomes(
    connection: AsyncConnection, lost: frozenset[str], now: datetime, rerun_idempotent: bool
) -> tuple[str, ...]:
    goes_on = (
        select(turns.c.id)
        .join(exchanges, exchanges.c.id == turns.c.exchange_id)
        .where(exchanges.c.state == ExchangeState.OPEN, exchanges.c.stop_asked_at.is_(None))
    )
    idempotent = and_(calls.c.idempotent, calls.c.turn_id.in_(goes_on))
    runs_again = idempotent if rerun_idempotent else false()
    changed = await connection.execute(
        update(calls)
        .where(
            calls.c.worker.in_(lost),
            calls.c.state.in_(states_before(CallState.UNKNOWN)),
            not_(runs_again),
        )
        .values(
            state=CallState.UNKNOWN, result_content=OUTCOME_UNKNOWN, is_error=True, ended_at=now
        )
        .returning(calls.c.id)
    )
    lost_calls = tuple(sorted(changed.scalars()))
    await audit_calls(connection, lost_calls, AuditKind.ENDED, now, detail=CallState.UNKNOWN.value)
    return lost_calls


async def _release(connection: AsyncConnection, lost: frozenset[str]) -> tuple[str, ...]:
    """What the lost are still running now is idempotent, and may be claimed again."""
    changed = await connection.execute(
        update(calls)
        .where(calls.c.worker.in_(lost), calls.c.state == CallState.RUNNING)
        .values(worker=None)
        .returning(calls.c.id)
    )
    return tuple(sorted(changed.scalars()))


async def _park(connection: AsyncConnection, held: Sequence[str]) -> tuple[str, ...]:
    waiting = and_(
        calls.c.state == CallState.AWAITING_APPROVAL, exchanges.c.stop_asked_at.is_(None)
    )
    goes_on = (
        select(calls.c.id)
        .join(turns, turns.c.id == calls.c.turn_id)
        .where(
            turns.c.exchange_id == exchanges.c.id, or_(calls.c.state == CallState.RUNNING, waiting)
        )
        .correlate(exchanges)
        .exists()
    )
    changed = await connection.execute(
        update(exchanges)
        .where(exchanges.c.id.in_(held), goes_on)
        .values(worker=None)
        .returning(exchanges.c.id)
    )
    return tuple(sorted(changed.scalars()))


async def _refuse(
    connection: AsyncConnection, exchange: RowMapping, now: datetime
) -> tuple[str, ...]:
    stopped = exchange["stop_asked_at"] is not None
    reason = Reason.STOPPED if stopped else Reason.INCOMPLETE
    refusal = refusal_values(reason, STOPPED_FIRST if stopped else NEVER_STARTED, None, now)
    return await refuse_unstarted_calls(connection, exchange["id"], refusal)


async def _end(connection: AsyncConnection, exchange: RowMapping, now: datetime) -> Interrupted:
    stopped = exchange["stop_asked_at"] is not None
    outcome = Outcome.STOPPED if stopped else Outcome.INTERRUPTED
    kind = NoticeKind.STOPPED if stopped else NoticeKind.INTERRUPTED
    exchange_id = exchange["id"]
    notice_id = await insert_notice(connection, exchange_id, kind, (), now)
    await close_exchange(connection, exchange_id, outcome, None, now)
    return Interrupted(exchange["conversation_id"], exchange_id, outcome, notice_id)
