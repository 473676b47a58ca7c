"""Whatever a turn looks like: what ran, what is on record, what goes back, and what is shown."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings

from app.calls.history import AssistantTurn, CallPart, ToolResults, UserMessage
from app.display.view import CallView, ConversationView, NoticeView, TextView, TurnView
from app.exchange.parts import Bounds
from app.providers.provider import Provider, TurnRequest
from tests.exchange.random_turns import RandomTurn, random_turns
from tests.exchange.wire import Body, MemoryWire, over, text_body
from tests.exchange.world import Step, World, assert_lawful, said, world
from tests.providers.dialect_checks import floats
from tests.providers.history_rules import assert_valid_history

DIALECTS = ("anthropic-messages", "openai-chat")


@dataclass(frozen=True, slots=True)
class Adapter:
    """The real adapter of a dialect, which shows what it would send."""

    dialect: str
    wire: MemoryWire
    provider: Provider

    @classmethod
    def of(cls, dialect: str) -> "Adapter":
        wire = MemoryWire()
        return cls(dialect, wire, over(wire, dialect))

    async def accepts(self, request: TurnRequest) -> None:
        self.wire.bodies.append(Body(text_body(self.dialect, "Yes.")))
        async for _ in self.provider.stream(request):
            pass
        assert_valid_history(self.dialect, floats(self.wire.requests[-1]))


async def holds(here: World, adapters: Iterable[Adapter], turn: RandomTurn) -> None:
    await here.begin()
    turns: list[Sequence[Step]] = [turn.events, said("That is all.")]
    here.model.turns = turns
    here.model.requests.clear()
    here.log.ran.clear()
    await here.say("Do it")
    await assert_what_ran(here, turn)
    await assert_what_is_shown(here, turn)
    await assert_what_goes_back(here, turn, adapters)
    watched = page(await here.view())
    assert page(await here.recorded_view()) == watched


async def assert_what_ran(here: World, turn: RandomTurn) -> None:
    assert sorted(here.log.names) == sorted(turn.to_run)
    assert len({context.call_id for _, _, context in here.log.ran}) == len(turn.to_run)


async def assert_what_is_shown(here: World, turn: RandomTurn) -> None:
    shown = await here.shown()
    assert_lawful(await here.updates())
    if turn.usable:
        assert [state for _, state, _ in shown] == turn.states
        told = [why for _, state, why in shown if state == "not_run"]
        assert told == [kind.refused for kind in turn.kinds if kind.refused]
    else:
        assert {state for _, state, _ in shown} <= {"not_run"}
        assert {why for _, _, why in shown} <= turn.reasons
        assert await here.notices() in (["gave_up"], ["refused"])


async def assert_what_goes_back(here: World, turn: RandomTurn, adapters: Iterable[Adapter]) -> None:
    history = await here.records.history(here.conversation)
    turns = [item for item in history if isinstance(item, AssistantTurn)]
    assert len(turns) == (0 if not turn.usable else 2 if turn.kinds else 1)
    calls = [part for item in turns for part in item.parts if isinstance(part, CallPart)]
    results = [r for item in history if isinstance(item, ToolResults) for r in item.results]
    assert [(part.ordinal, part.wire_id, part.name) for part in calls] == [
        (result.ordinal, result.wire_id, result.name) for result in results
    ]
    assert len({result.wire_id for result in results}) == len(results)
    assert [result.is_error for result in results] == [
        bool(kind.refused) or kind.ends == "failed" for kind in turn.kinds if turn.usable
    ]
    for adapter in adapters:
        await adapter.accepts(TurnRequest((*history, UserMessage("And now?")), (), 100))


def page(view: ConversationView) -> list[tuple[object, ...]]:
    """What a person sees, in order, without the moments at which it came."""
    told: list[tuple[object, ...]] = []
    for exchange in view.exchanges.values():
        told.append((exchange.message, exchange.open, exchange.stopping))
        for entry in exchange.entries.values():
            told.extend(_entry(entry))
    return told


def _entry(entry: TurnView | NoticeView) -> Iterable[tuple[object, ...]]:
    if isinstance(entry, NoticeView):
        yield entry.kind, entry.params
        return
    yield "turn", entry.abandoned
    for item in entry.items.values():
        match item:
            case TextView(text=text):
                yield "text", text
            case CallView():
                yield item.id, item.label, item.state, item.frame, item.rows, item.reason
                yield item.summary, item.duration_ms, item.result
            case work:
                yield work.name, work.finished


def run_examples(folder: Path, examples: int) -> None:
    """Over one store: to make one takes longer than most examples."""
    with asyncio.Runner() as runner:
        adapters = [Adapter.of(dialect) for dialect in DIALECTS]
        surroundings = world(folder, bounds=Bounds(regenerations=0))
        here = runner.run(surroundings.__aenter__())

        @settings(max_examples=examples)
        @given(turn=random_turns())
        def each(turn: RandomTurn) -> None:
            runner.run(holds(here, adapters, turn))

        try:
            each()
        finally:
            runner.run(surroundings.__aexit__(None, None, None))
            for adapter in adapters:
                runner.run(adapter.provider.close())


@pytest.mark.timeout(600)
def test_any_turn(tmp_path: Path) -> None:
    run_examples(tmp_path, 30)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_any_turn_at_length(tmp_path: Path) -> None:
    run_examples(tmp_path, 2000)
