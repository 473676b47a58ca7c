"""What people can do with requests for their decision, in whichever process hears of it.

A decision is made on record first. What it sets free is then taken up here, or, when this process
is lost before it can, by any other.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.calls.gate import refusal
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.display.edits import EditRefused, edited
from app.display.field_map import Approver, FieldMap
from app.exchange.answers import not_run
from app.exchange.binding import Binding
from app.exchange.conversations import Conversations, UnknownConversation
from app.exchange.exchanges import Exchanges
from app.exchange.parts import Parts
from app.exchange.rules import Person, ToolRules
from app.records.approvals import NewDecision
from app.records.rows import ApprovalRecord, ApprovalState, AuditRecord

LOOK_AGAIN_S = 2.0
"""How often a follower looks for what other processes have put on record."""


class UnknownApproval(Exception):
    """There is no such request, or it is not this person's to see."""


class Decision(StrEnum):
    APPROVE = "approve"
    DENY = "deny"


class Refusal(StrEnum):
    """Why an attempt to decide changed nothing."""

    DECIDED = "decided"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    """The person went on or stopped, or it is being stopped."""
    OTHER_ARGUMENTS = "other_arguments"
    """The attempt names other arguments than those that were shown."""
    TOOL_CHANGED = "tool_changed"
    """The tool or its schema is another by now; the request can only be denied."""
    BAD_EDIT = "bad_edit"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a form says: ``edits`` is text by dotted path, ``digest`` the one that was shown."""

    decision: Decision
    digest: str
    reason: str = ""
    note: str = ""
    edits: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Ruled:
    """The request as it is now. ``detail`` is one sentence about a bad edit."""

    record: ApprovalRecord
    changed: bool
    refusal: Refusal | None = None
    detail: str = ""


_REFUSALS = {
    ApprovalState.APPROVED: Refusal.DECIDED,
    ApprovalState.DENIED: Refusal.DECIDED,
    ApprovalState.EXPIRED: Refusal.EXPIRED,
    ApprovalState.SUPERSEDED: Refusal.WITHDRAWN,
    ApprovalState.STOPPED: Refusal.WITHDRAWN,
}


class Approvals:
    """The requests of all conversations."""

    def __init__(self, parts: Parts, conversations: Conversations, exchanges: Exchanges) -> None:
        self._parts = parts
        self._conversations = conversations
        self._exchanges = exchanges
        self._binding = Binding(parts.maps)

    def map_of(self, tool: str) -> FieldMap | None:
        return self._parts.maps.get(tool)

    def description_of(self, tool: str) -> str:
        """What the tool is for; its name where nothing says so."""
        known = self._parts.maps.get(tool)
        if known is not None:
            return known.description
        names = self._parts.registry.names
        return self._parts.registry[tool].description if tool in names else tool

    async def waiting(self, tool: str | None = None) -> Sequence[ApprovalRecord]:
        """What operators have to decide, oldest first."""
        return await self._parts.records.waiting_approvals(Approver.OPERATOR, tool)

    async def history(
        self, search: str = "", before: datetime | None = None, limit: int = 50
    ) -> Sequence[ApprovalRecord]:
        """What operators had to decide and is over, the latest first."""
        return await self._parts.records.past_approvals(Approver.OPERATOR, search, before, limit)

    async def request(self, approval: str) -> ApprovalRecord:
        """One that is an operator's to decide. Raises :class:`UnknownApproval`."""
        return await self._find(approval, Approver.OPERATOR)

    async def own_request(self, owner: str, conversation: str, approval: str) -> ApprovalRecord:
        """One that the owner of a conversation decides.

        Raises :class:`UnknownApproval` and :class:`UnknownConversation`.
        """
        await self._conversations.require(owner, conversation)
        found = await self._find(approval, Approver.USER)
        if found.conversation_id != conversation:
            raise UnknownApproval(approval)
        return found

    async def decide(self, operator: str, approval: str, ruling: Ruling) -> Ruled:
        """Decide as an operator. Raises :class:`UnknownApproval`."""
        return await self._decide(await self.request(approval), operator, ruling)

    async def decide_own(
        self, owner: str, conversation: str, approval: str, ruling: Ruling
    ) -> Ruled:
        """Decide as the person who is asked in the chat.

        Raises :class:`UnknownApproval` and :class:`UnknownConversation`.
        """
        return await self._decide(
            await self.own_request(owner, conversation, approval), owner, ruling
        )

    async def refuse_attempt(self, actor: str, approval: str, why: str) -> None:
        """Put on record that somebody tried to decide who may not."""
        await self._parts.records.refuse_attempt(approval, actor, why)

    async def expire(self) -> None:
        """End every request whose time is up, and go on without it."""
        told = not_run(Reason.EXPIRED)
        for expired in await self._parts.records.expire_approvals(told):
            self._over(expired)
            await self._exchanges.go_on(expired.conversation_id)

    def audit(self) -> AsyncGenerator[AuditRecord, None]:
        """The whole trail, oldest line first."""
        return self._parts.records.audit_trail()

    async def changes(self) -> AsyncGenerator[None, None]:
        """A tick at once, and whenever something was put on the trail, here or elsewhere."""
        heard = self._parts.asked.number
        known = await self._parts.records.audit_position()
        yield
        while True:
            await self._parts.asked.wait(heard, LOOK_AGAIN_S)
            heard = self._parts.asked.number
            position = await self._parts.records.audit_position()
            if position != known:
                known = position
                yield

    # Within

    def _over(self, asked: ApprovalRecord) -> None:
        """Tell of a request that this process has just put an end to."""
        self._parts.telemetry.waited(asked)
        self._parts.asked.happened()

    async def _find(self, approval: str, by: Approver) -> ApprovalRecord:
        found = await self._parts.records.approval(approval)
        if found is None or found.by != by:
            raise UnknownApproval(approval)
        return found

    async def _decide(self, asked: ApprovalRecord, by: str, ruling: Ruling) -> Ruled:
        decision = NewDecision(
            approve=ruling.decision is Decision.APPROVE,
            digest=ruling.digest,
            by=by,
            reason=ruling.reason or None,
            note=ruling.note or None,
            told=not_run(Reason.DENIED, ruling.reason),
            told_if_late=not_run(Reason.EXPIRED),
        )
        if decision.approve and asked.state is ApprovalState.WAITING:
            if self._binding.digest(asked.tool, asked.arguments) != asked.digest:
                await self.refuse_attempt(by, asked.id, "the tool has changed since")
                return Ruled(asked, changed=False, refusal=Refusal.TOOL_CHANGED)
            try:
                decision = await self._with_edits(asked, decision, ruling.edits)
            except EditRefused as bad:
                return Ruled(asked, changed=False, refusal=Refusal.BAD_EDIT, detail=str(bad))
        made = await self._parts.records.decide(asked.id, decision)
        if made.changed:
            self._over(made.approval)
        if made.approval.state is not ApprovalState.WAITING:
            await self._exchanges.go_on(asked.conversation_id)
        if made.changed:
            return Ruled(await self._now(made.approval), changed=True)
        why = _REFUSALS.get(made.approval.state)
        if why is None:
            other = made.approval.digest != ruling.digest
            why = Refusal.OTHER_ARGUMENTS if other else Refusal.WITHDRAWN
        return Ruled(made.approval, changed=False, refusal=why)

    async def _now(self, decided: ApprovalRecord) -> ApprovalRecord:
        return await self._parts.records.approval(decided.id) or decided

    async def _with_edits(
        self, asked: ApprovalRecord, decision: NewDecision, edits: Mapping[str, str]
    ) -> NewDecision:
        """The decision for arguments that were changed, once these have passed the gate."""
        known = self._parts.maps.get(asked.tool)
        if not edits or known is None:
            return decision
        changed = edited(known, asked.arguments, edits)
        if changed == asked.arguments:
            return decision
        await self._require_passing(asked, changed)
        bound = self._binding.digest(asked.tool, changed)
        return replace(decision, edited=changed, edited_digest=bound)

    async def _require_passing(self, asked: ApprovalRecord, changed: JsonObject) -> None:
        conversation = await self._parts.records.conversation(asked.conversation_id)
        if conversation is None:
            raise UnknownConversation(asked.conversation_id)
        person = Person(conversation.owner, conversation.roles)
        rules = ToolRules(self._parts.registry, self._parts.maps, person)
        refused = refusal(asked.tool, changed, rules)
        if refused is not None:
            raise EditRefused(f"The changed arguments cannot be used: {refused[1]}.")
