"""A conversation as JSON for the person it belongs to.

Everything that was said, called and answered. Left out is what says nothing about it and might
open something: the owner's identity, the names of workers, digests, and a provider's opaque data.
"""

from datetime import datetime
from typing import cast

from app.calls.history import CallPart, Part, TextPart
from app.calls.json_types import JsonObject, JsonValue
from app.records.rows import (
    AbandonedCall,
    AbandonedTurnRecord,
    ApprovalRecord,
    CallRecord,
    EntryRecord,
    ExchangeTranscript,
    NoticeRecord,
    Transcript,
    TurnRecord,
)


def transcript_json(transcript: Transcript) -> JsonObject:
    """Moments are ISO 8601 in UTC; numbers of arguments and results are exact."""
    conversation = transcript.conversation
    return {
        "format": "formwork-conversation-1",
        "id": conversation.id,
        "title": conversation.title,
        "created_at": conversation.created_at.isoformat(),
        "updated_at": conversation.updated_at.isoformat(),
        "shown_branch": [each.exchange.id for each in transcript.active],
        "exchanges": [_exchange(exchange) for exchange in transcript.exchanges],
        "queued_messages": [
            {"text": message.text, "created_at": message.created_at.isoformat()}
            for message in transcript.queued
        ],
    }


def _exchange(transcript: ExchangeTranscript) -> JsonValue:
    exchange = transcript.exchange
    return {
        "id": exchange.id,
        "follows": exchange.parent_id,
        "message": exchange.message,
        "created_at": exchange.created_at.isoformat(),
        "state": exchange.state.value,
        "outcome": None if exchange.outcome is None else exchange.outcome.value,
        "outcome_detail": exchange.outcome_detail,
        "stop_asked_at": _moment(exchange.stop_asked_at),
        "ended_at": _moment(exchange.ended_at),
        "entries": [_entry(entry) for entry in transcript.entries],
    }


def _entry(entry: EntryRecord) -> JsonValue:
    match entry:
        case TurnRecord():
            return _turn(entry)
        case AbandonedTurnRecord():
            return _abandoned(entry)
        case NoticeRecord():
            return {
                "type": "notice",
                "kind": entry.kind,
                "params": cast(JsonObject, dict(entry.params)),
                "created_at": entry.created_at.isoformat(),
            }


def _turn(turn: TurnRecord) -> JsonValue:
    parts = [_part(part) for part in turn.parts if isinstance(part, TextPart | CallPart)]
    return {
        "type": "turn",
        "id": turn.id,
        "dialect": turn.dialect,
        "model": turn.model,
        "provider_stop": turn.provider_stop,
        "created_at": turn.created_at.isoformat(),
        "parts": parts,
        "calls": [_call(call) for call in turn.calls],
    }


def _part(part: Part) -> JsonValue:
    return {"text": part.text} if isinstance(part, TextPart) else {"call": _ordinal(part)}


def _ordinal(part: Part) -> int:
    assert isinstance(part, CallPart)
    return part.ordinal


def _call(call: CallRecord) -> JsonValue:
    return {
        "id": call.id,
        "ordinal": call.ordinal,
        "provider_id": call.provider_id,
        "name": call.name,
        "arguments": call.arguments,
        "arguments_text": call.arguments_text,
        "verdict": call.verdict.value,
        "state": call.state.value,
        "reason": call.reason,
        "detail": call.detail,
        "announced_at": call.announced_at.isoformat(),
        "running_at": _moment(call.running_at),
        "ended_at": _moment(call.ended_at),
        "duration_ms": call.duration_ms,
        "result_content": call.result_content,
        "result": call.result_full,
        "characters_replaced": call.result_mended,
        "is_error": call.is_error,
        "approval": None if call.approval is None else _approval(call.approval),
    }


def _approval(asked: ApprovalRecord) -> JsonValue:
    """Without who decided and their note: those are the operators'."""
    return {
        "by": asked.by,
        "asked_at": asked.asked_at.isoformat(),
        "expires_at": asked.expires_at.isoformat(),
        "state": asked.state.value,
        "over_at": _moment(asked.decided_at),
        "reason": asked.reason,
        "edited_arguments": asked.edited,
    }


def _abandoned(turn: AbandonedTurnRecord) -> JsonValue:
    return {
        "type": "abandoned_turn",
        "id": turn.id,
        "reason": turn.reason,
        "provider_stop": turn.provider_stop,
        "detail": turn.detail,
        "text": turn.text,
        "created_at": turn.created_at.isoformat(),
        "calls": [_abandoned_call(call) for call in turn.calls],
    }


def _abandoned_call(call: AbandonedCall) -> JsonValue:
    return {
        "ordinal": call.ordinal,
        "name": call.name,
        "provider_id": call.provider_id,
        "arguments_text": call.arguments_text,
        "reason": call.reason,
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
