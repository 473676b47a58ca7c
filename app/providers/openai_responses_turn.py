"""The wire of ``openai-responses`` to the vocabulary: one turn, without I/O.

How a turn can end, all of them:

==========================================  ====================================================
what the body says                          the turn
==========================================  ====================================================
``response.completed``                      complete; refused if it held a refusal
``response.incomplete``                     truncated (``max_output_tokens``), refused
                                            (``content_filter``), else incomplete
``response.failed`` or ``error``            refused for a policy's code, else ``ProviderFailure``
``response.cancelled``, or the body's end   incomplete
==========================================  ====================================================

A call whose item is done but ``incomplete`` is never completed: its ``.done`` events come all the
same when the output was cut, with half a document in them.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
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
from app.providers.errors import failure_from_body
from app.providers.event_reader import EventReader, ServerEvent
from app.providers.payload import as_integer, as_list, as_name, as_object, as_text
from app.providers.streaming import BrokenOff
from app.providers.wire_json import SurrogateJoiner, UnreadableJson, read, readable

INCOMPLETE_REASONS = {
    "max_output_tokens": Stop.TRUNCATED,
    "max_tokens": Stop.TRUNCATED,
    "content_filter": Stop.REFUSED,
}

POLICY_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "image_content_policy_violation",
        "bio_policy",
        "cyber_policy",
        "misalignment_policy_violation",
    }
)

CLIENT_CALLS = {
    "custom_tool_call": "input",
    "computer_call": "action",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
    "mcp_approval_request": "arguments",
}
"""Items that wait for an answer of a form we do not give -> the field with what is asked. We offer
none of these tools. Some run at the provider, which then answers them with an item of its own."""

_SILENT_ITEMS = frozenset({"reasoning", "compaction", "mcp_list_tools", "additional_tools"})
"""Items that are kept for the provider and show no work."""

_CALL_EXTRAS = ("id", "namespace", "caller")


@dataclass(slots=True)
class _Item:
    """One unit of the output, known by its place in it and by its id."""

    block: int
    kind: str
    index: int | None
    id: str | None
    call_id: str | None = None
    spoken: bool = False
    """Whether text or fragments came, so that the whole is not taken for more of it."""
    done: bool = False
    text: SurrogateJoiner = field(default_factory=SurrogateJoiner)


class ResponseTurn:
    """Feed the body's bytes in. A :class:`~app.providers.streaming.TurnDecoder`."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets
        self._reader = EventReader()
        self._items: list[_Item] = []
        self._blocks = 0
        self._refusing = False
        self._unanswered: dict[str, tuple[int, JsonObject]] = {}
        """By the call's id: the block and the item of a call that only we could answer."""
        self._skipped = 0

    def feed(self, chunk: bytes) -> Iterator[Event]:
        for event in self._reader.feed(chunk):
            yield from self._take_event(event)

    def finish(self) -> Iterator[Event]:
        yield TurnEnded(Stop.INCOMPLETE, None, "the body ended before the response did")

    def _take_event(self, event: ServerEvent) -> Iterator[Event]:
        if not event.data.lstrip().startswith("{"):
            self._skipped += 1
            return
        try:
            payload = as_object(read(event.data))
        except UnreadableJson as error:
            raise BrokenOff(f"an event cannot be read: {error}") from error
        kind = as_text(payload.get("type")) or event.name
        yield from self._take(kind, payload)

    def _take(self, kind: str, payload: JsonObject) -> Iterator[Event]:
        match kind:
            case "response.output_item.added":
                yield from self._add(payload)
            case "response.output_item.done":
                yield from self._item_done(payload)
            case "response.function_call_arguments.delta":
                item = yield from self._call_of(payload)
                yield from _untold(item, payload.get("delta"))
                if fragment := as_text(payload.get("delta")):
                    item.spoken = True
                    yield ArgumentFragment(item.block, fragment)
            case "response.function_call_arguments.done":
                item = yield from self._call_of(payload)
                yield from _untold(item, payload.get("arguments"))
                if isinstance(whole := payload.get("arguments"), str):
                    yield ArgumentSnapshot(item.block, whole)
            case "response.output_text.delta" | "response.refusal.delta":
                self._refusing = self._refusing or kind == "response.refusal.delta"
                item = self._find(payload) or self._new(payload, "message")
                yield from _spoken(item, as_text(payload.get("delta")))
            case "response.completed" | "response.incomplete" | "response.cancelled":
                yield from self._end(as_object(payload.get("response")), kind)
            case "response.failed":
                yield from self._fail(as_object(payload.get("response")).get("error"))
            case "error":
                yield from self._fail(payload.get("error") or payload)
            case _ if "error" in payload and not kind:
                yield from self._fail(payload["error"])
            case _ if not kind.startswith("response."):
                self._skipped += 1
            case _:
                pass  # progress of items, told again by `output_item.done`

    # Items

    def _find(self, payload: JsonObject) -> _Item | None:
        """By id, by the call's id, by place: some servers count every item as 0 or leave the
        count out, others change the id from event to event. The latest of several."""
        fields = as_object(payload.get("item"))
        id_ = as_name(payload.get("item_id")) or as_name(fields.get("id"))
        call_id = as_name(fields.get("call_id"))
        index = as_integer(payload.get("output_index"))
        for name, wanted in (("id", id_), ("call_id", call_id), ("index", index)):
            found = [item for item in self._items if getattr(item, name) == wanted]
            if wanted is not None and found:
                return found[-1]
        return None

    def _new(self, payload: JsonObject, kind: str) -> _Item:
        fields = as_object(payload.get("item"))
        id_ = as_name(fields.get("id")) or as_name(payload.get("item_id"))
        index = as_integer(payload.get("output_index"))
        item = _Item(self._blocks, kind, index, id_, as_name(fields.get("call_id")))
        self._blocks += 1
        self._items.append(item)
        return item

    def _add(self, payload: JsonObject) -> Iterator[Event]:
        fields = as_object(payload.get("item"))
        kind = as_text(fields.get("type"))
        item = self._new(payload, kind)
        if kind == "function_call":
            yield CallAnnounced(
                item.block, as_name(fields.get("call_id")), as_name(fields.get("name"))
            )
        elif _is_work(fields):
            yield ProviderWork(item.block, as_name(fields.get("name")) or kind, False)

    def _call_of(self, payload: JsonObject) -> Generator[Event, None, _Item]:
        """The call that a piece is for; one that nobody announced is announced by its piece."""
        item = self._find(payload)
        if item is None:
            item = self._new(payload, "function_call")
            yield CallAnnounced(item.block, None, as_name(payload.get("name")))
        return item

    def _item_done(self, payload: JsonObject) -> Iterator[Event]:
        fields = as_object(payload.get("item"))
        kind = as_text(fields.get("type"))
        item = self._find(payload)
        if item is None or item.kind != kind:
            yield from self._add(payload)
            item = self._items[-1]
        if item.done:
            return
        item.done = True
        match kind:
            case "function_call":
                yield from _call_done(item, fields)
            case "message":
                yield from self._message_done(item, fields)
            case _ if _is_client_call(fields):
                self._unanswered[_answer_key(fields)] = (item.block, fields)
            case _:
                yield from self._answered(fields)
                yield from _work_done(item.block, fields)

    def _answered(self, fields: JsonObject) -> Iterator[Event]:
        """What the provider answers by itself was its own work, and goes back as it came."""
        block, call = self._unanswered.pop(_answer_key(fields), (0, None))
        if call is not None:
            yield ProviderWork(block, as_text(call.get("type")), True)
            yield Retained(block, _without_nulls(call))

    def _message_done(self, item: _Item, fields: JsonObject) -> Iterator[Event]:
        for part in map(as_object, as_list(fields.get("content"))):
            self._refusing = self._refusing or part.get("type") == "refusal"
            if not item.spoken:
                yield from _spoken(item, as_text(part.get("text") or part.get("refusal")))
        if item.spoken:
            kept = {name: fields[name] for name in ("id", "phase") if fields.get(name)}
            yield Retained(item.block, kept)

    # Ends

    def _end(self, response: JsonObject, kind: str) -> Iterator[Event]:
        if self._skipped:
            yield ProtocolWarning(f"{self._skipped} events held no payload and were left out")
        tokens = as_integer(as_object(response.get("usage")).get("output_tokens"))
        if tokens is not None:
            yield Usage(tokens)
        status = as_text(response.get("status")) or kind.removeprefix("response.")
        reason = as_text(as_object(response.get("incomplete_details")).get("reason"))
        # A response that is called completed and gives a reason for being cut off was cut off.
        if kind == "response.incomplete" or status == "incomplete" or reason:
            stop = INCOMPLETE_REASONS.get(reason, Stop.INCOMPLETE)
            yield TurnEnded(stop, f"incomplete:{reason}" if reason else "incomplete")
        elif status != "completed":
            yield TurnEnded(Stop.INCOMPLETE, status, f"the response ended as {status}")
        else:
            yield from self._check_output(response)
            yield from self._refuse_unanswered()
            stop = Stop.REFUSED if self._refusing else Stop.COMPLETE
            yield TurnEnded(stop, status)

    def _check_output(self, response: JsonObject) -> Iterator[Event]:
        """The response is repeated whole at its end: what was missed comes, what was not is
        compared."""
        for index, value in enumerate(as_list(response.get("output"))):
            fields = as_object(value)
            payload: JsonObject = {"item": fields, "output_index": index}
            item = self._find(payload)
            if item is None or not item.done:
                yield from self._item_done(payload)
            elif item.kind == "function_call":
                yield from _compared(item, fields)

    def _refuse_unanswered(self) -> Iterator[Event]:
        for block, fields in self._unanswered.values():
            kind = as_text(fields.get("type"))
            id_ = as_name(fields.get("call_id")) or as_name(fields.get("id"))
            yield CallAnnounced(block, id_, as_name(fields.get("name")))
            asked = fields.get(CLIENT_CALLS[kind])
            if isinstance(asked, str):
                yield ArgumentFragment(block, asked)
            elif isinstance(asked, dict):
                yield ArgumentObject(block, asked)
            yield CallCompleted(block)
            yield ProtocolFault(f"a {kind} asks for an answer; no such tool was offered", block)

    def _fail(self, error: JsonValue) -> Iterator[Event]:
        failure = failure_from_body(error, secrets=self._secrets)
        code = as_text(as_object(error).get("code"))
        if code not in POLICY_CODES:
            raise failure
        yield TurnEnded(Stop.REFUSED, code, failure.detail)


