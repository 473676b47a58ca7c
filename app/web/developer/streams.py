"""What a developer's page follows: a stream of its own, made of what is kept of a conversation.

It asks the store what was observed since, at most twice a second, and sends each exchange of
which there is more as it now stands; so it serves exchanges of any process. The costlier an
answer was, the longer the next one is waited for.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent

from app.exchange.conversations import UnknownConversation
from app.web.developer.contexts import SwapContext
from app.web.developer.desk import PREFIX, AtDesk, Desk
from app.web.developer.pages import exchange, position
from app.web.room import InRoom, Room
from app.web.sse import END, OPENING, message

ASK_EVERY_S = 0.5
WORK_SHARE = 4
"""For each second that an answer took, so many are waited."""
HEADERS = {"Cache-Control": "no-store, no-transform"}


def developer_streams() -> APIRouter:
    """The route of this module."""
    router = APIRouter(prefix=PREFIX)
    router.get("/{conversation}/stream")(follow)
    return router


async def follow(
    room: InRoom,
    desk: AtDesk,
    conversation: str,
    after: Annotated[str, Query()] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventSourceResponse:
    """The stream of a conversation's page, from what the page was made of."""
    await desk.view.positions(conversation)
    return event_stream(room, messages(desk, conversation, last_event_id or after))


def event_stream(room: Room, sent: AsyncGenerator[bytes, None]) -> EventSourceResponse:
    """A stream that ends when its reader is gone or the server stops."""
    services = room.services
    stopping = anyio.Event()
    return EventSourceResponse(
        _until(stopping, sent),
        headers=HEADERS,
        ping=services.heartbeat_s,
        ping_message_factory=lambda: ServerSentEvent(comment="", sep="\n"),
        send_timeout=services.send_timeout_s,
        shutdown_event=stopping,
        shutdown_grace_period=services.shutdown_grace_s,
    )


async def _until(
    stopping: anyio.Event, sent: AsyncGenerator[bytes, None]
) -> AsyncGenerator[bytes, None]:
    """What is sent until the server stops; then it ends without a word, and the page comes back."""
    stop = asyncio.ensure_future(stopping.wait())
    step: asyncio.Future[bytes | None] | None = None
    try:
        while True:
            step = asyncio.ensure_future(anext(sent, None))
            await asyncio.wait({step, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                return
            data = step.result()
            if data is None:
                return
            yield data
    finally:
        stop.cancel()
        if step is not None:
            step.cancel()
            await asyncio.wait({step})
        await sent.aclose()


async def messages(
    desk: Desk, conversation: str, after: str, ask_every_s: float = ASK_EVERY_S
) -> AsyncGenerator[bytes, None]:
    """A message for each time that more was observed, without end."""
    yield OPENING
    known = _positions(after)
    clock = asyncio.get_running_loop().time
    try:
        while True:
            began = clock()
            if dict(await desk.view.positions(conversation)) != known:
                seen = await desk.view.conversation(conversation)
                changed = [
                    SwapContext(
                        f"#{each.transcript.exchange.id}"
                        if each.transcript.exchange.id in known
                        else "#exchanges",
                        "outerMorph" if each.transcript.exchange.id in known else "beforeend",
                        exchange(desk, each, conversation),
                    )
                    for each in seen.exchanges
                    if seen.positions.get(each.transcript.exchange.id)
                    != known.get(each.transcript.exchange.id)
                ]
                known = dict(seen.positions)
                swaps = "".join(map(desk.templates.render, changed))
                yield message(position(seen), swaps)
            await asyncio.sleep(max(ask_every_s, WORK_SHARE * (clock() - began)))
    except UnknownConversation:  # it was deleted
        yield END
    except Exception as error:  # noqa: BLE001 - a reader would ask for it again for ever
        # Without its words: they may hold what a model wrote.
        logging.getLogger(__name__).error("a developer's stream failed: %s", type(error).__name__)
        yield END


def _positions(after: str) -> dict[str, int]:
    pairs = (each.partition(":") for each in after.split(".") if each)
    return {name: int(until) for name, _, until in pairs if until.isdecimal()}
