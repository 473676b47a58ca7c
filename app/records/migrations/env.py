"""Alembic's entry: runs in the transaction that ``app.records.migrate`` has begun."""

from alembic import context

from app.records.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite alters a table by copying it
)
context.run_migrations()
