"""What the routes share, made once per application and found through the request."""

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.responses import HTMLResponse

from app.web.assets import Assets
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


def owner_of(request: Request) -> str:
    """The person's id: a random one, kept in the signed session cookie."""
    owner = request.session.get("owner")
    if not isinstance(owner, str):
        owner = request.session["owner"] = secrets.token_urlsafe(16)
    return owner


def same_origin_only(request: Request) -> None:
    """Refuse what another site makes a browser send; raises 403.

    ``Sec-Fetch-Site`` decides where the browser sends it, ``Origin`` otherwise. A client that
    sends neither is not a browser, so nobody else's cookie is in play.
    """
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        allowed = site in ("same-origin", "none")
    else:
        origin = request.headers.get("origin")
        allowed = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not allowed:
        raise HTTPException(403)


InRoom = Annotated[Room, Depends(room_of)]
Owner = Annotated[str, Depends(owner_of)]
