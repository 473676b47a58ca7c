"""Recordings, replayed as the developer view replays them."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

import pytest

from app.bootstrap import recorded_provider
from app.calls.events import Event
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.developer.replaying import Judging, Replayer
from app.developer.turn_log import Terms, TurnLog
from app.developer.wire import Piece, WireRecording
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.exchange.replay import MapRules
from app.exchange.rules import Person
from app.providers.provider import Provider, TurnRequest
from app.tools.registry import Registry
from tests.providers.recordings import OWN, parameters

DIALECTS = ("anthropic-messages", "openai-chat", "openai-responses", "gemini", "ollama")
BODIES = [
    *(
        pytest.param(file.parent.name, file, id=f"own-{file.parent.name}-{file.name}")
        for file in sorted(OWN.glob("*/*"))
        if file.parent.name in DIALECTS and file.is_file()
    ),
    *(
        pytest.param(dialect, each.values[0].path, id=f"{each.id}")
        if each.values[0] is not None
        else pytest.param(dialect, None, id=f"{dialect}-none", marks=each.marks)
        for dialect in DIALECTS
        for each in parameters(dialect)
    ),
]
"""Dialect and file: our own recordings, and those beside the checkout where they are."""


def terms(maps: Mapping[str, FieldMap] | None = None, limits: Limits = DEFAULT_LIMITS) -> Terms:
    return Terms(maps or {}, Formats("en"), limits)


def judging(under: Terms) -> Judging:
    return Judging(MapRules(Registry(), under.maps, Person("tester")))


def in_pieces(dialect: str, body: bytes) -> WireRecording:
    """A body in pieces of nine bytes, a millisecond between each."""
    pieces = [Piece(at * 1000, body[at * 9 : at * 9 + 9]) for at in range(len(body) // 9 + 1)]
    return WireRecording(dialect, [*pieces, Piece(len(body) * 1000, b"")])


async def replayed(
    dialect: str, body: bytes, under: Terms | None = None
) -> tuple[list[Event], TurnLog]:
    """What the adapter told of a recording, and what the developer view makes of it."""
    under = under or terms()
    heard: list[Event] = []
    listening = Replayer(lambda name, wire: Listening(recorded_provider(name, wire), heard), under)
    return heard, await listening.replay(in_pieces(dialect, body), judging(under))


class Listening:
    """A provider that passes every event on, and keeps it."""

    def __init__(self, provider: Provider, heard: list[Event]) -> None:
        self.dialect = provider.dialect
        self.needs_call_ids = provider.needs_call_ids
        self._provider = provider
        self._heard = heard

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        async with aclosing(self._provider.stream(request)) as events:
            async for event in events:
                self._heard.append(event)
                yield event

    async def close(self) -> None:
        await self._provider.close()
