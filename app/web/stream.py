"""What a page follows: one message per entry of the conversation's log.

How a stream ends:

- the viewer goes, or takes nothing for too long: the generator is cancelled and closed;
- the server stops: the stream ends without a word, and the page comes back by itself;
- the conversation is deleted, the log ends, or something fails here (logged): the ``end`` event,
  after which htmx does not come back, and the page says so; without it a message that cannot be
  made would be asked for twice a second, for ever.

A page that comes back names the last position it has. What it missed is sent as the present
state of the exchanges that changed meanwhile, in one message; if the log no longer knows the
position, as the whole conversation. No database connection is held while waiting.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query
from sse_starlette import EventSourceResponse, ServerSentEvent

from app.display.updates import ExchangeOpened, MessageKept, Update
from app.display.view import ConversationView
from app.exchange.conversations import UnknownConversation
from app.feed.feed import Entry, Trimmed
from app.web.following import until_stopped
from app.web.identity import Identity, Person
from app.web.room import InRoom, Room
from app.web.screen import Screen
from app.web.sse import END, OPENING, message

CATCH_UP_S = 5.0
"""All of what was missed is in the log already; a log that does not give it has lost it."""
HEADERS = {"Cache-Control": "no-store, no-transform"}


def stream_routes() -> APIRouter:
    """The route of this module."""
    router = APIRouter()
    router.get("/c/{conversation}/stream")(follow)
    return router


async def follow(
    room: InRoom,
    person: Person,
    conversation: str,
    after: Annotated[str, Query()] = "",
    first: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventSourceResponse:
    """The stream of a conversation, from the position a page was rendered at or has reached.

    ``first`` is the number of the page's first exchange.
    """
    stopping = anyio.Event()
    try:
        view, position = await room.conversations.view(person.user, conversation, first)
    except UnknownConversation:
        if not await room.conversations.is_deleted(person.user, conversation):
            raise
        sent = _ended()  # a hidden tab, say, that comes back
    else:
        viewer = Viewer(room, person, conversation, stopping)
        reached = after if last_event_id is None else last_event_id
        sent = viewer.messages(view, position, reached)
    services = room.services
    return EventSourceResponse(
        sent,
        headers=HEADERS,
        ping=services.heartbeat_s,
        ping_message_factory=lambda: ServerSentEvent(comment="", sep="\n"),
        send_timeout=services.send_timeout_s,
        shutdown_event=stopping,
        shutdown_grace_period=services.shutdown_grace_s,
    )


class Viewer:
    """One page that follows one conversation."""

    def __init__(
        self, room: Room, person: Identity, conversation: str, stopping: anyio.Event
    ) -> None:
        self._conversations = room.conversations
        self._fragments = room.fragments.of(room.viewer(person.session, conversation))
        self._owner = person.user
        self._conversation = conversation
        self._stopping = stopping
        self._log = logging.getLogger(__name__)

    async def messages(
        self, view: ConversationView, position: str, after: str
    ) -> AsyncGenerator[bytes, None]:
        """Messages without end; a comment at once, so that a proxy passes the headers on."""
        yield OPENING
        try:
            if after != position:
                yield message(position, await self._missed(view, position, after))
            async for sent in self._live(view, position):
                yield sent
        except UnknownConversation:
            yield END
        except Exception:  # noqa: BLE001 - logged; see above for why the stream must end
            self._log.exception("a stream failed")
            yield END
        else:
            if not self._stopping.is_set():
                yield END

    async def _live(self, view: ConversationView, position: str) -> AsyncGenerator[bytes, None]:
        while True:
            screen = Screen(view)
            try:
                async for entry in self._entries(position):
                    yield message(entry.position, self._fragments.update(screen, entry.updates))
                return
            except Trimmed:  # a viewer that fell behind what the log keeps
                view, position = await self._conversations.view(
                    self._owner, self._conversation, view.earlier
                )
                yield message(position, self._fragments.snapshot(view))

    async def _missed(self, view: ConversationView, position: str, after: str) -> str:
        """What happened between two positions, as the state it has led to."""
        try:
            async with asyncio.timeout(CATCH_UP_S):
                updates = await self._between(after, position)
        except (Trimmed, TimeoutError):
            return self._fragments.snapshot(view)
        fresh = {update.exchange: None for update in updates if isinstance(update, ExchangeOpened)}
        stale = {name: None for name in _exchanges(updates) if name not in fresh}
        return self._fragments.catch_up(view, list(fresh), list(stale), updates)

    async def _between(self, after: str, position: str) -> list[Update]:
        updates: list[Update] = []
        entries = self._conversations.follow(self._conversation, after)
        try:
            async for entry in entries:
                updates.extend(entry.updates)
                if entry.position == position:
                    return updates
        finally:
            await _close(entries)
        raise Trimmed

    def _entries(self, position: str) -> AsyncGenerator[Entry, None]:
        """Entries after a position, until the server stops."""
        entries = self._conversations.follow(self._conversation, position)
        return until_stopped(entries, self._stopping)


async def _ended() -> AsyncGenerator[bytes, None]:
    """All there is to say to a page whose conversation was deleted."""
    yield END


def _exchanges(updates: Iterable[Update]) -> Iterable[str]:
    return (update.exchange for update in updates if not isinstance(update, MessageKept))


async def _close(entries: AsyncIterator[Entry]) -> None:
    if isinstance(entries, AsyncGenerator):
        await entries.aclose()
