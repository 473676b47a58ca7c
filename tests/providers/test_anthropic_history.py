"""What goes back to the provider: accepted by its rules and by the official SDK's types."""

import json
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from anthropic.types import ToolParam
from anthropic.types.beta import BetaContentBlockParam
from anthropic.types.content_block_param import ContentBlockParam
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.calls.events import Event, Stop
from app.calls.exact_json import dump_exact
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    HistoryItem,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.providers.anthropic_history import request_body
from app.providers.connect import connect
from app.providers.provider import ToolOffer, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody
from tests.providers.anthropic_kinds import KINDS
from tests.providers.history_rules import assert_valid_history
from tests.providers.recordings import Recording, own, parameters
from tests.providers.stub_server import Plan, StubServer
from tests.providers.turns import events_of, history_after, told
from tests.providers.wire_shorthand import anthropic

DIALECT = "anthropic-messages"
GOOD = [name for name, kind in KINDS.items() if kind.stop is Stop.COMPLETE and not kind.fault]
UNREADABLE = ("raw-newline-in-string", "missing-id-and-name", "same-id-twice")
"""Turns that the gate refuses, or whose ids the record makes unique first."""
PAUSED = "pause-turn"


def body_of(history: Sequence[HistoryItem], *tools: ToolOffer) -> dict[str, Any]:
    asked = TurnRequest(history, tools, 100)
    return request_body("m", asked, eager_input_streaming=True)


async def events_in(body: bytes) -> list[Event]:
    return await events_of(connect(ProviderSpec(DIALECT, "m"), RecordedBody(body)))


async def sent(history: Sequence[HistoryItem], *tools: ToolOffer, **spec: Any) -> dict[str, Any]:
    """The body as the SDK puts it on the wire."""
    reply = anthropic.start() + anthropic.reason("end_turn") + anthropic.STOP
    with StubServer([Plan(reply)]) as server:
        provider = connect(ProviderSpec(DIALECT, "m", base_url=server.url, api_key="k", **spec))
        await events_of(provider, TurnRequest(history, tools, 100, "Be brief."))
    return server.received[0].json


def assert_taken(body: dict[str, Any]) -> None:
    """By the provider's rules and by the SDK's types, block by block."""
    assert_valid_history(DIALECT, body)
    stable, beta = _adapters()
    for message in body["messages"]:
        for block in message["content"]:
            # Some of the provider's own tools are typed in its beta alone.
            only_beta = block["type"].startswith("mcp_") or "advisor" in block.values()
            only_beta = only_beta or block["type"] == "advisor_tool_result"
            (beta if only_beta else stable).validate_python(_floats(block))


@cache
def _adapters() -> tuple[TypeAdapter[Any], TypeAdapter[Any]]:
    return TypeAdapter(ContentBlockParam), TypeAdapter(BetaContentBlockParam)


def _floats(block: dict[str, Any]) -> Any:
    """What was read back exactly, as a JSON library would have it."""
    return json.loads(dump_exact(block))  # noqa: TID251 - our own request, read back


@pytest.mark.parametrize("name", [name for name in GOOD if name not in (*UNREADABLE, PAUSED)])
async def test_the_request_after_each_kind_of_turn_is_taken(name: str) -> None:
    events = await events_in(own(DIALECT, f"{name}.sse"))
    history = history_after(DIALECT, events)
    body = await sent(history)
    assert_taken(body)
    answered = [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_use"]
    assert len(answered) == len(KINDS[name].calls)


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_the_request_after_each_real_turn_is_taken(recording: Recording) -> None:
    events = await events_in(recording.body)
    if not told(events).usable:
        assert recording.stop_reason == "max_tokens"
        return
    body = await sent(history_after(DIALECT, events))
    assert_taken(body)
    content = body["messages"][1]["content"]
    ids = [block["id"] for block in content if "id" in block]
    assert ids == [call.id for call in recording.expected], "in the order of the wire"


async def test_what_was_signed_goes_back_untouched_and_in_its_place() -> None:
    events = await events_in(own(DIALECT, "thinking-then-call.sse"))
    body = body_of(history_after(DIALECT, events))
    thinking, redacted, call = body["messages"][1]["content"]
    assert thinking == {
        "type": "thinking",
        "thinking": "The number is given.",
        "signature": "c2lnbmF0dXJl",
    }
    assert redacted == {"type": "redacted_thinking", "data": "b3BhcXVl"}
    assert call["type"] == "tool_use"


async def test_the_providers_own_work_and_citations_go_back_whole() -> None:
    events = await events_in(own(DIALECT, "server-tool.sse"))
    content = body_of(history_after(DIALECT, events))["messages"][1]["content"]
    assert [block["type"] for block in content] == [
        "text",
        "server_tool_use",
        "web_search_tool_result",
        "text",
        "tool_use",
    ]
    assert content[1]["input"] == {"query": "tide table"}
    assert content[3]["citations"][0]["cited_text"] == "High water at noon"


async def test_a_paused_turn_goes_back_as_the_last_message() -> None:
    events = await events_in(own(DIALECT, "pause-turn.sse"))
    history = history_after(DIALECT, events)[:-1]
    body = await sent(history)
    assert body["messages"][-1]["role"] == "assistant"
    assert body["messages"][-1]["content"][-1]["type"] == "server_tool_use"


async def test_code_that_waits_in_a_container_finds_it_again() -> None:
    events = await events_in(own(DIALECT, "whole-call-in-message-start.sse"))
    body = await sent(history_after(DIALECT, events))
    assert body["container"] == "container_01"
    assert body["messages"][1]["content"][0]["caller"]["tool_id"] == "srvtoolu_01"


FOREIGN = AssistantTurn(
    "gemini",
    (
        TextPart("Looking.", {"thoughtSignature": "x"}),
        OpaquePart("gemini", {"thought": True}),
        CallPart(0, None, "look up/invoice", {"n": 1}, None, {"thoughtSignature": "y"}),
        CallPart(1, "functions.f:0", "f", {}, None),
        CallPart(2, "functions_f_0", "f", {}, None),
    ),
)
FOREIGN_RESULTS = ToolResults(
    (
        CallResult(0, None, "look up/invoice", "1", False),
        CallResult(1, "functions.f:0", "f", "2", True),
        CallResult(2, "functions_f_0", "f", "3", False),
    )
)


def test_another_dialects_turn_is_told_in_this_ones_words() -> None:
    body = body_of([UserMessage("Hi"), FOREIGN, FOREIGN_RESULTS])
    assert_taken(body)
    _, assistant, results = body["messages"]
    assert [block["type"] for block in assistant["content"]] == [
        "text",
        "tool_use",
        "tool_use",
        "tool_use",
    ]
    assert assistant["content"][0] == {"type": "text", "text": "Looking."}
    assert assistant["content"][1] == {
        "type": "tool_use",
        "id": "call_1_0",
        "name": "look_up_invoice",
        "input": {"n": 1},
    }
    answered = [(block["content"], block["is_error"]) for block in results["content"]]
    assert answered == [("1", False), ("2", True), ("3", False)]


def test_messages_of_one_side_become_one_and_blank_texts_none() -> None:
    silent = AssistantTurn(DIALECT, (TextPart("  \n"),))
    body = body_of([UserMessage("One"), silent, UserMessage(" "), UserMessage("Two")])
    assert body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}],
        }
    ]


