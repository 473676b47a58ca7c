"""Reading a whole conversation, in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.calls.history import HistoryItem
from app.calls.json_types import JsonObject
from app.records.approval_rows import SELECT_APPROVALS
from app.records.errors import NotFound
from app.records.export import transcript_json
from app.records.from_rows import (
    abandoned_turn_record,
    approval_record,
    call_record,
    conversation_record,
    exchange_record,
    notice_record,
    queued_message,
    turn_record,
)
from app.records.history import to_history
from app.records.queries import Queries
from app.records.rows import (
    ApprovalRecord,
    CallRecord,
    EntryRecord,
    ExchangeTranscript,
    Transcript,
    TurnRecord,
    branch,
)
from app.records.tables import (
    abandoned_turns,
    calls,
    conversations,
    exchanges,
    notices,
    queued_messages,
    turns,
)


class TranscriptQueries(Queries):
    async def transcript(self, conversation_id: str, first: int | str = 0) -> Transcript:
        """A conversation, as one moment saw it. Raises :class:`NotFound`.

        ``first`` is the number of the first exchange to read of the branch that is shown, or its
        id, or, negative, how many of the last ones. A number past the end reads the last one, an
        id of another branch from where that parts from this one, any other id all of it.
        """
        async with self._database.reading() as connection:
            return await load_transcript(connection, conversation_id, first)

    async def history(self, conversation_id: str) -> tuple[HistoryItem, ...]:
        """What the next request tells the model: see :func:`app.records.history.to_history`.

        Raises :class:`CallsNotEnded` and :class:`NotFound`.
        """
        return to_history(await self.transcript(conversation_id))

    async def export(self, conversation_id: str) -> JsonObject:
        """A conversation for its owner: see :mod:`app.records.export`. Raises NotFound."""
        return transcript_json(await self.transcript(conversation_id))


async def load_transcript(
    connection: AsyncConnection, conversation_id: str, first: int | str = 0
) -> Transcript:
    found = await _rows(
        connection, select(conversations).where(conversations.c.id == conversation_id)
    )
    if not found:
        raise NotFound("conversation", conversation_id)
    places = await _rows(
        connection,
        select(exchanges.c.id, exchanges.c.parent_id, exchanges.c.position)
        .where(exchanges.c.conversation_id == conversation_id)
        .order_by(exchanges.c.position),
    )
    tree = {place["id"]: place["parent_id"] for place in places}
    start = _first_of(tree, branch(tree, found[0]["head_id"]), first)
    since = next((place["position"] for place in places if place["id"] == start), 0)
    wanted = (exchanges.c.conversation_id == conversation_id) & (exchanges.c.position >= since)
    exchange_rows = await _rows(
        connection, select(exchanges).where(wanted).order_by(exchanges.c.position)
    )
    queued_rows = await _rows(
        connection,
        select(queued_messages)
        .where(queued_messages.c.conversation_id == conversation_id)
        .order_by(queued_messages.c.position),
    )
    entries = await _entries(connection, wanted)
    return Transcript(
        conversation_record(found[0]),
        tuple(
            ExchangeTranscript(exchange_record(row), tuple(entries[row["id"]]))
            for row in exchange_rows
        ),
        tuple(queued_message(row) for row in queued_rows),
        tree,
    )


def _first_of(
    tree: Mapping[str, str | None], path: tuple[str, ...], first: int | str
) -> str | None:
    """The exchange that a reading begins with, or None for the first of any branch."""
    if isinstance(first, str):
        start = _place(tree, path, first)
    else:
        start = len(path) + first if first < 0 else first
    start = min(start, len(path) - 1)
    return path[start] if start > 0 else None


def _place(tree: Mapping[str, str | None], path: tuple[str, ...], exchange: str) -> int:
    """Where an exchange stands in a branch, or where the branch parts from its own."""
    above: str | None = exchange
    while above is not None and above not in path:
        above = tree.get(above)
    if above is None:
        return 0
    return path.index(above) + (above != exchange)


async def load_turn(connection: AsyncConnection, turn_id: str) -> TurnRecord:
    """A turn that is on record."""
    [row] = await _rows(connection, select(turns).where(turns.c.id == turn_id))
    call_rows = await _rows(
        connection, select(calls).where(calls.c.turn_id == turn_id).order_by(calls.c.ordinal)
    )
    asked = await _approvals(connection, calls.c.turn_id == turn_id)
    return turn_record(row, [call_record(call, asked.get(call["id"])) for call in call_rows])


async def _entries(
    connection: AsyncConnection, wanted: ColumnElement[bool]
) -> defaultdict[str, list[EntryRecord]]:
    """By exchange id, each in the order things happened."""
    calls_of: defaultdict[str, list[CallRecord]] = defaultdict(list)
    within = turns.c.id == calls.c.turn_id
    of_conversation = (
        select(calls)
        .join(turns, within)
        .join(exchanges, exchanges.c.id == turns.c.exchange_id)
        .where(wanted)
        .order_by(calls.c.turn_id, calls.c.ordinal)
    )
    asked = await _approvals(connection, wanted)
    for row in await _rows(connection, of_conversation):
        calls_of[row["turn_id"]].append(call_record(row, asked.get(row["id"])))
    found: list[EntryRecord] = [
        *(
            turn_record(row, calls_of[row["id"]])
            for row in await _rows(connection, _in_exchanges(turns, wanted))
        ),
        *(
            abandoned_turn_record(row)
            for row in await _rows(connection, _in_exchanges(abandoned_turns, wanted))
        ),
        *(notice_record(row) for row in await _rows(connection, _in_exchanges(notices, wanted))),
    ]
    entries: defaultdict[str, list[EntryRecord]] = defaultdict(list)
    for entry in sorted(found, key=lambda entry: entry.position):
        entries[entry.exchange_id].append(entry)
    return entries


async def _approvals(
    connection: AsyncConnection, condition: ColumnElement[bool]
) -> dict[str, ApprovalRecord]:
    """By call id."""
    found = await _rows(connection, SELECT_APPROVALS.where(condition))
    return {row["call_id"]: approval_record(row) for row in found}


def _in_exchanges(table: Table, wanted: ColumnElement[bool]) -> Select[Any]:
    return select(table).join(exchanges, exchanges.c.id == table.c.exchange_id).where(wanted)


async def _rows(connection: AsyncConnection, query: Select[*tuple[Any, ...]]) -> list[RowMapping]:
    return list((await connection.execute(query)).mappings())
