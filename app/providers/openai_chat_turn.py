"""The wire of ``openai-chat`` to the vocabulary: one turn, without I/O.

How a turn can end, all of them:

=========================================  =====================================================
what the body says                         the turn
=========================================  =====================================================
a good ``finish_reason`` and ``[DONE]``    complete; all calls complete at the finish reason
a good ``finish_reason``, then the end     complete if nothing is owed (below), else incomplete
a truncating reason, also a native one     truncated
a filtering reason, or any ``refusal``     refused; the refusal is shown as text
``error`` or a malformed call as reason    error
any other reason, none, ``[DONE]`` alone   incomplete
an error object: the model's own fault     error (``tool_use_failed``) or refused (a filter)
any other error object                     ``ProviderFailure``
a body that stops inside an event          incomplete
a piece that may belong to several calls   incomplete, at once
=========================================  =====================================================

**Without [DONE].** Real servers leave it out, so it cannot be required of all. What is owed then:
nothing half-written may follow, and the usage report, which we ask for and which comes last, must
have come with or after the finish reason. That is asked of every server that keeps to the
protocol in the least: its chunks say when they were ``created``, or speak of ``usage``. Of a bare
relay that does neither, or that refused to be asked for usage, the finish reason is all the
evidence there is. So a body of which more was cut off than the mark, and a report that came before
already, is never complete.
"""

import re
from collections.abc import Callable, Iterator

