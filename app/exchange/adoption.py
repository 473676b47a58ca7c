"""What a lost process left of an exchange, and whether this one can go on from there.

A restart may run a call again only where its tool is idempotent and its worker is known to be
lost; the record has then released it. Everything else of it that was at work is ``unknown`` by
now, and an exchange that waits for a person waits on.
"""

from collections.abc import Iterator

from app.calls.gate import Verdict
from app.calls.states import FINAL_STATES, CallState
from app.exchange.dispatch import Runnable
from app.records.rows import CallRecord, ExchangeTranscript, TurnRecord


def can_go_on(exchange: ExchangeTranscript) -> bool:
    """Whether nothing of an exchange is in other hands: a process's, or a person's."""
    return all(
        call.state in FINAL_STATES or _is_left(call)
        for turn in exchange.turns
        for call in turn.calls
    )


def left_to_run(turn: TurnRecord) -> list[Runnable]:
    """The calls of a turn that have not ended, in call order."""
    return list(_left(turn))


def _left(turn: TurnRecord) -> Iterator[Runnable]:
    for call in turn.calls:
        if _is_left(call):
            again = call.state is CallState.RUNNING
            yield Runnable(call.id, call.name, call.arguments, call.digest, again)


def _is_left(call: CallRecord) -> bool:
    if call.state is CallState.RUNNING:
        return call.idempotent and call.worker is None
    return call.state is CallState.READY and call.verdict is Verdict.RUN
