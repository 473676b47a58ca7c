"""A conversation as the ``anthropic-messages`` dialect takes it (a request body).

The provider's rules that shape it: messages alternate between user and assistant; each
``tool_use`` is answered by one ``tool_result`` at the head of the very next user message; ids and
names match ``[a-zA-Z0-9_-]+``; no text block is blank; what it signed comes back untouched.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from app.calls.history import (
    AssistantTurn,
    CallPart,
    HistoryItem,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.calls.json_types import JsonObject
from app.providers.provider import ToolOffer, TurnRequest
from app.providers.wire_json import plain
from app.providers.wire_names import wire_name

DIALECT = "anthropic-messages"

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")


def request_body(
    model: str, request: TurnRequest, *, eager_input_streaming: bool
) -> dict[str, Any]:
    """The body of a request for one turn, as keyword arguments of the SDK's ``create``."""
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": _messages(request.history),
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = [_tool(offer, eager_input_streaming) for offer in request.tools]
    container = _container(request.history)
    if container is not None:
        body["container"] = container
    return body


def _tool(offer: ToolOffer, eager: bool) -> dict[str, Any]:
    tool: dict[str, Any] = {
        "name": offer.name,
        "description": offer.description,
        "input_schema": plain(offer.parameters),
    }
    if offer.streams and eager:
        tool["eager_input_streaming"] = True
    return tool


def _messages(history: Sequence[HistoryItem]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    ids = _WireIds()
    for item in history:
        role = "assistant" if isinstance(item, AssistantTurn) else "user"
        content = list(_content(item, ids))
        if not content:
            continue
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += content
        else:
            messages.append({"role": role, "content": content})
    if messages and messages[-1]["role"] == "assistant":
        _trim_end(messages[-1]["content"])
    return messages


def _trim_end(content: list[dict[str, Any]]) -> None:
    # A paused turn goes back as the last message, and that one must not end in white space.
    if content[-1]["type"] == "text":
        content[-1] = {**content[-1], "text": content[-1]["text"].rstrip()}


def _content(item: HistoryItem, ids: "_WireIds") -> Iterator[dict[str, Any]]:
    match item:
        case UserMessage(text=text):
            yield from _text(text)
        case AssistantTurn():
            ids.begin_turn()
            for part in item.parts:
                yield from _part(part, item.dialect, ids)
        case ToolResults(results=results):
            for result in results:
                yield {
                    "type": "tool_result",
                    "tool_use_id": ids.of(result.ordinal, result.wire_id),
                    "content": result.content,
                    "is_error": result.is_error,
                }


def _part(
    part: TextPart | CallPart | OpaquePart, dialect: str, ids: "_WireIds"
) -> Iterator[dict[str, Any]]:
    match part:
        case TextPart():
            yield from _text(part.text, _extra(part.extra, dialect))
        case CallPart():
            yield {
                "type": "tool_use",
                "id": ids.of(part.ordinal, part.wire_id),
                "name": wire_name(part.name),
                "input": plain(part.arguments),
                **_extra(part.extra, dialect),
            }
        case OpaquePart():
            # A signature proves something to its own maker alone.
            if part.dialect == DIALECT and part.data.get("type") != "container":
                yield plain(part.data)


def _extra(extra: JsonObject | None, dialect: str) -> dict[str, Any]:
    return plain(extra) if extra and dialect == DIALECT else {}


def _text(text: str, extra: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    if text.strip():
        yield {"type": "text", "text": text, **(extra or {})}


def _container(history: Sequence[HistoryItem]) -> str | None:
    """The container of the last turn: code that waits in it for a result must find it again."""
    for item in reversed(history):
        if isinstance(item, AssistantTurn):
            for part in item.parts:
                if isinstance(part, OpaquePart) and part.dialect == DIALECT:
                    identity = part.data.get("id")
                    if part.data.get("type") == "container" and isinstance(identity, str):
                        return identity
            return None
    return None


class _WireIds:
    """Ids that the provider takes, the same in a call and in its result, unique in the body.

    They are our history's own unless another dialect's id has characters that are not taken
    here, or its protocol has none.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._turn: dict[int, str] = {}
        self._turns = 0

    def begin_turn(self) -> None:
        self._turn = {}
        self._turns += 1

    def of(self, ordinal: int, wire_id: str | None) -> str:
        """The id of a call of the current turn, by its ordinal."""
        if ordinal not in self._turn:
            self._turn[ordinal] = self._unique(ordinal, wire_id)
        return self._turn[ordinal]

    def _unique(self, ordinal: int, wire_id: str | None) -> str:
        wanted = _FOREIGN.sub("_", wire_id or "") or f"call_{self._turns}_{ordinal}"
        unique, suffix = wanted, 1
        while unique in self._used:
            suffix += 1
            unique = f"{wanted}_{suffix}"
        self._used.add(unique)
        return unique
