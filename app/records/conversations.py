"""Conversations: made, listed, renamed, hidden, removed."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, delete, insert, select, update

from app.calls.exact_json import dump_exact
from app.records.approval_rows import audit_calls
from app.records.from_rows import conversation_record
from app.records.ids import Kind, new_id
from app.records.queries import Queries
from app.records.rows import ApprovalState, AuditKind, ConversationRecord, ExchangeState
from app.records.storable import mended_text
from app.records.tables import approvals, calls, conversations, exchanges, turns


class ConversationQueries(Queries):
    async def create_conversation(self, owner: str, title: str) -> str:
        """The new conversation's id."""
        conversation_id = new_id(Kind.CONVERSATION)
        now = self._clock()
        async with self._database.writing() as connection:
            await connection.execute(
                insert(conversations).values(
                    id=conversation_id,
                    owner=owner,
                    title=mended_text(title),
                    created_at=now,
                    updated_at=now,
                )
            )
        return conversation_id

    async def conversation(self, conversation_id: str) -> ConversationRecord | None:
        """Also one that is hidden: its ``deleted_at`` tells."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(conversations).where(conversations.c.id == conversation_id)
            )
            row = found.mappings().first()
        return None if row is None else conversation_record(row)

    async def conversations_of(self, owner: str) -> tuple[ConversationRecord, ...]:
        """Newest first, without the hidden ones."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(conversations)
                .where(conversations.c.owner == owner, conversations.c.deleted_at.is_(None))
                .order_by(conversations.c.updated_at.desc(), conversations.c.id)
            )
            return tuple(conversation_record(row) for row in found.mappings())

    async def latest_conversations(self, limit: int) -> tuple[ConversationRecord, ...]:
        """Of everybody, newest first, without the hidden ones."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(conversations)
                .where(conversations.c.deleted_at.is_(None))
                .order_by(conversations.c.updated_at.desc(), conversations.c.id)
                .limit(limit)
            )
            return tuple(conversation_record(row) for row in found.mappings())

    async def conversations_gone(self, ids: Collection[str]) -> frozenset[str]:
        """Those of the ids whose conversation is hidden, or was removed."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(conversations.c.id).where(
                    conversations.c.id.in_(ids), conversations.c.deleted_at.is_(None)
                )
            )
            return frozenset(ids).difference(found.scalars())

    async def rename_conversation(self, conversation_id: str, title: str) -> bool:
        """False when there is none. Its place in the list stays."""
        return await self._set(conversation_id, title=mended_text(title))

    async def set_roles(self, conversation_id: str, roles: frozenset[str]) -> bool:
        """Put on record what the owner's roles are now. False when there is none."""
        return await self._set(conversation_id, roles=dump_exact([*sorted(roles)]))

    async def hide_conversation(self, conversation_id: str) -> bool:
        """Take it off the list, so that it can be restored. False when there is none."""
        return await self._set(conversation_id, deleted_at=self._clock())

    async def restore_conversation(self, conversation_id: str) -> bool:
        return await self._set(conversation_id, deleted_at=None)

    async def delete_conversation(self, conversation_id: str) -> bool:
        """Remove it and all that belongs to it, for good. False when there is none."""
        return await self._delete(conversations.c.id == conversation_id) == 1

    async def delete_conversation_at_rest(self, conversation_id: str) -> bool:
        """The same, unless an exchange of it is open; False then, too."""
        return await self._delete(conversations.c.id == conversation_id, _at_rest()) == 1

    async def delete_older_than(self, moment: datetime) -> int:
        """Retention: remove conversations in which nothing happened since; how many those were.

        One with an open exchange stays until that has ended: a call of it may be waiting for a
        person, or at work.
        """
        return await self._delete(conversations.c.updated_at < moment, _at_rest())

    async def delete_hidden_before(self, moment: datetime) -> int:
        """Remove for good what was hidden before a moment; how many those were."""
        return await self._delete(conversations.c.deleted_at < moment)

    async def _set(self, conversation_id: str, **values: str | datetime | None) -> bool:
        async with self._database.writing() as connection:
            changed = await connection.execute(
                update(conversations).where(conversations.c.id == conversation_id).values(values)
            )
        return changed.rowcount == 1

    async def _delete(self, *conditions: ColumnElement[bool]) -> int:
        async with self._database.writing() as connection:
            found = await connection.execute(
                select(approvals.c.call_id)
                .join(calls, calls.c.id == approvals.c.call_id)
                .join(turns, turns.c.id == calls.c.turn_id)
                .join(exchanges, exchanges.c.id == turns.c.exchange_id)
                .join(conversations, conversations.c.id == exchanges.c.conversation_id)
                .where(*conditions, approvals.c.state == ApprovalState.WAITING)
            )
            await audit_calls(
                connection,
                found.scalars().all(),
                AuditKind.STOPPED,
                self._clock(),
                detail="the conversation was deleted",
            )
            gone = await connection.execute(delete(conversations).where(*conditions))
        return gone.rowcount


def _at_rest() -> ColumnElement[bool]:
    is_open = exchanges.c.state == ExchangeState.OPEN
    return conversations.c.id.not_in(select(exchanges.c.conversation_id).where(is_open))
