"""What is on record of a conversation, as the updates that would have shown it.

The page of a conversation is the fold of these. A recorded call is shown by the same live turn
that showed it while it was written, so that a page loaded later says the same.
"""

from collections.abc import Iterator, Mapping

from app.calls.call_ids import call_id
from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    CallAnnounced,
    CallCompleted,
    Event,
    TextDelta,
)
from app.calls.history import CallPart, OpaquePart, TextPart
from app.calls.states import CallState
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.results import result_headings, result_rows, summary
from app.display.updates import (
    CallChanged,
    ExchangeEnded,
    ExchangeOpened,
    MessageKept,
    Noticed,
    StopAsked,
    TurnAbandoned,
    Update,
)
from app.display.view import NoticeKind, NoticeView
from app.exchange.approval_views import ApprovalViews, is_shown
from app.records.rows import (
    AbandonedTurnRecord,
    CallRecord,
    ExchangeState,
    ExchangeTranscript,
    NoticeRecord,
    Transcript,
    TurnRecord,
)


class TranscriptReader:
    """Reads records into updates, under the maps in force now."""

    def __init__(self, maps: Mapping[str, FieldMap], formats: Formats) -> None:
        self._maps = maps
        self._formats = formats
        self._approvals = ApprovalViews(maps, formats)

    def kept(self, transcript: Transcript) -> Iterator[Update]:
        for message in transcript.queued:
            yield MessageKept(message.id, message.text)

    def exchange(
        self, recorded: ExchangeTranscript, alternatives: tuple[str, ...] = ()
    ) -> Iterator[Update]:
        """The updates of one exchange, from its opening to where it stands."""
        exchange = recorded.exchange
        yield ExchangeOpened(
            exchange.id, exchange.message, exchange.created_at, alternatives=alternatives
        )
        for entry in recorded.entries:
            match entry:
                case TurnRecord():
                    yield from self._turn(exchange.id, entry)
                case AbandonedTurnRecord():
                    yield from self._abandoned(exchange.id, entry)
                case NoticeRecord():
                    notice = NoticeView(entry.id, NoticeKind(entry.kind), entry.params)
                    yield Noticed(exchange.id, notice)
        if exchange.state is ExchangeState.ENDED:
            yield ExchangeEnded(exchange.id)
        elif exchange.stop_asked_at is not None:
            yield StopAsked(exchange.id)

    def _live(self, exchange: str, turn: str) -> LiveTurn:
        return LiveTurn(exchange, turn, self._maps, self._formats)

    def _turn(self, exchange: str, turn: TurnRecord) -> Iterator[Update]:
        live = self._live(exchange, turn.id)
        calls = {call.ordinal: call for call in turn.calls}
        for block, part in enumerate(turn.parts):
            match part:
                case TextPart(text=text):
                    yield from live.take(TextDelta(block, text))
                case CallPart(ordinal=ordinal):
                    yield from self._call(live, block, calls[ordinal])
                case OpaquePart():
                    pass

    def _call(self, live: LiveTurn, block: int, call: CallRecord) -> Iterator[Update]:
        for event in _events(block, call):
            yield from live.take(event)
        if call.state is not CallState.READY:
            yield self.state(live.exchange, call)
        if call.approval is not None and is_shown(call.approval):
            yield self._approvals.changed(call.approval)

    def state(self, exchange: str, call: CallRecord) -> CallChanged:
        """The state that a call is in."""
        known = self._maps.get(call.name)
        done = known if call.state is CallState.DONE else None
        rows = result_rows(done, call.result_full, self._formats) if done else ()
        return CallChanged(
            exchange,
            call.turn_id,
            call.id,
            call.state,
            reason=call.reason,
            summary=summary(done, call.result_full, self._formats) if done else None,
            duration_ms=call.duration_ms,
            result=rows,
            result_headings=result_headings(done, rows) if done else (),
        )

    def _abandoned(self, exchange: str, turn: AbandonedTurnRecord) -> Iterator[Update]:
        live = self._live(exchange, turn.id)
        if turn.text:
            yield from live.take(TextDelta(-1, turn.text))
        for call in turn.calls:
            yield from live.take(CallAnnounced(call.ordinal, call.provider_id, call.name))
            yield from live.take(ArgumentFragment(call.ordinal, call.arguments_text))
            yield CallChanged(
                exchange,
                turn.id,
                call_id(turn.id, call.ordinal),
                CallState.NOT_RUN,
                reason=call.reason,
            )
        if live.shown:
            yield TurnAbandoned(exchange, turn.id, turn.reason)


def _events(block: int, call: CallRecord) -> Iterator[Event]:
    yield CallAnnounced(block, call.provider_id, call.name)
    if call.arguments_text is None:
        yield ArgumentObject(block, call.arguments)
    else:
        yield ArgumentFragment(block, call.arguments_text)
    yield CallCompleted(block)
