"""What operators work with: what waits, one request, what was decided.

A page of requests shows each of them whole, with its form, so that nothing is decided that was
not there to be read. No page here leads into anybody's conversation.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from app.calls.states import FINAL_STATES
from app.exchange.approvals import UnknownApproval
from app.records.rows import ApprovalRecord, ApprovalState
from app.web import approval_words as words_of
from app.web.approval_contexts import ApprovalContext, CountContext, HistoryContext, QueueContext
from app.web.approval_render import Attempt, Form, Tool, form_id
from app.web.contexts import Partial
from app.web.decisions import sent_decision
from app.web.fragments import MORPH, REPLACE
from app.web.identity import Identity, Operator
from app.web.room import InRoom, Room
from app.web.words import phrase

MOST_SHOWN = 50
"""Requests on one page; the next come up when it is loaded again."""

PAST_AT_ONCE = 50
SCRIPTS = ("htmx.js", "approvals.js", "hx-sse.js", "decide.js")
CONFLICT = 409

TITLE = phrase("Approvals")
TITLE_COUNTED = phrase("({n}) Approvals")
TITLE_PAST = phrase("Decided requests")
MORE = phrase("{n} of them are not on this page yet.")


def approval_routes() -> APIRouter:
    """The routes of this module; those with fixed names come before that of a request's id."""
    router = APIRouter()
    router.get("/approvals")(queue)
    router.get("/approvals/history")(history)
    router.get("/approvals/{approval}")(one)
    router.post("/approvals/{approval}")(decide)
    return router


async def queue(room: InRoom, person: Operator, tool: str = "") -> HTMLResponse:
    """What waits, oldest first."""
    everything = await room.approvals.waiting()
    waiting = [asked for asked in everything if tool in ("", asked.tool)]
    shown = waiting[:MOST_SHOWN]
    context = QueueContext(
        title=title(room, len(waiting)),
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=[room.assets.url(name) for name in SCRIPTS],
        current=None,
        operator=True,
        count=count(room, waiting, len(shown)),
        requests=Markup().join(card(room, person, asked) for asked in shown),
        tools=sorted({(asked.tool, tool_of(room, asked.tool).label) for asked in everything}),
        tool=tool,
        have=position({asked.id: mark_of(asked) for asked in shown}),
    )
    return room.page(context)


async def one(
    room: InRoom, person: Operator, approval: str, edit: Annotated[bool, Query()] = False
) -> HTMLResponse:
    """One request: to decide, or with what was decided."""
    asked = await room.approvals.request(approval)
    return await _page(room, person, asked, form_of(room, person, asked, edits=edit))


async def decide(request: Request, room: InRoom, person: Operator, approval: str) -> Response:
    """Decide. Whoever comes too late is told who decided what and when."""
    sent = await sent_decision(request, room, person, approval)
    try:
        ruled = await room.approvals.decide(person.actor, approval, sent.ruling)
    except UnknownApproval:
        await room.approvals.refuse_attempt(person.actor, approval, "not an operator's to decide")
        raise
    attempt = Attempt(ruled.refusal, ruled.detail) if ruled.refusal else None
    if sent.is_partial:
        return _partial(room, person, ruled.record, attempt)
    if attempt is None:
        return RedirectResponse(f"/approvals/{approval}", 303)
    form = form_of(room, person, ruled.record, edits=bool(sent.ruling.edits))
    return await _page(room, person, ruled.record, form, attempt, sent.ruling.edits)


async def history(
    room: InRoom,
    person: Operator,
    search: Annotated[str, Query(max_length=200)] = "",
    before: datetime | None = None,
) -> HTMLResponse:
    """What was decided, the latest first."""
    if before is not None and before.tzinfo is None:
        raise HTTPException(422)
    found = await room.approvals.history(search.strip(), before, PAST_AT_ONCE)
    older = ""
    if len(found) == PAST_AT_ONCE and (last := found[-1].decided_at):
        older = "?" + urlencode({"search": search, "before": last.isoformat()})
    context = HistoryContext(
        title=room.words.language.gettext(TITLE_PAST),
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=(),
        current=None,
        operator=True,
        past=[room.requests.past(asked, tool_of(room, asked.tool)) for asked in found],
        search=search,
        older=older,
    )
    return room.page(context)


