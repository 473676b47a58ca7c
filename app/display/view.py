"""What a viewer sees of a conversation, and the updates that change it.

A view is a fold of updates: :func:`apply` is the only way a view changes, live or replayed, so a
page loaded now and a page that watched from the start are the same page. Everything in here has
passed the field map: a hidden value occurs in no view and in no update.
"""

from collections.abc import Iterable
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
    def text_being_written(self) -> TextView | None:
        """The text that may yet grow, or None: the last block of the last turn, while open."""
        exchange = self.open_exchange
        last = None if exchange is None else next(reversed(exchange.entries.values()), None)
        if not isinstance(last, TurnView) or last.abandoned:
            return None
        item = next(reversed(last.items.values()), None)
        return item if isinstance(item, TextView) else None


# Updates. Each names what it changes by our own ids, and is a fact that has occurred.


@dataclass(frozen=True, slots=True)
class ExchangeOpened:
    exchange: str
    message: str
    at: datetime
    kept: str | None = None
    """The id of the kept message that this exchange begins with, or None."""
    alternatives: tuple[str, ...] = ()
    """The exchanges in this one's place, itself among them; empty when it is the only one."""


@dataclass(frozen=True, slots=True)
class MessageKept:
    """A message that waits for the open exchange to end."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnOpened:
    exchange: str
    turn: str


@dataclass(frozen=True, slots=True)
class TextGrew:
    """Text to append to a text block, which this opens when it is new."""

    exchange: str
    turn: str
    item: str
    text: str


@dataclass(frozen=True, slots=True)
class CallOpened:
    exchange: str
    turn: str
    call: str
    state: CallState
    label: str | None
    frame: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class CallNamed:
    """The name of a call that was announced without one."""

    exchange: str
    turn: str
    call: str
    label: str
    frame: tuple[Slot, ...]


@dataclass(frozen=True, slots=True)
class RowChanged:
    """A row that is new, or has a new status; ``place`` is its index in display order.

    ``row`` None takes back a writing mark whose value turned out to be nothing that is shown.
    """

    exchange: str
    turn: str
    call: str
    path: Path
    row: Row | None
    place: int


@dataclass(frozen=True, slots=True)
class RowGrew:
    """Text to append to a row that is streaming."""

    exchange: str
    turn: str
    call: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A new state of a call, with what that state may tell."""

    exchange: str
    turn: str
    call: str
    state: CallState
    reason: str | None = None
    summary: str | None = None
    duration_ms: int | None = None
    result: tuple[Row, ...] = ()
    result_headings: tuple[tuple[Path, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalChanged:
    """A request that has been put on record for a call, or has been approved."""

    exchange: str
    turn: str
    call: str
    approval: ApprovalView


@dataclass(frozen=True, slots=True)
class WorkChanged:
    exchange: str
    turn: str
    item: str
    name: str
    finished: bool


@dataclass(frozen=True, slots=True)
class TurnAbandoned:
    exchange: str
    turn: str
    reason: str


@dataclass(frozen=True, slots=True)
class Noticed:
    exchange: str
    notice: NoticeView


@dataclass(frozen=True, slots=True)
class StopAsked:
    exchange: str


@dataclass(frozen=True, slots=True)
class ExchangeEnded:
    exchange: str


Update: TypeAlias = (
    ExchangeOpened
    | MessageKept
    | TurnOpened
    | TextGrew
    | CallOpened
    | CallNamed
    | RowChanged
    | RowGrew
    | CallChanged
    | ApprovalChanged
    | WorkChanged
    | TurnAbandoned
    | Noticed
    | StopAsked
    | ExchangeEnded
)


def apply(view: ConversationView, updates: Iterable[Update]) -> None:
    """Fold updates into a view, in order."""
    for update in updates:
        _apply_one(view, update)


def _apply_one(view: ConversationView, update: Update) -> None:
    if isinstance(update, ExchangeOpened):
        view.exchanges[update.exchange] = ExchangeView(
            update.exchange, update.message, update.at, alternatives=update.alternatives
        )
        view.kept.pop(update.kept or "", None)
        return
    if isinstance(update, MessageKept):
        view.kept[update.id] = update.text
        return
    exchange = view.exchanges[update.exchange]
    match update:
        case ExchangeEnded():
            exchange.open = False
            exchange.stopping = False
        case StopAsked():
            exchange.stopping = True
        case Noticed(notice=notice):
            exchange.entries[notice.id] = notice
        case TurnOpened(turn=turn):
            exchange.entries[turn] = TurnView(turn)
        case _:
            _apply_to_turn(_turn(exchange, update.turn), update)


def _turn(exchange: ExchangeView, turn_id: str) -> TurnView:
    turn = exchange.entries[turn_id]
    assert isinstance(turn, TurnView)
    return turn


TurnUpdate: TypeAlias = (
    TextGrew
    | CallOpened
    | CallNamed
    | RowChanged
    | RowGrew
    | CallChanged
    | ApprovalChanged
    | WorkChanged
    | TurnAbandoned
)


def _apply_to_turn(turn: TurnView, update: TurnUpdate) -> None:
    match update:
        case TurnAbandoned(reason=reason):
            turn.abandoned = reason
        case TextGrew(item=item, text=text):
            block = turn.items.setdefault(item, TextView(item))
            assert isinstance(block, TextView)
            block.text += text
        case WorkChanged(item=item, name=name, finished=finished):
            turn.items[item] = WorkView(item, name, finished)
        case CallOpened():
            turn.items[update.call] = CallView(
                update.call, update.label, update.state, update.frame
            )
        case _:
            call = turn.items[update.call]
            assert isinstance(call, CallView)
            _apply_to_call(call, update)


def _apply_to_call(
    call: CallView, update: CallNamed | RowChanged | RowGrew | CallChanged | ApprovalChanged
) -> None:
    match update:
        case ApprovalChanged(approval=approval):
            call.approval = approval
        case CallNamed(label=label, frame=frame):
            call.label, call.frame = label, frame
        case RowChanged(path=path, row=row, place=place):
            _place_row(call, path, row, place)
        case RowGrew(path=path, text=text):
            old = call.rows[path]
            call.rows[path] = Row(
                path,
                old.label,
                old.text + text,
                RowStatus.STREAMING,
                old.kind,
                old.confined,
            )
        case CallChanged():
            call.state = update.state
            if update.state is not CallState.AWAITING_APPROVAL:
                call.approval = None
            call.reason = update.reason
            call.summary = update.summary
            call.duration_ms = update.duration_ms
            call.result = update.result
            call.result_headings = update.result_headings


def _place_row(call: CallView, path: Path, row: Row | None, place: int) -> None:
    if row is None:
        call.rows.pop(path, None)
    elif path in call.rows or place == len(call.rows):
        call.rows[path] = row
    else:
        rows = list(call.rows.items())
        rows.insert(place, (path, row))
        call.rows = dict(rows)
