"""Rows of requests and of their audit trail, for transactions that do more than that."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Select, insert, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.reasons import Reason
from app.records.from_rows import approval_record
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind
from app.records.tables import approvals, audit, calls, exchanges, turns

_JOINED = (
    approvals.join(calls, calls.c.id == approvals.c.call_id)
    .join(turns, turns.c.id == calls.c.turn_id)
    .join(exchanges, exchanges.c.id == turns.c.exchange_id)
)

SELECT_APPROVALS = select(
    *approvals.c,
    calls.c.turn_id,
    turns.c.exchange_id,
    exchanges.c.conversation_id,
    exchanges.c.message,
    calls.c.name.label("tool"),
    calls.c.arguments,
    calls.c.state.label("call_state"),
    calls.c.reason.label("call_reason"),
).select_from(_JOINED)
"""The columns of :class:`~app.records.rows.ApprovalRecord`."""

_ENDED_AS = {
    Reason.DENIED: ApprovalState.DENIED,
    Reason.EXPIRED: ApprovalState.EXPIRED,
    Reason.SUPERSEDED: ApprovalState.SUPERSEDED,
}
"""What a request becomes when its call is ended for a reason; any other stops it."""


async def load_approval(connection: AsyncConnection, approval_id: str) -> ApprovalRecord | None:
    found = await connection.execute(SELECT_APPROVALS.where(approvals.c.id == approval_id))
    row = found.mappings().first()
    return None if row is None else approval_record(row)


def calls_of_exchange(exchange_id: str) -> Select[tuple[str]]:
    """The ids of an exchange's calls."""
    return (
        select(calls.c.id)
        .join(turns, turns.c.id == calls.c.turn_id)
        .where(turns.c.exchange_id == exchange_id)
    )


async def close_approvals(
    connection: AsyncConnection, ended: Iterable[str], reason: Reason, now: datetime
) -> None:
    """End the open requests of calls that have just been ended, and put both on the trail."""
    ids = list(ended)
    state = _ENDED_AS.get(reason, ApprovalState.STOPPED)
    closed = await connection.execute(
        update(approvals)
        .where(approvals.c.call_id.in_(ids), approvals.c.state == ApprovalState.WAITING)
        .values(state=state, decided_at=now)
        .returning(approvals.c.call_id)
    )
    over = sorted(closed.scalars())
    await audit_calls(connection, over, AuditKind(state.value), now)
    approved = sorted(set(ids) - set(over))
    await audit_calls(connection, approved, AuditKind.ENDED, now, detail=f"not_run: {reason}")


async def audit_calls(
    connection: AsyncConnection,
    call_ids: Iterable[str],
    kind: AuditKind,
    now: datetime,
    actor: str | None = None,
    detail: str = "",
) -> None:
    """A line of the audit trail for each of the calls that a decision was asked for."""
    ids = list(call_ids)
    if not ids:
        return
    lines = (
        select(
            literal(now, audit.c.at.type),
            literal(kind.value),
            approvals.c.id,
            exchanges.c.conversation_id,
            calls.c.id,
            calls.c.name,
            approvals.c.digest,
            literal(actor, audit.c.actor.type),
            literal(detail),
        )
        .select_from(_JOINED)
        .where(calls.c.id.in_(ids))
        .order_by(calls.c.id)
    )
    await connection.execute(
        insert(audit).from_select(
            ["at", "kind", "approval_id", "conversation_id", "call_id", "tool", "digest", "actor",
             "detail"],
            lines,
        )
    )  # fmt: skip
