"""From what is on record to what the next request tells the model.

- Only the branch that is shown is told of.
- Only turns that ended well are in it. After a turn with calls come their results, one for each
  call, in call order.
- A message whose exchange ended without a turn (it failed, was stopped, the process was lost)
  stays: the person said it, and "try again" must mean something. Two user messages may so follow
  each other, or a user message may follow results; an adapter merges them where its dialect asks.
- A message that the model refused, with no turn before the refusal, is left out: a provider that
  is sent a refused message again refuses all that follows it.
- A call whose outcome is unknown has a result that says so.
"""

from collections.abc import Iterator

from app.calls.history import AssistantTurn, CallResult, HistoryItem, ToolResults, UserMessage
from app.records.errors import CallsNotEnded
from app.records.rows import CallRecord, ExchangeTranscript, Outcome, Transcript, TurnRecord


def to_history(transcript: Transcript) -> tuple[HistoryItem, ...]:
    """Raises :class:`CallsNotEnded` while a call has no result."""
    turns = [turn for exchange in transcript.active for turn in exchange.turns]
    if unended := [call.id for turn in turns for call in turn.calls if call.result_content is None]:
        raise CallsNotEnded(unended)
    return tuple(item for exchange in transcript.active for item in _items(exchange))


def _items(exchange: ExchangeTranscript) -> Iterator[HistoryItem]:
    turns = exchange.turns
    if not turns and exchange.exchange.outcome is Outcome.REFUSED:
        return
    yield UserMessage(exchange.exchange.message)
    for turn in turns:
        yield from _turn_items(turn)


def _turn_items(turn: TurnRecord) -> Iterator[HistoryItem]:
    yield AssistantTurn(turn.dialect, turn.parts)
    if turn.calls:
        yield ToolResults(tuple(_result(call) for call in turn.calls))


def _result(call: CallRecord) -> CallResult:
    assert call.result_content is not None
    return CallResult(call.ordinal, call.wire_id, call.name, call.result_content, call.is_error)
