"""The wire of ``gemini`` to the vocabulary: one turn, without I/O.

How a turn can end, all of them:

==========================================  ====================================================
what the body says                          the turn
==========================================  ====================================================
``finishReason`` STOP, then the body's end  complete
MAX_TOKENS, CONTINUATION                    truncated
a blocked prompt, SAFETY and its kin        refused
MALFORMED_FUNCTION_CALL and its kin         error
OTHER, any other reason, none               incomplete
an ``error`` object                         ``ProviderFailure``
a body that stops inside an object          incomplete
==========================================  ====================================================
"""

import re
from collections.abc import Iterator

from app.calls.events import (
    ArgumentObject,
    ArgumentPatch,
    CallAnnounced,
    CallCompleted,
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
from app.calls.json_types import JsonObject, JsonValue, Path
from app.providers.answer_reader import AnswerReader
from app.providers.errors import failure_from_body
from app.providers.payload import as_integer, as_list, as_name, as_object, as_text
from app.providers.streaming import BrokenOff
from app.providers.wire_json import SurrogateJoiner, UnreadableJson, read, readable

STOPS = {
    "STOP": Stop.COMPLETE,
    "MAX_TOKENS": Stop.TRUNCATED,
    "CONTINUATION": Stop.TRUNCATED,
    "SAFETY": Stop.REFUSED,
    "RECITATION": Stop.REFUSED,
    "LANGUAGE": Stop.REFUSED,
    "BLOCKLIST": Stop.REFUSED,
    "PROHIBITED_CONTENT": Stop.REFUSED,
    "SPII": Stop.REFUSED,
    "IMAGE_SAFETY": Stop.REFUSED,
    "IMAGE_PROHIBITED_CONTENT": Stop.REFUSED,
    "IMAGE_RECITATION": Stop.REFUSED,
    "ESCALATION": Stop.REFUSED,
    "MODEL_ARMOR": Stop.REFUSED,
    "PUP_LIMITED_DISABLED": Stop.REFUSED,
    "MALFORMED_FUNCTION_CALL": Stop.ERROR,
    "UNEXPECTED_TOOL_CALL": Stop.ERROR,
    "TOO_MANY_TOOL_CALLS": Stop.ERROR,
    "MALFORMED_RESPONSE": Stop.ERROR,
    "MISSING_THOUGHT_SIGNATURE": Stop.ERROR,
}
"""``finishReason`` -> how the turn ended. Any other is INCOMPLETE."""

_PATH_STEP = re.compile(
    r"\.(?P<name>[^.\[\]'\"]+)|\[(?P<index>\d+)\]"
    r"|\['(?P<single>(?:[^'\\]|\\.)*)'\]|\[\"(?P<double>(?:[^\"\\]|\\.)*)\"\]"
)

_QUOTE = re.compile(r"\\.|\"", re.DOTALL)
_JSON_QUOTES = {"\\'": "'", '"': '\\"'}

_WORK = {
    "executableCode": ("code_execution", False),
    "codeExecutionResult": ("code_execution", True),
    "toolCall": ("tool", False),
    "toolResponse": ("tool", True),
}
"""Parts of tools that run at the provider -> their name on the page, and whether it is done."""


class GeminiTurn:
    """Feed the body's bytes in. A :class:`~app.providers.streaming.TurnDecoder`."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        self._reader = AnswerReader()
        self._blocks = 0
        self._text_block: int | None = None
        self._text = SurrogateJoiner()
        self._open_call: CallAnnounced | None = None
        self._open_path: Path | None = None
        self._stop: Stop | None = None
        self._reason = ""
        self._detail = ""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        for payload in self._reader.feed(chunk):
            if not payload.data.startswith("{"):
                continue  # what keeps a connection open
            try:
                answer = as_object(read(payload.data, unique_keys=True))
            except UnreadableJson as error:
                raise BrokenOff(f"a chunk cannot be read: {error}") from error
            yield from self._take(answer)

    def finish(self) -> Iterator[Event]:
        if self._stop is None:
            yield TurnEnded(Stop.INCOMPLETE, None, "the body ended without a finish reason")
        elif self._stop is Stop.COMPLETE and self._reader.rest() is not None:
            yield TurnEnded(Stop.INCOMPLETE, self._reason, "the body stops inside an object")
        else:
            yield TurnEnded(self._stop, self._reason, self._detail)

    def _take(self, answer: JsonObject) -> Iterator[Event]:
        if answer.get("error"):
            raise failure_from_body(answer, secrets=self._secrets)
        blocked = as_text(as_object(answer.get("promptFeedback")).get("blockReason"))
        if blocked:
            yield TurnEnded(Stop.REFUSED, readable(blocked), "the prompt was blocked")
            return
        candidates = as_list(answer.get("candidates"))
        candidate = as_object(candidates[0]) if candidates else {}
        if len(candidates) > 1:
            yield ProtocolWarning("a second answer came, and one was asked for; it is left out")
        for part in map(as_object, as_list(as_object(candidate.get("content")).get("parts"))):
            yield from self._take_part(part)
        yield from _usage(as_object(answer.get("usageMetadata")))
        self._take_finish(candidate)

    def _take_finish(self, candidate: JsonObject) -> None:
        reason = as_text(candidate.get("finishReason"))
        if reason and self._stop in (None, Stop.COMPLETE):
            self._reason = readable(reason)
            self._stop = STOPS.get(reason, Stop.INCOMPLETE)
            self._detail = readable(as_text(candidate.get("finishMessage")))

    def _take_part(self, part: JsonObject) -> Iterator[Event]:
        signature = as_text(part.get("thoughtSignature"))
        if "functionCall" in part:
            yield from self._take_call(as_object(part["functionCall"]), signature)
        elif part.get("thought") is True:
            # A thought is not for people; the vendor asks for the signed ones back.
            if signature:
                yield Retained(self._new_block(), part)
        elif isinstance(part.get("text"), str):
            yield from self._take_text(as_text(part["text"]), signature)
        else:
            yield from self._take_other(part)

    def _take_text(self, piece: str, signature: str) -> Iterator[Event]:
        text = readable(self._text.feed(piece))
        if signature:
            # A signed part goes back as it came: never joined to what stands before or after it.
            block = self._new_block()
            if text:
                yield TextDelta(block, text)
                yield Retained(block, {"thoughtSignature": signature})
            else:
                yield Retained(block, {"text": "", "thoughtSignature": signature})
            self._text_block = None
        elif text:
            if self._text_block is None:
                self._text_block = self._new_block()
            yield TextDelta(self._text_block, text)

    def _take_other(self, part: JsonObject) -> Iterator[Event]:
        block = self._new_block()
        known = [name for name in _WORK if name in part]
        for name in known:
            tool, finished = _WORK[name]
            called = as_name(as_object(part[name]).get("toolType"))
            yield ProviderWork(block, called or tool, finished)
        if not known:
            yield ProtocolWarning("a part of a kind that is not shown here; it is kept")
        yield Retained(block, part)

    # Calls

    def _take_call(self, call: JsonObject, signature: str) -> Iterator[Event]:
        if self._stop is not None:
            yield ProtocolFault("a call came after the finish reason")
            return
        name, id_ = as_name(call.get("name")), as_name(call.get("id"))
        known = self._open_call
        if known is None or name not in (None, known.name) or id_ not in (None, known.provider_id):
            known = CallAnnounced(self._new_block(), id_, name)
            yield known
            self._open_path = None
        self._open_call = known if call.get("willContinue") is True else None
        block = known.block
        if signature:
            yield Retained(block, {"thoughtSignature": signature})
        yield from self._take_arguments(block, call)
        if self._open_call is None:
            yield CallCompleted(block)

    def _take_arguments(self, block: int, call: JsonObject) -> Iterator[Event]:
        arguments, patches = call.get("args"), call.get("partialArgs")
        if isinstance(arguments, dict):
            yield ArgumentObject(block, arguments)
        elif arguments is not None:
            yield ProtocolFault("the arguments of a call are no object", block)
        if patches is not None and not isinstance(patches, list):
            yield ProtocolFault("the pieces of the arguments are no list", block)
        for patch in map(as_object, as_list(patches)):
            yield from self._take_patch(block, patch)

    def _take_patch(self, block: int, patch: JsonObject) -> Iterator[Event]:
        path = _path(as_text(patch.get("jsonPath")))
        continues = patch.get("willContinue") is True
        known, value = _value(patch)
        if path is not None and not known and path == self._open_path:
            known, value = True, ""  # the end of a string whose pieces have all come
        if path is None or not known:
            yield ProtocolFault("a piece of the arguments says not what or not where", block)
            return
        self._open_path = path if continues else None
        yield ArgumentPatch(block, path, value, continues)

    def _new_block(self) -> int:
        self._blocks += 1
        self._text_block = None
        return self._blocks - 1


def _usage(usage: JsonObject) -> Iterator[Event]:
    counts = [as_integer(usage.get(n)) for n in ("candidatesTokenCount", "thoughtsTokenCount")]
    if any(count is not None for count in counts):
        yield Usage(sum(count or 0 for count in counts))


def _value(patch: JsonObject) -> tuple[bool, JsonValue]:
    for name in ("stringValue", "numberValue", "boolValue"):
        if name in patch:
            return True, patch[name]
    return "nullValue" in patch, None


_INDEX_DIGITS = 9
"""No array here has more elements than an index of so many digits counts."""


def _path(text: str) -> Path | None:
    """The steps of a JSON Path to one value (RFC 9535, names and indexes only); None otherwise."""
    if not text.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(text):
        step = _PATH_STEP.match(text, at)
        if step is None:
            return None
        at = step.end()
        if step["index"] is not None:
            if len(step["index"]) > _INDEX_DIGITS:
                return None
            steps.append(int(step["index"]))
        else:
            quoted = step["single"] if step["single"] is not None else step["double"]
            name = step["name"] if quoted is None else _unquoted(quoted)
            if name is None:
                return None
            steps.append(name)
    return tuple(steps) or None


def _unquoted(text: str) -> str | None:
    """A quoted name without its escapes, which are those of JSON and the single quote."""
    as_json = _QUOTE.sub(lambda found: _JSON_QUOTES.get(found[0], found[0]), text)
    try:
        return as_text(read(f'"{as_json}"'))
    except UnreadableJson:
        return None
