"""What is observed for developers, for a limited time."""

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0002"
branch_labels: None = None
depends_on: None = None


def upgrade() -> None:
    op.create_table(
        "observations",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("exchange_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["exchange_id"],
            ["exchanges.id"],
            name=op.f("fk_observations_exchange_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("subject", "position", name=op.f("pk_observations")),
    )
    op.create_index(op.f("ix_observations_exchange_id"), "observations", ["exchange_id"])
    op.create_index(op.f("ix_observations_written_at"), "observations", ["written_at"])


def downgrade() -> None:
    op.drop_index(op.f("ix_observations_written_at"), "observations")
    op.drop_index(op.f("ix_observations_exchange_id"), "observations")
    op.drop_table("observations")
