"""What was observed of an exchange, folded into turns and calls.

Lines come in order, live or from the store, and may keep coming. A run of fragments is taken in
as one piece wherever that makes no difference: the parser reads the same however a text is cut
(``app.calls.arguments``), and the times of the fragments are kept beside it.

All times are microseconds: ``requested`` since 1970 (0 of a replay, for which nothing was),
everything else of a turn since its request.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from app.calls.call_ids import call_id
from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    ArgumentPatch,
    ArgumentSnapshot,
    CallAnnounced,
    CallCompleted,
    Event,
    TurnEnded,
)
from app.calls.limits import Limits
from app.calls.states import CallState
from app.developer.observations import Line, event_of
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.updates import CallChanged, Update

_LATER = frozenset(CallState) - {CallState.QUEUED, CallState.PREPARING, CallState.READY}
"""States that follow from more than the turn's own events; the flushes tell of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What an observation is read under: the maps, formats and limits in force now."""

    maps: Mapping[str, FieldMap]
    formats: Formats
    limits: Limits


@dataclass(slots=True)
class Timed:
    """Any event but a fragment."""

    at: int
    event: Event


@dataclass(slots=True)
class Run:
    """Fragments of one block that came one after the other; the columns are of equal length."""

    block: int
    at: list[int]
    texts: list[str]


Item: TypeAlias = Timed | Run


@dataclass(frozen=True, slots=True)
class StateSpan:
    """From ``at`` on a call was in this state."""

    at: int
    state: CallState
    reason: str | None = None


@dataclass(slots=True)
class CallLog:
    """A call as it was announced. ``ordinal`` is None for one that the turn did not take in."""

    block: int
    ordinal: int | None
    announced: int
    provider_id: str | None
    name: str | None
    at: list[int] = field(default_factory=list[int])
    """Of the fragments, and of a text that came whole instead of any."""
    texts: list[str] = field(default_factory=list[str])
    objects: list[Timed] = field(default_factory=list[Timed])
    """Arguments that came as objects, in a dialect that sends them so."""
    completed: int | None = None
    states: list[StateSpan] = field(default_factory=list[StateSpan])


