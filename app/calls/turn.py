"""Accumulates one turn, keyed by block.

Rules that matter here:

* A call's text is only concatenated, never read for meaning. What it means is asked once, by the
  gate, after the turn has ended.
* An id and a name are set once and compared from then on, never appended.
* A call is named by its ordinal in the turn. A provider's id, repeated or not, merges nothing.
* What comes after a call's completion event, or contradicts what came before, is a fault. A fault
  freezes the turn's calls: nothing more of them is taken in.
* A limit is checked before a piece is kept, so that memory does not grow past it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from app.calls.argument_faults import FaultCode
from app.calls.blocks import Block, Call, OpaqueBlock, TextBlock
from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    ArgumentPatch,
    ArgumentSnapshot,
    CallAnnounced,
    CallCompleted,
    CallIdentified,
    Event,
    ProtocolFault,
    ProtocolWarning,
    ProviderWork,
    Retained,
    Stop,
    TextDelta,
    TurnEnded,
    Usage,
)
from app.calls.json_types import JsonObject, JsonValue
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.object_arguments import ObjectArguments
from app.calls.reasons import Reason
from app.calls.states import CallEvent, CallState, after
from app.calls.surrogates import join_pairs, utf8_length
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


@dataclass(frozen=True, slots=True)
class Fault:
    """What makes a turn unusable, found while it was being written."""

    reason: Reason
    detail: str
    call: int | None = None
    """The ordinal of the call at fault, or None for the turn."""


MOST_NAME_CHARS = 512
"""Several times what any provider lets a tool be called."""


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn after its end, as the gate reads it."""

    stop: Stop
    provider_stop: str | None
    detail: str
    calls: tuple[Call, ...]
    fault: Fault | None
    output_tokens: int
    resume: bool = False


