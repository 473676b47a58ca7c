"""Turns a finished, judged turn into what the store keeps of it."""

from collections.abc import Callable, Iterator
from datetime import datetime

from app.calls.blocks import Call, OpaqueBlock, TextBlock
from app.calls.exact_json import dump_exact
from app.calls.gate import Judged, Judgement, Verdict
from app.calls.history import CallPart, OpaquePart, Part, TextPart
from app.calls.turn import FinishedTurn, Turn
from app.exchange.answers import refusal
from app.exchange.binding import Binding
from app.providers.provider import Provider
from app.records.new import NewAbandonedTurn, NewApproval, NewCall, NewTurn
from app.records.rows import AbandonedCall

Ask = Callable[[str], NewApproval]
"""The request for a decision on a call of the named tool."""


def new_turn(
    turn_id: str,
    turn: Turn,
    finished: FinishedTurn,
    judgement: Judgement,
    provider: Provider,
    model: str,
    announced: dict[int, datetime],
    idempotent: Callable[[str], bool],
    binding: Binding,
    ask: Ask,
) -> NewTurn:
    """A usable turn for the record: its parts in order, its calls with their verdicts."""
    judged = {call.ordinal: call for call in judgement.calls}
    return NewTurn(
        id=turn_id,
        dialect=provider.dialect,
        model=model,
        provider_stop=finished.provider_stop,
        parts=tuple(_parts(turn, judged, provider.dialect)),
        calls=tuple(
            _new_call(
                call, judged[call.ordinal], turn_id, provider, announced, idempotent, binding, ask
            )
            for call in finished.calls
        ),
    )


def _parts(turn: Turn, judged: dict[int, Judged], dialect: str) -> Iterator[Part]:
    for block in turn.blocks.values():
        match block:
            case TextBlock() if block.text or block.extra:
                yield TextPart(block.text, block.extra)
            case OpaqueBlock(data=data) if data is not None:
                yield OpaquePart(dialect, data)
            case Call() as call:
                arguments = judged[call.ordinal].arguments
                assert arguments is not None
                assert call.name is not None
                yield CallPart(
                    call.ordinal, call.provider_id, call.name, arguments, _text(call), call.extra
                )
            case _:
                pass


def _text(call: Call) -> str | None:
    return None if call.value is not None else call.text


def _new_call(
    call: Call,
    judged: Judged,
    turn_id: str,
    provider: Provider,
    announced: dict[int, datetime],
    idempotent: Callable[[str], bool],
    binding: Binding,
    ask: Ask,
) -> NewCall:
    assert judged.arguments is not None
    assert call.name is not None
    refused = judged.verdict is Verdict.REFUSE
    assigned = f"call_{turn_id}_{call.ordinal}" if provider.needs_call_ids else None
    return NewCall(
        ordinal=call.ordinal,
        provider_id=call.provider_id or assigned,
        name=call.name,
        arguments=judged.arguments,
        arguments_text=_text(call),
        digest=binding.digest(call.name, judged.arguments),
        verdict=judged.verdict,
        announced_at=announced[call.ordinal],
        idempotent=idempotent(call.name),
        reason=judged.reason if refused else None,
        detail=judged.detail or None,
        result_content=refusal(judged) if refused else None,
        approval=ask(call.name) if judged.verdict is Verdict.ASK else None,
    )


def new_abandoned(
    turn_id: str, turn: Turn, finished: FinishedTurn, reason: str, detail: str
) -> NewAbandonedTurn:
    """An attempt that was rolled back, for the screen alone."""
    text = "\n\n".join(
        block.text for block in turn.blocks.values() if isinstance(block, TextBlock) and block.text
    )
    calls = tuple(
        AbandonedCall(
            call.ordinal,
            call.name,
            call.provider_id,
            call.text if call.value is None else dump_exact(call.value),
            reason,
        )
        for call in finished.calls
    )
    return NewAbandonedTurn(turn_id, reason, finished.provider_stop, detail, text, calls)