@dataclass(frozen=True, slots=True)
class GateStep:
    name: str
    call: int | None
    answer: str
    reason: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    call: int
    verdict: str
    reason: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gate said when it was asked."""

    at: int
    usable: bool
    reason: str | None
    detail: str
    steps: tuple[GateStep, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Flush:
    """What the viewers were sent at once. ``at`` is since 1970: a flush may tell of many turns."""

    at: int
    updates: tuple[tuple[str, Mapping[str, Any]], ...]


class TurnLog:
    """One request for a turn, and what came of it."""

    def __init__(self, turn: str, dialect: str, model: str, requested: int, terms: Terms) -> None:
        self.id = turn
        self.dialect = dialect
        self.model = model
        self.requested = requested
        self.timed = True
        """Whether the times are those at which things came, and not made up."""
        self.terms = terms
        self.items: list[Item] = []
        self.calls: list[CallLog] = []
        self.live = LiveTurn("x", turn, terms.maps, terms.formats, terms.limits)
        self.ended: TurnEnded | None = None
        self.streamed: tuple[int, str, str] | None = None
        """When and how the stream ended, and a sentence or ""."""
        self.cut: int | None = None
        """The bound past which nothing more was kept."""
        self.gate: Gate | None = None
        self.last = 0
        """The time of the last thing that happened."""
        self._blocks: dict[int, CallLog] = {}

    @property
    def events(self) -> int:
        """How many events were taken in."""
        return sum(len(item.at) if isinstance(item, Run) else 1 for item in self.items)

    def take(self, at: int, event: Event) -> None:
        """An event that came at a time."""
        self.last = max(self.last, at)
        if isinstance(event, ArgumentFragment):
            self.take_run(Run(event.block, [at], [event.text]))
            return
        self.items.append(Timed(at, event))
        if isinstance(event, TurnEnded):
            self.ended = event
        self._note(at, self.live.take(event))
        self._of_call(at, event)

    def take_run(self, run: Run) -> None:
        """Fragments of one block that came one after the other."""
        self.last = max(self.last, run.at[-1])
        before = self.items[-1] if self.items else None
        if isinstance(before, Run) and before.block == run.block:
            before.at += run.at
            before.texts += run.texts
        else:
            self.items.append(Run(run.block, list(run.at), list(run.texts)))
        call = self._blocks.get(run.block)
        if call is not None:
            call.at += run.at
            call.texts += run.texts
        for at, text in self._pieces(run):
            self._note(at, self.live.take(ArgumentFragment(run.block, text)))

    def state(self, at: int, ordinal: int, state: CallState, reason: str | None) -> None:
        """A state that a call got after its turn."""
        self.last = max(self.last, at)
        for call in self.calls:
            if call.ordinal == ordinal and (not call.states or call.states[-1].state != state):
                call.states.append(StateSpan(at, state, reason))

    def _pieces(self, run: Run) -> Iterable[tuple[int, str]]:
        whole = "".join(run.texts)
        limits = self.terms.limits
        taken = sum(call.bytes for call in self.live.turn.calls) + 4 * len(whole)
        if taken < min(limits.call_bytes, limits.turn_bytes):
            return [(run.at[0], whole)]
        return zip(run.at, run.texts, strict=True)  # which of them passes a limit matters

    def _of_call(self, at: int, event: Event) -> None:
        if isinstance(event, CallAnnounced):
            self._announce(at, event)
            return
        call = self._blocks.get(getattr(event, "block", -1))
        if call is None:
            return
        match event:
            case ArgumentObject() | ArgumentPatch():
                call.objects.append(Timed(at, event))
            case ArgumentSnapshot(text=text) if text and not call.texts:
                call.at.append(at)
                call.texts.append(text)
            case CallCompleted():
                call.completed = call.completed or at
            case _:
                pass
        if call.ordinal is not None:
            known = self.live.turn.calls[call.ordinal]
            call.name, call.provider_id = known.name, known.provider_id

    def _announce(self, at: int, event: CallAnnounced) -> None:
        taken = self.live.turn.calls
        ordinal = len(taken) - 1 if taken and taken[-1].block == event.block else None
        if event.block in self._blocks:
            return
        call = CallLog(event.block, ordinal, at, event.provider_id, event.name)
        if ordinal is not None:
            call.states.append(StateSpan(at, taken[ordinal].state))
        self._blocks[event.block] = call
        self.calls.append(call)

    def _note(self, at: int, updates: Iterable[Update]) -> None:
        for update in updates:
            if isinstance(update, CallChanged):
                for call in self.calls:
                    if call.ordinal is not None and update.call == call_id(self.id, call.ordinal):
                        call.states.append(StateSpan(at, update.state))


class ExchangeLog:
    """Everything observed of one exchange."""

    def __init__(self, terms: Terms) -> None:
        self.turns: dict[str, TurnLog] = {}
        self.flushes: list[Flush] = []
        self._terms = terms
        self._began = 0
        self._turn: TurnLog | None = None

    def take(self, lines: Iterable[Line]) -> None:
        """Lines that were observed, behind those before."""
        for line in lines:
            self._take(line)

    def _take(self, line: Line) -> None:
        turn = self._turn
        match line:
            case ["begin", _, began]:
                self._began = began
            case ["request", at, name, dialect, model]:
                turn = TurnLog(name, dialect, model, self._began + at, self._terms)
                self._turn = self.turns[name] = turn
            case ["fragments", block, at, texts] if turn is not None:
                start = turn.requested - self._began
                turn.take_run(Run(block, [each - start for each in at], texts))
            case ["took", at, *_] if turn is not None:
                turn.take(self._since(turn, at), event_of(line))
            case ["cut", _, bound] if turn is not None:
                turn.cut = bound
            case ["streamed", at, how, detail] if turn is not None:
                turn.streamed = (self._since(turn, at), how, detail)
                turn.last = max(turn.last, turn.streamed[0])
            case ["judged", at, name, *said] if name in self.turns:
                judged = self.turns[name]
                judged.gate = _gate(self._since(judged, at), said)
            case ["shown", at, updates]:
                self._flush(self._began + at, updates)
            case _:
                raise ValueError(f"an observation of an unknown kind: {line[0]}")

    def _since(self, turn: TurnLog, at: int) -> int:
        return self._began + at - turn.requested

    def _flush(self, at: int, updates: list[tuple[str, Mapping[str, Any]]]) -> None:
        self.flushes.append(Flush(at, tuple((name, said) for name, said in updates)))
        for name, said in updates:
            turn = self.turns.get(said.get("turn", ""))
            if name == "CallChanged" and turn is not None and said["state"] in _LATER:
                ordinal = int(said["call"].rpartition("-")[2])
                state = CallState(said["state"])
                turn.state(at - turn.requested, ordinal, state, said.get("reason"))


def _gate(at: int, said: list[Any]) -> Gate:
    usable, reason, detail, steps, verdicts = said
    return Gate(
        at,
        usable,
        reason,
        detail,
        tuple(GateStep(*step) for step in steps),
        tuple(Verdict(*verdict) for verdict in verdicts),
    )
