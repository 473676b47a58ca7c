"""The content blocks of an ``anthropic-messages`` turn: what each makes of its start, deltas, end.

Every kind answers the same three calls with events of the vocabulary. ``start`` may already carry
the whole content; deltas then do not follow.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    CallAnnounced,
    CallCompleted,
    Event,
    ProtocolFault,
    ProtocolWarning,
    ProviderWork,
    Retained,
    TextDelta,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.payload import as_name, as_text
from app.providers.wire_json import SurrogateJoiner, UnreadableJson, read, readable

CALL_EXTRAS = ("caller", "toolset_name")
"""Fields of a ``tool_use`` block that the provider wants back beside id, name and input."""


class Block(Protocol):
    is_call: bool

    def start(self, content: JsonObject) -> Iterator[Event]: ...

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]: ...

    def stop(self) -> Iterator[Event]: ...


class CallBlock:
    """``tool_use``: a call to run here."""

    is_call = True

    def __init__(self, index: int) -> None:
        self._index = index
        self._input: JsonObject = {}
        self._pieces: list[str] = []

    def start(self, content: JsonObject) -> Iterator[Event]:
        yield CallAnnounced(self._index, as_name(content.get("id")), as_name(content.get("name")))
        extras: JsonObject = {name: content[name] for name in CALL_EXTRAS if name in content}
        if extras:
            yield Retained(self._index, extras)
        given = content.get("input")
        if isinstance(given, dict):
            self._input = given
        elif given is not None:
            yield ProtocolFault("the input of a call is no object", self._index)

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        if kind != "input_json_delta":
            yield ProtocolFault(f"a {kind} within a call", self._index)
            return
        given = delta.get("partial_json")
        if not isinstance(given, str):
            yield ProtocolFault("a piece of a call's input is no text", self._index)
            return
        text = given
        # The first is usually empty: it announces nothing that the start did not.
        if text:
            self._pieces.append(text)
            yield ArgumentFragment(self._index, text)

    def stop(self) -> Iterator[Event]:
        if self._input and self._pieces:
            yield from self._compare()
        elif self._input:
            yield ArgumentObject(self._index, self._input)
        yield CallCompleted(self._index)

    def _compare(self) -> Iterator[Event]:
        try:
            written = read("".join(self._pieces))
        except UnreadableJson:
            written = None
        if written != self._input:
            yield ProtocolFault("the input at the start and the fragments differ", self._index)


class TextBlock:
    """``text``. Citations are kept to be sent back."""

    is_call = False

    def __init__(self, index: int) -> None:
        self._index = index
        self._citations: list[JsonValue] = []
        self._written = False
        self._joiner = SurrogateJoiner()

    def start(self, content: JsonObject) -> Iterator[Event]:
        citations = content.get("citations")
        if isinstance(citations, list):
            self._citations += citations
        yield from self._text(self._joiner.feed(as_text(content.get("text"))))

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        if kind == "text_delta":
            yield from self._text(self._joiner.feed(as_text(delta.get("text"))))
        elif kind == "citations_delta":
            self._citations.append(delta.get("citation"))
        else:
            yield ProtocolWarning(f"a {kind} within a text was skipped")

    def stop(self) -> Iterator[Event]:
        yield from self._text(self._joiner.finish())
        if self._citations and self._written:
            yield Retained(self._index, {"citations": self._citations})

    def _text(self, text: str) -> Iterator[Event]:
        if text:
            self._written = True
            yield TextDelta(self._index, readable(text))


class ThinkingBlock:
    """``thinking``: shown to nobody, sent back whole with its signature."""

    is_call = False

    def __init__(self, index: int) -> None:
        self._index = index
        self._content: JsonObject = {}
        self._thinking: list[str] = []
        self._signature: list[str] = []

    def start(self, content: JsonObject) -> Iterator[Event]:
        self._content = content
        self._thinking.append(as_text(content.get("thinking")))
        self._signature.append(as_text(content.get("signature")))
        # Announces its place among the parts; the end replaces it.
        yield Retained(self._index, content)

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        if kind == "thinking_delta":
            self._thinking.append(as_text(delta.get("thinking")))
        elif kind == "signature_delta":
            self._signature.append(as_text(delta.get("signature")))
        else:
            yield ProtocolWarning(f"a {kind} within a thinking block was skipped")

    def stop(self) -> Iterator[Event]:
        whole: JsonObject = {
            **self._content,
            "thinking": "".join(self._thinking),
            "signature": "".join(self._signature),
        }
        yield Retained(self._index, whole)


class WorkBlock:
    """``server_tool_use``, ``mcp_tool_use``: the provider runs it; it is sent back whole."""

    is_call = False

    def __init__(self, index: int) -> None:
        self._index = index
        self._content: JsonObject = {}
        self._pieces: list[str] = []
        self.name = ""

    def start(self, content: JsonObject) -> Iterator[Event]:
        self._content = content
        self.name = as_text(content.get("name")) or as_text(content.get("type"))
        yield ProviderWork(self._index, self.name, finished=False)
        yield Retained(self._index, content)

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        if kind == "input_json_delta":
            self._pieces.append(as_text(delta.get("partial_json")))
        else:
            yield ProtocolWarning(f"a {kind} within the provider's work was skipped")

    def stop(self) -> Iterator[Event]:
        written = "".join(self._pieces)
        if not written.strip():
            return
        try:
            given = read(written)
        except UnreadableJson:
            given = None
        if isinstance(given, dict):
            yield Retained(self._index, {**self._content, "input": given})
        else:
            # Sent back altered it would be refused, or worse, believed.
            yield ProtocolFault(f"the input of the provider's {self.name} cannot be kept")


class WholeBlock:
    """A block that comes whole in its start and goes back as it came."""

    is_call = False

    def __init__(self, index: int) -> None:
        self._index = index

    def start(self, content: JsonObject) -> Iterator[Event]:
        yield Retained(self._index, content)

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        yield ProtocolFault(f"a {kind} within a block that came whole")

    def stop(self) -> Iterator[Event]:
        yield from ()


class UnknownBlock:
    """A kind that this program has never heard of: left out, and told."""

    is_call = False

    def __init__(self, index: int) -> None:
        self._index = index

    def start(self, content: JsonObject) -> Iterator[Event]:
        yield ProtocolWarning(f"a block of the unknown type {content.get('type')!r} was skipped")

    def delta(self, kind: str, delta: JsonObject) -> Iterator[Event]:
        yield from ()

    def stop(self) -> Iterator[Event]:
        yield from ()


_KINDS: dict[str, Callable[[int], Block]] = {
    "text": TextBlock,
    "tool_use": CallBlock,
    "thinking": ThinkingBlock,
    "redacted_thinking": WholeBlock,
    "container_upload": WholeBlock,
    "server_tool_use": WorkBlock,
    "mcp_tool_use": WorkBlock,
}


def block_for(kind: str, index: int) -> Block:
    if is_result(kind):
        return WholeBlock(index)
    return _KINDS.get(kind, UnknownBlock)(index)


def is_result(kind: str) -> bool:
    """Whether a block is the outcome of the provider's work (``web_search_tool_result`` ...)."""
    return kind.endswith("_tool_result")