from app.calls.events import (
    Event,
    ProtocolFault,
    ProtocolWarning,
    Retained,
    Stop,
    TextDelta,
    TurnEnded,
    Usage,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.answer_reader import AnswerReader
from app.providers.errors import failure_from_body
from app.providers.event_reader import ServerEvent
from app.providers.openai_chat_calls import Ambiguous, ChatCalls
from app.providers.openai_chat_reasoning import Reasoning
from app.providers.payload import as_integer, as_list, as_object, as_text
from app.providers.streaming import BrokenOff
from app.providers.wire_json import SurrogateJoiner, UnreadableJson, read, readable

STOPS = {
    "stop": Stop.COMPLETE,
    "tool_calls": Stop.COMPLETE,
    "function_call": Stop.COMPLETE,
    # Together, Hugging Face TGI
    "eos": Stop.COMPLETE,
    "eos_token": Stop.COMPLETE,
    "stop_sequence": Stop.COMPLETE,
    "length": Stop.TRUNCATED,
    "max_tokens": Stop.TRUNCATED,
    "max_output_tokens": Stop.TRUNCATED,
    "model_length": Stop.TRUNCATED,
    "model_context_window_exceeded": Stop.TRUNCATED,
    "content_filter": Stop.REFUSED,
    "refusal": Stop.REFUSED,
    "safety": Stop.REFUSED,
    "sensitive": Stop.REFUSED,
    "error": Stop.ERROR,
    "malformed_function_call": Stop.ERROR,
}
"""``finish_reason`` in lower case -> how the turn ended. Any other is INCOMPLETE."""

NATIVE_STOPS = {
    reason: stop for reason, stop in STOPS.items() if stop in (Stop.TRUNCATED, Stop.REFUSED)
}
"""``native_finish_reason``: routers put the vendor's own word there, and it wins where it says
that the output was cut or blocked. Its good words are many and are not needed."""

_MODEL_FAULTS = ("tool_use_failed", "failed_generation")
_FILTERS = ("content_filter", "content_policy_violation")


_OBJECT_ARGUMENTS = re.compile(r'"arguments"\s*:\s*\{')
"""Arguments that came as an object: of two members of one name, the reader would drop one."""


class ChatTurn:
    """Feed the body's bytes in. A :class:`~app.providers.streaming.TurnDecoder`."""

    def __init__(
        self, secrets: tuple[str, ...] = (), *, usage_asked: Callable[[], bool] = lambda: True
    ) -> None:
        self._secrets = secrets
        self._usage_asked = usage_asked
        self._reader = AnswerReader()
        self._calls = ChatCalls()
        self._reasoning = Reasoning()
        self._blocks = 0
        self._text_block: int | None = None
        self._reasoning_block: int | None = None
        self._text = SurrogateJoiner()
        self._stop: Stop | None = None
        self._reason: str | None = None
        self._detail = ""
        self._refusing = False
        self._usage_owed = False
        self._usage_given = False
        self._skipped = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        for event in self._reader.feed(chunk):
            yield from self._take_event(event)

    def finish(self) -> Iterator[Event]:
        """The body has ended without ``[DONE]``."""
        rest = self._reader.rest()
        if rest is not None and rest.strip() == "[DONE]":
            yield from self._end("")
            return
        owed = "the body stops inside an event" if rest is not None else ""
        if self._usage_owed and not self._usage_given:
            owed = owed or "the body ends with neither [DONE] nor the usage report"
        yield from self._end(owed)

    def _take_event(self, event: ServerEvent) -> Iterator[Event]:
        if event.data.strip() == "[DONE]":
            yield from self._end("")
            return
        if not event.data.lstrip().startswith("{"):
            self._skipped += 1
            return
        try:
            payload = read(event.data, unique_keys=bool(_OBJECT_ARGUMENTS.search(event.data)))
        except UnreadableJson as error:
            raise BrokenOff(f"a chunk cannot be read: {error}") from error
        yield from self._take(as_object(payload), event.name)

    def _take(self, chunk: JsonObject, name: str) -> Iterator[Event]:
        error = chunk.get("error") or (chunk if name == "error" else None)
        if error:
            yield from self._take_error(error)
            return
        for choice in map(as_object, as_list(chunk.get("choices"))):
            if (as_integer(choice.get("index")) or 0) != 0:
                yield ProtocolWarning("a second answer came, and one was asked for; it is left out")
                continue
            try:
                yield from self._take_choice(choice)
            except Ambiguous as unclear:
                yield TurnEnded(Stop.INCOMPLETE, self._reason, str(unclear))
                return
        yield from self._take_usage(chunk)

    def _take_choice(self, choice: JsonObject) -> Iterator[Event]:
        delta = as_object(choice.get("delta") or choice.get("message"))
        yield from self._take_content(delta.get("content"))
        if refusal := as_text(delta.get("refusal")):
            self._refusing = True
            yield from self._add_text(refusal)
        if self._reasoning.take(delta) and self._reasoning_block is None:
            self._reasoning_block = self._new_block()
        for piece in map(as_object, as_list(delta.get("tool_calls"))):
            yield from self._take_piece(piece)
        if legacy := as_object(delta.get("function_call")):
            # The form before `tool_calls`: one call, and no id by its own protocol.
            yield from self._take_piece({"index": 0, "function": legacy})
        yield from self._take_finish(choice)

    def _take_piece(self, piece: JsonObject) -> Iterator[Event]:
        known = len(self._calls)
        events = list(self._calls.take(piece, self._blocks))
        if len(self._calls) > known:
            self._blocks += 1
            self._text_block = None
        if self._stop is not None and any(not isinstance(e, ProtocolWarning) for e in events):
            yield ProtocolFault("a piece of a call came after the finish reason")
            return
        yield from events

    def _take_content(self, content: JsonValue) -> Iterator[Event]:
        if isinstance(content, str):
            yield from self._add_text(content)
        for part in map(as_object, as_list(content)):
            yield from self._add_text(as_text(part.get("text")))

    def _add_text(self, piece: str) -> Iterator[Event]:
        text = readable(self._text.feed(piece))
        if not text:
            return
        if self._text_block is None:
            self._text_block = self._new_block()
        yield TextDelta(self._text_block, text)

    def _take_finish(self, choice: JsonObject) -> Iterator[Event]:
        reason = as_text(choice.get("finish_reason"))
        if not reason:
            return
        first = self._stop is None
        stop = STOPS.get(reason.lower(), Stop.INCOMPLETE)
        native = as_text(choice.get("native_finish_reason"))
        if stop is Stop.COMPLETE and native.lower() in NATIVE_STOPS:
            stop = NATIVE_STOPS[native.lower()]
            self._detail = f"the vendor's own word for it is {native}"
        if self._stop in (None, Stop.COMPLETE):
            # Some servers send it twice. The first that is not good stays.
            self._stop, self._reason = stop, readable(reason)
        if first and stop is Stop.COMPLETE and not self._refusing:
            yield from self._complete_calls(reason)

    def _complete_calls(self, reason: str) -> Iterator[Event]:
        if len(self._calls) and reason == "stop":
            yield ProtocolWarning("the turn has calls, and its finish reason is 'stop'")
        if not len(self._calls) and reason == "tool_calls":
            yield ProtocolFault("the finish reason tells of calls, and none came")
        yield from self._calls.complete()

    def _take_usage(self, chunk: JsonObject) -> Iterator[Event]:
        if self._usage_asked() and ("created" in chunk or "usage" in chunk):
            self._usage_owed = True
        report = as_object(chunk.get("usage"))
        if report:
            self._usage_given = self._stop is not None
        # Groq tells it under its own name too, beside the finish reason; the report still follows.
        usage = report or as_object(as_object(chunk.get("x_groq")).get("usage"))
        if (tokens := as_integer(usage.get("completion_tokens"))) is not None:
            yield Usage(tokens)

    def _take_error(self, error: JsonValue) -> Iterator[Event]:
        fields = as_object(error)
        code = as_text(fields.get("code")) or as_text(fields.get("type"))
        failure = failure_from_body(error, secrets=self._secrets)
        if code in _MODEL_FAULTS or "failed_generation" in fields:
            yield TurnEnded(Stop.ERROR, code, failure.detail)
        elif code in _FILTERS:
            yield TurnEnded(Stop.REFUSED, code, failure.detail)
        else:
            raise failure

    def _end(self, owed: str) -> Iterator[Event]:
        """``owed`` says what a good end would still need; ``""`` when nothing."""
        if self._skipped:
            yield ProtocolWarning(f"{self._skipped} events held no payload and were left out")
        kept = self._reasoning.kept(has_calls=len(self._calls) > 0)
        if kept and self._reasoning_block is not None:
            yield Retained(self._reasoning_block, kept)
        if self._stop is None:
            yield TurnEnded(Stop.INCOMPLETE, None, "the body ended without a finish reason")
        elif self._refusing:
            yield TurnEnded(Stop.REFUSED, self._reason, "the model refused")
        elif self._stop is Stop.COMPLETE and owed:
            yield TurnEnded(Stop.INCOMPLETE, self._reason, owed)
        else:
            yield TurnEnded(self._stop, self._reason, self._detail)

    def _new_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1
