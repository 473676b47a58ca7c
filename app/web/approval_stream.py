"""The queue that keeps itself: new requests come in at its end, decided ones are marked in place.

The position of this stream is what the page holds (its requests and what it shows of each), so a
page that comes back, even to another process, is sent exactly what it lacks. Nothing that is on a
page is moved or taken away; it goes when the page is loaded again.
"""

import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent

from app.exchange.approvals import UnknownApproval
from app.records.rows import ApprovalRecord
from app.web.approval_pages import (
    MOST_SHOWN,
    card,
    count,
    is_told,
    mark_of,
    position,
    title,
    verdict,
)
from app.web.approval_render import verdict_id
from app.web.contexts import Partial
from app.web.following import until_stopped
from app.web.fragments import APPEND, MORPH, PARTIAL_END, REPLACE_CONTENT
from app.web.identity import Identity, Operator
from app.web.room import InRoom, Room
from app.web.sse import END, OPENING, message
from app.web.stream import HEADERS

MOST_HELD = 500
"""Requests that one page may hold; who leaves it open for longer loads it again."""


def approval_stream_routes() -> APIRouter:
    """The route of this module."""
    router = APIRouter()
    router.get("/approvals/stream")(follow)
    return router


async def follow(
    room: InRoom,
    person: Operator,
    tool: str = "",
    have: Annotated[str, Query(max_length=20_000)] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventSourceResponse:
    """The stream of the queue, from what a page holds."""
    stopping = anyio.Event()
    services = room.services
    watcher = Watcher(room, person, tool, have if last_event_id is None else last_event_id)
    return EventSourceResponse(
        watcher.messages(stopping),
        headers=HEADERS,
        ping=services.heartbeat_s,
        ping_message_factory=lambda: ServerSentEvent(comment="", sep="\n"),
        send_timeout=services.send_timeout_s,
        shutdown_event=stopping,
        shutdown_grace_period=services.shutdown_grace_s,
    )


class Watcher:
    """One page that follows the queue."""

    def __init__(self, room: Room, person: Identity, tool: str, have: str) -> None:
        self._room = room
        self._person = person
        self._tool = tool
        self._marks = _read(have)
        self._count = -1
        self._log = logging.getLogger(__name__)

    async def messages(self, stopping: anyio.Event) -> AsyncGenerator[bytes, None]:
        """Messages without end: one at once, one per change."""
        yield OPENING
        try:
            ticks = until_stopped(self._room.approvals.changes(), stopping)
            async with aclosing(ticks):
                async for _ in ticks:
                    if sent := await self._news():
                        yield sent
        except Exception:  # noqa: BLE001 - logged; a stream must end by its own word
            self._log.exception("a stream failed")
            yield END

    async def _news(self) -> bytes | None:
        """What the page lacks, as one message; None when it lacks nothing."""
        waiting = await self._room.approvals.waiting(self._tool or None)
        parts = [*await self._changed(waiting), *self._new(waiting)]
        shown = sum(asked.id in self._marks for asked in waiting)
        if not parts and len(waiting) == self._count:
            return None
        self._count = len(waiting)
        parts.append(Partial("count", REPLACE_CONTENT, count(self._room, waiting, shown)))
        parts.append(Partial("title", REPLACE_CONTENT, title(self._room, len(waiting))))
        render = self._room.templates.render
        content = "".join(render(part) for part in parts).removesuffix(PARTIAL_END)
        return message(position(self._marks), content)

    async def _changed(self, waiting: Sequence[ApprovalRecord]) -> list[Partial]:
        """Requests on the page that have another look by now, each in its place."""
        known = {asked.id: asked for asked in waiting}
        parts: list[Partial] = []
        for approval, mark in self._marks.items():
            asked = known.get(approval) or await self._find(approval, mark)
            if asked is None or mark_of(asked) == mark:
                continue
            self._marks[approval] = mark_of(asked)
            parts.append(Partial(approval, MORPH, self._room.requests.state(asked)))
            told = verdict(self._room, self._person, asked)
            parts.append(Partial(verdict_id(approval), REPLACE_CONTENT, told))
        return parts

    async def _find(self, approval: str, mark: str) -> ApprovalRecord | None:
        """A request that does not wait; None for one that is gone, or of which all was told."""
        if is_told(mark):
            return None
        try:
            return await self._room.approvals.request(approval)
        except UnknownApproval:  # its conversation was deleted
            return None

    def _new(self, waiting: Sequence[ApprovalRecord]) -> Iterator[Partial]:
        """Requests that the page does not have, at its end."""
        shown = sum(asked.id in self._marks for asked in waiting)
        for asked in waiting:
            if asked.id not in self._marks and shown < MOST_SHOWN:
                shown += 1
                self._marks[asked.id] = mark_of(asked)
                yield Partial("queue", APPEND, card(self._room, self._person, asked))


def _read(have: str) -> dict[str, str]:
    """A position's requests and marks; nothing of what is none."""
    marks: dict[str, str] = {}
    for word in have.split():
        approval, dot, mark = word.partition(".")
        if dot and approval.isalnum() and len(marks) < MOST_HELD:
            marks[approval] = mark
    return marks
