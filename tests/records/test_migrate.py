"""The migrations make exactly the tables that the queries know."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, Table, inspect, text

from app.records.database import Database
from app.records.errors import DatabaseAhead, DatabaseRefused
from app.records.migrate import migrate, migration_config
from app.records.store import Records
from app.records.tables import METADATA
from tests.records.processes import open_in_processes


@pytest.fixture
async def database(empty_database_url: str) -> AsyncIterator[Database]:
    opened = Database(empty_database_url)
    await opened.prepare_file()
    yield opened
    await opened.close()


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, METADATA))


def words(condition: object) -> list[str]:
    """A condition without what a database adds when it gives it back: casts, brackets, ANY."""
    plain = re.sub(r"::\w+(\[\])?|\bANY\b|\bARRAY\b|\bIN\b|[()\[\]=,]", " ", str(condition))
    return plain.split()


def checks(table: Table) -> Iterable[tuple[str, list[str]]]:
    for constraint in table.constraints:
        if isinstance(constraint, CheckConstraint):
            yield str(constraint.name), words(constraint.sqltext)


def checks_found(connection: Connection, table: str) -> dict[str | None, list[str]]:
    found = inspect(connection).get_check_constraints(table)
    return {check["name"]: words(check["sqltext"]) for check in found}


async def test_migrations_from_nothing_make_what_the_metadata_says(database: Database) -> None:
    await migrate(database)
    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
        for table in METADATA.tables.values():
            assert await connection.run_sync(checks_found, table.name) == dict(checks(table))


async def test_the_comparison_sees_a_difference(database: Database) -> None:
    await migrate(database)
    async with database.writing() as connection:
        await connection.execute(text("CREATE TABLE stray (id INTEGER)"))
        assert await connection.run_sync(differences) != []


async def test_all_the_way_down_leaves_nothing(database: Database) -> None:
    await migrate(database)

    def down(connection: Connection) -> list[str]:
        command.downgrade(migration_config(connection), "base")
        return inspect(connection).get_table_names()

    async with database.writing() as connection:
        assert await connection.run_sync(down) == ["alembic_version"]


async def test_a_database_that_is_ahead_is_refused_in_one_line_and_left_alone(
    empty_database_url: str, database: Database
) -> None:
    records = await Records.open(empty_database_url)
    kept = await records.create_conversation("ada", "x")
    await records.close()
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9f00'"))
    with pytest.raises(DatabaseAhead) as caught:
        await Records.open(empty_database_url)
    assert isinstance(caught.value, DatabaseRefused)
    assert "9f00" in str(caught.value)
    assert "\n" not in str(caught.value)
    async with database.reading() as connection:
        found = await connection.execute(text("SELECT id FROM conversations"))
        assert found.scalars().all() == [kept]


async def test_a_failing_migration_leaves_the_database_as_it_was(
    empty_database_url: str, database: Database
) -> None:
    """Something stands in the way of the second table: the first one is not left behind either."""
    async with database.writing() as connection:
        await connection.execute(text("CREATE TABLE workers (id INTEGER)"))
    with pytest.raises(Exception, match="workers"):
        await Records.open(empty_database_url)
    async with database.reading() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    assert names == ["workers"]


async def test_processes_that_start_together_on_nothing_all_get_on(empty_database_url: str) -> None:
    await asyncio.wait_for(open_in_processes(empty_database_url, processes=4), 90)
    records = await Records.open(empty_database_url)
    assert len(await records.conversations_of("ada")) == 4
    await records.close()