class Turn:
    """One turn being written. ``receive`` events in wire order, then ``finish``."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.blocks: dict[int, Block] = {}
        """In the order of their first appearance."""
        self.fault: Fault | None = None
        self.warnings: list[str] = []
        self.output_tokens = 0
        self._limits = limits
        self._calls: list[Call] = []
        self._bytes = 0
        self._end: TurnEnded | None = None
        self._patched: dict[int, ObjectArguments] = {}

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(self._calls)

    @property
    def overfull(self) -> bool:
        """Whether a limit was passed, so that reading on would be work for nothing."""
        return self.fault is not None and self.fault.reason is Reason.TOO_LARGE

    def receive(self, event: Event) -> list[Change]:
        """Take one event in; returns what it changed."""
        return list(self._receive(event))

    def _receive(self, event: Event) -> Iterator[Change]:
        match event:
            case TextDelta(block=block, text=text):
                yield from self._add_text(block, text)
            case CallAnnounced():
                yield from self._announce(event)
            case CallIdentified():
                yield from self._identify(event)
            case ArgumentFragment(block=block, text=text):
                if (call := self._writable(block)) is not None:
                    yield from self._add_fragment(call, text)
            case ArgumentSnapshot(block=block, text=text):
                yield from self._compare(block, text)
            case ArgumentObject(block=block, value=value):
                yield from self._give_object(block, value)
            case ArgumentPatch():
                yield from self._patch(event)
            case CallCompleted(block=block):
                yield from self._complete(block)
            case ProviderWork(block=block, name=name, finished=finished):
                self.blocks.setdefault(block, OpaqueBlock())
                yield WorkSeen(block, name, finished)
            case Retained(block=block, data=data):
                self._retain(block, data)
            case Usage(output_tokens=tokens):
                self.output_tokens = max(self.output_tokens, tokens)
            case ProtocolWarning(text=text):
                self.warnings.append(text)
            case ProtocolFault(text=text, block=block):
                self._fail(Reason.PROTOCOL_ERROR, text, self._call_of(block))
            case TurnEnded():
                self._end = event

    def finish(self) -> FinishedTurn:
        """The turn as it stands now that its stream is over."""
        end = self._end or TurnEnded(Stop.INCOMPLETE, None, "the stream ended without an end")
        stop, detail = end.stop, end.detail
        open_calls = [call.ordinal for call in self._calls if not call.completed]
        if stop is Stop.COMPLETE and open_calls:
            stop, detail = Stop.INCOMPLETE, f"calls {open_calls} were open when the turn ended"
        return FinishedTurn(
            stop, end.provider_stop, detail, self.calls, self.fault, self.output_tokens, end.resume
        )

    # Text

    def _add_text(self, block: int, text: str) -> Iterator[Change]:
        target = self.blocks.setdefault(block, TextBlock())
        if not isinstance(target, TextBlock):
            self._fail(Reason.PROTOCOL_ERROR, f"text arrived for block {block}, which is none")
        elif text:
            target.pieces.append(text)
            yield TextAdded(block, text)

    # Calls

    def _announce(self, event: CallAnnounced) -> Iterator[Change]:
        if self.fault is not None:
            return
        if event.block in self.blocks:
            self._fail(Reason.PROTOCOL_ERROR, f"block {event.block} was announced twice")
            return
        if self._is_unnameable(event.name):
            return
        limit = self._limits.turn_calls
        if len(self._calls) >= limit:
            self._fail(Reason.TOO_LARGE, f"more than {limit} calls in one turn (limit {limit})")
            return
        behind = any(not call.completed for call in self._calls)
        state = CallState.QUEUED if behind else CallState.PREPARING
        call = Call(
            len(self._calls), event.block, event.provider_id or None, event.name or None, state
        )
        self._calls.append(call)
        self.blocks[event.block] = call
        yield CallBegan(call)

    def _identify(self, event: CallIdentified) -> Iterator[Change]:
        call = self._call(event.block)
        if call is None:
            return
        if event.provider_id:
            if call.provider_id not in (None, event.provider_id):
                self._fail(Reason.PROTOCOL_ERROR, "a call's id changed while it was written", call)
            call.provider_id = call.provider_id or event.provider_id
        if event.name and not self._is_unnameable(event.name):
            if call.name not in (None, event.name):
                self._fail(
                    Reason.PROTOCOL_ERROR, "a call's name changed while it was written", call
                )
            elif call.name is None:
                call.name = event.name
                yield CallGotName(call)

    def _add_fragment(self, call: Call, text: str) -> Iterator[Change]:
        if not text:
            return
        yield from self._move(call, CallEvent.FRAGMENT_ARRIVED)
        text = _joined(call, text)
        if not text or not self._has_room(call, utf8_length(text)):
            return
        call.pieces.append(text)
        yield ArgumentsGrew(call, text)

    def _compare(self, block: int, text: str) -> Iterator[Change]:
        call = self._call(block)
        if call is None or self.fault is not None:
            return
        if not call.pieces and not call.completed and text:
            yield from self._add_fragment(call, text)
        elif text != call.text and (text.strip() or call.text.strip()):
            detail = "the provider's final arguments differ from the fragments it sent"
            self._fail(Reason.PROTOCOL_ERROR, detail, call)

    def _give_object(self, block: int, value: JsonObject) -> Iterator[Change]:
        call = self._writable(block)
        if call is None:
            return
        if call.pieces or call.value is not None:
            detail = "arguments arrived both as an object and otherwise"
            self._fail(Reason.PROTOCOL_ERROR, detail, call)
            return
        yield from self._move(call, CallEvent.FRAGMENT_ARRIVED)
        if self._has_room(call, _weight(value)):
            call.value = value
            yield ObjectGiven(call, value)

    def _patch(self, event: ArgumentPatch) -> Iterator[Change]:
        call = self._writable(event.block)
        if call is None:
            return
        yield from self._move(call, CallEvent.FRAGMENT_ARRIVED)
        if not self._has_room(call, _weight(event.value) + 8 * len(event.path)):
            return
        assembled = self._patched.get(call.ordinal)
        if assembled is None:
            if call.pieces or call.value is not None:
                detail = "arguments arrived both in pieces of an object and otherwise"
                self._fail(Reason.PROTOCOL_ERROR, detail, call)
                return
            assembled = self._patched[call.ordinal] = ObjectArguments(self._limits)
        assembled.patch(event.path, event.value, event.continues)
        if self._broke(assembled, call):
            return
        call.value = assembled.value
        yield PatchGiven(call, event.path, event.value, event.continues)

    def _complete(self, block: int) -> Iterator[Change]:
        call = self._call(block)
        if call is None or call.completed or self.fault is not None:
            return
        assembled = self._patched.get(call.ordinal)
        if assembled is not None:
            assembled.finish()
            if self._broke(assembled, call):
                return
        call.completed = True
        if call.held_half:
            half, call.held_half = call.held_half, ""
            call.pieces.append(half)
            yield ArgumentsGrew(call, half)
        yield from self._move(call, CallEvent.COMPLETED)

    def _broke(self, assembled: ObjectArguments, call: Call) -> bool:
        """Whether pieces of an object do not make one; then the turn is faulty."""
        fault = assembled.fault
        if fault is None:
            return False
        too_large = fault.code is FaultCode.TOO_LARGE
        self._fail(Reason.TOO_LARGE if too_large else Reason.INVALID_JSON, fault.message, call)
        return True

    def _move(self, call: Call, event: CallEvent) -> Iterator[Change]:
        state = after(call.state, event)
        if state is not call.state:
            call.state = state
            yield CallMoved(call, state)

    def _is_unnameable(self, name: str | None) -> bool:
        """Whether a name is longer than any tool's may be; then the turn is faulty."""
        if name is None or len(name) <= MOST_NAME_CHARS:
            return False
        detail = f"a tool name of {len(name)} characters (limit {MOST_NAME_CHARS})"
        self._fail(Reason.TOO_LARGE, detail)
        return True

    # Look-ups, limits and faults

    def _call(self, block: int) -> Call | None:
        """The call of a block; a fragment for a block that is no call is a fault."""
        call = self.blocks.get(block)
        if isinstance(call, Call):
            return call
        if self.fault is None:
            self._fail(Reason.PROTOCOL_ERROR, f"block {block} is no call, but its data came")
        return None

    def _call_of(self, block: int | None) -> Call | None:
        call = None if block is None else self.blocks.get(block)
        return call if isinstance(call, Call) else None

    def _writable(self, block: int) -> Call | None:
        """The call of a block, if it may still take arguments in."""
        call = self._call(block)
        if call is None or self.fault is not None:
            return None
        if call.completed:
            self._fail(Reason.PROTOCOL_ERROR, "arguments arrived after the call was complete", call)
            return None
        return call

    def _has_room(self, call: Call, size: int) -> bool:
        for held, limit, of in (
            (call.bytes + size, self._limits.call_bytes, "one call"),
            (self._bytes + size, self._limits.turn_bytes, "one turn"),
        ):
            if held > limit:
                self._fail(
                    Reason.TOO_LARGE, f"{held} bytes of arguments in {of} (limit {limit})", call
                )
                return False
        call.bytes += size
        self._bytes += size
        return True

    def _fail(self, reason: Reason, detail: str, call: Call | None = None) -> None:
        """Keep the first fault: what follows one is often only its echo."""
        if self.fault is None:
            self.fault = Fault(reason, detail, None if call is None else call.ordinal)

    def _retain(self, block: int, data: JsonObject) -> None:
        target = self.blocks.setdefault(block, OpaqueBlock())
        if isinstance(target, OpaqueBlock):
            target.data = data
        else:
            target.extra = data


def _joined(call: Call, text: str) -> str:
    """The fragment with surrogate halves joined that the wire's own escapes cut in two."""
    text = call.held_half + text
    call.held_half = ""
    if "\ud800" <= text[-1] <= "\udbff":
        call.held_half = text[-1]
        text = text[:-1]
    return join_pairs(text)


def _weight(value: JsonValue) -> int:
    """UTF-8 bytes of the scalars and keys of a value, as a measure of its size."""
    total = 0
    pending: list[JsonValue] = [value]
    while pending:
        match pending.pop():
            case dict() as members:
                total += sum(utf8_length(key) for key in members)
                pending.extend(members.values())
            case list() as elements:
                pending.extend(elements)
            case str() as text:
                total += utf8_length(text)
            case number:
                total += len(str(number))
        total += 4
    return total
