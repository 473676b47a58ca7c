"""Messages sent while an exchange is open: kept in order, and sent after it."""

from dataclasses import replace

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.records.exchanges import Opened, has_open_exchange, insert_exchange
from app.records.from_rows import queued_message
from app.records.ids import Kind, new_id
from app.records.queries import Queries, lock_conversation, next_place_in
from app.records.rows import ExchangeState, QueuedMessage
from app.records.storable import mended_text
from app.records.tables import conversations, exchanges, queued_messages


class QueueQueries(Queries):
    async def queue_message(self, conversation_id: str, text: str) -> str | None:
        """The id of the kept message; None when no exchange is open, so that one can be opened.

        The two are told apart in one transaction: a message cannot be kept behind an exchange
        that has just ended and looked for the last time.
        """
        message_id = new_id(Kind.QUEUED_MESSAGE)
        async with self._database.writing() as connection:
            await lock_conversation(connection, conversation_id)
            if not await has_open_exchange(connection, conversation_id):
                return None
            position = await next_place_in(
                connection, queued_messages, queued_messages.c.conversation_id, conversation_id
            )
            await connection.execute(
                insert(queued_messages).values(
                    id=message_id,
                    conversation_id=conversation_id,
                    position=position,
                    text=mended_text(text),
                    created_at=self._clock(),
                )
            )
        return message_id

    async def open_queued_exchange(self, conversation_id: str, worker: str) -> Opened | None:
        """Open an exchange with the oldest kept message, in one step, so that no crash loses it.

        None when nothing is kept, or the conversation is hidden. Raises
        :class:`ConversationBusy`, and then keeps the message.
        """
        async with self._database.writing() as connection:
            await lock_conversation(connection, conversation_id)
            if await _is_hidden(connection, conversation_id):
                return None
            message = await _take(connection, conversation_id)
            if message is None:
                return None
            now = self._clock()
            opened = await insert_exchange(connection, conversation_id, message.text, worker, now)
            return replace(opened, kept=message.id)

    async def conversations_with_kept(self) -> tuple[tuple[str, str], ...]:
        """Conversation and owner wherever a message is kept and no exchange is open."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(conversations.c.id, conversations.c.owner)
                .where(
                    conversations.c.deleted_at.is_(None),
                    conversations.c.id.in_(select(queued_messages.c.conversation_id)),
                    conversations.c.id.not_in(
                        select(exchanges.c.conversation_id).where(
                            exchanges.c.state == ExchangeState.OPEN
                        )
                    ),
                )
                .order_by(conversations.c.id)
            )
            return tuple((row.id, row.owner) for row in found)


async def _is_hidden(connection: AsyncConnection, conversation_id: str) -> bool:
    found = await connection.execute(
        select(conversations.c.deleted_at).where(conversations.c.id == conversation_id)
    )
    return found.scalar_one() is not None


async def _take(connection: AsyncConnection, conversation_id: str) -> QueuedMessage | None:
    found = await connection.execute(
        select(queued_messages)
        .where(queued_messages.c.conversation_id == conversation_id)
        .order_by(queued_messages.c.position)
        .limit(1)
    )
    row = found.mappings().first()
    if row is None:
        return None
    await connection.execute(delete(queued_messages).where(queued_messages.c.id == row["id"]))
    return queued_message(row)
