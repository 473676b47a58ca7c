"""What viewers have not been told yet of decisions that are on record."""

from collections.abc import Mapping, Sequence

from app.calls.states import CallState
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.updates import (
    ApprovalChanged,
    CallChanged,
    CallOpened,
    ExchangeEnded,
    Update,
)
from app.exchange.approval_views import ApprovalViews
from app.exchange.transcript import TranscriptReader
from app.feed.feed import Held
from app.records.rows import ApprovalState, CallRecord, ExchangeState, Transcript


def decisions_untold(
    transcript: Transcript,
    held: Held,
    maps: Mapping[str, FieldMap],
    formats: Formats,
) -> list[Update] | None:
    """The updates that bring a feed's last exchange up to date with what was decided.

    ``held`` is what the feed holds. None when the record has gone further than a decision can
    take it: then another process has gone on with the exchange, and the feed is behind.
    """
    told, opened = held.updates, held.opened
    ended = [update.exchange for update in told if isinstance(update, ExchangeEnded)]
    shown = _shown_states(told)
    reader, views = TranscriptReader(maps, formats), ApprovalViews(maps, formats)
    untold: list[Update] = []
    for exchange in transcript.exchanges:
        if exchange.exchange.id not in opened:
            continue
        if exchange.exchange.state is ExchangeState.ENDED and exchange.exchange.id not in ended:
            return None
        for turn in exchange.turns:
            for call in turn.calls:
                if call.id not in shown:
                    return None
                if shown[call.id] is not CallState.AWAITING_APPROVAL:
                    continue
                if call.state is CallState.NOT_RUN:
                    untold.append(reader.state(exchange.exchange.id, call))
                elif call.state is not CallState.AWAITING_APPROVAL:
                    return None
                elif _is_newly_approved(call, told):
                    assert call.approval is not None
                    untold.append(views.changed(call.approval))
    return untold


def _shown_states(told: Sequence[Update]) -> dict[str, CallState]:
    shown: dict[str, CallState] = {}
    for update in told:
        if isinstance(update, CallOpened | CallChanged):
            shown[update.call] = update.state
    return shown


def _is_newly_approved(call: CallRecord, told: Sequence[Update]) -> bool:
    if call.approval is None or call.approval.state is not ApprovalState.APPROVED:
        return False
    return not any(
        isinstance(update, ApprovalChanged)
        and update.call == call.id
        and update.approval.approved_at is not None
        for update in told
    )
