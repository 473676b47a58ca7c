"""Valid sequences of updates, made up by chance: any mix of blocks, rows, states and ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random

from app.calls.json_types import Path
from app.calls.reasons import Reason
from app.calls.states import INITIAL_STATES, TRANSITIONS, CallState
from app.display.marks import marked
from app.display.updates import (
    ApprovalChanged,
    CallChanged,
    CallNamed,
    CallOpened,
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
    Update,
    WorkChanged,
)
from app.display.view import ApprovalView, NoticeKind, NoticeView, Row, RowKind, RowStatus, Slot
from app.display.whole_rows import ValueKind, Whole, WholeRow

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
KEYS = ("title", "raw_customer_email", "a b", "", "0", "_x", "größe", "a-b", "*", "A")
TEXTS = (
    "x",
    "<hx-partial id=log>",
    "a\r\nb",
    "\r",
    "</div>&amp;",
    " lead",
    "",
    "ü😀",
    "\"'",
    "\n",
    "line\n" * 21,
)
WRITTEN = (
    *TEXTS, "**b** ", "a\n\n", "- i\n", "```py\n", "x = 1\n", "```\n", "# H\n", "| a |\n|---|\n",
    "[l](http://e)", "[r]: http://r\n\n", "[r]", "![i](http://i/i)", "    c\n", "> q\n", "\ud800",
)  # fmt: skip
"""Pieces of an assistant's text."""
MATRIX = Slot(
    ("matrix",), "Matrix", repeated=True, members=(Slot(("matrix", "*"), "Row", repeated=True),)
)
LINES = Slot(
    ("lines",),
    "Lines",
    repeated=True,
    members=(
        Slot(("lines", "*", "item"), "Item"),
        Slot(("lines", "*", "parts"), "Parts", repeated=True),
        Slot(("lines", "*", "note"), "Note", RowKind.PROSE),
    ),
)
PLACE = Slot(("place",), "Place", members=(Slot(("place", "city"), "City"),))
CLOSING = (NoticeKind.REFUSED, NoticeKind.STOPPED, NoticeKind.INTERNAL_ERROR)


@dataclass(slots=True)
class _Call:
    id: str
    turn: str
    state: CallState
    frame: tuple[Slot, ...]
    rows: dict[Path, Row] = field(default_factory=dict[Path, Row])
    asked: ApprovalView | None = None