# What the stream of the queue sends, too.


def card(room: Room, person: Identity, asked: ApprovalRecord) -> Markup:
    """A request as it stands in the queue."""
    tool, form = tool_of(room, asked.tool), form_of(room, person, asked)
    return room.requests.request(asked, tool, form, page=f"/approvals/{asked.id}")


def verdict(
    room: Room, person: Identity, asked: ApprovalRecord, attempt: Attempt | None = None
) -> Markup:
    """What stands in the place of the form, or the form."""
    tool = tool_of(room, asked.tool)
    return room.requests.verdict(asked, tool, form_of(room, person, asked), attempt)


def tool_of(room: Room, name: str) -> Tool:
    field_map = room.approvals.map_of(name)
    label = name if field_map is None else field_map.label
    return Tool(label, room.approvals.description_of(name), field_map)


def form_of(room: Room, person: Identity, asked: ApprovalRecord, *, edits: bool = False) -> Form:
    address = f"/approvals/{asked.id}"
    token = room.form_tokens.make(person.session, asked.id)
    return Form(address, token, f"{address}?edit=1", edits)


def title(room: Room, waiting: int) -> str:
    """The title with its count, which a tab shows that is not looked at."""
    language = room.words.language
    if not waiting:
        return language.gettext(TITLE)
    return language.gettext(TITLE_COUNTED).format(n=language.number(waiting))


def count(room: Room, waiting: Sequence[ApprovalRecord], shown: int) -> Markup:
    """How many wait, and how many of them are not on the page."""
    language = room.words.language
    sentence = language.gettext(words_of.NOTHING_WAITS)
    if waiting:
        sentence = room.requests.words.number_of(words_of.WAITING, len(waiting))
    left = len(waiting) - shown
    more = language.gettext(MORE).format(n=language.number(left)) if left > 0 else ""
    return room.templates.render(CountContext(sentence, more))


def mark_of(asked: ApprovalRecord) -> str:
    """What a page shows of a request, in short: another mark is another look."""
    return f"{asked.state}.{asked.call_state}"


def is_told(mark: str) -> bool:
    """Whether a request of this mark can have no other look any more."""
    state, _, call = mark.partition(".")
    return state != ApprovalState.WAITING and call in FINAL_STATES


def position(marks: dict[str, str]) -> str:
    """What a page holds, as a stream's position."""
    return " ".join(f"{approval}.{mark}" for approval, mark in marks.items())


def _partial(
    room: Room, person: Identity, asked: ApprovalRecord, attempt: Attempt | None
) -> HTMLResponse:
    """The form's place on the page that sent it. Where a stream has put something newer there,
    the form is gone, and htmx drops this."""
    parts = [
        Partial(asked.id, MORPH, room.requests.state(asked)),
        Partial(form_id(asked.id), REPLACE, verdict(room, person, asked, attempt)),
    ]
    content = Markup().join(room.templates.render(part) for part in parts)
    return HTMLResponse(content, CONFLICT if attempt else 200)


async def _page(
    room: Room,
    person: Identity,
    asked: ApprovalRecord,
    form: Form,
    attempt: Attempt | None = None,
    edits: Mapping[str, str] | None = None,
) -> HTMLResponse:
    tool = tool_of(room, asked.tool)
    others = [other for other in await room.approvals.waiting() if other.id != asked.id]
    context = ApprovalContext(
        title=tool.label,
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=[room.assets.url(name) for name in SCRIPTS],
        current=None,
        operator=True,
        request=room.requests.request(asked, tool, form, attempt, edits),
        back="/approvals",
        onward=f"/approvals/{others[0].id}" if others else "",
    )
    return room.page(context, CONFLICT if attempt else 200)
