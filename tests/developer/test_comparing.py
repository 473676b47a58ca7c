"""A comparison finds nothing where there is nothing, and otherwise the first thing that differs."""

from dataclasses import replace
from typing import Any

import pytest

from app.calls.events import CallAnnounced, Usage
from app.developer.comparing import compare
from app.developer.shown import ShownCall, ShownRow
from app.developer.turn_log import Gate, Run, Timed, TurnLog, Verdict
from tests.developer.making import replayed
from tests.providers.recordings import own


async def turn() -> TurnLog:
    return (await replayed("anthropic-messages", own("anthropic-messages", "unicode.sse")))[1]


def shown_of(observed: TurnLog) -> dict[str, ShownCall]:
    shown: dict[str, ShownCall] = {}
    for call in observed.live.turn.calls:
        seen = shown[f"{observed.id}-{call.ordinal}"] = ShownCall()
        for row in observed.live.rows(call):
            seen.rows[row.path] = ShownRow(row.path, row.label, row.text, row.status.value, 0)
            seen.order.append(row.path)
    return shown


async def test_a_turn_is_the_same_as_itself() -> None:
    one, other = await turn(), await turn()
    compared = compare(one, shown_of(one), other)
    assert compared.difference is None
    assert compared.events == one.events
    assert compared.verdicts == 1 + len(one.calls)


def an_event(turn: TurnLog) -> None:
    item = next(item for item in turn.items if isinstance(item, Timed))
    item.event = CallAnnounced(9, "other", "other")


def a_fragment(turn: TurnLog) -> None:
    run = next(item for item in turn.items if isinstance(item, Run))
    run.texts[-1] += " "


def one_more_event(turn: TurnLog) -> None:
    turn.items.append(Timed(0, Usage(1)))


def one_event_less(turn: TurnLog) -> None:
    turn.items.pop()


def a_state(turn: TurnLog) -> None:
    turn.calls[0].states.pop()


def a_verdict(turn: TurnLog) -> None:
    assert turn.gate is not None
    other = Verdict(0, "run", None, "")
    turn.gate = replace(turn.gate, verdicts=(other, *turn.gate.verdicts[1:]))


def the_use(turn: TurnLog) -> None:
    turn.gate = Gate(0, not (turn.gate and turn.gate.usable), "incomplete", "", (), ())


CHANGES: dict[str, tuple[Any, str]] = {
    "event": (an_event, "event "),
    "fragment": (a_fragment, "event "),
    "more": (one_more_event, "event "),
    "less": (one_event_less, "event "),
    "state": (a_state, "state of call 0"),
    "verdict": (a_verdict, "verdict on call 0"),
    "use": (the_use, "whether the turn is usable"),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_whatever_differs_is_found_and_named(name: str) -> None:
    change, where = CHANGES[name]
    for changed_side in ("observed", "replayed"):
        one, other = await turn(), await turn()
        change(one if changed_side == "observed" else other)
        difference = compare(one, {}, other).difference
        assert difference is not None
        assert difference.what.startswith(where)
        assert difference.observed != difference.replayed


async def test_a_row_that_was_shown_otherwise_is_found() -> None:
    one, other = await turn(), await turn()
    stray = ShownCall([("x",)], {("x",): ShownRow(("x",), "X", "1", "settled", 0)})
    difference = compare(one, {f"{one.id}-0": stray}, other).difference
    assert difference is not None
    assert difference.what == "row x of call 0"
    assert difference.replayed is None
