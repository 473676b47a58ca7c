"""The store as the rest of the program holds it."""

from app.records.approvals import ApprovalQueries
from app.records.branches import BranchQueries
from app.records.conversations import ConversationQueries
from app.records.database import Database
from app.records.dispatch import DispatchQueries
from app.records.entries import EntryQueries
from app.records.exchanges import ExchangeQueries
from app.records.migrate import migrate
from app.records.observations import ObservationQueries
from app.records.queries import Clock, utc_now
from app.records.queue import QueueQueries
from app.records.recovery import RecoveryQueries
from app.records.search import SearchQueries
from app.records.transcripts import TranscriptQueries
from app.records.workers import WorkerQueries


class Records(
    ConversationQueries,
    ExchangeQueries,
    QueueQueries,
    EntryQueries,
    DispatchQueries,
    ApprovalQueries,
    TranscriptQueries,
    WorkerQueries,
    RecoveryQueries,
    SearchQueries,
    ObservationQueries,
    BranchQueries,
):
    """Conversations and all that happened in them. Each method is one transaction.

    A method that is cancelled has either happened whole or not at all; shield it where it must
    not be left open which. Nothing here logs a message, an argument or a result.
    """

    @classmethod
    async def open(cls, database_url: str, clock: Clock = utc_now) -> "Records":
        """Connect, and bring the schema up to date.

        ``sqlite:///path`` or ``postgresql://...``. Raises :class:`DatabaseRefused` with one line
        for the operator.
        """
        database = Database(database_url)
        try:
            await database.prepare_file()
            await migrate(database)
        except BaseException:
            await database.close()
            raise
        return cls(database, clock)

    async def close(self) -> None:
        """Give the connections back."""
        await self._database.close()
