"""What happens in an exchange: turns, rolled-back turns, notices."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.call_ids import call_id
from app.calls.exact_json import dump_exact
from app.calls.gate import Verdict
from app.calls.json_types import JsonObject
from app.calls.states import CallEvent, CallState, after
from app.display.view import NoticeKind
from app.records.approvals import insert_approvals
from app.records.ids import Kind, new_id
from app.records.new import NewAbandonedTurn, NewApproval, NewCall, NewTurn
from app.records.parts import dump_parts
from app.records.queries import Queries, exchange_row, lock_exchange, next_entry_position
from app.records.rows import AbandonedCall, ApprovalState, TurnRecord
from app.records.storable import mended, mended_or_none, mended_text, refuse_unstorable
from app.records.tables import abandoned_turns, calls, notices, turns
from app.records.transcripts import load_turn
from app.records.wire_ids import unique_wire_ids, wire_ids_of

_FIRST_STATES = {
    Verdict.RUN: CallState.READY,
    Verdict.ASK: after(CallState.READY, CallEvent.ASKED),
    Verdict.REFUSE: after(CallState.READY, CallEvent.REFUSED),
}


class EntryQueries(Queries):
    async def record_turn(
        self, exchange_id: str, turn: NewTurn, worker: str | None = None
    ) -> TurnRecord:
        """Put a usable turn and its calls on record; the turn as it now stands there.

        A call that the gate refused is ended at once, one that a person must approve waits for
        that from now on, all others are ``ready``. ``worker``, where
        given, must hold the exchange. Raises :class:`ExchangeOver`, :class:`NotFound`, and
        :class:`NotStorable` for arguments that a text column cannot hold.
        """
        for call in turn.calls:
            refuse_unstorable([call.arguments, call.arguments_text])
        async with self._database.writing() as connection:
            await lock_exchange(connection, exchange_id, worker)
            row = await exchange_row(connection, exchange_id)
            position = await next_entry_position(connection, exchange_id)
            await connection.execute(
                insert(turns).values(
                    id=turn.id,
                    exchange_id=exchange_id,
                    position=position,
                    dialect=turn.dialect,
                    model=turn.model,
                    provider_stop=mended_or_none(turn.provider_stop),
                    parts=dump_parts(turn.parts),
                    created_at=self._clock(),
                )
            )
            await self._insert_calls(connection, row["conversation_id"], turn)
            return await load_turn(connection, turn.id)

    async def record_abandoned(self, exchange_id: str, turn: NewAbandonedTurn) -> None:
        """Put a rolled-back attempt on record, for the screen alone.

        Raises :class:`ExchangeOver`, :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            await lock_exchange(connection, exchange_id)
            await connection.execute(
                insert(abandoned_turns).values(
                    id=turn.id,
                    exchange_id=exchange_id,
                    position=await next_entry_position(connection, exchange_id),
                    reason=turn.reason,
                    provider_stop=mended_or_none(turn.provider_stop),
                    detail=mended_text(turn.detail),
                    text=mended_text(turn.text),
                    calls=dump_exact([_abandoned_json(call) for call in turn.calls]),
                    created_at=self._clock(),
                )
            )

    async def record_notice(
        self, exchange_id: str, kind: NoticeKind, params: tuple[tuple[str, str], ...] = ()
    ) -> str:
        """The new notice's id. An exchange that has ended takes one too. Raises NotFound."""
        async with self._database.writing() as connection:
            await exchange_row(connection, exchange_id, locked=True)
            return await insert_notice(connection, exchange_id, kind, params, self._clock())

    async def _insert_calls(
        self, connection: AsyncConnection, conversation_id: str, turn: NewTurn
    ) -> None:
        if not turn.calls:
            return
        in_order = sorted(turn.calls, key=lambda call: call.ordinal)
        provider_ids = [mended_or_none(call.provider_id) for call in in_order]
        used = await wire_ids_of(connection, conversation_id)
        wire_ids = unique_wire_ids(provider_ids, used)
        rows = [
            self._call_row(turn.id, call) | {"provider_id": provider_id, "wire_id": wire_id}
            for call, provider_id, wire_id in zip(in_order, provider_ids, wire_ids, strict=True)
        ]
        await connection.execute(insert(calls), rows)
        await insert_approvals(
            connection,
            [
                self._approval_row(call_id(turn.id, call.ordinal), call.approval, call.digest)
                for call in in_order
                if call.approval is not None
            ],
        )

    def _approval_row(self, ours: str, asked: NewApproval, digest: str) -> dict[str, Any]:
        return {
            "id": new_id(Kind.APPROVAL),
            "call_id": ours,
            "by": asked.by,
            "asked_by": mended_text(asked.asked_by),
            "digest": digest,
            "schema_version": asked.schema_version,
            "asked_at": self._clock(),
            "expires_at": asked.expires_at,
            "state": ApprovalState.WAITING,
        }

    def _call_row(self, turn_id: str, call: NewCall) -> dict[str, Any]:
        refused = call.verdict is Verdict.REFUSE
        content, count = mended(call.result_content or "")
        return {
            "id": call_id(turn_id, call.ordinal),
            "turn_id": turn_id,
            "ordinal": call.ordinal,
            "name": mended_text(call.name),
            "arguments_text": call.arguments_text,
            "arguments": dump_exact(call.arguments),
            "digest": call.digest,
            "verdict": call.verdict,
            "state": _FIRST_STATES[call.verdict],
            "reason": call.reason,
            "detail": mended_or_none(call.detail),
            "announced_at": call.announced_at,
            "ended_at": self._clock() if refused else None,
            "idempotent": call.idempotent,
            "result_content": content if refused else None,
            "result_mended": count,
            "is_error": refused,
        }


async def insert_notice(
    connection: AsyncConnection,
    exchange_id: str,
    kind: NoticeKind,
    params: tuple[tuple[str, str], ...],
    now: datetime,
) -> str:
    """The same within a transaction that has locked the exchange."""
    notice_id = new_id(Kind.NOTICE)
    await connection.execute(
        insert(notices).values(
            id=notice_id,
            exchange_id=exchange_id,
            position=await next_entry_position(connection, exchange_id),
            kind=kind,
            params=dump_exact([[mended_text(name), mended_text(text)] for name, text in params]),
            created_at=now,
        )
    )
    return notice_id


def _abandoned_json(call: AbandonedCall) -> JsonObject:
    return {
        "ordinal": call.ordinal,
        "name": mended_or_none(call.name),
        "provider_id": mended_or_none(call.provider_id),
        "arguments_text": mended_text(call.arguments_text),
        "reason": call.reason,
    }
