"""The developer view's pages."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from app.developer.call_trace import CallTrace
from app.developer.comparing import Comparison
from app.developer.shown import shown_calls
from app.developer.turn_log import CallLog, TurnLog
from app.developer.viewing import ConversationSeen, ExchangeSeen, TurnSeen
from app.developer.wire import BadRecording, to_file
from app.providers.connect import KNOWN_DIALECTS
from app.providers.provider import MissingLibrary
from app.records.rows import NoticeRecord
from app.web.developer.call_part import Window, call_seen
from app.web.developer.contexts import (
    CallPageContext,
    Cell,
    ComparisonContext,
    ConversationContext,
    ExchangeContext,
    Link,
    ListContext,
    NoticeContext,
    TableContext,
)
from app.web.developer.desk import PREFIX, AtDesk, Desk
from app.web.developer.figures import NOTHING, clock, dotted, ms, size
from app.web.developer.turn_part import recorded_calls
from app.web.static_files import respond

PAGE = 250
"""Fragments on one page of a call, and settled values."""
TAIL_CHARS = 300


def developer_pages() -> APIRouter:
    """The routes of this module."""
    router = APIRouter(prefix=PREFIX)
    router.get("")(listing)
    router.get("/assets/{name}")(asset)
    router.post("/replays")(take_in)
    router.get("/{conversation}")(conversation_page)
    router.get("/{conversation}/{turn}/body")(body)
    router.get("/{conversation}/{turn}/recording")(recording)
    router.get("/{conversation}/{turn}/comparison")(comparison)
    router.get("/{conversation}/{turn}/{block:int}")(call_page)
    return router


async def asset(request: Request, desk: AtDesk, name: str, v: str = "") -> Response:
    """A script or style of the view."""
    found = desk.assets.find(name)
    if found is None:
        raise HTTPException(404)
    accept = request.headers.get("accept-encoding", "")
    return respond(found, v, accept, request.headers.get("if-none-match", ""))


async def listing(desk: AtDesk) -> HTMLResponse:
    """Conversations of everybody, and what can be replayed."""
    return await _listing(desk, "", 200)


async def _listing(desk: Desk, fault: str, status: int) -> HTMLResponse:
    latest = await desk.view.latest()
    return desk.page(
        ListContext(
            title="Developer view",
            styles=desk.styles,
            scripts=desk.scripts,
            crumbs=[],
            conversations=[
                (
                    clock(each.updated_at.timestamp()),
                    Link(each.title or each.id, f"{PREFIX}/{each.id}"),
                )
                for each in latest
            ],
            dialects=KNOWN_DIALECTS,
            files=desk.view.files(),
            most=size(desk.view.recording_bytes),
            fault=fault,
        ),
        status,
    )


async def take_in(request: Request, desk: AtDesk) -> Response:
    """Take a recording in, uploaded or from the folder, and lead to its replay."""
    async with request.form(max_files=1, max_fields=4, max_part_size=4096) as form:
        dialect, name, file = form.get("dialect"), form.get("file"), form.get("recording")
        if not isinstance(dialect, str) or dialect not in KNOWN_DIALECTS:
            return await _listing(desk, "There is no such dialect.", 422)
        try:
            if isinstance(name, str) and name:
                replay = await desk.view.take_file(name, dialect)
            else:
                content = b"" if file is None or isinstance(file, str) else await file.read()
                if not content:
                    return await _listing(desk, "Choose a recording first.", 422)
                replay = await desk.view.take_in(content, dialect)
        except (BadRecording, MissingLibrary) as fault:
            return await _listing(desk, f"{fault}.", 422)
    return RedirectResponse(f"{PREFIX}/replays/{replay}", 303)


# A conversation


async def conversation_page(desk: AtDesk, conversation: str) -> HTMLResponse:
    """Everything of a conversation, which goes on from there."""
    seen = await desk.view.conversation(conversation)
    title = seen.conversation.title or seen.conversation.id
    facts: list[tuple[str, Cell]] = [
        ("conversation", seen.conversation.id),
        ("owner", seen.conversation.owner),
        ("begun", clock(seen.conversation.created_at.timestamp())),
    ]
    if seen.earlier:
        facts.append(("not shown", f"{seen.earlier} earlier exchanges"))
    return desk.page(
        ConversationContext(
            title=title,
            styles=desk.styles,
            scripts=desk.scripts,
            crumbs=way(),
            facts=facts,
            stream=f"{PREFIX}/{conversation}/stream?after={position(seen)}",
            exchanges=[exchange(desk, each, conversation) for each in seen.exchanges],
        )
    )


def position(seen: ConversationSeen) -> str:
    """What the logs were read up to, in a form that an address can hold."""
    return ".".join(f"{name}:{until}" for name, until in sorted(seen.positions.items()))


def way(conversation: str = "", turn: str = "") -> list[Link]:
    """From the view's front page to where a page belongs."""
    steps = [Link("Developer view", PREFIX)]
    if conversation:
        steps.append(Link(conversation, f"{PREFIX}/{conversation}"))
    if turn:
        steps.append(Link(turn, f"{PREFIX}/{conversation}#{turn}"))
    return steps


