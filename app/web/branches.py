"""Asking again: the last message as it was or edited, and the way back to an older branch."""

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import Response

from app.records.errors import ConversationBusy
from app.web.answers import checked, moved, taken
from app.web.identity import Owner
from app.web.room import InRoom, Room

BUSY = 409
"""An exchange is open: its end has to be waited for, or asked for."""


def branch_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.post("/c/{conversation}/retry")(retry)
    router.post("/c/{conversation}/edit")(edit)
    router.post("/c/{conversation}/branch")(turn)
    return router


async def retry(request: Request, room: InRoom, owner: Owner, conversation: str) -> Response:
    """Ask the last message again."""
    await _ask_again(room, owner, conversation, None)
    return taken(request, conversation)


async def edit(
    request: Request,
    room: InRoom,
    owner: Owner,
    conversation: str,
    message: Annotated[str, Form()],
) -> Response:
    """Ask another message in the place of the last."""
    await _ask_again(room, owner, conversation, checked(room, message))
    return moved(request, conversation)


async def turn(
    request: Request,
    room: InRoom,
    owner: Owner,
    conversation: str,
    exchange: Annotated[str, Form()],
) -> Response:
    """Show the branch of an exchange."""
    try:
        await room.conversations.turn_to(owner, conversation, exchange)
    except ConversationBusy as busy:
        raise HTTPException(BUSY) from busy
    return taken(request, conversation)


async def _ask_again(room: Room, owner: str, conversation: str, text: str | None) -> None:
    try:
        await room.conversations.ask_again(owner, conversation, text)
    except ConversationBusy as busy:
        raise HTTPException(BUSY) from busy
