"""Requests for a person's decision, and their audit trail."""

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: None = None
depends_on: None = None

_SQLITE = (
    """
    CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END
    """,
    """
    CREATE TRIGGER audit_is_never_cut BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END
    """,
)
_POSTGRESQL = (
    """
    CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END $$
    """,
    """
    CREATE TRIGGER audit_is_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()
    """,
)


def upgrade() -> None:
    op.add_column(
        "conversations", sa.Column("roles", sa.Text(), nullable=False, server_default="[]")
    )
    op.create_table(
        "approvals",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("schema_version", sa.Text(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("edited", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["call_id"], ["calls.id"], name=op.f("fk_approvals_call_id"), ondelete="CASCADE"
        ),
        sa.CheckConstraint(
            "(state = 'waiting') = (decided_at IS NULL)",
            name=op.f("ck_approvals_over_has_moment"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("call_id", name=op.f("uq_approvals_call_id")),
    )
    op.create_index(
        op.f("ix_approvals_state_expires_at"), "approvals", ["state", "expires_at"], unique=False
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_approval_id"), "audit", ["approval_id"], unique=False)
    for statement in _SQLITE if _is_sqlite() else _POSTGRESQL:
        op.execute(statement)


def downgrade() -> None:
    op.drop_table("audit")
    if not _is_sqlite():
        op.execute("DROP FUNCTION refuse_audit_change()")
    op.drop_table("approvals")
    op.drop_column("conversations", "roles")


def _is_sqlite() -> bool:
    return op.get_context().dialect.name == "sqlite"
