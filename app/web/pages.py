"""The chat: pages and forms. Without script every form works by redirection."""

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.display.view import ConversationView
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
    return await _page(room, owner, ConversationView(""), "", back)


async def begin(room: InRoom, owner: Owner, message: Annotated[str, Form()]) -> Response:
    """The first message of a new conversation."""
    text = _checked(room, message)
    conversation = await room.conversations.create(owner)
    await room.conversations.send(owner, conversation, text)
    return RedirectResponse(f"/c/{conversation}", 303)


async def conversation_page(room: InRoom, owner: Owner, conversation: str) -> HTMLResponse:
    """A conversation as it is now, which goes on from there."""
    view, position = await room.conversations.view(owner, conversation)
    return await _page(room, owner, view, position)


async def send(
    request: Request,
    room: InRoom,
    owner: Owner,
    conversation: str,
    message: Annotated[str, Form()],
) -> Response:
    """A further message. The stream brings what comes of it."""
    await room.conversations.send(owner, conversation, _checked(room, message))
    return _taken(request, conversation)


async def stop(request: Request, room: InRoom, owner: Owner, conversation: str) -> Response:
    """Ask the open exchange to stop."""
    await room.conversations.stop(owner, conversation)
    return _taken(request, conversation)


def _taken(request: Request, conversation: str) -> Response:
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204)
    return RedirectResponse(f"/c/{conversation}", 303)


def _checked(room: Room, message: str) -> str:
    """A message with the line ends of a form made plain; 422 for none or too much of it."""
    text = message.replace("\r\n", "\n").strip()
    if not text or len(text) > room.services.max_message_chars:
        raise HTTPException(422)
    return text


async def _page(
    room: Room, owner: str, view: ConversationView, position: str, deleted: str = ""
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
            max_chars=room.services.max_message_chars,
        )
    )
