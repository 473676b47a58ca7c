"""What a provider demands of the history in a request body, as assertions.

Written from the providers' own rules, not from our adapters: each dialect's check knows how its
provider pairs a call with its result, and what it refuses.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

Body = Mapping[str, Any]

_WIRE_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def assert_valid_history(dialect: str, body: Body) -> None:
    """Fails with a sentence about the first rule that ``body`` (as JSON on the wire) breaks."""
    _RULES[dialect](body)


def _anthropic(body: Body) -> None:
    messages = body["messages"]
    assert messages, "no messages"
    assert messages[0]["role"] == "user", "the first message is not the user's"
    roles = [message["role"] for message in messages]
    assert set(roles) <= {"user", "assistant"}
    assert all(a != b for a, b in pairwise(roles)), "roles do not alternate"
    used: set[str] = set()
    waiting: list[str] = []
    for message in messages:
        blocks = _anthropic_blocks(message)
        assert blocks, "an empty message"
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        assert results == waiting, "the results are not one for each call of the message before"
        heads = [b["type"] for b in blocks[: len(results)]]
        assert set(heads) <= {"tool_result"}, "the results are not at the head of the message"
        waiting = [b["id"] for b in blocks if b["type"] == "tool_use"]
        for identity in waiting:
            assert identity not in used, f"the id {identity} is used twice"
            used.add(identity)
    assert not waiting, "calls at the end are unanswered"


def _anthropic_blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for block in content:
        match block["type"]:
            case "text":
                assert block["text"].strip(), "a blank text block"
            case "tool_use":
                assert message["role"] == "assistant"
                assert _WIRE_NAME.fullmatch(block["id"]), f"the id {block['id']!r} is not taken"
                assert _WIRE_NAME.fullmatch(block["name"]), f"the name {block['name']!r} is not"
                assert isinstance(block["input"], dict), "an input that is no object"
            case "tool_result":
                assert message["role"] == "user"
            case "thinking":
                assert block["signature"], "a thinking block without its signature"
            case _:
                assert message["role"] == "assistant"
    return content


def _openai_chat(body: Body) -> None:
    used: set[str] = set()
    waiting: set[str] = set()
    for message in body["messages"]:
        role = message["role"]
        if role == "tool":
            assert message["tool_call_id"] in waiting, "a result without a call just before it"
            waiting.remove(message["tool_call_id"])
            assert isinstance(message["content"], str)
            continue
        assert not waiting, f"a {role} message before all calls were answered"
        assert role in ("system", "developer", "user", "assistant")
        calls = message.get("tool_calls")
        assert calls != [], "an empty list of calls is refused"
        assert calls or message.get("content"), "a message with neither text nor calls"
        for call in calls or ():
            assert role == "assistant"
            assert call["type"] == "function"
            assert call["id"], "a call without an id"
            assert call["id"] not in used, f"the id {call['id']} is used twice"
            assert call["function"]["name"]
            _assert_object_text(call["function"]["arguments"])
            used.add(call["id"])
            waiting.add(call["id"])
    assert not waiting, "calls at the end are unanswered"


def _openai_responses(body: Body) -> None:
    answered: set[str] = set()
    called: dict[str, str] = {}
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            assert item["call_id"] not in called, f"the id {item['call_id']} is used twice"
            called[item["call_id"]] = kind
            if kind == "function_call":
                _assert_object_text(item["arguments"])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            identity = item["call_id"]
            assert called.get(identity) == kind.removesuffix("_output"), "a result without a call"
            assert identity not in answered, f"the call {identity} is answered twice"
            answered.add(identity)
        elif kind == "message":
            unanswered = set(called) - answered
            assert item["role"] != "user" or not unanswered, "a message before the results"
    assert set(called) == answered, "calls at the end are unanswered"
    kinds = [item.get("type", "message") for item in body["input"]]
    assert kinds[-1:] != ["reasoning"], "a reasoning item without the item that follows it"


def _gemini(body: Body) -> None:
    contents = body["contents"]
    assert contents[0]["role"] == "user", "the first content is not the user's"
    waiting: list[tuple[str, str | None]] = []
    for content in contents:
        parts = content["parts"]
        assert parts, "a content without parts"
        answers = [p["functionResponse"] for p in parts if "functionResponse" in p]
        given = [(answer["name"], answer.get("id")) for answer in answers]
        assert given == waiting, "the responses are not one for each call, in order"
        assert all(isinstance(answer["response"], dict) for answer in answers)
        calls = [p["functionCall"] for p in parts if "functionCall" in p]
        assert not calls or content["role"] == "model"
        assert all(isinstance(call.get("args", {}), dict) for call in calls)
        waiting = [(call["name"], call.get("id")) for call in calls]
    assert not waiting, "calls at the end are unanswered"


def _ollama(body: Body) -> None:
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            assert waiting, "a result without a call"
            assert message["tool_name"] == waiting.pop(0), "the results are not in call order"
            continue
        assert not waiting, "a message before all calls were answered"
        for call in message.get("tool_calls") or ():
            assert message["role"] == "assistant"
            assert isinstance(call["function"]["arguments"], dict), "arguments are an object here"
            waiting.append(call["function"]["name"])
    assert not waiting, "calls at the end are unanswered"


def _assert_object_text(text: object) -> None:
    assert isinstance(text, str), "arguments are a text here"
    parsed: object = json.loads(text)  # noqa: TID251 - our own request, read back
    assert isinstance(parsed, dict), "arguments that are no object"


_RULES: dict[str, Callable[[Body], None]] = {
    "anthropic-messages": _anthropic,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
    "ollama": _ollama,
}

DIALECTS: Iterable[str] = tuple(_RULES)
