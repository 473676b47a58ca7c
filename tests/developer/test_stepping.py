"""A step is the same however it was come to, and is what a live turn shows after those events."""

import pytest

from app.calls.events import ArgumentFragment, Event
from app.developer.stepping import Steps
from app.developer.turn_log import Run, TurnLog
from app.display.live_turn import LiveTurn
from tests.developer.making import replayed
from tests.providers.recordings import own

NAMES = ["unicode.sse", "parallel-calls.sse", "late-fragment.sse", "text-then-call.sse"]


async def turn_of(name: str) -> TurnLog:
    return (await replayed("anthropic-messages", own("anthropic-messages", name)))[1]


def events_of(turn: TurnLog) -> list[Event]:
    return [
        event
        for item in turn.items
        for event in (
            [ArgumentFragment(item.block, text) for text in item.texts]
            if isinstance(item, Run)
            else [item.event]
        )
    ]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_is_what_a_live_turn_shows(name: str) -> None:
    turn = await turn_of(name)
    events, steps = events_of(turn), Steps(turn)
    assert len(steps) == len(events)
    live = LiveTurn("x", "t", turn.terms.maps, turn.terms.formats, turn.terms.limits)
    for number in range(len(events) + 1):
        if number:
            live.take(events[number - 1])
        step = steps.to(number)
        assert (step.number, step.count) == (number, len(events))
        assert step.event == (events[number - 1] if number else None)
        assert step.at == (steps.time(number) if number else None)
        assert [(c.name, c.state, c.text, c.rows) for c in step.calls] == [
            (call.name, call.state, call.text[-600:], live.rows(call)) for call in live.turn.calls
        ]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_is_the_same_however_it_was_come_to(name: str) -> None:
    turn = await turn_of(name)
    count = len(Steps(turn))
    wandering = Steps(turn)
    for number in (count, 0, count // 2, count // 2 - 1, count // 3, count, count + 5, -1):
        assert wandering.to(number) == Steps(turn).to(number)
