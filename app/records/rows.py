"""What the store gives out: one frozen record per row, free of any database library.

Moments are aware and in UTC, durations are whole milliseconds, ids are ours (``ids.py``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from app.calls.gate import Verdict
from app.calls.history import Part
from app.calls.json_types import JsonObject, JsonValue
from app.calls.states import CallState


class ExchangeState(StrEnum):
    OPEN = "open"
    ENDED = "ended"


class Outcome(StrEnum):
    """How an exchange ended."""

    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    GAVE_UP = "gave_up"
    TURN_LIMIT = "turn_limit"
    INTERNAL_ERROR = "internal_error"
    SUPERSEDED = "superseded"
    """The person went on with a new message while a call waited for a decision."""


class ApprovalState(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """``updated_at`` moves when an exchange opens or ends; ``deleted_at`` hides it from lists.

    ``head_id`` is the last exchange of the branch that is shown; None before the first.
    """

    id: str
    owner: str
    title: str
    roles: frozenset[str]
    """The owner's, as of the last message."""
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    head_id: str | None


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """``worker`` is the process that carries it on; None while open means parked.

    ``parent_id`` is the exchange that it follows: several that follow the same are branches.
    """

    id: str
    conversation_id: str
    position: int
    message: str
    created_at: datetime
    state: ExchangeState
    outcome: Outcome | None
    outcome_detail: str | None
    worker: str | None
    stop_asked_at: datetime | None
    ended_at: datetime | None
    parent_id: str | None


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """A request for a person's decision on one call, and what was decided.

    ``by`` is who may decide: the ``user`` whose conversation it is, or an ``operator``. ``digest``
    binds the decision to the tool, its schema and the exact arguments that were shown.
    ``decided_at`` is when the request was over, in whichever way. ``reason`` is told to the model,
    ``note`` is not. ``edited`` are the arguments that were approved instead of those that the
    model wrote. ``message`` is what the person had said; the last two are the call's.
    """

    id: str
    call_id: str
    turn_id: str
    exchange_id: str
    conversation_id: str
    tool: str
    by: str
    digest: str
    schema_version: str
    asked_by: str
    message: str
    asked_at: datetime
    expires_at: datetime
    state: ApprovalState
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    note: str | None
    arguments: JsonObject
    edited: JsonObject | None
    call_state: CallState
    call_reason: str | None


class AuditKind(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    STOPPED = "stopped"
    REFUSED = "refused"
    """An attempt to decide that changed nothing; the detail says why."""
    DISPATCHED = "dispatched"
    ENDED = "ended"
    """The detail is the call's final state."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One line of the audit trail. It holds no argument, no result and no text of a person's."""

    id: int
    at: datetime
    kind: AuditKind
    approval_id: str
    conversation_id: str
    call_id: str
    tool: str
    digest: str
    actor: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call of a persisted turn.

    ``wire_id`` goes to the provider, in the call and in its result. ``reason`` is a reason code
    for ``not_run`` and a plain sentence for ``failed``; ``detail`` is for the developer.
    ``result_content`` is what the model is told, ``result_full`` the whole result, and
    ``result_mended`` how many characters of both could not be stored and became U+FFFD.
    """

    id: str
    turn_id: str
    ordinal: int
    provider_id: str | None
    wire_id: str | None
    name: str
    arguments: JsonObject
    arguments_text: str | None
    digest: str
    verdict: Verdict
    state: CallState
    reason: str | None
    detail: str | None
    announced_at: datetime
    running_at: datetime | None
    ended_at: datetime | None
    duration_ms: int | None
    worker: str | None
    idempotent: bool
    result_content: str | None
    result_full: JsonValue
    result_mended: int
    is_error: bool
    approval: ApprovalRecord | None
    """The request for a decision, where the gate said ``ask``."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn that ended well and is part of history. ``calls`` are in call order."""

    id: str
    exchange_id: str
    position: int
    dialect: str
    model: str
    provider_stop: str | None
    parts: tuple[Part, ...]
    calls: tuple[CallRecord, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AbandonedCall:
    """A call of a rolled-back turn, as far as it came. Nothing of it ran."""

    ordinal: int
    name: str | None
    provider_id: str | None
    arguments_text: str
    reason: str


@dataclass(frozen=True, slots=True)
class AbandonedTurnRecord:
    """An attempt that was rolled back: for the screen, never for history."""

    id: str
    exchange_id: str
    position: int
    reason: str
    provider_stop: str | None
    detail: str
    text: str
    calls: tuple[AbandonedCall, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NoticeRecord:
    """``kind`` is one of ``app.display.view.NoticeKind``."""

    id: str
    exchange_id: str
    position: int
    kind: str
    params: tuple[tuple[str, str], ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that was sent while an exchange was open, kept to be sent after it."""

    id: str
    conversation_id: str
    text: str
    created_at: datetime


EntryRecord: TypeAlias = TurnRecord | AbandonedTurnRecord | NoticeRecord


@dataclass(frozen=True, slots=True)
class ExchangeTranscript:
    """An exchange and what happened in it, in order."""

    exchange: ExchangeRecord
    entries: tuple[EntryRecord, ...]

    @property
    def turns(self) -> tuple[TurnRecord, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, TurnRecord))


@dataclass(frozen=True, slots=True)
class Transcript:
    """Everything of a conversation, as one moment saw it."""

    conversation: ConversationRecord
    exchanges: tuple[ExchangeTranscript, ...]
    """Of all branches, in the order in which they were opened, from where the reading began."""
    queued: tuple[QueuedMessage, ...]
    tree: Mapping[str, str | None]
    """All exchanges, read or not, in that order: the id of each and of the one it follows."""

    @property
    def path(self) -> tuple[str, ...]:
        """The branch that is shown and told to the model: ids of exchanges, read or not."""
        return branch(self.tree, self.conversation.head_id)

    @property
    def active(self) -> tuple[ExchangeTranscript, ...]:
        """The exchanges of that branch that were read."""
        by_id = {each.exchange.id: each for each in self.exchanges}
        return tuple(by_id[each] for each in self.path if each in by_id)

    def alternatives(self, exchange: ExchangeRecord) -> tuple[str, ...]:
        """The exchanges in the same place, itself among them; empty when it is the only one."""
        beside = [each for each, parent in self.tree.items() if parent == exchange.parent_id]
        return tuple(beside) if len(beside) > 1 else ()


def branch(tree: Mapping[str, str | None], head: str | None) -> tuple[str, ...]:
    """The exchanges that lead to ``head``, and itself, first to last."""
    path: list[str] = []
    while head is not None:
        path.append(head)
        head = tree[head]
    return tuple(reversed(path))
