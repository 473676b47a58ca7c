"""What one viewer's page holds, and what a batch of updates changes on it.

A partial cannot target what an earlier partial of the same message brings (htmx resolves all
targets first). So a batch is folded: what it opens is shown once, with everything that the batch
did to it, and only what the page had before is changed piece by piece, from how it was before
the batch to how it is after.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from app.calls.json_types import Path
from app.display.updates import (
    ApprovalChanged,
    CallChanged,
    CallNamed,
    CallOpened,
    CallUpdate,
    ExchangeEnded,
    ExchangeOpened,
    MessageKept,
    Noticed,
    RowChanged,
    RowGrew,
    StopAsked,
    TextGrew,
    TurnAbandoned,
    TurnOpened,
    TurnUpdate,
    Update,
    WorkChanged,
    apply,
)
from app.display.view import (
    CallView,
    ConversationView,
    ExchangeView,
    ItemView,
    NoticeView,
    Row,
    TextView,
    TurnView,
)
from app.web.page_ids import ItemIds
from app.web.watched_text import WatchedText
from app.web.words import Words


@dataclass(slots=True)
class CallDiff:
    """What the batch changed of a call that was on the page."""

    ids: ItemIds
    call: CallView
    before: dict[Path, Row]
    """All rows as the page has them."""
    asked: bool
    """Whether the page shows who is asked to decide."""
    aside: bool = False
    """Whether its turn is one that was rolled back."""
    set_aside: bool = False
    """Whether that is of this batch."""
    rows: dict[Path, None] = field(default_factory=dict[Path, None])
    """Paths that the batch touched, in order."""
    state_changed: bool = False
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class TextDiff:
    """A text block that was being written when the batch came."""

    ids: ItemIds
    before: str
    added: str
    over: bool
    """Nothing more will come."""


@dataclass(slots=True)
class Changes:
    """What a batch changed, by where it must be put."""

    exchanges: list[tuple[int, ExchangeView]] = field(
        default_factory=list[tuple[int, ExchangeView]]
    )
    entries: list[tuple[int, int, TurnView | NoticeView]] = field(
        default_factory=list[tuple[int, int, TurnView | NoticeView]]
    )
    """New turns and notices."""
    abandoned: list[tuple[int, int, TurnView]] = field(
        default_factory=list[tuple[int, int, TurnView]]
    )
    items: list[tuple[int, int, ItemIds, ItemView, bool]] = field(
        default_factory=list[tuple[int, int, ItemIds, ItemView, bool]]
    )
    """New blocks; the last is whether their turn is one that was rolled back."""
    replaced: list[tuple[ItemIds, ItemView]] = field(default_factory=list[tuple[ItemIds, ItemView]])
    calls: list[CallDiff] = field(default_factory=list[CallDiff])
    text: TextDiff | None = None
    kept: bool = False
    stop: bool = False
    """The stop button appears, changes or goes."""
    asks: bool = False
    """A call begins or ceases to wait for a decision, or another one decides."""


class Screen:
    """A page that begins as a view was rendered, and changes as updates come."""

    def __init__(self, view: ConversationView) -> None:
        self.view = view
        self.watched: tuple[str, WatchedText] | None = None
        """The text being written, by the id of its block, once it has grown."""

    def advance(self, updates: Iterable[Update]) -> Changes:
        """Fold a batch and tell what changed."""
        fold, before = _Fold(self.view), self.view.asked
        for update in updates:
            fold.note(update)
            apply(self.view, [update])
        changes = fold.close()
        changes.asks = before != self.view.asked
        return changes


def announcements(view: ConversationView, updates: Iterable[Update], words: Words) -> Iterator[str]:
    """One sentence per change of a call's state and per answer that ended.

    ``view`` is the conversation after the updates: a call's name may have come after its state.
    """
    for update in updates:
        match update:
            case CallOpened() | CallChanged():
                call = _item(view, update.exchange, update.turn, update.call)
                assert isinstance(call, CallView)
                reason = update.reason if isinstance(update, CallChanged) else None
                yield words.announcement(update.state, call.label, reason)
            case ExchangeEnded(exchange=exchange):
                last = next(reversed(view.exchanges[exchange].entries.values()), None)
                yield words.closing_announcement(last if isinstance(last, NoticeView) else None)
            case _:
                pass


def _item(view: ConversationView, exchange: str, turn: str, item: str) -> ItemView:
    entry = view.exchanges[exchange].entries[turn]
    assert isinstance(entry, TurnView)
    return entry.items[item]


class _Fold:
    """One batch. ``note`` is called with each update before it is applied to the view."""

    def __init__(self, view: ConversationView) -> None:
        self._view = view
        self._new_exchanges: dict[str, None] = {}
        self._new_entries: dict[tuple[str, str], None] = {}
        self._new_items: dict[tuple[str, str, str], None] = {}
        self._abandoned: dict[tuple[str, str], None] = {}
        self._replaced: dict[tuple[str, str, str], None] = {}
        self._calls: dict[tuple[str, str, str], CallDiff] = {}
        self._writing = _text_being_written(view)
        self.changes = Changes()

    def note(self, update: Update) -> None:
        match update:
            case ExchangeOpened():
                self._new_exchanges[update.exchange] = None
                self.changes.stop = True
                self.changes.kept = self.changes.kept or update.kept is not None
            case MessageKept():
                self.changes.kept = True
            case ExchangeEnded() | StopAsked():
                self.changes.stop = True
            case Noticed(exchange=exchange, notice=notice):
                self._note_entry(exchange, notice.id)
            case TurnOpened(exchange=exchange, turn=turn):
                self._note_entry(exchange, turn)
            case _:
                self._note_in_turn(update)

    def _note_entry(self, exchange: str, entry: str) -> None:
        if exchange not in self._new_exchanges:
            self._new_entries[exchange, entry] = None

    def _note_in_turn(self, update: TurnUpdate) -> None:
        turn = (update.exchange, update.turn)
        if update.exchange in self._new_exchanges or turn in self._new_entries:
            return
        match update:
            case TurnAbandoned():
                self._note_abandoned(turn)
            case CallOpened(call=call):
                self._new_items[*turn, call] = None
            case TextGrew(item=item) | WorkChanged(item=item):
                self._note_item((*turn, item))
            case _:
                self._note_call(update)

    def _note_abandoned(self, turn: tuple[str, str]) -> None:
        """Each of its calls changes by that, the others of its items do not."""
        self._abandoned[turn] = None
        for name, item in self._turn(*turn).items.items():
            if isinstance(item, CallView) and (*turn, name) not in self._new_items:
                self._diff((*turn, name)).set_aside = True

    def _note_item(self, key: tuple[str, str, str]) -> None:
        turn = self._turn(key[0], key[1])
        item = turn.items.get(key[2])
        if item is None:
            self._new_items[key] = None
        elif key not in self._new_items and (self._writing is None or self._writing[0] != key):
            self._replaced[key] = None

    def _note_call(self, update: CallUpdate) -> None:
        key = (update.exchange, update.turn, update.call)
        if key in self._new_items:
            return
        diff = self._diff(key)
        match update:
            case CallNamed():
                diff.renamed = True
            case CallChanged() | ApprovalChanged():
                diff.state_changed = True
            case RowChanged(path=path) | RowGrew(path=path):
                diff.rows[path] = None

    def _diff(self, key: tuple[str, str, str]) -> CallDiff:
        diff = self._calls.get(key)
        if diff is None:
            call = _item(self._view, *key)
            assert isinstance(call, CallView)
            is_asked = call.approval is not None
            diff = CallDiff(self._ids(key), call, dict(call.rows), is_asked)
            self._calls[key] = diff
        return diff

    def close(self) -> Changes:
        """The changes; called once, after the last update was applied."""
        done, view = self.changes, self._view
        done.exchanges = [(self._exchange(x), view.exchanges[x]) for x in self._new_exchanges]
        done.entries = [
            (self._exchange(x), self._entry(x, e), view.exchanges[x].entries[e])
            for x, e in self._new_entries
        ]
        done.abandoned = [
            (self._exchange(x), self._entry(x, e), self._turn(x, e)) for x, e in self._abandoned
        ]
        done.items = [
            (
                self._exchange(x),
                self._entry(x, e),
                self._ids((x, e, i)),
                _item(view, x, e, i),
                self._is_aside(x, e),
            )
            for x, e, i in self._new_items
        ]
        done.replaced = [(self._ids(key), _item(view, *key)) for key in self._replaced]
        for key, diff in self._calls.items():
            diff.aside = self._is_aside(*key[:2])
        done.calls = list(self._calls.values())
        done.text = None if self._writing is None else self._text(*self._writing)
        return done

    def _text(self, key: tuple[str, str, str], before: str) -> TextDiff | None:
        item = _item(self._view, *key)
        assert isinstance(item, TextView)
        over = item is not self._view.text_being_written
        added = item.text[len(before) :]
        if not (added or over):
            return None
        return TextDiff(self._ids(key), before, added, over)

    def _turn(self, exchange: str, turn: str) -> TurnView:
        entry = self._view.exchanges[exchange].entries[turn]
        assert isinstance(entry, TurnView)
        return entry

    def _is_aside(self, exchange: str, turn: str) -> bool:
        return self._turn(exchange, turn).abandoned is not None

    def _exchange(self, exchange: str) -> int:
        return self._view.number(exchange)

    def _entry(self, exchange: str, entry: str) -> int:
        return _ordinal(self._view.exchanges[exchange].entries, entry)

    def _ids(self, key: tuple[str, str, str]) -> ItemIds:
        exchange, turn, item = key
        return ItemIds(
            self._exchange(exchange),
            self._entry(exchange, turn),
            _ordinal(self._turn(exchange, turn).items, item),
        )


def _text_being_written(view: ConversationView) -> tuple[tuple[str, str, str], str] | None:
    """Its key and what it holds, or None."""
    exchange, text = view.open_exchange, view.text_being_written
    if exchange is None or text is None:
        return None
    return (exchange.id, next(reversed(exchange.entries)), text.id), text.text


def _ordinal(keys: Iterable[str], key: str) -> int:
    return next(ordinal for ordinal, found in enumerate(keys) if found == key)
