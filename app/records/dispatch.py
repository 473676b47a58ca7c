"""The life of a call on record: claimed at most once, ended exactly once.

Each change is one conditional UPDATE whose condition comes from the table of states, and tells by
its result whether it was this caller that made it.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.exact_json import dump_exact
from app.calls.gate import Verdict
from app.calls.json_types import JsonValue
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.records.approval_rows import audit_calls, close_approvals
from app.records.from_rows import call_record
from app.records.queries import Queries, lock_exchange, states_before
from app.records.rows import ApprovalState, AuditKind, CallRecord, ExchangeState
from app.records.storable import mended, mended_json, mended_or_none
from app.records.tables import approvals, calls, exchanges, turns


class DispatchQueries(Queries):
    async def call(self, call_id: str) -> CallRecord | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(calls).where(calls.c.id == call_id))
            row = found.mappings().first()
        return None if row is None else call_record(row)

    async def claim_call(self, call_id: str, worker: str, digest: str) -> bool:
        """Put "running" on record for this worker. Only a caller that is told True may dispatch.

        Of any number of claims in any number of processes at most one succeeds; none does once
        the person asked to stop, the exchange has ended, the digest differs, or unless the gate
        said ``run`` or a person approved. A call of an idempotent tool that a lost worker left
        running can be claimed again once :meth:`recover` has released it.
        """
        may_start = and_(
            calls.c.state.in_(states_before(CallState.RUNNING)),
            or_(calls.c.verdict == Verdict.RUN, _is_approved()),
        )
        released = and_(
            calls.c.state == CallState.RUNNING, calls.c.worker.is_(None), calls.c.idempotent
        )
        return await self._change(
            calls.c.id == call_id,
            calls.c.digest == digest,
            or_(may_start, released),
            _exchange_goes_on(),
            trail=(call_id, AuditKind.DISPATCHED, ""),
            state=CallState.RUNNING,
            worker=worker,
            running_at=self._clock(),
        )

    async def record_result(
        self,
        call_id: str,
        worker: str,
        state: CallState,
        content: str,
        full: JsonValue,
        is_error: bool,
        duration_ms: int,
        *,
        reason: str | None = None,
        detail: str | None = None,
    ) -> bool:
        """End a running call as ``done``, ``failed`` or ``unknown``.

        ``content`` is what the model is told, ``full`` the whole result, ``reason`` the plain
        sentence of a failure, ``detail`` the developer's. False when this worker no longer holds
        the call (it was taken for lost, and the outcome is on record as unknown).
        Raises :class:`~app.calls.exact_json.NotJson` for a result that is not JSON.
        """
        if CallState.RUNNING not in states_before(state):
            raise ValueError(f"a running call cannot become {state}")
        told, in_told = mended(content)
        whole, in_whole = mended_json(full)
        return await self._change(
            calls.c.id == call_id,
            calls.c.worker == worker,
            calls.c.state.in_(states_before(state)),
            trail=(call_id, AuditKind.ENDED, state.value),
            state=state,
            result_content=told,
            result_full=dump_exact(whole),
            result_mended=in_told + in_whole,
            is_error=is_error,
            duration_ms=duration_ms,
            reason=mended_or_none(reason),
            detail=mended_or_none(detail),
            ended_at=self._clock(),
        )

    async def lose_released(self, call_id: str, content: str) -> bool:
        """End a call that :meth:`recover` released, and that may not be run again, as unknown.

        ``content`` is what the model is told. False when it was claimed again or has ended.
        """
        return await self._change(
            calls.c.id == call_id,
            calls.c.state == CallState.RUNNING,
            calls.c.worker.is_(None),
            trail=(call_id, AuditKind.ENDED, CallState.UNKNOWN.value),
            state=CallState.UNKNOWN,
            result_content=content,
            is_error=True,
            ended_at=self._clock(),
        )

    async def refuse_call(
        self, call_id: str, reason: Reason, content: str, detail: str | None = None
    ) -> bool:
        """End a call that has not started; ``content`` is the error the model is told.

        False when it had started or ended before.
        """
        async with self._database.writing() as connection:
            refusal = refusal_values(reason, content, detail, self._clock())
            return bool(await refuse_calls(connection, calls.c.id == call_id, refusal))

    async def refuse_unstarted(
        self, exchange_id: str, reason: Reason, content: str, detail: str | None = None
    ) -> tuple[str, ...]:
        """The same for every call of an open exchange that has not started; the ids of those.

        Raises :class:`ExchangeOver`, :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            await lock_exchange(connection, exchange_id)
            refusal = refusal_values(reason, content, detail, self._clock())
            return await refuse_unstarted_calls(connection, exchange_id, refusal)

    async def _change(
        self,
        *conditions: ColumnElement[bool],
        trail: tuple[str, AuditKind, str],
        **values: Any,
    ) -> bool:
        """``trail``: the call, and what its audit trail gets if a person had to approve it."""
        async with self._database.writing() as connection:
            changed = await connection.execute(update(calls).where(*conditions).values(values))
            if changed.rowcount == 1:
                call_id, kind, detail = trail
                await audit_calls(connection, [call_id], kind, self._clock(), detail=detail)
        return changed.rowcount == 1


def refusal_values(
    reason: Reason, content: str, detail: str | None, now: datetime
) -> dict[str, Any]:
    """The columns of a call that ends without having started."""
    told, count = mended(content)
    return {
        "state": CallState.NOT_RUN,
        "reason": reason,
        "detail": mended_or_none(detail),
        "result_content": told,
        "result_mended": count,
        "is_error": True,
        "ended_at": now,
    }


async def refuse_unstarted_calls(
    connection: AsyncConnection, exchange_id: str, refusal: dict[str, Any]
) -> tuple[str, ...]:
    """End every call of a locked exchange that has not started; the ids of those."""
    of_exchange = select(turns.c.id).where(turns.c.exchange_id == exchange_id)
    return await refuse_calls(connection, calls.c.turn_id.in_(of_exchange), refusal)


async def refuse_calls(
    connection: AsyncConnection, condition: ColumnElement[bool], refusal: dict[str, Any]
) -> tuple[str, ...]:
    """End calls that have not started, and their requests for approval; the ids of the calls.

    ``refusal`` comes from :func:`refusal_values`.
    """
    refused = await connection.execute(
        update(calls)
        .where(condition, calls.c.state.in_(states_before(CallState.NOT_RUN)))
        .values(refusal)
        .returning(calls.c.id)
    )
    ended = tuple(sorted(refused.scalars()))
    await close_approvals(connection, ended, refusal["reason"], refusal["ended_at"])
    return ended


def _is_approved() -> ColumnElement[bool]:
    return (
        select(approvals.c.id)
        .where(approvals.c.call_id == calls.c.id, approvals.c.state == ApprovalState.APPROVED)
        .correlate(calls)
        .exists()
    )


def _exchange_goes_on() -> ColumnElement[bool]:
    """The call's exchange is open and nobody asked to stop it.

    PostgreSQL locks that exchange against a change while the claim is being made, so that once a
    stop is on record no claim that began before it can still succeed.
    """
    return (
        select(exchanges.c.id)
        .join(turns, turns.c.exchange_id == exchanges.c.id)
        .where(
            turns.c.id == calls.c.turn_id,
            exchanges.c.state == ExchangeState.OPEN,
            exchanges.c.stop_asked_at.is_(None),
        )
        .correlate(calls)
        .with_for_update(read=True, of=exchanges)
        .exists()
    )