def exchange(desk: Desk, seen: ExchangeSeen, conversation: str) -> Markup:
    """An exchange with its turns and notices."""
    record = seen.transcript.exchange
    outcome = record.outcome or "open"
    detail = f" · {record.outcome_detail}" if record.outcome_detail else ""
    return desk.templates.render(
        ExchangeContext(
            record.id,
            f"Exchange {record.position} · {outcome}{detail}",
            desk.marking.text(record.message),
            [_entry(desk, entry, seen, conversation) for entry in seen.entries],
        )
    )


def _entry(
    desk: Desk, entry: TurnSeen | NoticeRecord, seen: ExchangeSeen, conversation: str
) -> Markup:
    if isinstance(entry, TurnSeen):
        return desk.turns.render(entry, seen.log.flushes, f"{PREFIX}/{conversation}")
    at = clock(entry.created_at.timestamp())
    return desk.templates.render(NoticeContext(at, entry.kind, entry.params))


# A call


async def call_page(
    desk: AtDesk,
    conversation: str,
    turn: str,
    block: int,
    at: Annotated[int | None, Query(ge=0)] = None,
) -> HTMLResponse:
    """One call, fragment by fragment: the text around one, and the parser's state after it."""
    place, seen = await desk.view.turn(conversation, turn)
    observed = seen.observed
    call = None if observed is None else _call(observed, block)
    if observed is None or call is None:
        raise HTTPException(404)
    shown = shown_calls(turn, place.log.flushes)
    address = f"{PREFIX}/{conversation}/{turn}/{block}"
    trace = CallTrace(call, observed.terms.limits)
    now = len(trace) if at is None else min(at, len(trace))
    moment = trace.moment(now)
    first = max(0, now - 1) // PAGE * PAGE + 1
    places = slice(max(0, moment.settled - PAGE), max(PAGE, moment.settled))
    window = Window(first, first + PAGE - 1, places, now)
    facts: list[tuple[str, Cell]] = [
        ("after fragment", f"{now:,}"),
        ("time", ms(moment.at)),
        ("open path", desk.marking.text(dotted(moment.open_path))),
        ("open text ends", desk.marking.text((moment.open_text or NOTHING)[-TAIL_CHARS:])),
        ("settled so far", f"{moment.settled:,}"),
        ("parser", moment.status.value if moment.fault is None else moment.fault.message),
    ]
    return desk.page(
        CallPageContext(
            title=f"Call of {call.name or 'no name'}",
            styles=desk.styles,
            scripts=desk.scripts,
            crumbs=way(conversation, turn),
            call=desk.calls.render(
                call_seen(observed, call, shown, recorded_calls(seen), address), window
            ),
            pager=steps_to(address, now, len(trace), PAGE),
            at=now,
            last=len(trace),
            action=address,
            moment=facts,
        )
    )


def steps_to(address: str, now: int, last: int, page: int) -> list[Link]:
    """Links to the steps around one."""
    wanted = (
        ("First", 0),
        (f"Back {page}", now - page),
        ("Back", now - 1),
        ("On", now + 1),
        (f"On {page}", now + page),
        ("Last", last),
    )
    return [
        Link(text, f"{address}?at={to}") for text, to in wanted if 0 <= to <= last and to != now
    ]


def _call(turn: TurnLog, block: int) -> CallLog | None:
    return next((call for call in turn.calls if call.block == block), None)


# The wire


async def body(desk: AtDesk, conversation: str, turn: str) -> Response:
    """The response's bytes alone: what ``formwork replay`` and a test read."""
    kept = await desk.view.recording(conversation, turn)
    return Response(kept.body, media_type="application/octet-stream")


async def recording(desk: AtDesk, conversation: str, turn: str) -> Response:
    """The response with the times at which it came."""
    kept = await desk.view.recording(conversation, turn)
    return Response(to_file(kept), media_type="application/octet-stream")


async def comparison(desk: AtDesk, conversation: str, turn: str) -> HTMLResponse:
    """A turn beside a replay of its own recording."""
    compared = await desk.view.compared(conversation, turn)
    same = compared.difference is None
    counted = (
        ("events", compared.events),
        ("states", compared.states),
        ("rows", compared.rows),
        ("verdicts", compared.verdicts),
    )
    return desk.page(
        ComparisonContext(
            title="A turn and its replay",
            styles=desk.styles,
            scripts=desk.scripts,
            crumbs=way(conversation, turn),
            verdict=_verdict(compared),
            same=same,
            counts=desk.templates.render(
                TableContext(
                    "Compared, in this order",
                    ("what", "the same"),
                    [[name, f"{count:,}"] for name, count in counted],
                    folded=False,
                )
            ),
            difference=[] if same else list(_difference(desk, compared)),
        )
    )


def _verdict(compared: Comparison) -> str:
    if compared.difference is None:
        return f"The same: {compared.same:,} facts of the turn are those of its replay."
    return f"They differ after {compared.same:,} equal facts: {compared.difference.what}."


def _difference(desk: Desk, compared: Comparison) -> Iterable[tuple[str, Cell]]:
    assert compared.difference is not None
    for name, said in (
        ("as it was observed", compared.difference.observed),
        ("as it is replayed", compared.difference.replayed),
    ):
        yield name, desk.marking.text(NOTHING if said is None else said[:4000])
