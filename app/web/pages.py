"""The chat: pages and forms. Without script every form works by redirection."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from app.display.view import ConversationView
from app.web.access import Role
from app.web.answers import checked, moved, taken
from app.web.contexts import ConversationContext
from app.web.identity import Identity, Owner, Person
from app.web.room import InRoom, Room
from app.web.shelf import shelf

TITLE = "Formwork"
SHOWN = 20
"""Exchanges of a conversation on its page; a link leads to as many earlier ones."""


def page_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.get("/")(new_conversation)
    router.post("/")(begin)
    router.get("/c/{conversation}")(conversation_page)
    router.post("/c/{conversation}/messages")(send)
    router.post("/c/{conversation}/stop")(stop)
    return router


async def new_conversation(
    room: InRoom, person: Person, deleted: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """An empty page with something to begin from."""
    back = deleted if await room.conversations.is_deleted(person.user, deleted) else ""
    return await _page(room, person, ConversationView(""), "", deleted=back)


async def begin(
    request: Request, room: InRoom, person: Person, message: Annotated[str, Form()]
) -> Response:
    """The first message of a new conversation."""
    text = checked(room, message)
    conversation = await room.conversations.create(person.user)
    await room.conversations.send(person.user, conversation, text, person.roles)
    return moved(request, conversation)


async def conversation_page(
    room: InRoom,
    person: Person,
    conversation: str,
    edit: Annotated[str, Query()] = "",
    first: Annotated[str, Query(max_length=64)] = "",
) -> HTMLResponse:
    """A conversation as it is now; with ``edit``, from its last message in other words.

    ``first`` is the exchange that the page begins with: its number or its id.
    """
    wanted = int(first) if first.isascii() and first.isdecimal() else first or -SHOWN
    view, position = await room.conversations.view(person.user, conversation, wanted)
    last = next(reversed(view.exchanges.values()), None)
    edited = last.message if edit and last is not None and not last.open else ""
    return await _page(room, person, view, position, edited=edited)


async def send(
    request: Request,
    room: InRoom,
    person: Person,
    conversation: str,
    message: Annotated[str, Form()],
) -> Response:
    """A further message. The stream brings what comes of it."""
    text = checked(room, message)
    await room.conversations.send(person.user, conversation, text, person.roles)
    return taken(request, conversation)


async def stop(request: Request, room: InRoom, owner: Owner, conversation: str) -> Response:
    """Ask the open exchange to stop."""
    await room.conversations.stop(owner, conversation)
    return taken(request, conversation)


async def _page(
    room: Room,
    person: Identity,
    view: ConversationView,
    position: str,
    *,
    deleted: str = "",
    edited: str = "",
) -> HTMLResponse:
    render = room.renderer.of(room.viewer(person.session, view.id))
    return room.page(
        ConversationContext(
            title=view.title or TITLE,
            styles=room.assets.url("formwork.css"),
            icon=room.assets.url("icon.svg"),
            scripts=room.assets.scripts,
            shelf=shelf(room, await room.conversations.listing(person.user), view.id),
            current=view.id,
            operator=Role.OPERATOR in person.roles,
            log=render.log(view),
            kept=render.kept(view),
            stop=render.stop(view),
            asks=render.asks(view),
            position=position,
            earlier=view.earlier,
            first=max(0, view.earlier - SHOWN),
            suggestions=room.conversations.suggestions,
            deleted=deleted,
            edited=edited,
            max_chars=room.services.max_message_chars,
            most=room.words.language.number(room.services.max_message_chars),
        )
    )