def test_a_message_after_results_stands_behind_them() -> None:
    turn = AssistantTurn(DIALECT, (CallPart(0, "a", "f", {}, "{}"),))
    results = ToolResults((CallResult(0, "a", "f", "not run", True),))
    body = body_of([UserMessage("One"), turn, results, UserMessage("Two")])
    assert_taken(body)
    assert [block["type"] for block in body["messages"][-1]["content"]] == ["tool_result", "text"]


async def test_tools_that_stream_ask_for_values_as_they_are_made() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    tools = [ToolOffer("f", "Does it.", schema, streams=True), ToolOffer("g", "Too.", schema)]
    eager = await sent([UserMessage("Hi")], *tools)
    assert [tool.get("eager_input_streaming") for tool in eager["tools"]] == [True, None]
    assert eager["tools"][0]["input_schema"] == schema
    assert eager["system"] == "Be brief."
    assert eager["max_tokens"] == 100
    adapter: TypeAdapter[Any] = TypeAdapter(ToolParam)
    for tool in eager["tools"]:
        adapter.validate_python(tool)
    off = await sent([UserMessage("Hi")], *tools, eager_input_streaming=False)
    assert all("eager_input_streaming" not in tool for tool in off["tools"])


async def test_numbers_arrive_as_exact_as_json_can_carry_them() -> None:
    arguments = {
        "id": 2512292042121000001,
        "amount": Decimal("1250.00"),
        "share": Decimal("0.1"),
        "huge": Decimal("1e400"),
        "vast": Decimal("-1e999999"),
        "whole": Decimal("12345678901234567890.0"),
    }
    turn = AssistantTurn(DIALECT, (CallPart(0, "a", "f", dict(arguments), None),))
    results = ToolResults((CallResult(0, "a", "f", "ok", False),))
    body = await sent([UserMessage("Hi"), turn, results])
    given = body["messages"][1]["content"][0]["input"]
    assert given["id"] == 2512292042121000001
    assert given["amount"] == 1250
    assert given["share"] == Decimal("0.1")
    assert given["huge"] == 10**400
    assert given["whole"] == 12345678901234567890
    assert given["vast"] < -(10**300)


_names = st.sampled_from(["f", "g.h", "ü", "a b"])
_ids = st.none() | st.sampled_from(["a", "a:0", "a_0", "b"])
_texts = st.sampled_from(["", " ", "Hello", "Grüße\n"])


@st.composite
def histories(draw: st.DrawFn) -> list[HistoryItem]:
    """Conversations as the record may hold them: every call answered, ids of any kind."""
    items: list[HistoryItem] = [UserMessage("Hi")]
    for _ in range(draw(st.integers(0, 4))):
        dialect = draw(st.sampled_from([DIALECT, "gemini", "openai-chat"]))
        calls = [
            CallPart(ordinal, draw(_ids), draw(_names), {}, None)
            for ordinal in range(draw(st.integers(0, 3)))
        ]
        items.append(AssistantTurn(dialect, (TextPart(draw(_texts)), *calls)))
        if calls:
            items.append(
                ToolResults(
                    tuple(CallResult(c.ordinal, c.wire_id, c.name, "ok", False) for c in calls)
                )
            )
        items += [UserMessage(draw(_texts)) for _ in range(draw(st.integers(0, 2)))]
    return [*items, UserMessage("Bye")]


@given(histories())
def test_any_history_on_record_makes_a_body_that_is_taken(history: list[HistoryItem]) -> None:
    assert_taken(body_of(history))
