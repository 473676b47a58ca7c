"""The wire of ``ollama`` to the vocabulary: one turn, without I/O.

How a turn can end, all of them:

=====================================  =========================================================
what the body says                     the turn
=====================================  =========================================================
``done`` with ``done_reason`` stop     complete
``done`` with length                   truncated
``done`` with another reason or none   incomplete
an ``error`` line about a tool call    error: the model wrote one that the server cannot read
any other ``error`` line               ``ProviderFailure``
the body's end without ``done``        incomplete
=====================================  =========================================================
"""

from collections.abc import Iterator

from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    CallAnnounced,
    CallCompleted,
    Event,
    ProtocolFault,
    Retained,
    Stop,
    TextDelta,
    TurnEnded,
    Usage,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.errors import failure_from_body
from app.providers.json_objects import ObjectReader
from app.providers.payload import as_integer, as_list, as_name, as_object, as_text
from app.providers.streaming import BrokenOff
from app.providers.wire_json import SurrogateJoiner, UnreadableJson, read, readable

STOPS = {"stop": Stop.COMPLETE, "length": Stop.TRUNCATED}
"""``done_reason`` -> how the turn ended. Any other is INCOMPLETE."""


class OllamaTurn:
    """Feed the body's bytes in. A :class:`~app.providers.streaming.TurnDecoder`."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        self._objects = ObjectReader()
        self._blocks = 0
        self._text_block: int | None = None
        self._text = SurrogateJoiner()
        self._thought_block: int | None = None
        self._thoughts: list[str] = []
        self._calls = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        for text in self._objects.feed(chunk):
            try:
                line = as_object(read(text, unique_keys=True))
            except UnreadableJson as error:
                raise BrokenOff(f"a line cannot be read: {error}") from error
            yield from self._take(line)

    def finish(self) -> Iterator[Event]:
        yield TurnEnded(Stop.INCOMPLETE, None, "the body ended before its last line")

    def _take(self, line: JsonObject) -> Iterator[Event]:
        if line.get("error"):
            yield from self._fail(line)
            return
        message = as_object(line.get("message"))
        if thought := as_text(message.get("thinking")):
            self._thoughts.append(thought)
            if self._thought_block is None:
                self._thought_block = self._new_block()
        if text := readable(self._text.feed(as_text(message.get("content")))):
            if self._text_block is None:
                self._text_block = self._new_block()
            yield TextDelta(self._text_block, text)
        for call in map(as_object, as_list(message.get("tool_calls"))):
            yield from self._take_call(call)
        if line.get("done") is True:
            yield from self._end(line)

    def _take_call(self, call: JsonObject) -> Iterator[Event]:
        function = as_object(call.get("function"))
        block = self._new_block()
        self._text_block = None
        self._calls += 1
        yield CallAnnounced(block, as_name(call.get("id")), as_name(function.get("name")))
        yield from _arguments(block, function.get("arguments"))
        yield CallCompleted(block)

    def _end(self, line: JsonObject) -> Iterator[Event]:
        if (tokens := as_integer(line.get("eval_count"))) is not None:
            yield Usage(tokens)
        if self._thought_block is not None and self._calls:
            # Models that think want it back with the calls it led to, and only then.
            yield Retained(self._thought_block, {"thinking": readable("".join(self._thoughts))})
        reason = readable(as_text(line.get("done_reason"))) or None
        yield TurnEnded(STOPS.get(reason or "", Stop.INCOMPLETE), reason)

    def _fail(self, line: JsonObject) -> Iterator[Event]:
        failure = failure_from_body(line, secrets=self._secrets)
        if "tool call" not in failure.detail:
            raise failure
        yield TurnEnded(Stop.ERROR, "error", failure.detail)

    def _new_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1


def _arguments(block: int, arguments: JsonValue) -> Iterator[Event]:
    if isinstance(arguments, dict):
        yield ArgumentObject(block, arguments)
    elif isinstance(arguments, str):
        yield ArgumentFragment(block, arguments)
    elif arguments is not None:
        yield ProtocolFault("arguments came as neither an object nor text", block)
