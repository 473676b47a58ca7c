"""Replays: a turn's own recording, or one from elsewhere, step by step or as time went by."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from sse_starlette import EventSourceResponse

from app.calls.events import ArgumentFragment
from app.developer.stepping import CallStep, Step, Steps
from app.developer.turn_log import TurnLog
from app.developer.viewing import TurnSeen
from app.web.developer.contexts import (
    Cell,
    Link,
    ReplayContext,
    StepCall,
    StepContext,
    SwapContext,
    TableContext,
)
from app.web.developer.desk import PREFIX, AtDesk, Desk
from app.web.developer.figures import NOTHING, dotted, ms
from app.web.developer.pages import steps_to, way
from app.web.developer.streams import event_stream
from app.web.room import InRoom
from app.web.sse import END, OPENING, message

FRAME_S = 0.1
"""The least time between two pictures of a replay that plays."""
SPEEDS = (1.0, 0.5, 0.25, 0.1, 0.02)
PAGE = 50

At: TypeAlias = Annotated[int, Query(ge=0)]
Speed: TypeAlias = Annotated[float, Query(ge=0.001, le=1)]


def developer_replays() -> APIRouter:
    """The routes of this module."""
    router = APIRouter(prefix=PREFIX)
    router.get("/replays/{replay}")(replay_page)
    router.get("/replays/{replay}/stream")(replay_stream)
    router.get("/{conversation}/{turn}/replay")(turn_replay_page)
    router.get("/{conversation}/{turn}/replay/stream")(turn_replay_stream)
    return router


async def replay_page(
    desk: AtDesk, replay: str, at: At = 0, speed: Speed | None = None
) -> HTMLResponse:
    """A recording that was taken in, at one of its events; with ``speed`` it plays on."""
    turn = await desk.view.replay(replay)
    address = f"{PREFIX}/replays/{replay}"
    whole = desk.turns.render(TurnSeen(turn.id, turn, None, 0), (), "")
    return await _page(desk, turn, address, way(), at, speed, whole)


async def turn_replay_page(
    desk: AtDesk, conversation: str, turn: str, at: At = 0, speed: Speed | None = None
) -> HTMLResponse:
    """A turn's own recording, in the same way."""
    replayed = await desk.view.replay_of(conversation, turn)
    address = f"{PREFIX}/{conversation}/{turn}/replay"
    return await _page(desk, replayed, address, way(conversation, turn), at, speed, Markup())


async def replay_stream(
    room: InRoom, desk: AtDesk, replay: str, at: At = 0, speed: Speed = 1.0
) -> EventSourceResponse:
    """The steps of a recording that was taken in, as time goes by."""
    return event_stream(room, _played(desk, await desk.view.replay(replay), at, speed))


async def turn_replay_stream(
    room: InRoom, desk: AtDesk, conversation: str, turn: str, at: At = 0, speed: Speed = 1.0
) -> EventSourceResponse:
    """The steps of a turn's own recording, as time goes by."""
    replayed = await desk.view.replay_of(conversation, turn)
    return event_stream(room, _played(desk, replayed, at, speed))


async def _page(
    desk: Desk,
    turn: TurnLog,
    address: str,
    crumbs: list[Link],
    at: int,
    speed: float | None,
    whole: Markup,
) -> HTMLResponse:
    steps = Steps(turn)
    step = await asyncio.to_thread(steps.to, at)
    playing = speed is not None and step.number < step.count
    begin = 0 if step.number == step.count else step.number
    return desk.page(
        ReplayContext(
            title=f"Replay · {turn.dialect}",
            styles=desk.styles,
            scripts=desk.scripts if playing else (),
            crumbs=crumbs,
            stream=f"{address}/stream?at={step.number}&speed={speed}" if playing else "",
            step=render_step(desk, step),
            links=steps_to(address, step.number, step.count, PAGE),
            speeds=[
                Link(f"Play at {each:g}x", f"{address}?at={begin}&speed={each:g}")
                for each in SPEEDS
            ],
            at=step.number,
            last=step.count,
            action=address,
            turn=whole,
        )
    )


async def _played(desk: Desk, turn: TurnLog, at: int, speed: float) -> AsyncGenerator[bytes, None]:
    """The page stands at ``at``; each message is the step that is due, at most ten a second."""
    yield OPENING
    steps = Steps(turn)
    number = min(at, len(steps))
    clock = asyncio.get_running_loop().time
    began = clock() - (steps.time(number) / 1e6 / speed if number else 0.0)
    while number < len(steps):
        due = began + steps.time(number + 1) / 1e6 / speed
        await asyncio.sleep(max(FRAME_S, due - clock()))
        now = (clock() - began) * speed * 1e6
        while number < len(steps) and steps.time(number + 1) <= now:
            number += 1
        step = await asyncio.to_thread(steps.to, number)
        swap = SwapContext("#step", "outerMorph", render_step(desk, step))
        yield message(str(number), desk.templates.render(swap))
    yield END


def render_step(desk: Desk, step: Step) -> Markup:
    """How everything stood after an event."""
    return desk.templates.render(
        StepContext(
            list(_facts(desk, step)),
            desk.marking.text(step.text),
            [_call(desk, call) for call in step.calls],
        )
    )


def _facts(desk: Desk, step: Step) -> Iterator[tuple[str, Cell]]:
    yield "event", f"{step.number:,} of {step.count:,}"
    yield "time", ms(step.at)
    match step.event:
        case None:
            yield "came", "nothing yet"
        case ArgumentFragment(block=block, text=text):
            yield "came", desk.marking.text(f"fragment of block {block}: {text}")
        case event:
            yield "came", desk.marking.text(repr(event)[:2000])


def _call(desk: Desk, call: CallStep) -> StepCall:
    rows: list[list[Cell]] = [
        [
            desk.marking.text(dotted(row.path)),
            row.label,
            row.status.value,
            desk.marking.text(row.text),
        ]
        for row in call.rows
    ]
    head = ("path", "label", "status", "text")
    table = TableContext(f"Rows for the end user ({len(rows)})", head, rows, folded=False)
    before = call.text[: len(call.text) - len(call.last)] if call.last else call.text
    hidden = f"… {call.hidden:,} characters before … " if call.hidden else ""
    return StepCall(
        f"Call {call.ordinal} · {call.name or NOTHING}",
        [
            ("state", call.state.value),
            ("open path", desk.marking.text(dotted(call.open_path))),
            ("parser", call.status),
        ],
        Markup.escape(hidden) + desk.marking.text(before),
        desk.marking.text(call.last),
        desk.templates.render(table),
    )
