"""The branches of a conversation: a message asked again, or edited, beside what it was before.

Each exchange knows the one that it follows, and the conversation the last one of the branch that
is shown and told to the model. What happened in another branch stays on record as it was.
"""

from sqlalchemy import select, update

from app.records.errors import ConversationBusy, NotFound
from app.records.exchanges import Opened, has_open_exchange, insert_exchange
from app.records.queries import Queries, exchange_row, lock_conversation
from app.records.storable import mended_text
from app.records.tables import conversations, exchanges


class BranchQueries(Queries):
    async def open_beside(
        self, conversation_id: str, exchange_id: str, message: str | None, worker: str
    ) -> Opened:
        """Open an exchange in the place of one that has ended, with its message or another.

        Raises :class:`ConversationBusy` while any is open, :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            await lock_conversation(connection, conversation_id)
            row = await exchange_row(connection, exchange_id)
            if row["conversation_id"] != conversation_id:
                raise NotFound("exchange", exchange_id)
            text = row["message"] if message is None else mended_text(message)
            return await insert_exchange(
                connection, conversation_id, text, worker, self._clock(), beside=row
            )

    async def turn_to(self, conversation_id: str, exchange_id: str) -> None:
        """Show the branch that an exchange is part of, as far as it was taken last.

        Raises :class:`ConversationBusy` while an exchange is open, :class:`NotFound`.
        """
        async with self._database.writing() as connection:
            await lock_conversation(connection, conversation_id)
            if await has_open_exchange(connection, conversation_id):
                raise ConversationBusy(conversation_id)
            found = await connection.execute(
                select(exchanges.c.id, exchanges.c.parent_id)
                .where(exchanges.c.conversation_id == conversation_id)
                .order_by(exchanges.c.position)
            )
            # The last child of each: a later one takes the place of an earlier.
            rows = found.all()
            if exchange_id not in {row.id for row in rows}:
                raise NotFound("exchange", exchange_id)
            children = {row.parent_id: row.id for row in rows}
            head = exchange_id
            while head in children:
                head = children[head]
            await connection.execute(
                update(conversations)
                .where(conversations.c.id == conversation_id)
                .values(head_id=head)
            )
