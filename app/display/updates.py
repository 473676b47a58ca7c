"""The updates that change a view, and how they change it.

An update is a fact that has occurred. It names what it changes by our own ids, and like a view it
holds no hidden value. A view is a fold of updates: :func:`apply` is the only way a view changes,
live or replayed, so a page loaded now and a page that watched from the start are the same page.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from app.calls.json_types import Path
from app.calls.states import CallState
from app.display.view import (
    ApprovalView,
    CallView,
    ConversationView,
    ExchangeView,
    NoticeView,
    Row,
    RowStatus,
    Slot,
    TextView,
    TurnView,
    WorkView,
)


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


CallUpdate: TypeAlias = CallNamed | RowChanged | RowGrew | CallChanged | ApprovalChanged
"""Of a call that is there."""

TurnUpdate: TypeAlias = TextGrew | CallOpened | CallUpdate | WorkChanged | TurnAbandoned

Update: TypeAlias = (
    ExchangeOpened | MessageKept | TurnOpened | TurnUpdate | Noticed | StopAsked | ExchangeEnded
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


def _apply_to_call(call: CallView, update: CallUpdate) -> None:
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
