"""Requests for a person's decision: asked with the turn, over exactly once.

A request is over when it was decided, when its time is up, or when its call was ended in another
way; each is one conditional UPDATE under the exchange's lock, so that of any number of attempts
one has an effect and the others find what it left.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.records.approval_rows import (
    SELECT_APPROVALS,
    audit_calls,
    calls_of_exchange,
    load_approval,
)
from app.records.dispatch import refusal_values, refuse_calls
from app.records.errors import NotFound
from app.records.from_rows import approval_record, audit_record
from app.records.queries import Queries, exchange_row
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind, AuditRecord, ExchangeState
from app.records.storable import mended_or_none, mended_text
from app.records.tables import approvals, audit, calls, exchanges, turns

_PAGE = 500


@dataclass(frozen=True, slots=True)
class NewDecision:
    """What a person decided, of the arguments that ``digest`` names.

    ``edited`` are the arguments to run instead, with the digest that their dispatch will name.
    ``told`` is the error that the model gets for a denied call, ``told_if_late`` for one whose
    time is up.
    """

    approve: bool
    digest: str
    by: str
    reason: str | None = None
    note: str | None = None
    told: str = ""
    told_if_late: str = ""
    edited: JsonObject | None = None
    edited_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """The request as it is now, and whether this attempt is what decided it."""

    approval: ApprovalRecord
    changed: bool


class ApprovalQueries(Queries):
    async def approval(self, approval_id: str) -> ApprovalRecord | None:
        async with self._database.reading() as connection:
            return await load_approval(connection, approval_id)

    async def approvals_of(self, exchange_id: str) -> tuple[ApprovalRecord, ...]:
        """All requests of an exchange, in call order."""
        return await self._select(
            SELECT_APPROVALS.where(exchanges.c.id == exchange_id).order_by(
                turns.c.position, calls.c.ordinal
            )
        )

    async def waiting_approvals(
        self, by: str, tool: str | None = None
    ) -> tuple[ApprovalRecord, ...]:
        """Undecided requests that are not being stopped, oldest first."""
        conditions = [_is_waiting(), approvals.c.by == by, exchanges.c.stop_asked_at.is_(None)]
        if tool is not None:
            conditions.append(calls.c.name == tool)
        return await self._select(
            SELECT_APPROVALS.where(*conditions).order_by(approvals.c.asked_at, approvals.c.id)
        )

    async def past_approvals(
        self, by: str, search: str = "", before: datetime | None = None, limit: int = 50
    ) -> tuple[ApprovalRecord, ...]:
        """Requests that are over, the latest first.

        ``search`` is looked for, without regard to case, in tool, persons, reason, note, state
        and the arguments.
        """
        conditions = [approvals.c.state != ApprovalState.WAITING, approvals.c.by == by]
        if before is not None:
            conditions.append(approvals.c.decided_at < before)
        if search:
            conditions.append(_mentions(search))
        return await self._select(
            SELECT_APPROVALS.where(*conditions)
            .order_by(approvals.c.decided_at.desc(), approvals.c.id)
            .limit(limit)
        )

    async def decide(self, approval_id: str, decision: NewDecision) -> Decided:
        """Decide a request, if it is still open and its digest is the one that was shown.

        An attempt that changes nothing is put on the audit trail. Raises :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            asked = await _locked(connection, approval_id)
            now = self._clock()
            changed = await _decide(connection, asked, decision, now)
            if not changed:
                await _close_if_due(connection, asked, now, decision.told_if_late)
                why = _why_not(asked, decision)
                await audit_calls(
                    connection, [asked.call_id], AuditKind.REFUSED, now, decision.by, why
                )
            return Decided(await _known(connection, approval_id), changed)

    async def refuse_attempt(self, approval_id: str, actor: str, why: str) -> None:
        """Put on the audit trail that somebody tried to decide who may not."""
        async with self._database.writing() as connection:
            asked = await load_approval(connection, approval_id)
            if asked is not None:
                await audit_calls(
                    connection, [asked.call_id], AuditKind.REFUSED, self._clock(), actor, why
                )

    async def expire_approvals(self, told: str) -> tuple[ApprovalRecord, ...]:
        """End every request whose time is up; those that this call ended.

        ``told`` is the error that the model gets.
        """
        now = self._clock()
        due = SELECT_APPROVALS.where(_is_waiting(), approvals.c.expires_at <= now)
        async with self._database.writing() as connection:
            found = await connection.execute(due.order_by(exchanges.c.id, approvals.c.id))
            ended = [
                row["id"]
                for row in found.mappings().all()
                if await _expire(connection, row["id"], now, told)
            ]
            return tuple([await _known(connection, each) for each in ended])

    async def supersede_approvals(self, conversation_id: str, told: str) -> tuple[str, ...]:
        """End what waits in a conversation because the person went on; the ids of the calls."""
        async with self._database.writing() as connection:
            found = await connection.execute(
                select(exchanges.c.id)
                .where(
                    exchanges.c.conversation_id == conversation_id,
                    exchanges.c.state == ExchangeState.OPEN,
                )
                .with_for_update()
            )
            exchange_id = found.scalar_one_or_none()
            if exchange_id is None:
                return ()
            waiting = and_(_is_waiting(), approvals.c.call_id.in_(calls_of_exchange(exchange_id)))
            refusal = refusal_values(Reason.SUPERSEDED, told, None, self._clock())
            ids = select(approvals.c.call_id).where(waiting)
            return await refuse_calls(connection, calls.c.id.in_(ids), refusal)

    async def audit_trail(self) -> AsyncGenerator[AuditRecord, None]:
        """Every line, oldest first, read page by page."""
        last = 0
        while True:
            async with self._database.reading() as connection:
                found = await connection.execute(
                    select(audit).where(audit.c.id > last).order_by(audit.c.id).limit(_PAGE)
                )
                page = [audit_record(row) for row in found.mappings()]
            for line in page:
                yield line
            if len(page) < _PAGE:
                return
            last = page[-1].id

    async def audit_position(self) -> int:
        """Grows with every line of the audit trail, whichever process writes it."""
        async with self._database.reading() as connection:
            last = await connection.execute(select(func.max(audit.c.id)))
            return int(last.scalar_one() or 0)

    async def _select(self, query: Select[Any]) -> tuple[ApprovalRecord, ...]:
        async with self._database.reading() as connection:
            found = await connection.execute(query)
            return tuple(approval_record(row) for row in found.mappings())


