"""A request on record, as the chat shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.calls.states import CallState
from app.display.field_map import Approver, FieldMap
from app.display.formats import Formats
from app.display.updates import ApprovalChanged
from app.display.view import ApprovalView
from app.display.whole import whole_for_person
from app.records.rows import ApprovalRecord, ApprovalState


@dataclass(frozen=True, slots=True)
class ApprovalViews:
    """Makes views under the maps in force."""

    maps: Mapping[str, FieldMap]
    formats: Formats

    def changed(self, asked: ApprovalRecord) -> ApprovalChanged:
        """What tells viewers of a request that waits, or was approved and has not started."""
        return ApprovalChanged(asked.exchange_id, asked.turn_id, asked.call_id, self.view(asked))

    def view(self, asked: ApprovalRecord) -> ApprovalView:
        """Holds no value that the map hides from the customer."""
        known = self.maps.get(asked.tool)
        waits = asked.state is ApprovalState.WAITING
        return ApprovalView(
            id=asked.id,
            by=asked.by,
            digest=asked.digest,
            asked_at=asked.asked_at,
            expires_at=asked.expires_at,
            schema_version=asked.schema_version,
            description="" if known is None else known.description,
            whole=(
                whole_for_person(known, asked.arguments, self.formats)
                if waits and known is not None and asked.by == Approver.USER
                else None
            ),
            approved_at=asked.decided_at if asked.state is ApprovalState.APPROVED else None,
        )


def is_shown(asked: ApprovalRecord) -> bool:
    """Whether the call's block still tells of the request, and not of what came of it."""
    return asked.call_state is CallState.AWAITING_APPROVAL
