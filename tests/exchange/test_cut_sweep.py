"""A stream that dies, at every place: nothing ran, nothing is kept, and the next message works."""

import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.calls.exact_json import dump_exact
from app.exchange.parts import Bounds
from app.records.rows import AbandonedTurnRecord, Outcome
from tests.exchange.shipped import LoggedRegistry, logged_shipped_tools, shipped_field_maps
from tests.exchange.wire import Body, CallBody, Ending, MemoryWire, call_body, over, text_body
from tests.exchange.world import World, assert_lawful, world
from tests.providers.history_rules import assert_valid_history

DIALECTS = ("anthropic-messages", "openai-chat")

TICKET = (
    '{"project":"BILLING","title":"M\\u00e4rz \\"run\\" failed 🎫",'
    '"priority":"high","description":"It stopped."}'
)
NOT_ASKED_AGAIN = Bounds(regenerations=0, api_retries=0)


@dataclass(frozen=True, slots=True)
class Sweep:
    here: World
    wire: MemoryWire
    tools: LoggedRegistry
    dialect: str
    folder: Path

    async def dies(self, body: Body, *, announced: bool) -> None:
        """A turn ends like this: check what is on screen, on record and on disk; then go on."""
        await self.here.begin()
        self.wire.bodies.append(body)
        await self.here.say("Open a ticket")
        await self.assert_nothing_came_of_it(announced)
        self.wire.bodies.append(Body(text_body(self.dialect, "Here I am.")))
        await self.here.say("Are you there?")
        await self.assert_went_on()

    async def assert_nothing_came_of_it(self, announced: bool) -> None:
        assert self.tools.ran == []
        assert not (self.folder / "desk.sqlite3").exists()
        assert await self.here.turns() == []
        shown = await self.here.shown()
        expected = [("Create ticket", "not_run", "incomplete")] if announced else []
        assert shown == expected
        entries = (await self.here.records.transcript(self.here.conversation)).exchanges[0].entries
        abandoned = [entry for entry in entries if isinstance(entry, AbandonedTurnRecord)]
        assert [len(turn.calls) for turn in abandoned if turn.calls] == ([1] if announced else [])
        assert await self.here.notices() in (["gave_up"], ["provider_failed"])
        assert_lawful(await self.here.updates())

    async def assert_went_on(self) -> None:
        request = self.wire.requests[-1]
        assert_valid_history(self.dialect, json.loads(dump_exact(request)))  # noqa: TID251 - ours
        told = dump_exact(request["messages"])
        assert "One moment" not in told
        assert "create_ticket" not in told
        transcript = await self.here.records.transcript(self.here.conversation)
        assert transcript.exchanges[1].exchange.outcome is Outcome.ANSWERED
        assert len(await self.here.turns()) == 1


@asynccontextmanager
async def sweep(folder: Path, dialect: str) -> AsyncGenerator[Sweep]:
    data = folder / "data"
    data.mkdir(parents=True)
    tools, wire = logged_shipped_tools(data, data / "files"), MemoryWire()
    provider = over(wire, dialect)
    async with world(
        folder,
        bounds=NOT_ASKED_AGAIN,
        provider=provider,
        registry=tools,
        maps=shipped_field_maps(),
    ) as here:
        yield Sweep(here, wire, tools, dialect, data)
    await provider.close()


def ticket(dialect: str) -> CallBody:
    return call_body(dialect, "create_ticket", TICKET)


@pytest.mark.parametrize("ending", Ending, ids=lambda ending: ending.name)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_stream_that_dies_after_any_character_of_the_arguments(
    tmp_path: Path, dialect: str, ending: Ending
) -> None:
    body = ticket(dialect)
    async with sweep(tmp_path, dialect) as swept:
        for fragments in range(len(TICKET) + 1):
            await swept.dies(Body(body.until(fragments), ending), announced=True)


async def test_the_same_stream_that_does_not_die_runs_once(tmp_path: Path) -> None:
    for dialect in DIALECTS:
        async with sweep(tmp_path / dialect, dialect) as swept:
            bodies = (ticket(dialect).whole, text_body(dialect, "It is open."))
            swept.wire.bodies.extend(Body(body) for body in bodies)
            await swept.here.say("Open a ticket")
            assert [ran.name for ran in swept.tools.ran] == ["create_ticket"]
            assert (swept.folder / "desk.sqlite3").exists()


def short_ticket(dialect: str) -> CallBody:
    """Fewer fragments: this sweep is over the bytes of the wire, not over the arguments."""
    body = call_body(dialect, "create_ticket", "")
    whole = call_body(dialect, "create_ticket", TICKET)
    return CallBody(body.head, whole.fragments[:2], body.tail)


async def dies_at_bytes(folder: Path, places: Iterable[int]) -> None:
    """A cut within the body, either way, while the terminal event is not whole."""
    body = short_ticket("anthropic-messages")
    announced = body.head.rindex(b"event: ")
    first_event = body.whole.index(b"\n\n") + 2
    async with sweep(folder, "anthropic-messages") as swept:
        for place in places:
            for ending in Ending:
                # A start event that came whole but for its blank line may or may not be read.
                shown = place >= len(body.head) - 1
                unsure = announced < place < len(body.head) and not shown
                del first_event, unsure
                await swept.dies(Body(body.whole[:place], ending), announced=shown)


def end_of_evidence() -> int:
    """How many bytes it takes until the last event's data is whole."""
    return short_ticket("anthropic-messages").whole.rindex(b"}")


async def test_a_stream_that_dies_at_every_thirteenth_byte(tmp_path: Path) -> None:
    await dies_at_bytes(tmp_path, range(0, end_of_evidence(), 13))


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_a_stream_that_dies_at_any_byte(tmp_path: Path) -> None:
    await dies_at_bytes(tmp_path, range(end_of_evidence() + 1))
