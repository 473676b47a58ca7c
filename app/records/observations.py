"""What was observed for developers: rows of opaque bytes, in order, for a limited time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from app.records.queries import Queries, next_place_in
from app.records.tables import exchanges, observations

LOG = "log"
"""Lines that tell what happened, in order."""
WIRE = "wire"
"""Bytes of one turn's response."""


@dataclass(frozen=True, slots=True)
class NewObservation:
    """``size`` is the number of bytes before they were packed into ``data``."""

    kind: str
    turn_id: str | None
    size: int
    data: bytes


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    position: int
    data: bytes


class ObservationQueries(Queries):
    async def append_observations(
        self, subject: str, exchange_id: str | None, rows: Sequence[NewObservation]
    ) -> None:
        """Add rows behind those of a subject: an exchange's id, or what else was observed.

        With ``exchange_id`` they go when the exchange goes.
        """
        async with self._database.writing() as connection:
            first = await next_place_in(connection, observations, observations.c.subject, subject)
            await connection.execute(
                insert(observations),
                [
                    {
                        "subject": subject,
                        "position": first + number,
                        "exchange_id": exchange_id,
                        "kind": row.kind,
                        "turn_id": row.turn_id,
                        "size": row.size,
                        "data": row.data,
                        "written_at": self._clock(),
                    }
                    for number, row in enumerate(rows)
                ],
            )

    async def observed_log(self, subject: str, after: int = 0) -> tuple[ObservationRecord, ...]:
        """The rows of a subject's log behind a position, in order."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(observations.c.position, observations.c.data)
                .where(
                    observations.c.subject == subject,
                    observations.c.kind == LOG,
                    observations.c.position > after,
                )
                .order_by(observations.c.position)
            )
            return tuple(ObservationRecord(row.position, row.data) for row in found)

    async def observed_wire(self, subject: str, turn_id: str) -> tuple[ObservationRecord, ...]:
        """The rows of one turn's response, in order."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(observations.c.position, observations.c.data)
                .where(
                    observations.c.subject == subject,
                    observations.c.kind == WIRE,
                    observations.c.turn_id == turn_id,
                )
                .order_by(observations.c.position)
            )
            return tuple(ObservationRecord(row.position, row.data) for row in found)

    async def wire_sizes(self, subject: str) -> Mapping[str, int]:
        """Bytes that are kept of the response of each turn."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(observations.c.turn_id, func.sum(observations.c.size))
                .where(observations.c.subject == subject, observations.c.kind == WIRE)
                .group_by(observations.c.turn_id)
            )
            return {turn: int(size) for turn, size in found}

    async def observed_until(self, conversation_id: str) -> Mapping[str, int]:
        """The last position of each observed exchange of a conversation."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(observations.c.subject, func.max(observations.c.position))
                .join(exchanges, exchanges.c.id == observations.c.exchange_id)
                .where(exchanges.c.conversation_id == conversation_id)
                .group_by(observations.c.subject)
            )
            return {subject: int(position) for subject, position in found}

    async def delete_observations_before(self, moment: datetime) -> int:
        """Retention: remove what was written before a moment; how many rows those were."""
        async with self._database.writing() as connection:
            gone = await connection.execute(
                delete(observations).where(observations.c.written_at < moment)
            )
        return gone.rowcount
