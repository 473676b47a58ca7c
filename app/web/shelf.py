"""The side list: rename, delete with a way back, search. Plain forms, with and without script."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query
from fastapi.responses import HTMLResponse, RedirectResponse

from app.display.marks import has_look
from app.exchange.conversations import ConversationSummary
from app.records.search import SearchHit
from app.web.contexts import HitLine, SearchContext, Shelf, ShelfLine
from app.web.identity import Owner
from app.web.language import stamp
from app.web.room import InRoom, Room

MOST_TITLE_CHARS = 200
MOST_HITS = 50
ON_SHELF = 50
"""Conversations in the side list; the page of the search has all of them."""
AROUND = 80
"""Characters of a text that are shown on each side of the words that were searched."""


def shelf_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.post("/c/{conversation}/rename")(rename)
    router.post("/c/{conversation}/delete")(delete)
    router.post("/c/{conversation}/restore")(restore)
    router.get("/search")(search)
    return router


async def rename(
    room: InRoom, owner: Owner, conversation: str, title: Annotated[str, Form()]
) -> RedirectResponse:
    """Give a conversation another title."""
    text = " ".join(title.split())
    if len(text) > MOST_TITLE_CHARS or not has_look(text):
        raise HTTPException(422)
    await room.conversations.rename(owner, conversation, text)
    return RedirectResponse(f"/c/{conversation}", 303)


async def delete(room: InRoom, owner: Owner, conversation: str) -> RedirectResponse:
    """Take a conversation away; the page that follows offers to bring it back."""
    await room.conversations.delete(owner, conversation)
    return RedirectResponse(f"/?deleted={conversation}", 303)


async def restore(room: InRoom, owner: Owner, conversation: str) -> RedirectResponse:
    """Bring a deleted conversation back."""
    await room.conversations.restore(owner, conversation)
    return RedirectResponse(f"/c/{conversation}", 303)


async def search(room: InRoom, owner: Owner, q: Annotated[str, Query()] = "") -> HTMLResponse:
    """What was said, answered or made a title, with some words in it."""
    words = q.strip()[:MOST_TITLE_CHARS]
    hits = await room.conversations.search(owner, words, MOST_HITS) if words else ()
    own = await room.conversations.listing(owner)
    return room.page(
        SearchContext(
            title=room.words.search_title(words),
            styles=room.assets.url("formwork.css"),
            icon=room.assets.url("icon.svg"),
            scripts=(),
            shelf=shelf(room, own),
            current=None,
            words=words,
            count=room.words.hits(len(hits)),
            hits=[_hit_line(room, hit) for hit in hits],
            every=[] if words else [_line(room, each) for each in own],
        )
    )


def shelf(room: Room, conversations: Sequence[ConversationSummary], current: str = "") -> Shelf:
    """The side list as its template wants it: the newest ones, and the one that is open."""
    lines = [
        _line(room, each)
        for place, each in enumerate(conversations)
        if place < ON_SHELF or each.id == current
    ]
    return Shelf(lines, more=len(conversations) > ON_SHELF)


def _line(room: Room, conversation: ConversationSummary) -> ShelfLine:
    at = conversation.updated_at
    when = room.words.language.moment(at)
    return ShelfLine(conversation.id, conversation.title, stamp(at), when)


def _hit_line(room: Room, hit: SearchHit) -> HitLine:
    around = AROUND if hit.exchange_id else len(hit.text)
    begin, end = max(0, hit.start - around), min(len(hit.text), hit.end + around)
    return HitLine(
        conversation=hit.conversation_id,
        exchange=hit.exchange_id or "",
        title=hit.title,
        at=stamp(hit.at),
        when=room.words.language.moment(hit.at),
        before=("…" if begin else "") + hit.text[begin : hit.start],
        words=hit.text[hit.start : hit.end],
        after=hit.text[hit.end : end] + ("…" if end < len(hit.text) else ""),
    )
