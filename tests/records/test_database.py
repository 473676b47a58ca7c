import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from app.records.database import BUSY_TIMEOUT_MS, Database
from app.records.errors import UnsupportedDatabase
from app.records.store import Records
from tests.records.making import open_with_calls


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://localhost/x",
        "oracle+cx_oracle://x",
        "nonsense",
        "",
    ],
)
async def test_what_is_no_database_for_us_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(UnsupportedDatabase) as caught:
        await Records.open(url)
    assert "DATABASE_URL" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_refusal_tells_no_password() -> None:
    with pytest.raises(UnsupportedDatabase) as caught:
        Database("mysql://ada:hunter2@localhost/x")
    assert "hunter2" not in str(caught.value)


async def test_sqlite_is_set_up_on_every_connection(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/deep/er/formwork.db")
    await database.prepare_file()

    async def settings() -> dict[str, object]:
        async with database.reading() as connection:
            names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
            found = {n: await connection.scalar(text(f"PRAGMA {n}")) for n in names}
            await asyncio.sleep(0.01)  # so that each of these holds a connection of its own
            return found

    for found in await asyncio.gather(*(settings() for _ in range(6))):
        assert found == {
            "journal_mode": "wal",
            "foreign_keys": 1,
            "busy_timeout": BUSY_TIMEOUT_MS,
            "synchronous": 2,
        }
    await database.close()


async def test_a_reader_sees_one_moment_and_holds_up_no_writer(
    records: Records, database_url: str
) -> None:
    opened = await open_with_calls(records, [])
    database = Database(database_url)
    count = text("SELECT count(*) FROM conversations")
    async with database.reading() as connection:
        before = await connection.scalar(count)
        await asyncio.wait_for(records.create_conversation("ada", "new"), 10)
        await asyncio.wait_for(records.delete_conversation(opened.conversation_id), 10)
        await asyncio.wait_for(records.create_conversation("ada", "newer"), 10)
        assert await connection.scalar(count) == before == 1
    async with database.reading() as connection:
        assert await connection.scalar(count) == 2
    await database.close()


async def test_an_exception_takes_back_the_whole_transaction(
    records: Records, database_url: str
) -> None:
    database = Database(database_url)
    made = await records.create_conversation("ada", "before")

    async def change_and_fail() -> None:
        async with database.writing() as connection:
            await connection.execute(text("UPDATE conversations SET title = 'after'"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()
    await database.close()
    found = await records.conversation(made)
    assert found is not None
    assert found.title == "before"


async def test_a_write_waits_for_another_process_that_writes(tmp_path: Path) -> None:
    """Two engines stand for two processes: neither knows the other's queue."""
    url = f"sqlite:///{tmp_path}/formwork.db"
    records = await Records.open(url)
    other = Database(url)
    async with other.writing() as connection:
        await connection.execute(text("UPDATE conversations SET title = 'x'"))
        waiting = asyncio.create_task(records.create_conversation("ada", "patience"))
        done, _ = await asyncio.wait([waiting], timeout=0.3)
        assert not done
    assert await waiting
    await other.close()
    await records.close()
