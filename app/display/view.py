"""What a viewer sees of a conversation.

Everything in here has passed the field map: a hidden value occurs in no view and in no update.
A view changes by the updates of :mod:`app.display.updates` alone.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from app.calls.json_types import Path
from app.calls.states import CallState
from app.display.whole_rows import Whole


class RowStatus(StrEnum):
    WRITING = "writing"
    """The field is being written; its label shows, nothing of its value does."""

    STREAMING = "streaming"
    """A prefix of the value shows; it only grows."""

    SETTLED = "settled"
    """The value shows and can no longer change."""


class RowKind(StrEnum):
    """How much room a row's value asks for, known from the map before any value."""

    LINE = "line"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Row:
    """One shown leaf.

    ``confined``: a later row of the block was already on screen when this one opened, so this one
    must stay within its reserved room (and scroll inside it) or that row would move.
    """

    path: Path
    label: str
    text: str
    status: RowStatus
    kind: RowKind = RowKind.LINE
    confined: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the frame, known from the map alone, before anything is written.

    A slot without ``members`` and not ``repeated`` is a leaf whose room is kept from the start. A
    slot with members is a group (nested object). A repeated slot is an array, which starts empty
    and only grows; its ``members`` are those of one element (empty: elements are bare values).
    """

    path: Path
    label: str
    kind: RowKind = RowKind.LINE
    required: bool = False
    repeated: bool = False
    members: tuple["Slot", ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """A request for a person's decision, once it is on record.

    ``by`` is ``user`` or ``operator``. ``whole`` are the arguments as a person decides on them;
    None where an operator does, elsewhere. ``approved_at``: it was approved, and the call has not
    started yet; a request that ended otherwise has no view, the call's state tells of it.
    """

    id: str
    by: str
    digest: str
    asked_at: datetime
    expires_at: datetime
    schema_version: str
    description: str
    whole: Whole | None = None
    approved_at: datetime | None = None


@dataclass(slots=True)
class CallView:
    id: str
    label: str | None
    """The map's label; the tool's name where there is no map; None until the name is known."""
    state: CallState
    frame: tuple[Slot, ...] = ()
    rows: dict[Path, Row] = field(default_factory=dict[Path, Row])
    """In display order."""
    reason: str | None = None
    """A reason code, or for ``failed`` the plain sentence."""
    summary: str | None = None
    duration_ms: int | None = None
    result: tuple[Row, ...] = ()
    result_headings: tuple[tuple[Path, str], ...] = ()
    """Labels of the objects and arrays that hold the result's rows, by path."""
    approval: ApprovalView | None = None
    """While the call waits for a decision, or to start after it."""


@dataclass(slots=True)
class TextView:
    id: str
    text: str = ""


@dataclass(slots=True)
class WorkView:
    """The provider's own work (a server tool)."""

    id: str
    name: str
    finished: bool


ItemView: TypeAlias = CallView | TextView | WorkView


@dataclass(slots=True)
class TurnView:
    id: str
    items: dict[str, ItemView] = field(default_factory=dict[str, ItemView])
    abandoned: str | None = None
    """The reason code for which the whole turn was rolled back; its blocks stay, folded."""


class NoticeKind(StrEnum):
    """What the assistant's side has to tell beside text and calls; one sentence each."""

    REGENERATING = "regenerating"
    """params: reason, attempt, of"""
    WAITING_TO_RETRY = "waiting_to_retry"
    """params: failure, seconds"""
    GAVE_UP = "gave_up"
    """params: reason"""
    PROVIDER_FAILED = "provider_failed"
    """params: failure"""
    REFUSED = "refused"
    EMPTY_ANSWER = "empty_answer"
    """The turn ended well and held neither text nor a call."""
    STOPPED = "stopped"
    """By the person."""
    UNWATCHED = "unwatched"
    """By a setting, since nobody was watching."""
    INTERRUPTED = "interrupted"
    """The process was lost while the turn was being written."""
    TURN_LIMIT = "turn_limit"
    """params: limit"""
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class NoticeView:
    id: str
    kind: NoticeKind
    params: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class ExchangeView:
    id: str
    message: str
    at: datetime
    entries: dict[str, TurnView | NoticeView] = field(
        default_factory=dict[str, TurnView | NoticeView]
    )
    """Turns and notices in the order they happened, by id."""
    open: bool = True
    stopping: bool = False
    """The person asked to stop; what was asked has not come to an end yet."""
    alternatives: tuple[str, ...] = ()
    """The exchanges in this one's place, itself among them; empty when it is the only one."""


@dataclass(slots=True)
class ConversationView:
    id: str
    title: str = ""
    exchanges: dict[str, ExchangeView] = field(default_factory=dict[str, ExchangeView])
    kept: dict[str, str] = field(default_factory=dict[str, str])
    """Messages sent while an exchange was open, by id: each is sent when that exchange ends."""
    earlier: int = 0
    """How many exchanges of the conversation came before the first one here."""

    def number(self, exchange: str) -> int:
        """The place of an exchange in the whole conversation, from 0. Raises ``KeyError``."""
        for number, found in enumerate(self.exchanges, self.earlier):
            if found == exchange:
                return number
        raise KeyError(exchange)

    @property
    def open_exchange(self) -> ExchangeView | None:
        """The exchange at work now, or None."""
        last = next(reversed(self.exchanges.values()), None)
        return last if last is not None and last.open else None

    @property
    def asked(self) -> str:
        """Who is asked to decide on a call of the open exchange: ``user``, ``operator`` or "".

        ``user`` where both are: it is the person who looks at this.
        """
        exchange = self.open_exchange
        turns = () if exchange is None else exchange.entries.values()
        waiting = [
            call.approval.by if call.approval is not None else "operator"
            for turn in turns
            if isinstance(turn, TurnView)
            for call in turn.items.values()
            if isinstance(call, CallView) and call.state is CallState.AWAITING_APPROVAL
        ]
        return max(waiting, default="")

    @property
    def text_being_written(self) -> TextView | None:
        """The text that may yet grow, or None: the last block of the last turn, while open."""
        exchange = self.open_exchange
        last = None if exchange is None else next(reversed(exchange.entries.values()), None)
        if not isinstance(last, TurnView) or last.abandoned:
            return None
        item = next(reversed(last.items.values()), None)
        return item if isinstance(item, TextView) else None
