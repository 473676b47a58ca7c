"""Workers: the processes that carry exchanges on, known by their heartbeats."""

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncConnection

from app.records.queries import Queries
from app.records.tables import workers


class WorkerQueries(Queries):
    async def heartbeat(self, worker: str) -> bool:
        """Say that a worker is alive.

        False when it was not on record: at its first beat, or after others took it for lost and
        recovered what it held.
        """
        async with self._database.writing() as connection:
            return await beat(connection, worker, self._clock())


async def beat(connection: AsyncConnection, worker: str, now: datetime) -> bool:
    """The same within a transaction."""
    known = await connection.execute(
        update(workers).where(workers.c.id == worker).values(heartbeat_at=now)
    )
    if known.rowcount == 1:
        return True
    # Two transactions of one worker may both find it unknown; each database says this its own way.
    insert = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
    await connection.execute(
        insert(workers)
        .values(id=worker, started_at=now, heartbeat_at=now)
        .on_conflict_do_nothing(index_elements=[workers.c.id])
    )
    return False
