"""Exchanges form a tree: a message that was edited or asked again stands beside the old one."""

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: None = None
depends_on: None = None


def upgrade() -> None:
    op.add_column("exchanges", sa.Column("parent_id", sa.Text(), nullable=True))
    op.add_column("conversations", sa.Column("head_id", sa.Text(), nullable=True))
    # Until now each exchange followed the one before it.
    op.execute(
        "UPDATE exchanges SET parent_id = (SELECT before.id FROM exchanges AS before"
        " WHERE before.conversation_id = exchanges.conversation_id"
        " AND before.position < exchanges.position ORDER BY before.position DESC LIMIT 1)"
    )
    op.execute(
        "UPDATE conversations SET head_id = (SELECT last.id FROM exchanges AS last"
        " WHERE last.conversation_id = conversations.id ORDER BY last.position DESC LIMIT 1)"
    )


def downgrade() -> None:
    op.drop_column("conversations", "head_id")
    op.drop_column("exchanges", "parent_id")
