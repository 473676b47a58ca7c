"""Connections and transactions, for SQLite and PostgreSQL.

Departures from the libraries' usual ways:

- The sqlite3 driver begins no transaction by itself (``isolation_level=None``); we do, because
  its own way takes the write lock at the first write, when a reader's snapshot can no longer be
  upgraded and the busy timeout does not help. A writing transaction begins IMMEDIATE.
- ``synchronous`` stays FULL under WAL: "running" must be on record before a tool is called, and a
  power cut may not take that back.
- Writers of one process wait for each other in a queue of ours. SQLite's busy handler polls and
  is not fair; it is left to settle matters between processes.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.records.errors import UnsupportedDatabase

BUSY_TIMEOUT_MS = 15_000
"""How long a writer waits for another process's. A transaction here takes milliseconds; this
outlasts a backup tool that copies the file."""

_WRITES = "formwork_writes"
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
}


class Database:
    """An engine and its two kinds of transaction."""

    def __init__(self, url: str) -> None:
        """Nothing is connected yet. Raises :class:`UnsupportedDatabase` for a URL of neither."""
        self._url = _supported(url)
        self._engine = create_async_engine(self._url)
        self._writers: asyncio.Lock | nullcontext[None] = nullcontext()
        self._reading = self._engine
        if self.is_sqlite:
            self._writers = asyncio.Lock()
            _begin_by_ourselves(self._engine)
        else:
            self._reading = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._writing = self._engine.execution_options(**{_WRITES: True})

    @property
    def is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction whose queries all see the same moment."""
        async with self._reading.begin() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction that may write; committed at the end, rolled back on an exception."""
        async with self._writers, self._writing.begin() as connection:
            yield connection

    async def prepare_file(self) -> None:
        """Make a SQLite file's folder, and let readers and a writer work at the same time."""
        if not self.is_sqlite:
            return
        assert self._url.database is not None
        Path(self._url.database).parent.mkdir(parents=True, exist_ok=True)
        async with self._engine.connect() as connection:
            driver_connection = (await connection.get_raw_connection()).driver_connection
            assert driver_connection is not None
            # Outside a transaction, where alone the mode can change.
            await driver_connection.execute("PRAGMA journal_mode = WAL")

    async def close(self) -> None:
        await self._engine.dispose()


def _supported(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UnsupportedDatabase(
            "DATABASE_URL is not a URL such as sqlite:///data/formwork.db"
        ) from None
    backend = parsed.get_backend_name()
    if backend not in _DRIVERS:
        raise UnsupportedDatabase(f"DATABASE_URL names {backend}; use sqlite or postgresql")
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise UnsupportedDatabase(
            "DATABASE_URL names a database in memory, which no restart survives; name a file"
        )
    return parsed.set(drivername=_DRIVERS[backend])


def _begin_by_ourselves(engine: AsyncEngine) -> None:
    def on_connect(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None
        cursor = dbapi_connection.cursor()
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MS}",
            "foreign_keys = ON",
            "synchronous = FULL",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def on_begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)
