"""Brings the schema up to what this version needs, or says why it cannot.

Processes that start together take turns: SQLite by the write lock of the transaction, PostgreSQL
by a lock of ours that the transaction holds.
"""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from app.records.database import Database
from app.records.errors import DatabaseAhead

_LOCK = 0x666F726D
"""PostgreSQL's advisory locks are numbers; this spells "form"."""


async def migrate(database: Database) -> None:
    """Run what migrations are missing, in one transaction.

    Raises :class:`DatabaseAhead` when the database has been used by a newer version.
    """
    async with database.writing() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        await connection.run_sync(_upgrade)


def migration_config(connection: Connection) -> Config:
    """Alembic's configuration, bound to a connection in whose transaction it works."""
    config = Config()
    config.set_main_option("script_location", "app.records:migrations")
    config.attributes["connection"] = connection
    return config


def _upgrade(connection: Connection) -> None:
    config = migration_config(connection)
    scripts = ScriptDirectory.from_config(config)
    known = {script.revision for script in scripts.walk_revisions()}
    current = set(MigrationContext.configure(connection).get_current_heads())
    if current - known:
        raise DatabaseAhead(
            f"the database is at revision {', '.join(sorted(current - known))}, which this version"
            f" (at {scripts.get_current_head()}) does not know: run the newer version that wrote it"
        )
    if current != set(scripts.get_heads()):
        command.upgrade(config, "head")
