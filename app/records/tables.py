"""The schema, for SQLite and PostgreSQL alike.

JSON is TEXT that we write ourselves, since neither database's own JSON type keeps the text of a
number. A change here needs a migration: a test compares both.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.engine.interfaces import Dialect

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware moment in UTC. SQLite keeps no zone, so it is taken off there and put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True)


def _parent(name: str, table: str) -> Column[str]:
    # Every table with a parent has a unique constraint that begins with it, so needs no index.
    return Column(name, Text, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _maybe_text(name: str) -> Column[str]:
    return Column(name, Text, nullable=True)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, UtcDateTime, nullable=nullable)


conversations = Table(
    "conversations",
    METADATA,
    _id(),
    _text("owner"),
    _text("title"),
    Column("roles", Text, nullable=False, server_default="[]"),
    _moment("created_at"),
    _moment("updated_at"),
    _moment("deleted_at", nullable=True),
    _maybe_text("head_id"),
    Index(None, "owner", "updated_at"),
)

exchanges = Table(
    "exchanges",
    METADATA,
    _id(),
    _parent("conversation_id", "conversations"),
    _number("position"),
    _text("message"),
    _moment("created_at"),
    _text("state"),
    _maybe_text("outcome"),
    _maybe_text("outcome_detail"),
    _maybe_text("worker"),
    _moment("stop_asked_at", nullable=True),
    _moment("ended_at", nullable=True),
    _maybe_text("parent_id"),
    UniqueConstraint("conversation_id", "position"),
    CheckConstraint("(state = 'ended') = (outcome IS NOT NULL)", name="ended_has_outcome"),
)

Index(
    "one_open_exchange",
    exchanges.c.conversation_id,
    unique=True,
    sqlite_where=text("state = 'open'"),
    postgresql_where=text("state = 'open'"),
)

turns = Table(
    "turns",
    METADATA,
    _id(),
    _parent("exchange_id", "exchanges"),
    _number("position"),
    _text("dialect"),
    _text("model"),
    _maybe_text("provider_stop"),
    _text("parts"),
    _moment("created_at"),
    UniqueConstraint("exchange_id", "position"),
)

calls = Table(
    "calls",
    METADATA,
    _id(),
    _parent("turn_id", "turns"),
    _number("ordinal"),
    _maybe_text("provider_id"),
    _maybe_text("wire_id"),
    _text("name"),
    _maybe_text("arguments_text"),
    _text("arguments"),
    _text("digest"),
    _text("verdict"),
    Column("state", Text, nullable=False, index=True),
    _maybe_text("reason"),
    _maybe_text("detail"),
    _moment("announced_at"),
    _moment("running_at", nullable=True),
    _moment("ended_at", nullable=True),
    Column("duration_ms", Integer, nullable=True),
    _maybe_text("worker"),
    Column("idempotent", Boolean, nullable=False),
    _maybe_text("result_content"),
    _maybe_text("result_full"),
    _number("result_mended"),
    Column("is_error", Boolean, nullable=False),
    UniqueConstraint("turn_id", "ordinal"),
    CheckConstraint(
        "(state IN ('done', 'failed', 'not_run', 'unknown'))"
        " = (result_content IS NOT NULL AND ended_at IS NOT NULL)",
        name="ended_has_result",
    ),
)

approvals = Table(
    "approvals",
    METADATA,
    _id(),
    _parent("call_id", "calls"),
    _text("by"),
    _text("asked_by"),
    _text("digest"),
    _text("schema_version"),
    _moment("asked_at"),
    _moment("expires_at"),
    Column("state", Text, nullable=False),
    _maybe_text("decided_by"),
    _moment("decided_at", nullable=True),
    _maybe_text("reason"),
    _maybe_text("note"),
    _maybe_text("edited"),
    UniqueConstraint("call_id"),
    CheckConstraint("(state = 'waiting') = (decided_at IS NULL)", name="over_has_moment"),
    Index(None, "state", "expires_at"),
)

audit = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _moment("at"),
    _text("kind"),
    Column("approval_id", Text, nullable=False, index=True),
    _text("conversation_id"),
    _text("call_id"),
    _text("tool"),
    _text("digest"),
    _maybe_text("actor"),
    _text("detail"),
)
"""What happened to approvals. It outlives what it tells of, and a trigger refuses any change."""

abandoned_turns = Table(
    "abandoned_turns",
    METADATA,
    _id(),
    _parent("exchange_id", "exchanges"),
    _number("position"),
    _text("reason"),
    _maybe_text("provider_stop"),
    _text("detail"),
    _text("text"),
    _text("calls"),
    _moment("created_at"),
    UniqueConstraint("exchange_id", "position"),
)

notices = Table(
    "notices",
    METADATA,
    _id(),
    _parent("exchange_id", "exchanges"),
    _number("position"),
    _text("kind"),
    _text("params"),
    _moment("created_at"),
    UniqueConstraint("exchange_id", "position"),
)

queued_messages = Table(
    "queued_messages",
    METADATA,
    _id(),
    _parent("conversation_id", "conversations"),
    _number("position"),
    _text("text"),
    _moment("created_at"),
    UniqueConstraint("conversation_id", "position"),
)

workers = Table(
    "workers",
    METADATA,
    _id(),
    _moment("started_at"),
    _moment("heartbeat_at"),
)

observations = Table(
    "observations",
    METADATA,
    Column("subject", Text, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("exchange_id", Text, ForeignKey("exchanges.id", ondelete="CASCADE"), index=True),
    _text("kind"),
    _maybe_text("turn_id"),
    _number("size"),
    Column("data", LargeBinary, nullable=False),
    Column("written_at", UtcDateTime, nullable=False, index=True),
)
