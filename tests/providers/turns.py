"""Runs a turn of an adapter, and makes of it what the next request's history holds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from app.calls.blocks import Call, OpaqueBlock, TextBlock
from app.calls.events import Event, Stop, TurnEnded
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    HistoryItem,
    OpaquePart,
    Part,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.calls.json_types import JsonObject
from app.calls.turn import FinishedTurn, Turn
from app.providers.provider import Provider, ToolOffer, TurnRequest
from app.providers.wire_json import read

E = TypeVar("E")

GOOD_MORNING = (UserMessage("Good morning"),)


def request(
    history: Sequence[HistoryItem] = GOOD_MORNING,
    tools: Sequence[ToolOffer] = (),
    max_tokens: int = 100_000,
) -> TurnRequest:
    return TurnRequest(history, tools, max_tokens)


async def events_of(provider: Provider, asked: TurnRequest | None = None) -> list[Event]:
    """All events of one turn; the provider is closed. Checks that the turn ended once, last."""
    try:
        events = [event async for event in provider.stream(asked or request())]
    finally:
        await provider.close()
    ends = [index for index, event in enumerate(events) if isinstance(event, TurnEnded)]
    assert ends == [len(events) - 1], "a turn ends exactly once, and nothing follows"
    return events


def only(kind: type[E], events: Iterable[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def end_of(events: Sequence[Event]) -> TurnEnded:
    end = events[-1]
    assert isinstance(end, TurnEnded)
    return end


@dataclass(slots=True)
class Told:
    """A turn as the accumulator has it."""

    turn: Turn
    finished: FinishedTurn
    events: Sequence[Event] = field(default_factory=tuple)

    @property
    def calls(self) -> list[tuple[str | None, str | None, str | JsonObject]]:
        """Id, name, and argument text or object of each call."""
        return [
            (call.provider_id, call.name, call.text if call.value is None else call.value)
            for call in self.finished.calls
        ]

    @property
    def text(self) -> str:
        blocks = self.turn.blocks.values()
        return "".join(block.text for block in blocks if isinstance(block, TextBlock))

    @property
    def usable(self) -> bool:
        return self.finished.stop is Stop.COMPLETE and self.finished.fault is None


def told(events: Sequence[Event]) -> Told:
    turn = Turn()
    for event in events:
        turn.receive(event)
    return Told(turn, turn.finish(), events)


def history_after(dialect: str, events: Sequence[Event]) -> list[HistoryItem]:
    """The history that a next request carries after a good turn, all its calls answered."""
    accumulated = told(events)
    parts = tuple(
        part
        for block in accumulated.turn.blocks.values()
        if (part := _part(dialect, block)) is not None
    )
    results = tuple(
        CallResult(part.ordinal, part.wire_id, part.name, '{"ok":true}', part.ordinal % 2 == 1)
        for part in parts
        if isinstance(part, CallPart)
    )
    after: list[HistoryItem] = [*GOOD_MORNING, AssistantTurn(dialect, parts)]
    if results:
        after.append(ToolResults(results))
    return [*after, UserMessage("Go on")]


def _part(dialect: str, block: TextBlock | Call | OpaqueBlock) -> Part | None:
    match block:
        case TextBlock():
            return TextPart(block.text, block.extra)
        case OpaqueBlock(data=data):
            return None if data is None else OpaquePart(dialect, data)
        case Call():
            text = block.text if block.value is None else None
            given = block.value if text is None else read(text.strip() or "{}")
            assert isinstance(given, dict)
            assert block.name is not None
            return CallPart(block.ordinal, block.provider_id, block.name, given, text, block.extra)
