"""An in-memory driver of :class:`Approvals`: requests that a test puts there, decided once."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.calls.exact_json import digest, dump_exact
from app.calls.json_types import JsonObject
from app.calls.states import CallState
from app.display.edits import EditRefused, edited
from app.display.field_map import Approver, FieldMap
from app.exchange.approvals import Decision, Refusal, Ruled, Ruling, UnknownApproval
from app.exchange.conversations import UnknownConversation
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind, AuditRecord
from tests.display.maps import compiled

ASKED_AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
REFUND = compiled(
    {
        "invoice": {"type": "string"},
        "amount": {"type": "number"},
        "reason": {"type": "string"},
        "desk": {"type": "string"},
    },
    {
        "invoice": {"label": "Invoice", "order": 1},
        "amount": {"label": "Amount", "order": 2, "format": "number", "editable": True},
        "reason": {"label": "Reason", "order": 3, "format": "multiline"},
        "desk": {"hidden": True},
    },
    tool="refund",
    label="Refund",
    description="Pay back a paid invoice.",
    approval={"required": True, "by": "operator"},
)


def asked(number: int, arguments: JsonObject, **more: object) -> ApprovalRecord:
    """A request that waits; ``number`` makes its id and its time."""
    fields: dict[str, object] = {
        "id": f"a{number:020x}",
        "call_id": f"t{number}-0",
        "turn_id": f"t{number}",
        "exchange_id": f"x{number}",
        "conversation_id": f"conversation-{number}",
        "tool": "refund",
        "by": Approver.OPERATOR.value,
        "digest": digest(dump_exact(arguments)),
        "schema_version": "5c3d0a91bb27",
        "asked_by": f"owner {number}",
        "message": f"Please refund number {number}",
        "asked_at": ASKED_AT + timedelta(minutes=number),
        "expires_at": ASKED_AT + timedelta(minutes=number, hours=1),
        "state": ApprovalState.WAITING,
        "decided_by": None,
        "decided_at": None,
        "reason": None,
        "note": None,
        "arguments": arguments,
        "edited": None,
        "call_state": CallState.AWAITING_APPROVAL,
        "call_reason": None,
    }
    return ApprovalRecord(**(fields | more))  # pyright: ignore[reportArgumentType]


_TOO_LATE = {
    ApprovalState.APPROVED: Refusal.DECIDED,
    ApprovalState.DENIED: Refusal.DECIDED,
    ApprovalState.EXPIRED: Refusal.EXPIRED,
    ApprovalState.SUPERSEDED: Refusal.WITHDRAWN,
    ApprovalState.STOPPED: Refusal.WITHDRAWN,
}


class ScriptedApprovals:
    """Requests by id. ``owners`` is who a conversation belongs to."""

    def __init__(self, requests: Iterable[ApprovalRecord] = ()) -> None:
        self.requests = {request.id: request for request in requests}
        self.owners: dict[str, str] = {}
        self.trail: list[AuditRecord] = []
        self._changed = asyncio.Event()

    def put(self, request: ApprovalRecord) -> None:
        """A new request, or one that has changed."""
        self.requests[request.id] = request
        self._tick()

    async def waiting(self, tool: str | None = None) -> Sequence[ApprovalRecord]:
        found = [
            request
            for request in self.requests.values()
            if request.state is ApprovalState.WAITING
            and request.by == Approver.OPERATOR
            and tool in (None, request.tool)
        ]
        return sorted(found, key=lambda request: request.asked_at)

    async def request(self, approval: str) -> ApprovalRecord:
        return self._find(approval, Approver.OPERATOR)

    async def own_request(self, owner: str, conversation: str, approval: str) -> ApprovalRecord:
        if self.owners.get(conversation) != owner:
            raise UnknownConversation(conversation)
        found = self._find(approval, Approver.USER)
        if found.conversation_id != conversation:
            raise UnknownApproval(approval)
        return found

    async def decide(self, operator: str, approval: str, ruling: Ruling) -> Ruled:
        return self._decide(await self.request(approval), operator, ruling)

    async def decide_own(
        self, owner: str, conversation: str, approval: str, ruling: Ruling
    ) -> Ruled:
        return self._decide(await self.own_request(owner, conversation, approval), owner, ruling)

    async def refuse_attempt(self, actor: str, approval: str, why: str) -> None:
        if approval in self.requests:
            self._note(AuditKind.REFUSED, self.requests[approval], actor, why)

    async def history(
        self, search: str = "", before: datetime | None = None, limit: int = 50
    ) -> Sequence[ApprovalRecord]:
        found = [
            request
            for request in self.requests.values()
            if request.decided_at is not None
            and (before is None or request.decided_at < before)
            and search.lower() in f"{request.tool} {request.decided_by} {request.note}".lower()
        ]
        return sorted(found, key=lambda request: str(request.decided_at), reverse=True)[:limit]

    async def audit(self) -> AsyncGenerator[AuditRecord, None]:
        for record in self.trail:
            yield record

    async def changes(self) -> AsyncGenerator[None, None]:
        while True:
            changed = self._changed
            yield
            await changed.wait()

    def map_of(self, tool: str) -> FieldMap | None:
        return REFUND if tool == "refund" else None

    def description_of(self, tool: str) -> str:
        return REFUND.description if tool == "refund" else tool

    def refusals(self) -> list[tuple[str, str | None, str]]:
        """Attempts that were refused: request, who, why."""
        return [
            (record.approval_id, record.actor, record.detail)
            for record in self.trail
            if record.kind is AuditKind.REFUSED
        ]

    def _find(self, approval: str, by: Approver) -> ApprovalRecord:
        found = self.requests.get(approval)
        if found is None or found.by != by:
            raise UnknownApproval(approval)
        return found

    def _decide(self, request: ApprovalRecord, by: str, ruling: Ruling) -> Ruled:
        refusal = _TOO_LATE.get(request.state)
        if refusal is None and ruling.digest != request.digest:
            refusal = Refusal.OTHER_ARGUMENTS
        if refusal is not None:
            self._note(AuditKind.REFUSED, request, by, refusal)
            return Ruled(request, changed=False, refusal=refusal)
        try:
            changed = edited(REFUND, request.arguments, ruling.edits)
        except EditRefused as bad:
            return Ruled(request, changed=False, refusal=Refusal.BAD_EDIT, detail=str(bad))
        is_approved = ruling.decision is Decision.APPROVE
        decided = replace(
            request,
            state=ApprovalState.APPROVED if is_approved else ApprovalState.DENIED,
            decided_by=by,
            decided_at=ASKED_AT + timedelta(hours=2),
            reason=ruling.reason or None,
            note=ruling.note or None,
            edited=None if changed == request.arguments else changed,
            call_state=CallState.AWAITING_APPROVAL if is_approved else CallState.NOT_RUN,
        )
        self._note(AuditKind(decided.state.value), decided, by, "")
        self.put(decided)
        return Ruled(decided, changed=True)

    def _note(self, kind: AuditKind, request: ApprovalRecord, actor: str, detail: str) -> None:
        self.trail.append(
            AuditRecord(
                len(self.trail) + 1,
                ASKED_AT,
                kind,
                request.id,
                request.conversation_id,
                request.call_id,
                request.tool,
                request.digest,
                actor,
                detail,
            )
        )
        self._tick()

    def _tick(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
