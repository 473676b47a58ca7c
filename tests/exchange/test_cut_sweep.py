"""A stream that dies, at every place: nothing ran, nothing is kept, and the next message works."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path

import pytest

from app.calls.exact_json import dump_exact
from app.exchange.parts import Bounds
from app.records.rows import AbandonedTurnRecord, NoticeRecord, Outcome
from tests.exchange.shipped import LoggedRegistry, logged_shipped_tools, shipped_field_maps
from tests.exchange.wire import Body, CallBody, Ending, MemoryWire, call_body, over, text_body
from tests.exchange.world import World, assert_lawful, world
from tests.providers.dialect_checks import floats
from tests.providers.history_rules import assert_valid_history

DIALECTS = ("anthropic-messages", "openai-chat")

TICKET = '{"project":"BILLING","title":"M\\u00e4rz \\"run\\" 🎫","priority":"high"}'
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
        view = await self.here.view()
        shown = [(call.label, call.state, call.reason) for call in self.here.call_views(view)]
        assert shown == ([("Create ticket", "not_run", "incomplete")] if announced else [])
        [exchange] = (await self.here.records.transcript(self.here.conversation)).exchanges
        assert exchange.turns == ()
        abandoned = [e for e in exchange.entries if isinstance(e, AbandonedTurnRecord)]
        assert [len(turn.calls) for turn in abandoned if turn.calls] == ([1] if announced else [])
        [notice] = [entry.kind for entry in exchange.entries if isinstance(entry, NoticeRecord)]
        assert notice in ("gave_up", "provider_failed")
        assert_lawful(await self.here.updates())

    async def assert_went_on(self) -> None:
        request = self.wire.requests[-1]
        assert_valid_history(self.dialect, floats(request))
        told = dump_exact(request["messages"])
        assert "One moment" not in told
        assert "create_ticket" not in told
        transcript = await self.here.records.transcript(self.here.conversation)
        assert transcript.exchanges[1].exchange.outcome is Outcome.ANSWERED
        assert len(transcript.exchanges[1].turns) == 1


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


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("dialect", "step"), [("anthropic-messages", 1), ("openai-chat", 4)])
async def test_a_stream_that_dies_within_the_arguments_or_after_them(
    tmp_path: Path, dialect: str, step: int
) -> None:
    """After every character in one dialect, after every fragment of four in the other; the two
    endings take turns, and the soak has both at each place."""
    received = [*range(0, len(TICKET), step), len(TICKET)]
    await dies_in_arguments(tmp_path, dialect, zip(received, cycle(Ending), strict=False))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_stream_that_dies_anywhere_within_the_arguments(
    tmp_path: Path, dialect: str
) -> None:
    await dies_in_arguments(tmp_path, dialect, product(range(len(TICKET) + 1), Ending))


async def dies_in_arguments(
    folder: Path, dialect: str, places: Iterable[tuple[int, Ending]]
) -> None:
    async with sweep(folder, dialect) as swept:
        for received, ending in places:
            body = call_body(dialect, "create_ticket", TICKET[:received])
            await swept.dies(Body(body.unended, ending), announced=True)


async def test_the_same_stream_that_does_not_die_runs_once(tmp_path: Path) -> None:
    for dialect in DIALECTS:
        async with sweep(tmp_path / dialect, dialect) as swept:
            bodies = (
                call_body(dialect, "create_ticket", TICKET).whole,
                text_body(dialect, "It is open."),
            )
            swept.wire.bodies.extend(Body(body) for body in bodies)
            await swept.here.say("Open a ticket")
            assert [ran.name for ran in swept.tools.ran] == ["create_ticket"]
            assert (swept.folder / "desk.sqlite3").exists()


def whole_ticket() -> CallBody:
    """In few events: this sweep is over the bytes of the wire, not over the arguments."""
    return call_body("anthropic-messages", "create_ticket", TICKET, size=40)


async def dies_at_bytes(folder: Path, places: Iterable[tuple[int, Ending]]) -> None:
    body = whole_ticket()
    # An event is read once its data is whole and its line has ended, even without a blank line.
    announced_at = len(body.head) - 2
    async with sweep(folder, "anthropic-messages") as swept:
        for place, ending in places:
            await swept.dies(Body(body.whole[:place], ending), announced=place >= announced_at)


def places_before_the_end(step: int) -> range:
    """Counts of bytes that leave something of the terminal event's data away."""
    return range(0, whole_ticket().whole.rindex(b"}") + 1, step)


@pytest.mark.timeout(600)
async def test_a_stream_that_dies_at_bytes_all_over(tmp_path: Path) -> None:
    await dies_at_bytes(tmp_path, zip(places_before_the_end(67), cycle(Ending), strict=False))


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_a_stream_that_dies_at_any_byte(tmp_path: Path) -> None:
    await dies_at_bytes(tmp_path, product(places_before_the_end(1), Ending))
