"""Requests that the person decides whose conversation it is: the page behind the chat's prompt."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.exchange.approvals import UnknownApproval
from app.records.rows import ApprovalRecord
from app.web import approval_words as words_of
from app.web.access import Role
from app.web.approval_contexts import ApprovalContext
from app.web.approval_pages import CONFLICT, SCRIPTS, tool_of
from app.web.approval_render import Attempt, Form, form_id
from app.web.contexts import Partial
from app.web.decisions import sent_decision
from app.web.fragments import REPLACE
from app.web.identity import Identity, Person
from app.web.prompts import own_address
from app.web.room import InRoom, Room
from app.web.shelf import shelf


def own_approval_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.get("/c/{conversation}/approvals/{approval}")(own)
    router.post("/c/{conversation}/approvals/{approval}")(decide_own)
    return router


async def own(
    room: InRoom,
    person: Person,
    conversation: str,
    approval: str,
    edit: Annotated[bool, Query()] = False,
) -> HTMLResponse:
    """One request: to decide, or with what was decided."""
    asked = await room.approvals.own_request(person.user, conversation, approval)
    return await _page(room, person, asked, _form(room, person, asked, edits=edit))


async def decide_own(
    request: Request, room: InRoom, person: Person, conversation: str, approval: str
) -> Response:
    """Decide. What comes of it the conversation shows; an attempt too late is told of here."""
    sent = await sent_decision(request, room, person, approval)
    try:
        ruled = await room.approvals.decide_own(person.user, conversation, approval, sent.ruling)
    except UnknownApproval:
        await room.approvals.refuse_attempt(person.actor, approval, "not theirs to decide")
        raise
    if ruled.refusal is None:
        if sent.is_partial:
            return Response(status_code=204)
        return RedirectResponse(f"/c/{conversation}", 303)
    attempt = Attempt(ruled.refusal, ruled.detail)
    if sent.is_partial:
        return _partial(room, person, ruled.record, attempt)
    form = _form(room, person, ruled.record, edits=bool(sent.ruling.edits))
    return await _page(room, person, ruled.record, form, attempt, sent.ruling.edits)


def _form(room: Room, person: Identity, asked: ApprovalRecord, *, edits: bool) -> Form:
    address = own_address(asked.conversation_id, asked.id)
    token = room.form_tokens.make(person.session, asked.id)
    return Form(address, token, f"{address}?edit=1", edits, is_live=False)


def _partial(room: Room, person: Identity, asked: ApprovalRecord, attempt: Attempt) -> HTMLResponse:
    """The place of the form in the chat, with why nothing was changed."""
    form = replace(_form(room, person, asked, edits=False), is_live=True)
    you = room.words.language.gettext(words_of.YOU)
    told = room.requests.verdict(asked, tool_of(room, asked.tool), form, attempt, you)
    content = room.templates.render(Partial(form_id(asked.id), REPLACE, told))
    return HTMLResponse(content, CONFLICT)


async def _page(
    room: Room,
    person: Identity,
    asked: ApprovalRecord,
    form: Form,
    attempt: Attempt | None = None,
    edits: Mapping[str, str] | None = None,
) -> HTMLResponse:
    tool = tool_of(room, asked.tool)
    context = ApprovalContext(
        title=tool.label,
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=[room.assets.url(name) for name in SCRIPTS],
        shelf=shelf(room, await room.conversations.listing(person.user)),
        current=None,
        operator=Role.OPERATOR in person.roles,
        request=room.requests.own_request(asked, tool, form, attempt, edits),
        back=f"/c/{asked.conversation_id}",
        onward="",
    )
    return room.page(context, CONFLICT if attempt else 200)
