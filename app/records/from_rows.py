"""Database rows to records: the one place where a column's text becomes a type."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import RowMapping

from app.calls.exact_json import load_exact
from app.calls.gate import Verdict
from app.calls.states import CallState
from app.records.parts import load_parts
from app.records.rows import (
    AbandonedCall,
    AbandonedTurnRecord,
    ApprovalRecord,
    ApprovalState,
    AuditKind,
    AuditRecord,
    CallRecord,
    ConversationRecord,
    ExchangeRecord,
    ExchangeState,
    NoticeRecord,
    Outcome,
    QueuedMessage,
    TurnRecord,
)


def conversation_record(row: RowMapping) -> ConversationRecord:
    roles = frozenset(cast(list[str], load_exact(row["roles"])))
    return ConversationRecord(**_columns(row, roles=roles))


def exchange_record(row: RowMapping) -> ExchangeRecord:
    outcome = row["outcome"]
    return ExchangeRecord(
        **_columns(
            row,
            state=ExchangeState(row["state"]),
            outcome=None if outcome is None else Outcome(outcome),
        )
    )


def call_record(row: RowMapping, approval: ApprovalRecord | None = None) -> CallRecord:
    full = row["result_full"]
    return CallRecord(
        **_columns(
            row,
            arguments=load_exact(row["arguments"]),
            verdict=Verdict(row["verdict"]),
            state=CallState(row["state"]),
            result_full=None if full is None else load_exact(full),
            approval=approval,
        )
    )


def approval_record(row: RowMapping) -> ApprovalRecord:
    edited = row["edited"]
    return ApprovalRecord(
        **_columns(
            row,
            state=ApprovalState(row["state"]),
            arguments=load_exact(row["arguments"]),
            edited=None if edited is None else load_exact(edited),
            call_state=CallState(row["call_state"]),
        )
    )


def audit_record(row: RowMapping) -> AuditRecord:
    return AuditRecord(**_columns(row, kind=AuditKind(row["kind"])))


def turn_record(row: RowMapping, calls: Sequence[CallRecord]) -> TurnRecord:
    parts = load_parts(row["parts"], {call.ordinal: call for call in calls})
    return TurnRecord(**_columns(row, parts=parts, calls=tuple(calls)))


def abandoned_turn_record(row: RowMapping) -> AbandonedTurnRecord:
    stored = cast(list[dict[str, Any]], load_exact(row["calls"]))
    calls = tuple(AbandonedCall(**call) for call in stored)
    return AbandonedTurnRecord(**_columns(row, calls=calls))


def notice_record(row: RowMapping) -> NoticeRecord:
    stored = cast(list[list[str]], load_exact(row["params"]))
    params = tuple((name, value) for name, value in stored)
    return NoticeRecord(**_columns(row, params=params))


def queued_message(row: RowMapping) -> QueuedMessage:
    return QueuedMessage(row["id"], row["conversation_id"], row["text"], row["created_at"])


def _columns(row: RowMapping, **decoded: object) -> dict[str, Any]:
    """A record's fields are named as the table's columns; some need more than their value."""
    return {**row, **decoded}
