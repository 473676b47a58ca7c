"""A long conversation, put on record as if it had been had: messages, answers, calls."""

from collections.abc import Sequence
from decimal import Decimal

from app.calls.call_ids import call_id
from app.calls.exact_json import digest, dump_exact
from app.calls.gate import Verdict
from app.calls.history import CallPart, TextPart
from app.calls.json_types import JsonObject
from app.calls.states import CallState
from app.records.ids import Kind, new_id
from app.records.new import NewCall, NewTurn
from app.records.queries import utc_now
from app.records.rows import Outcome
from app.records.store import Records

ANSWERS: Sequence[str] = (
    "That is done, and nothing else is needed from you.",
    "Three things stand out:\n\n- the run began at `02:14`\n- it stopped after **212** customers\n"
    "- nobody was charged twice\n\nThe log names a missing tax code.",
    "| Customer | Amount | Note |\n| :-- | --: | :-: |\n| Ada | 1,250.00 | paid |\n"
    "| Grace | 12.00 | open |\n\nThe second one is still to come.",
    "```python\ndef due(invoices):\n    return [one for one in invoices if not one.paid]\n```\n\n"
    "It gives those that are not paid.",
)
DESCRIPTION = (
    "The invoice run stopped after 212 of 640 customers.\nThe log names a missing tax code, and "
    "nobody was charged twice."
)
EVERY = 5
"""Of so many exchanges ..."""
WITH_CALLS = 3
"""... so many have a call."""


async def talk(records: Records, conversation: str, exchanges: int) -> None:
    """Add ``exchanges`` exchanges, a message and an answer each, three calls to five of them."""
    await records.heartbeat(WORKER)
    for number in range(exchanges):
        exchange = (
            await records.open_exchange(
                conversation, f"What of number {number} of our invoices?", WORKER
            )
        ).exchange_id
        if number % EVERY < WITH_CALLS:
            await _call(records, exchange, number)
        answer = ANSWERS[number % len(ANSWERS)]
        await records.record_turn(exchange, _turn((TextPart(answer),)))
        await records.end_exchange(exchange, Outcome.ANSWERED)


WORKER = "worker-of-the-past"


async def _call(records: Records, exchange: str, number: int) -> None:
    name, arguments, result = _kind(number)
    text = dump_exact(arguments)
    call = NewCall(0, f"call_{number}", name, arguments, text, digest(text), Verdict.RUN, utc_now())
    turn = _turn(
        (TextPart("Let me see."), CallPart(0, call.provider_id, name, arguments, text)), call
    )
    await records.record_turn(exchange, turn)
    await records.claim_call(call_id(turn.id, 0), WORKER, call.digest)
    await records.record_result(
        call_id(turn.id, 0), WORKER, CallState.DONE, dump_exact(result), result, False, 41
    )


def _kind(number: int) -> tuple[str, JsonObject, JsonObject]:
    if number % 2:
        return (
            "create_ticket",
            {"project": "BILLING", "title": f"Number {number}", "priority": "high",
             "description": DESCRIPTION},
            {"ticket_id": f"TICK-{number}"},
        )  # fmt: skip
    return (
        "look_up_invoice",
        {"invoice_number": f"INV-2026-{number:04}"},
        {"invoice_number": f"INV-2026-{number:04}", "customer": "Ada", "total": Decimal("1250.00")},
    )


def _turn(parts: tuple[TextPart | CallPart, ...], *calls: NewCall) -> NewTurn:
    stop = "tool_use" if calls else "end_turn"
    return NewTurn(new_id(Kind.TURN), "anthropic-messages", "demo", stop, parts, calls)