class Chance:
    """One conversation by chance."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._made = 0
        self._kept: list[str] = []
        self.updates: list[Update] = []

    def conversation(self) -> list[Update]:
        for _ in range(self._random.randint(1, 3)):
            self._exchange()
        return self.updates

    def _name(self) -> str:
        self._made += 1
        return f"{self._made:x}"

    def _text(self) -> str:
        return "".join(self._random.choices(TEXTS, k=self._random.randint(1, 3)))

    def _exchange(self) -> None:
        exchange = self._name()
        kept = self._kept.pop(0) if self._kept else None
        self.updates.append(ExchangeOpened(exchange, self._text(), WHEN, kept))
        for _ in range(self._random.randint(0, 3)):
            self._turn(exchange)
            if self._random.random() < 0.3:
                kind = self._random.choice(CLOSING)
                self.updates.append(Noticed(exchange, NoticeView(self._name(), kind)))
            if self._random.random() < 0.2:
                self.updates.append(StopAsked(exchange))
            if self._random.random() < 0.3:
                self._kept.append(self._name())
                self.updates.append(MessageKept(self._kept[-1], self._text()))
        if self._random.random() < 0.9:
            self.updates.append(ExchangeEnded(exchange))

    def _turn(self, exchange: str) -> None:
        turn = self._name()
        self.updates.append(TurnOpened(exchange, turn))
        calls: list[_Call] = []
        texts = [self._name() for _ in range(2)]
        for _ in range(self._random.randint(0, 25)):
            match self._random.randint(0, 9):
                case 0:
                    item = self._random.choice(texts)
                    text = "".join(self._random.choices(WRITTEN, k=self._random.randint(1, 6)))
                    self.updates.append(TextGrew(exchange, turn, item, text))
                case 1:
                    calls.append(self._open(exchange, turn))
                case 2:
                    work = WorkChanged(exchange, turn, f"w{turn}", "search", self._made % 2 == 0)
                    self.updates.append(work)
                case 3 if calls:
                    self._move(exchange, self._random.choice(calls))
                case 4 if calls:
                    self._approve(exchange, self._random.choice(calls))
                case _ if calls:
                    self._row(exchange, self._random.choice(calls))
                case _:
                    pass
        if self._random.random() < 0.2:
            self.updates.append(TurnAbandoned(exchange, turn, Reason.TRUNCATED))
            if calls and self._random.random() < 0.5:
                self._move(exchange, self._random.choice(calls))

    def _open(self, exchange: str, turn: str) -> _Call:
        state = self._random.choice(sorted(INITIAL_STATES))
        leaves = [
            Slot((key,), key.upper(), self._random.choice(list(RowKind)))
            for key in self._random.sample(KEYS, 3)
        ]
        frame: tuple[Slot, ...] = (*leaves, *self._random.sample((MATRIX, LINES, PLACE), 2))
        call = _Call(self._name(), turn, state, frame)
        named = self._random.random() < 0.7
        label = "<b>Tool</b>" if named else None
        self.updates.append(
            CallOpened(exchange, turn, call.id, state, label, frame if named else ())
        )
        if not named:
            if self._random.random() < 0.5:
                self._move(exchange, call)
            self.updates.append(CallNamed(exchange, turn, call.id, "Tool", frame))
        return call

    def _move(self, exchange: str, call: _Call) -> None:
        ways = [after for (before, _), after in TRANSITIONS.items() if before is call.state]
        if not ways:
            return
        call.state = self._random.choice(ways)
        if call.state is CallState.AWAITING_APPROVAL and self._random.random() < 0.9:
            self._ask(exchange, call)
        paths: list[Path] = [
            ("ticket_id",),
            ("lines", 0, "item"),
            ("lines", 2, "item"),
            ("tags", 0),
        ]
        rows = tuple(Row(path, "Shown", self._text(), RowStatus.SETTLED) for path in paths)
        done = call.state is CallState.DONE
        reason = {CallState.NOT_RUN: str(Reason.DENIED), CallState.FAILED: "No <answer>"}
        self.updates.append(
            CallChanged(
                exchange,
                call.turn,
                call.id,
                call.state,
                reason.get(call.state),
                "T-1" if done else None,
                1234 if done else None,
                rows if done else (),
                ((("lines",), "Lines"), (("tags",), "Tags")) if done else (),
            )
        )

    def _ask(self, exchange: str, call: _Call) -> None:
        by = self._random.choice(("user", "operator"))
        text = self._text()
        row = WholeRow(("a",), "A<", marked(text), ValueKind.TEXT, length=len(text))
        whole = Whole((row,), self._random.randint(0, 2)) if by == "user" else None
        asked = ApprovalView(self._name(), by, "d", WHEN, WHEN, "s", self._text(), whole)
        self.updates.append(ApprovalChanged(exchange, call.turn, call.id, asked))
        call.asked = asked

    def _approve(self, exchange: str, call: _Call) -> None:
        if call.state is CallState.AWAITING_APPROVAL and call.asked is not None:
            approved = replace(call.asked, approved_at=WHEN)
            self.updates.append(ApprovalChanged(exchange, call.turn, call.id, approved))

    def _path(self, call: _Call) -> Path:
        slot = self._random.choice(call.frame)
        if slot is MATRIX:
            row: Path = ("matrix", self._index(call, ("matrix",)))
            return (*row, self._index(call, row))
        if slot is LINES:
            line: Path = ("lines", self._index(call, ("lines",)))
            parts: Path = (*line, "parts")
            inner = (*line, "item"), (*line, "note"), (*parts, self._index(call, parts))
            return self._random.choice(inner)
        return ("place", "city") if slot is PLACE else slot.path

    def _index(self, call: _Call, array: Path) -> int:
        """An element that is there, or the next: an array only ever grows."""
        depth = len(array)
        there = {row[depth] for row in call.rows if len(row) > depth and row[:depth] == array}
        return self._random.randint(0, len(there))

    def _row(self, exchange: str, call: _Call) -> None:
        path = self._path(call)
        old = call.rows.get(path)
        if old is None:
            status = self._random.choice(list(RowStatus))
            text = "" if status is RowStatus.WRITING else self._text()
            confined = self._random.random() < 0.2
            self._put(exchange, call, Row(path, "L<", text, status, confined=confined))
        elif old.status is RowStatus.STREAMING and self._random.random() < 0.7:
            text = self._text()
            self.updates.append(RowGrew(exchange, call.turn, call.id, path, text))
            call.rows[path] = Row(
                path, old.label, old.text + text, old.status, confined=old.confined
            )
        elif old.status is RowStatus.STREAMING:
            text = old.text + self._random.choice(("", "tail"))
            self._put(
                exchange, call, Row(path, old.label, text, RowStatus.SETTLED, confined=old.confined)
            )
        elif old.status is RowStatus.WRITING and self._random.random() < 0.2:
            del call.rows[path]
            self.updates.append(RowChanged(exchange, call.turn, call.id, path, None, 0))
        elif old.status is RowStatus.WRITING:
            status = self._random.choice((RowStatus.STREAMING, RowStatus.SETTLED))
            self._put(
                exchange, call, Row(path, old.label, self._text(), status, confined=old.confined)
            )

    def _put(self, exchange: str, call: _Call, row: Row) -> None:
        place = list(call.rows).index(row.path) if row.path in call.rows else len(call.rows)
        call.rows[row.path] = row
        self.updates.append(RowChanged(exchange, call.turn, call.id, row.path, row, place))


def batches(random: Random, updates: Sequence[Update], largest: int) -> list[list[Update]]:
    """The updates in order, cut into batches of 1 to ``largest``."""
    rest, cut = list(updates), list[list[Update]]()
    while rest:
        size = random.randint(1, largest)
        cut.append(rest[:size])
        rest = rest[size:]
    return cut
