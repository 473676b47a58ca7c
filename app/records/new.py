"""What is put on record: a turn that ended well, or one that was rolled back."""

from dataclasses import dataclass
from datetime import datetime

from app.calls.gate import Verdict
from app.calls.history import CallPart, Part
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.records.rows import AbandonedCall


@dataclass(frozen=True, slots=True)
class NewApproval:
    """A request for a person's decision: see :class:`~app.records.rows.ApprovalRecord`."""

    by: str
    asked_by: str
    schema_version: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call with the gate's verdict.

    ``digest`` binds a later dispatch to these arguments: ``claim_call`` must name the same one.
    A refused call carries its ``reason`` and ``result_content``, the error the model is told; one
    that must be approved its ``approval``.
    """

    ordinal: int
    provider_id: str | None
    name: str
    arguments: JsonObject
    arguments_text: str | None
    digest: str
    verdict: Verdict
    announced_at: datetime
    idempotent: bool = False
    reason: Reason | None = None
    detail: str | None = None
    result_content: str | None = None
    approval: NewApproval | None = None

    def __post_init__(self) -> None:
        if (self.verdict is Verdict.ASK) != (self.approval is not None):
            raise ValueError("a call has a request for approval exactly when it must ask")
        refused = self.verdict is Verdict.REFUSE
        if refused != (self.reason is not None) or refused != (self.result_content is not None):
            raise ValueError("a call has a reason and a result here exactly when it is refused")


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn that ended well. Its call parts and ``calls`` name the same ordinals.

    Of a :class:`CallPart` only place, ordinal and ``extra`` are kept; the rest is the call's own.
    """

    id: str
    dialect: str
    model: str
    provider_stop: str | None
    parts: tuple[Part, ...]
    calls: tuple[NewCall, ...]

    def __post_init__(self) -> None:
        in_parts = sorted(part.ordinal for part in self.parts if isinstance(part, CallPart))
        if in_parts != sorted({call.ordinal for call in self.calls}):
            raise ValueError("the call parts of a turn and its calls must be the same calls")
        if len(in_parts) != len(self.calls):
            raise ValueError("two calls of a turn have the same ordinal")


@dataclass(frozen=True, slots=True)
class NewAbandonedTurn:
    """An attempt that was rolled back. ``reason`` is a reason code or a kind of failure."""

    id: str
    reason: str
    provider_stop: str | None
    detail: str
    text: str
    calls: tuple[AbandonedCall, ...]
