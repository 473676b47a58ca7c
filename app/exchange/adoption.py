"""What is left of an exchange that no process holds, and whether this one can go on from there.

A restart may run a call again only where its tool is idempotent and its worker is known to be
lost; the record has then released it. Everything else of it that was at work is ``unknown`` by
now. A call that waits for a person waits on, unless the exchange is being stopped.
"""

from collections.abc import Iterator

from app.calls.states import FINAL_STATES, CallState
from app.exchange.binding import Binding
from app.exchange.dispatch import Runnable
from app.records.rows import ApprovalState, CallRecord, ExchangeTranscript, TurnRecord


def can_go_on(exchange: ExchangeTranscript) -> bool:
    """Whether something can be done that is in no other hands: a process's, or a person's."""
    calls = [call for turn in exchange.turns for call in turn.calls]
    if any(call.state is CallState.RUNNING and not _may_start(call) for call in calls):
        return False
    if exchange.exchange.stop_asked_at is not None or any(_may_start(call) for call in calls):
        return True
    return all(call.state in FINAL_STATES for call in calls)


def left_to_run(turn: TurnRecord, binding: Binding) -> list[Runnable]:
    """The calls of a turn that have not ended and wait for nobody, in call order."""
    return list(_left(turn, binding))


def _left(turn: TurnRecord, binding: Binding) -> Iterator[Runnable]:
    for call in turn.calls:
        if _may_start(call):
            yield _runnable(call, binding)


def _runnable(call: CallRecord, binding: Binding) -> Runnable:
    again = call.state is CallState.RUNNING
    if call.approval is None:
        return Runnable(call.id, call.name, call.arguments, call.digest, again)
    changed = call.approval.edited
    arguments = call.arguments if changed is None else changed
    # Made anew: what is approved must still be what would run under the tool of now.
    bound = binding.digest(call.name, arguments)
    edited = changed is not None
    return Runnable(call.id, call.name, arguments, bound, again, asked=True, edited=edited)


def _may_start(call: CallRecord) -> bool:
    match call.state:
        case CallState.RUNNING:
            return call.idempotent and call.worker is None
        case CallState.READY:
            return True
        case CallState.AWAITING_APPROVAL:
            return call.approval is not None and call.approval.state is ApprovalState.APPROVED
        case _:
            return False
