"""What the routes share, made once per application and found through the request."""

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from app.web.assets import Assets
from app.web.attempts import Attempts
from app.web.contexts import Context
from app.web.fragments import Fragments
from app.web.render import Renderer
from app.web.service import Conversations, WebServices
from app.web.templates import Templates
from app.web.words import Words

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Room:
    services: WebServices
    assets: Assets
    words: Words
    templates: Templates
    renderer: Renderer
    fragments: Fragments
    attempts: Attempts

    @property
    def conversations(self) -> Conversations:
        return self.services.conversations

    def page(self, context: Context, status: int = 200) -> HTMLResponse:
        """A whole page."""
        return HTMLResponse(self.templates.render(context), status)


def room_of(request: Request) -> Room:
    """The room of the application that serves the request."""
    room = request.app.state.room
    assert isinstance(room, Room)
    return room


def new_owner() -> str:
    """An id for a person of whom nothing is known."""
    return secrets.token_urlsafe(16)


InRoom = Annotated[Room, Depends(room_of)]
