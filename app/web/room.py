"""What the routes share, made once per application and found through the request."""

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from app.web.approval_render import ApprovalRenderer
from app.web.assets import Assets
from app.web.attempts import Attempts
from app.web.contexts import Context
from app.web.form_tokens import FormTokens
from app.web.fragments import Fragments
from app.web.prompts import Viewer
from app.web.render import Renderer
from app.web.service import Approvals, Conversations, WebServices
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
    requests: ApprovalRenderer
    form_tokens: FormTokens

    @property
    def conversations(self) -> Conversations:
        return self.services.conversations

    @property
    def approvals(self) -> Approvals:
        return self.services.approvals

    def viewer(self, session: str, conversation: str) -> Viewer:
        """The viewer of a conversation, by what tokens in forms are bound to."""
        return Viewer(conversation, lambda approval: self.form_tokens.make(session, approval))

    async def note_refusal(self, request: Request, actor: str, why: str) -> None:
        """Put on record that an attempt to decide on a request was turned away."""
        approval = request.path_params.get("approval")
        if approval is not None and request.method not in SAFE_METHODS:
            await self.approvals.refuse_attempt(actor, approval, why)

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