async def insert_approvals(connection: AsyncConnection, rows: Sequence[dict[str, Any]]) -> None:
    """Requests for calls that the same transaction has put on record."""
    if not rows:
        return
    await connection.execute(insert(approvals), rows)
    asked = {row["call_id"]: row for row in rows}
    for call_id, row in asked.items():
        await audit_calls(
            connection, [call_id], AuditKind.REQUESTED, row["asked_at"], row["asked_by"]
        )


def _is_waiting() -> ColumnElement[bool]:
    return approvals.c.state == ApprovalState.WAITING


def _mentions(search: str) -> ColumnElement[bool]:
    columns = (
        calls.c.name,
        calls.c.arguments,
        approvals.c.asked_by,
        approvals.c.decided_by,
        approvals.c.reason,
        approvals.c.note,
        approvals.c.state,
    )
    return or_(*(column.icontains(search, autoescape=True) for column in columns))


async def _known(connection: AsyncConnection, approval_id: str) -> ApprovalRecord:
    found = await load_approval(connection, approval_id)
    if found is None:
        raise NotFound("approval", approval_id)
    return found


async def _locked(connection: AsyncConnection, approval_id: str) -> ApprovalRecord:
    """The request as it is once nobody else can change its exchange."""
    exchange_id = (await _known(connection, approval_id)).exchange_id
    await exchange_row(connection, exchange_id, locked=True)
    return await _known(connection, approval_id)


async def _decide(
    connection: AsyncConnection, asked: ApprovalRecord, decision: NewDecision, now: datetime
) -> bool:
    goes_on = select(exchanges.c.id).where(
        exchanges.c.id == asked.exchange_id,
        exchanges.c.state == ExchangeState.OPEN,
        exchanges.c.stop_asked_at.is_(None),
    )
    state = ApprovalState.APPROVED if decision.approve else ApprovalState.DENIED
    edited = None if decision.edited is None else dump_exact(decision.edited)
    changed = await connection.execute(
        update(approvals)
        .where(
            approvals.c.id == asked.id,
            _is_waiting(),
            approvals.c.digest == decision.digest,
            approvals.c.expires_at > now,
            goes_on.exists(),
        )
        .values(
            state=state,
            decided_by=mended_text(decision.by),
            decided_at=now,
            reason=mended_or_none(decision.reason),
            note=mended_or_none(decision.note),
            edited=edited,
        )
    )
    if changed.rowcount != 1:
        return False
    kind = AuditKind.APPROVED if decision.approve else AuditKind.DENIED
    detail = "" if edited is None else f"with changed arguments, digest {decision.edited_digest}"
    await audit_calls(connection, [asked.call_id], kind, now, decision.by, detail)
    if not decision.approve:
        refusal = refusal_values(Reason.DENIED, decision.told, None, now)
        await connection.execute(update(calls).where(calls.c.id == asked.call_id).values(refusal))
    elif decision.edited_digest is not None:
        await connection.execute(
            update(calls).where(calls.c.id == asked.call_id).values(digest=decision.edited_digest)
        )
    return True


def _why_not(asked: ApprovalRecord, decision: NewDecision) -> str:
    if asked.state is not ApprovalState.WAITING:
        return f"the request was over before: {asked.state.value}"
    if asked.digest != decision.digest:
        return "the decision names other arguments than those that were shown"
    return "the request's time was up, or its exchange was being stopped"


async def _close_if_due(
    connection: AsyncConnection, asked: ApprovalRecord, now: datetime, told: str
) -> None:
    if asked.state is ApprovalState.WAITING and asked.expires_at <= now:
        await _expire(connection, asked.id, now, told)


async def _expire(connection: AsyncConnection, approval_id: str, now: datetime, told: str) -> bool:
    asked = await _locked(connection, approval_id)
    if asked.state is not ApprovalState.WAITING:
        return False
    refusal = refusal_values(Reason.EXPIRED, told, None, now)
    return bool(await refuse_calls(connection, calls.c.id == asked.call_id, refusal))
