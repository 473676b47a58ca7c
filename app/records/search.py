"""Search over what a person said and was answered, and over titles.

Matching is done here and not by the database: SQLite compares letters beyond ASCII case by case,
and what an assistant said is kept as JSON. Conversations are read newest first, a few at a time,
until there are enough hits.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.exact_json import load_exact
from app.calls.json_types import JsonObject
from app.records.queries import Queries
from app.records.tables import conversations, exchanges, turns

BATCH = 40
"""Conversations that are read at a time."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message, an answer or a title that holds the words, and where in its text they are.

    ``exchange_id`` is None of a title, which is found only where nothing that was said is: most
    titles are the beginning of a message.
    """

    conversation_id: str
    exchange_id: str | None
    title: str
    at: datetime
    text: str
    start: int
    end: int


class SearchQueries(Queries):
    async def search(self, owner: str, words: str, limit: int) -> tuple[SearchHit, ...]:
        """Hits in the owner's conversations, whatever the case of letters; hidden ones aside.

        Newest conversations first, within one in the order in which things were said.
        """
        pattern = re.compile(re.escape(words), re.IGNORECASE)
        hits: list[SearchHit] = []
        async with self._database.reading() as connection:
            every = await _rows(
                connection,
                select(conversations.c.id, conversations.c.title, conversations.c.updated_at)
                .where(conversations.c.owner == owner, conversations.c.deleted_at.is_(None))
                .order_by(conversations.c.updated_at.desc(), conversations.c.id),
            )
            for begin in range(0, len(every), BATCH):
                hits += await _search(connection, every[begin : begin + BATCH], pattern)
                if len(hits) >= limit:
                    break
        return tuple(hits[:limit])


async def _search(
    connection: AsyncConnection, batch: Sequence[RowMapping], pattern: re.Pattern[str]
) -> Sequence[SearchHit]:
    titles = {row["id"]: row["title"] for row in batch}
    said = await _rows(
        connection,
        select(
            exchanges.c.id,
            exchanges.c.conversation_id,
            exchanges.c.position,
            exchanges.c.message,
            exchanges.c.created_at,
        ).where(exchanges.c.conversation_id.in_(titles)),
    )
    answered = await _rows(
        connection,
        select(turns.c.exchange_id, turns.c.position, turns.c.parts, turns.c.created_at)
        .join(exchanges, exchanges.c.id == turns.c.exchange_id)
        .where(exchanges.c.conversation_id.in_(titles)),
    )
    place = {name: number for number, name in enumerate(titles)}
    of = {row["id"]: row for row in said}
    found: list[tuple[tuple[int, int, int], SearchHit]] = []
    for row in said:
        key = (place[row["conversation_id"]], row["position"], 0)
        found += [(key, hit) for hit in _hits(row, titles, [row["message"]], row, pattern)]
    for row in answered:
        exchange = of[row["exchange_id"]]
        key = (place[exchange["conversation_id"]], exchange["position"], row["position"])
        texts = _texts(row["parts"])
        found += [(key, hit) for hit in _hits(exchange, titles, texts, row, pattern)]
    told = {hit.conversation_id for _, hit in found}
    for row in batch:
        if row["id"] not in told:
            found += [((place[row["id"]], 0, 0), hit) for hit in _title_hits(row, pattern)]
    return [hit for _, hit in sorted(found, key=lambda one: one[0])]


def _hits(
    exchange: RowMapping,
    titles: dict[str, str],
    texts: Sequence[str],
    row: RowMapping,
    pattern: re.Pattern[str],
) -> Iterator[SearchHit]:
    conversation = exchange["conversation_id"]
    for text in texts:
        match = pattern.search(text)
        if match is not None:
            yield SearchHit(
                conversation,
                exchange["id"],
                titles[conversation],
                row["created_at"],
                text,
                match.start(),
                match.end(),
            )


def _title_hits(conversation: RowMapping, pattern: re.Pattern[str]) -> Iterator[SearchHit]:
    title = conversation["title"]
    match = pattern.search(title)
    if match is not None:
        at = conversation["updated_at"]
        yield SearchHit(conversation["id"], None, title, at, title, match.start(), match.end())


def _texts(parts: str) -> list[str]:
    stored = cast(list[JsonObject], load_exact(parts))
    return [text for part in stored if isinstance(text := part.get("text"), str)]


async def _rows(connection: AsyncConnection, query: Any) -> list[RowMapping]:
    return list((await connection.execute(query)).mappings())
