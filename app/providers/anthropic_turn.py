"""The events of one ``anthropic-messages`` stream, read without I/O.

What the dialect promises and what it does not stands in
:mod:`app.providers.anthropic_messages`.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from app.calls.events import (
    Event,
    ProtocolFault,
    ProtocolWarning,
    ProviderWork,
    Retained,
    Stop,
    TurnEnded,
    Usage,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.anthropic_blocks import Block, WorkBlock, block_for, is_result
from app.providers.errors import failure_from_body
from app.providers.payload import as_integer, as_object, as_text
from app.providers.wire_json import UnreadableJson, read

STOPS = {
    "end_turn": Stop.COMPLETE,
    "tool_use": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "pause_turn": Stop.COMPLETE,
    "max_tokens": Stop.TRUNCATED,
    "model_context_window_exceeded": Stop.TRUNCATED,
    "refusal": Stop.REFUSED,
}
"""``stop_reason`` -> how the turn ended. A reason that is not here is not a good end."""

CONTAINER_BLOCK = -1
"""The key of what is kept of the container; the wire's own indexes are not negative."""


class WireEvent(Protocol):
    """A server-sent event, as the SDK reads it off the wire."""

    @property
    def event(self) -> str | None: ...

    @property
    def data(self) -> str: ...


class TurnReader:
    """A decoder (:class:`~app.providers.streaming.TurnDecoder`) of one turn."""

    def __init__(self, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self._open: dict[int, Block] = {}
        self._seen: set[int] = set()
        self._calls: set[int] = set()
        self._work: dict[str, tuple[int, str]] = {}
        self._begun = False
        self._stop_reason: str | None = None
        self._stop_details: JsonObject = {}
        self._junk = 0
        self._odd_types: set[str] = set()

    def feed(self, chunk: WireEvent) -> Iterator[Event]:
        """Raises :class:`~app.providers.provider.ProviderFailure` for an ``error`` event."""
        data = chunk.data.strip()
        if chunk.event != "error" and not data.startswith("{"):
            self._junk += 1  # keep-alives: an empty event, `: PROCESSING`, `[DONE]`
            return
        try:
            # An event with a call may hold its arguments, and no key may stand twice in those.
            event = read(data, unique_keys='"tool_use"' in data)
        except UnreadableJson as error:
            if chunk.event == "error":
                raise failure_from_body(data, secrets=self._secrets) from None
            yield ProtocolFault(f"an event cannot be read: {error}")
            return
        if isinstance(event, dict):
            kind = as_text(event.get("type")) or (chunk.event or "")
            yield from self._event(kind, event)

    def finish(self) -> Iterator[Event]:
        yield from self._told_junk()
        yield TurnEnded(Stop.INCOMPLETE, self._stop_reason, "the body ended before message_stop")

    def _event(self, kind: str, event: JsonObject) -> Iterator[Event]:
        match kind:
            case "message_start":
                yield from self._message_start(as_object(event.get("message")))
            case "content_block_start":
                content = as_object(event.get("content_block"))
                yield from self._start(event.get("index"), content)
            case "content_block_delta":
                yield from self._delta(event.get("index"), as_object(event.get("delta")))
            case "content_block_stop":
                yield from self._stop(event.get("index"))
            case "message_delta":
                yield from self._message_delta(event)
            case "message_stop":
                yield from self._message_stop()
            case "error":
                raise failure_from_body(event, secrets=self._secrets)
            case "ping":
                return
            case _:
                if kind not in self._odd_types:
                    self._odd_types.add(kind)
                    yield ProtocolWarning(f"events of the unknown type {kind[:60]!r} are skipped")

    def _message_start(self, message: JsonObject) -> Iterator[Event]:
        if self._begun:
            yield ProtocolFault("a second message_start")
            return
        self._begun = True
        yield from self._usage(message)
        content = message.get("content")
        # Programmatic tool calling sends whole calls, and the stop reason, right here.
        for index, block in enumerate(content if isinstance(content, list) else []):
            yield from self._start(index, as_object(block))
            yield from self._stop(index)
        yield from self._told(message)

    def _message_delta(self, event: JsonObject) -> Iterator[Event]:
        yield from self._told(as_object(event.get("delta")))
        yield from self._usage(event)

    def _told(self, message: JsonObject) -> Iterator[Event]:
        """What ``message_start`` and ``message_delta`` may both say of the turn."""
        reason = as_text(message.get("stop_reason")) or None
        if reason is not None and self._stop_reason not in (None, reason):
            yield ProtocolFault(f"two stop reasons: {self._stop_reason} and {reason}")
        self._stop_reason = reason or self._stop_reason
        self._stop_details = as_object(message.get("stop_details")) or self._stop_details
        container = as_text(as_object(message.get("container")).get("id"))
        if container:
            yield Retained(CONTAINER_BLOCK, {"type": "container", "id": container})

    def _usage(self, holder: JsonObject) -> Iterator[Event]:
        tokens = as_integer(as_object(holder.get("usage")).get("output_tokens"))
        if tokens is not None:
            yield Usage(tokens)

    def _start(self, index: JsonValue, content: JsonObject) -> Iterator[Event]:
        if not isinstance(index, int) or index < 0 or index in self._seen:
            yield ProtocolFault(f"a block started at the index {index!r}, which cannot be")
            return
        kind = as_text(content.get("type"))
        block = block_for(kind, index)
        self._seen.add(index)
        self._open[index] = block
        if block.is_call:
            self._calls.add(index)
        yield from block.start(content)
        if isinstance(block, WorkBlock):
            self._work[as_text(content.get("id"))] = index, block.name
        elif is_result(kind):
            yield self._work_finished(index, kind, content)

    def _work_finished(self, index: int, kind: str, content: JsonObject) -> Event:
        # A resumed turn may begin with the result of work that the turn before it announced.
        otherwise = index, kind.removesuffix("_tool_result")
        place, name = self._work.get(as_text(content.get("tool_use_id")), otherwise)
        return ProviderWork(place, name, finished=True)

    def _delta(self, index: JsonValue, delta: JsonObject) -> Iterator[Event]:
        block = self._open.get(index) if isinstance(index, int) else None
        if block is None:
            yield ProtocolFault(
                f"a delta for block {index!r}, which is not open", as_integer(index)
            )
            return
        yield from block.delta(as_text(delta.get("type")) or "delta without a type", delta)

    def _stop(self, index: JsonValue) -> Iterator[Event]:
        block = self._open.pop(index, None) if isinstance(index, int) else None
        if block is None:
            yield self._astray("the end", index)
            return
        yield from block.stop()

    def _astray(self, what: str, index: JsonValue) -> ProtocolFault:
        call = index if isinstance(index, int) and index in self._calls else None
        return ProtocolFault(f"{what} of block {index!r}, which is not open", call)

    def _message_stop(self) -> Iterator[Event]:
        open_calls = [index for index, block in self._open.items() if block.is_call]
        for index, block in self._open.items():
            if not block.is_call:
                yield ProtocolWarning(f"block {index} was open at message_stop")
                yield from block.stop()
        yield from self._told_junk()
        yield self._end(open_calls)

    def _end(self, open_calls: Sequence[int]) -> TurnEnded:
        reason = self._stop_reason
        if reason is None:
            return TurnEnded(Stop.INCOMPLETE, None, "message_stop without a stop_reason")
        stop = STOPS.get(reason)
        if stop is None:
            return TurnEnded(Stop.INCOMPLETE, reason, "the stop_reason is not a known one")
        if stop is Stop.COMPLETE and open_calls:
            blocks = ", ".join(str(index) for index in open_calls)
            detail = f"message_stop came while a call was open (block {blocks})"
            return TurnEnded(Stop.INCOMPLETE, reason, detail)
        return TurnEnded(stop, reason, self._explanation(), resume=reason == "pause_turn")

    def _explanation(self) -> str:
        told = (as_text(self._stop_details.get(name)) for name in ("category", "explanation"))
        return ": ".join(part for part in told if part)

    def _told_junk(self) -> Iterator[Event]:
        if self._junk:
            yield ProtocolWarning(f"{self._junk} events without a payload were skipped")
