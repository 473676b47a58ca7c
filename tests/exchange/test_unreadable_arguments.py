"""Arguments of a form that a dialect does not have are never passed over: no call of them runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.test_replay import replayed

MAP: dict[str, Any] = {
    "tool": "f",
    "label": "Do it",
    "description": "Does it.",
    "parameters": {"type": "object", "properties": {"q": {}}},
    "display": {"q": {"label": "Q"}},
}
VALUES: list[Any] = [{"q": "x"}, ["x"], 5, True]


def sse(*events: dict[str, Any]) -> bytes:
    return "".join(
        f"event: {event.get('type', '')}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()


def anthropic(arguments: Any) -> bytes:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "x",
    }
    use: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    piece = {"type": "input_json_delta", "partial_json": arguments}
    return sse(
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": use},
        {"type": "content_block_delta", "index": 0, "delta": piece},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage},
        {"type": "message_stop"},
    )


def responses(arguments: Any) -> bytes:
    item = {"type": "function_call", "id": "fc", "call_id": "a", "name": "f", "status": "completed"}
    done = {**item, "arguments": arguments}
    return sse(
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "arguments": ""},
        },
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": {"status": "completed", "output": [done]}},
    )


def gemini(**call: Any) -> bytes:
    parts = [{"functionCall": {"name": "f", **call}}]
    chunk = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


def chat(arguments: str) -> bytes:
    call = '{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":%s}}'
    return (
        'data: {"choices":[{"index":0,"delta":{"tool_calls":[' + call % arguments + "]},"
        '"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
    ).encode()


BODIES: list[tuple[str, bytes]] = [
    *(("anthropic-messages", anthropic(value)) for value in VALUES),
    *(("openai-responses", responses(value)) for value in VALUES),
    *(("gemini", gemini(args=value)) for value in ('{"q":"x"}', ["x"], 5)),
    ("gemini", gemini(partialArgs={"jsonPath": "$.q", "stringValue": "x"})),
    ("gemini", gemini(args={"q": "x"}, partialArgs=[{"jsonPath": "$.q", "stringValue": "y"}])),
    ("gemini", gemini(partialArgs=[{"jsonPath": f"$.q[{'9' * 5000}]", "numberValue": 1}])),
    (
        "gemini",
        gemini(partialArgs=[{"jsonPath": "$.q", "stringValue": "half", "willContinue": True}]),
    ),
    ("openai-chat", chat('{"q":"x","q":"y"}')),
    ("openai-chat", chat('["x"]')),
]


@pytest.mark.parametrize("number", range(len(BODIES)))
async def test_no_such_call_runs(number: int, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text(json.dumps(MAP))
    dialect, body = BODIES[number]
    turn = (await replayed(dialect, body, None, tmp_path))[-1]
    assert turn["event"] == "turn"
    assert {call["verdict"] for call in turn["calls"]} <= {"refuse"}


@pytest.mark.parametrize(
    "end",
    [
        {"incomplete_details": {"reason": "max_output_tokens"}},
        {"output": [{"type": "function_call", "call_id": "a", "name": "g", "arguments": "{}"}]},
        {
            "output": [
                {"type": "function_call", "call_id": "a", "name": "f", "status": "incomplete"}
            ]
        },
    ],
)
async def test_a_response_that_contradicts_itself_at_its_end_runs_nothing(
    end: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "f.json").write_text(json.dumps(MAP))
    (tmp_path / "g.json").write_text(json.dumps({**MAP, "tool": "g"}))
    item = {"type": "function_call", "id": "fc", "call_id": "a", "name": "f", "arguments": "{}"}
    output = [{**each, "id": "fc"} for each in end.get("output", [item])]
    body = sse(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {"status": "completed", **end, "output": output},
        },
    )
    turn = (await replayed("openai-responses", body, None, tmp_path))[-1]
    assert [call["verdict"] for call in turn["calls"]] == ["refuse"]


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("anthropic-messages", anthropic('{"q":"x"}')),
        ("openai-responses", responses('{"q":"x"}')),
        ("gemini", gemini(args={"q": "x"})),
        ("openai-chat", chat('{"q":"x"}')),
    ],
)
async def test_the_same_bodies_with_proper_arguments_would_run(
    dialect: str, body: bytes, tmp_path: Path
) -> None:
    (tmp_path / "f.json").write_text(json.dumps(MAP))
    turn = (await replayed(dialect, body, None, tmp_path))[-1]
    assert [call["verdict"] for call in turn["calls"]] == ["run"]
