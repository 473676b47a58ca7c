"""The demo model's end of the ``anthropic-messages`` wire: a request body in, timed bytes out."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from app.calls.json_types import JsonObject, JsonValue
from app.providers.demo_reply import Answered, Call, Reply, Say, Situation
from app.providers.demo_typing import fragments, gaps
from app.providers.payload import as_list, as_object, as_text

FIRST_TOKEN_S = 0.2
CHARS_PER_TOKEN = 4
DIES_AFTER = 0.6
"""Share of the last block's fragments that arrive before the connection breaks."""


class NoMessage(ValueError):
    """A request body in which no person says anything."""


def situation_of(body: JsonObject) -> Situation:
    """What a request body says of the exchange it continues. Raises :class:`NoMessage`."""
    messages = [as_object(message) for message in as_list(body.get("messages"))]
    asked = _last_message(messages)
    if asked is None:
        raise NoMessage("no user message with a text")
    at, text = asked
    tools = (as_text(as_object(tool).get("name")) for tool in as_list(body.get("tools")))
    return Situation(text, tuple(_rounds(messages[at + 1 :])), frozenset(tools))


def _last_message(messages: list[JsonObject]) -> tuple[int, str] | None:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].get("role") == "user":
            texts = [as_text(b.get("text")) for b in _blocks(messages[at]) if b["type"] == "text"]
            if texts:
                return at, texts[-1]
    return None


def _rounds(messages: list[JsonObject]) -> Iterator[list[Answered]]:
    called: dict[str, JsonObject] = {}
    for message in messages:
        answered: list[Answered] = []
        for block in _blocks(message):
            if block["type"] == "tool_use":
                called[as_text(block.get("id"))] = block
            elif block["type"] == "tool_result":
                call = called[as_text(block.get("tool_use_id"))]
                answered.append(_answered(call, block))
        if answered:
            yield answered


def _answered(call: JsonObject, result: JsonObject) -> Answered:
    content = result.get("content")
    if not isinstance(content, str):
        content = "".join(as_text(as_object(piece).get("text")) for piece in as_list(content))
    return Answered(
        as_text(call.get("name")),
        as_object(call.get("input")),
        content,
        result.get("is_error") is True,
    )


def _blocks(message: JsonObject) -> list[JsonObject]:
    content: JsonValue = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{"type": "", **as_object(block)} for block in as_list(content)]


class Broken(Exception):
    """The script says that the connection breaks here."""


def body_of(reply: Reply, random: Random, max_tokens: int) -> Iterator[tuple[float, bytes]]:
    """The event stream of a reply: pieces, each with the seconds to wait before it.

    Raises :class:`Broken` where the reply dies.
    """
    wait = gaps(random)
    yield FIRST_TOKEN_S, _message_start(random)
    written = 0
    for index, block in enumerate(reply.blocks):
        yield 0, _event("content_block_start", index=index, content_block=_start(block, random))
        pieces = _pieces(block, random)
        dying = reply.dies and index == len(reply.blocks) - 1
        for piece in pieces[: int(len(pieces) * DIES_AFTER)] if dying else pieces:
            written += len(piece)
            yield next(wait), _event("content_block_delta", index=index, delta=_delta(block, piece))
        if dying:
            raise Broken
        yield 0, _event("content_block_stop", index=index)
    tokens = max(1, written // CHARS_PER_TOKEN)
    yield 0, _message_end(reply, max_tokens if reply.stop_reason == "max_tokens" else tokens)


def _pieces(block: Say | Call, random: Random) -> list[str]:
    if isinstance(block, Say):
        return fragments(block.text, random)
    return fragments(block.arguments, random, block.fragments)


def _start(block: Say | Call, random: Random) -> dict[str, Any]:
    if isinstance(block, Say):
        return {"type": "text", "text": ""}
    return {"type": "tool_use", "id": f"toolu_{_token(random)}", "name": block.name, "input": {}}


def _delta(block: Say | Call, piece: str) -> dict[str, Any]:
    if isinstance(block, Say):
        return {"type": "text_delta", "text": piece}
    return {"type": "input_json_delta", "partial_json": piece}


def _message_start(random: Random) -> bytes:
    message: dict[str, Any] = {
        "id": f"msg_{_token(random)}",
        "type": "message",
        "role": "assistant",
        "model": "demo",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    return _event("message_start", message=message) + _event("ping")


def _message_end(reply: Reply, tokens: int) -> bytes:
    delta = {"stop_reason": reply.stop_reason, "stop_sequence": None}
    ending = _event("message_delta", delta=delta, usage={"output_tokens": tokens})
    return ending + _event("message_stop")


def _event(kind: str, **fields: Any) -> bytes:
    payload = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {payload}\n\n".encode()


def _token(random: Random) -> str:
    return f"{random.getrandbits(96):024x}"
