"""Shorthand for what the tests put on record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from app.calls.call_ids import call_id
from app.calls.exact_json import digest, dump_exact
from app.calls.gate import Verdict
from app.calls.history import CallPart, TextPart
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.records.ids import Kind, new_id
from app.records.new import NewApproval, NewCall, NewTurn
from app.records.store import Records

START = datetime(2031, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)
ASKED = NewApproval("operator", "grace", "v1", START + timedelta(hours=1))


@dataclass
class TickingClock:
    """Each reading is a second after the one before."""

    moment: datetime = field(default=START)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def new_call(
    ordinal: int = 0,
    *,
    provider_id: str | None = "call_1",
    name: str = "look_up_invoice",
    arguments: JsonObject | None = None,
    verdict: Verdict = Verdict.RUN,
    idempotent: bool = False,
) -> NewCall:
    arguments = {"number": ordinal} if arguments is None else arguments
    refused = verdict is Verdict.REFUSE
    return NewCall(
        ordinal,
        provider_id,
        name,
        arguments,
        dump_exact(arguments),
        digest(dump_exact(arguments)),
        verdict,
        START,
        idempotent=idempotent,
        reason=Reason.UNKNOWN_TOOL if refused else None,
        detail="no such tool" if refused else None,
        result_content="There is no such tool." if refused else None,
        approval=ASKED if verdict is Verdict.ASK else None,
    )


def new_turn(*calls: NewCall, text: str = "Let me look.", turn_id: str | None = None) -> NewTurn:
    parts = (TextPart(text), *(_call_part(call) for call in calls))
    stop = "tool_use" if calls else "end_turn"
    return NewTurn(turn_id or new_id(Kind.TURN), "anthropic-messages", "demo", stop, parts, calls)


def _call_part(call: NewCall) -> CallPart:
    return CallPart(call.ordinal, call.provider_id, call.name, call.arguments, call.arguments_text)


@dataclass(frozen=True)
class Opened:
    """An exchange with a turn whose calls are on record."""

    conversation_id: str
    exchange_id: str
    call_ids: tuple[str, ...]
    digests: tuple[str, ...]


async def open_with_calls(
    records: Records, calls: Sequence[NewCall], worker: str = "worker-1", owner: str = "ada"
) -> Opened:
    conversation_id = await records.create_conversation(owner, "Invoices")
    exchange_id = (await records.open_exchange(conversation_id, "What is due?", worker)).exchange_id
    turn = new_turn(*calls)
    await records.record_turn(exchange_id, turn)
    return Opened(
        conversation_id,
        exchange_id,
        tuple(call_id(turn.id, call.ordinal) for call in calls),
        tuple(call.digest for call in calls),
    )
