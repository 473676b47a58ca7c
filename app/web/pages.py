"""The chat: pages and forms. Without script every form works by redirection."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.display.view import ConversationView
from app.web.answers import checked, taken
from app.web.contexts import ConversationContext
from app.web.identity import Owner
from app.web.room import InRoom, Room
from app.web.shelf import shelf_lines

TITLE = "Formwork"


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
    room: InRoom, owner: Owner, deleted: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """An empty page with something to begin from."""
    back = deleted if await room.conversations.is_deleted(owner, deleted) else ""
    return await _page(room, owner, ConversationView(""), "", deleted=back)


async def begin(room: InRoom, owner: Owner, message: Annotated[str, Form()]) -> Response:
    """The first message of a new conversation."""
    text = checked(room, message)
    conversation = await room.conversations.create(owner)
    await room.conversations.send(owner, conversation, text)
    return RedirectResponse(f"/c/{conversation}", 303)


async def conversation_page(
    room: InRoom, owner: Owner, conversation: str, edit: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """A conversation as it is now; with ``edit``, from its last message in other words."""
    view, position = await room.conversations.view(owner, conversation)
    last = next(reversed(view.exchanges.values()), None)
    edited = last.message if edit and last is not None and not last.open else ""
    return await _page(room, owner, view, position, edited=edited)


async def send(
    request: Request,
    room: InRoom,
    owner: Owner,
    conversation: str,
    message: Annotated[str, Form()],
) -> Response:
    """A further message. The stream brings what comes of it."""
    await room.conversations.send(owner, conversation, checked(room, message))
    return taken(request, conversation)


async def stop(request: Request, room: InRoom, owner: Owner, conversation: str) -> Response:
    """Ask the open exchange to stop."""
    await room.conversations.stop(owner, conversation)
    return taken(request, conversation)


async def _page(
    room: Room,
    owner: str,
    view: ConversationView,
    position: str,
    *,
    deleted: str = "",
    edited: str = "",
) -> HTMLResponse:
    render = room.renderer
    return room.page(
        ConversationContext(
            title=view.title or TITLE,
            styles=room.assets.url("formwork.css"),
            icon=room.assets.url("icon.svg"),
            scripts=room.assets.scripts,
            conversations=shelf_lines(room, await room.conversations.listing(owner)),
            current=view.id,
            log=render.log(view),
            kept=render.kept(view),
            stop=render.stop(view),
            position=position,
            suggestions=room.conversations.suggestions,
            deleted=deleted,
            edited=edited,
            max_chars=room.services.max_message_chars,
        )
    )