def _call_done(item: _Item, fields: JsonObject) -> Iterator[Event]:
    yield CallIdentified(item.block, as_name(fields.get("call_id")), as_name(fields.get("name")))
    yield from _untold(item, fields.get("arguments"))
    if whole := as_text(fields.get("arguments")):
        yield ArgumentSnapshot(item.block, whole)
    yield Retained(item.block, {name: fields[name] for name in _CALL_EXTRAS if fields.get(name)})
    if fields.get("status") != "incomplete":
        yield CallCompleted(item.block)


def _compared(item: _Item, fields: JsonObject) -> Iterator[Event]:
    """A call that has ended, as the response repeats it: what differs is a fault."""
    yield CallIdentified(item.block, None, as_name(fields.get("name")))
    if whole := as_text(fields.get("arguments")):
        yield ArgumentSnapshot(item.block, whole)
    if fields.get("status") == "incomplete":
        yield ProtocolFault("the response repeats a call as incomplete", item.block)


def _untold(item: _Item, arguments: JsonValue) -> Iterator[Event]:
    """A fault where arguments came as something that is no text: they may not be passed over."""
    if arguments is not None and not isinstance(arguments, str):
        yield ProtocolFault("the arguments of a call are no text", item.block)


def _spoken(item: _Item, piece: str) -> Iterator[Event]:
    if text := readable(item.text.feed(piece)):
        item.spoken = True
        yield TextDelta(item.block, text)


def _work_done(block: int, fields: JsonObject) -> Iterator[Event]:
    if _is_work(fields):
        yield ProviderWork(block, as_name(fields.get("name")) or as_text(fields.get("type")), True)
    yield Retained(block, _without_nulls(fields))


def _answer_key(fields: JsonObject) -> str:
    return as_text(fields.get("call_id") or fields.get("approval_request_id") or fields.get("id"))


def _is_client_call(fields: JsonObject) -> bool:
    kind = as_text(fields.get("type"))
    return kind in CLIENT_CALLS and fields.get("execution") != "server"


def _is_work(fields: JsonObject) -> bool:
    """Whether the provider does something by itself that takes its time."""
    kind = as_text(fields.get("type"))
    works = kind.endswith("_call") or kind == "program"
    return works and kind not in _SILENT_ITEMS and not _is_client_call(fields)


def _without_nulls(fields: JsonObject) -> JsonObject:
    # A field that is null in an answer is often refused as null in a request.
    return {name: value for name, value in fields.items() if value is not None}
