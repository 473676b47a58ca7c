"""One turn as it is shown while it is written: events in, updates out.

The same object serves a live turn, a turn read from the record and a replay, so that all three
show the same. It accumulates the turn, passes each call's text through that call's parser once,
and lets the field map decide what of it becomes a row. It knows no I/O and no time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.calls.argument_changes import Change as ArgumentChange
from app.calls.arguments import ArgumentParser
from app.calls.blocks import Call
from app.calls.call_ids import call_id
from app.calls.events import Event
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.object_arguments import ObjectArguments
from app.calls.turn import FinishedTurn, Turn
from app.calls.turn_changes import (
    ArgumentsGrew,
    CallBegan,
    CallGotName,
    CallMoved,
    Change,
    ObjectGiven,
    PatchGiven,
    TextAdded,
    WorkSeen,
)
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.frame import frame
from app.display.rows import CallRows, RowEdit, RowExtended, RowPut, RowTaken
from app.display.updates import (
    CallChanged,
    CallNamed,
    CallOpened,
    RowChanged,
    RowGrew,
    TextGrew,
    TurnOpened,
    Update,
    WorkChanged,
)
from app.display.view import Row, Slot
from app.display.visible import visible

MOST_NAME_CHARS = 80
"""Of the name of a tool without a map, which a model may have made up."""


@dataclass(slots=True)
class _Shown:
    """What is known of one call's arguments for display."""

    parser: ArgumentParser
    assembled: ObjectArguments
    rows: CallRows | None = None
    unread: list[ArgumentChange] = field(default_factory=list[ArgumentChange])
    """Changes that wait for the call's name, without which no map can be asked."""


class LiveTurn:
    """A turn under way: ``take`` each event, then ``finish``."""

    def __init__(
        self,
        exchange: str,
        turn: str,
        maps: Mapping[str, FieldMap],
        formats: Formats,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.id = turn
        self.exchange = exchange
        self.turn = Turn(limits)
        self.shown = False
        """Whether a viewer has seen anything of the turn."""
        self._maps = maps
        self._formats = formats
        self._limits = limits
        self._shown: dict[int, _Shown] = {}

    def take(self, event: Event) -> list[Update]:
        """One event in; what a viewer learns by it out. The first such opens the turn on screen."""
        learnt = [update for change in self.turn.receive(event) for update in self._show(change)]
        if learnt and not self.shown:
            self.shown = True
            learnt.insert(0, TurnOpened(self.exchange, self.id))
        return learnt

    def finish(self) -> FinishedTurn:
        """The turn for the gate, once its stream is over."""
        return self.turn.finish()

    def rows(self, call: Call) -> list[Row]:
        """The rows of a call, in display order."""
        shown = self._shown[call.ordinal].rows
        return [] if shown is None else list(shown.rows)

    def _show(self, change: Change) -> Iterator[Update]:
        match change:
            case TextAdded(block=block, text=text):
                yield TextGrew(self.exchange, self.id, self._item(block), text)
            case WorkSeen(block=block, name=name, finished=finished):
                yield WorkChanged(self.exchange, self.id, self._item(block), name, finished)
            case CallBegan(call=call):
                yield self._open(call)
            case CallGotName(call=call):
                yield from self._name(call)
            case CallMoved(call=call, state=state):
                yield CallChanged(self.exchange, self.id, call_id(self.id, call.ordinal), state)
            case ArgumentsGrew() | ObjectGiven() | PatchGiven():
                yield from self._read(change)

    def _item(self, block: int) -> str:
        return f"{self.id}-b{block}"

    def _open(self, call: Call) -> CallOpened:
        self._shown[call.ordinal] = shown = _Shown(
            ArgumentParser(self._limits), ObjectArguments(self._limits)
        )
        if call.name is not None:
            shown.rows = CallRows(self._maps.get(call.name), self._formats)
        return CallOpened(
            self.exchange,
            self.id,
            call_id(self.id, call.ordinal),
            call.state,
            None if call.name is None else self._label(call.name),
            self._frame(call.name),
        )

    def _name(self, call: Call) -> Iterator[Update]:
        assert call.name is not None
        shown = self._shown[call.ordinal]
        shown.rows = CallRows(self._maps.get(call.name), self._formats)
        yield CallNamed(
            self.exchange,
            self.id,
            call_id(self.id, call.ordinal),
            self._label(call.name),
            self._frame(call.name),
        )
        unread, shown.unread = shown.unread, []
        yield from self._edits(call, shown.rows.take(unread))

    def _label(self, name: str) -> str:
        known = self._maps.get(name)
        return visible(name)[:MOST_NAME_CHARS] if known is None else known.label

    def _frame(self, name: str | None) -> tuple[Slot, ...]:
        known = None if name is None else self._maps.get(name)
        return () if known is None else frame(known)

    def _read(self, change: ArgumentsGrew | ObjectGiven | PatchGiven) -> Iterator[Update]:
        shown = self._shown[change.call.ordinal]
        match change:
            case ArgumentsGrew(text=text):
                shown.parser.feed(text)
                read = shown.parser.changes()
            case ObjectGiven(value=value):
                shown.assembled.whole(value)
                read = shown.assembled.changes()
            case PatchGiven(path=path, value=value, continues=continues):
                shown.assembled.patch(path, value, continues)
                read = shown.assembled.changes()
        if shown.rows is None:
            shown.unread.extend(read)
        elif read:
            yield from self._edits(change.call, shown.rows.take(read))

    def _edits(self, call: Call, edits: list[RowEdit]) -> Iterator[Update]:
        ours = call_id(self.id, call.ordinal)
        for edit in edits:
            match edit:
                case RowPut(row=row, place=place):
                    yield RowChanged(self.exchange, self.id, ours, row.path, row, place)
                case RowExtended(path=path, text=text):
                    yield RowGrew(self.exchange, self.id, ours, path, text)
                case RowTaken(path=path):
                    yield RowChanged(self.exchange, self.id, ours, path, None, 0)
