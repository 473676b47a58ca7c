"""Every kind of ``ollama`` stream: our own recordings, the real ones, and real HTTP."""

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ollama import Message

from app.calls.events import Retained, Stop, Usage
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.providers.ollama_turn import OllamaTurn
from app.providers.provider import FailureKind, ProviderFailure, Timeouts
from tests.providers.anthropic_kinds import Kind
from tests.providers.dialect_checks import (
    CUTS,
    CUTS_OF_MANY,
    TOOLS,
    assert_all_told,
    check,
    check_early_ends,
    check_failure,
    check_recording,
    live,
    own_body,
    replayed,
    request_body,
    serving,
)
from tests.providers.history_rules import assert_valid_history
from tests.providers.ollama_kinds import FAILURES, KINDS
from tests.providers.recordings import Recording, parameters
from tests.providers.stub_server import Ending, Plan, StubServer
from tests.providers.turns import end_of, events_of, history_after, only, request, told

DIALECT = "ollama"


def white_space(cut_off: bytes) -> bool:
    return not cut_off.strip()


def test_every_recording_has_an_expectation() -> None:
    assert_all_told(DIALECT, KINDS, FAILURES)


@pytest.mark.parametrize("chunk", CUTS)
@pytest.mark.parametrize(("name", "kind"), KINDS.items())
async def test_kind_however_the_body_is_cut(name: str, kind: Kind, chunk: int | None) -> None:
    check(await events_of(replayed(DIALECT, own_body(DIALECT, name), chunk)), kind)


@pytest.mark.parametrize(("name", "failure"), FAILURES.items())
async def test_an_error_is_the_apis_failure(name: str, failure: tuple[FailureKind, str]) -> None:
    await check_failure(DIALECT, own_body(DIALECT, name), *failure)


@pytest.mark.parametrize("chunk", CUTS_OF_MANY)
@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_real_calls_are_the_manifests(recording: Recording, chunk: int | None) -> None:
    await check_recording(recording, chunk)


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_body_that_ends_early_is_never_complete(recording: Recording) -> None:
    await check_early_ends(DIALECT, recording.body, white_space)


@pytest.mark.parametrize("name", ["two-calls-two-lines", "call-in-the-last-line"])
async def test_our_body_that_ends_early_is_never_complete(name: str) -> None:
    await check_early_ends(DIALECT, own_body(DIALECT, name), white_space, steps=100)


async def test_thinking_is_not_shown_and_usage_is_a_report() -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "thinking-then-call")))
    assert told(events).text == ""
    assert [usage.output_tokens for usage in only(Usage, events)] == [12]
    silent = await events_of(replayed(DIALECT, own_body(DIALECT, "thinking-then-text")))
    assert only(Retained, silent) == []


@given(st.dictionaries(st.text(max_size=4), st.text(max_size=6)), st.integers(1, 30))
def test_any_object_comes_whole_out_of_any_bytes(arguments: dict[str, str], chunk: int) -> None:
    message = {"tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}
    lines = [{"message": message, "done": False}, {"done": True, "done_reason": "stop"}]
    body = "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in lines).encode()
    turn = OllamaTurn()
    events = [e for at in range(0, len(body), chunk) for e in turn.feed(body[at : at + chunk])]
    assert told(events).calls == [(None, "f", arguments)]
    assert end_of(events).stop is Stop.COMPLETE


# Over real HTTP


@pytest.mark.parametrize("name", ["two-calls-one-line", "numbers", "length", "thinking-then-call"])
@pytest.mark.parametrize("chunk", [None, 3])
async def test_kind_over_http(name: str, chunk: int | None) -> None:
    async with serving(DIALECT, own_body(DIALECT, name), chunk=chunk, pace=0.01) as server:
        check(await events_of(live(DIALECT, server)), KINDS[name])
    sent = server.received[0]
    assert (sent.method, sent.path) == ("POST", "/api/chat")
    assert sent.headers["authorization"] == "Bearer k"
    assert sent.json["stream"] is True


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_lost_in_mid_stream_is_an_incomplete_turn(ending: Ending) -> None:
    body = own_body(DIALECT, "ends-before-done")
    async with serving(DIALECT, body, ending=ending, pace=0.01) as server:
        end = end_of(await events_of(live(DIALECT, server)))
    assert end.stop is Stop.INCOMPLETE
    assert "connection" in end.detail


async def test_a_server_that_goes_silent_ends_as_incomplete() -> None:
    body = own_body(DIALECT, "ends-before-done")
    async with serving(DIALECT, body, ending=Ending.SILENT) as server:
        timeouts = Timeouts(between_bytes=0.1)
        end = end_of(await events_of(live(DIALECT, server, timeouts=timeouts)))
    assert (end.stop, "nothing for 0.1 s" in end.detail) == (Stop.INCOMPLETE, True)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.AUTHENTICATION),
        (404, FailureKind.NOT_FOUND),
        (429, FailureKind.RATE_LIMIT),
        (503, FailureKind.OVERLOADED),
    ],
)
async def test_an_error_response_is_a_failure_and_is_not_retried_here(
    status: int, kind: FailureKind
) -> None:
    plan = Plan(b'{"error":"no: k-secret-1"}', status, "application/json")
    with StubServer([plan]) as server, pytest.raises(ProviderFailure) as caught:
        await events_of(live(DIALECT, server, api_key="k-secret-1"))
    assert (caught.value.kind, caught.value.status) == (kind, status)
    assert "k-secret" not in caught.value.detail
    assert len(server.received) == 1


async def test_a_refused_connection_is_told_as_one() -> None:
    with StubServer([Plan(b"")]) as server:
        provider = live(DIALECT, server)
    with pytest.raises(ProviderFailure) as caught:
        await events_of(provider)
    assert caught.value.kind is FailureKind.CONNECTION


async def test_turns_at_the_same_time_do_not_mix() -> None:
    bodies = [own_body(DIALECT, name) for name in ("text", "two-calls-two-lines")]
    with StubServer([Plan(body, pace=0.1, seed=n) for n, body in enumerate(bodies)]) as server:
        provider = live(DIALECT, server)

        async def turn(text: str) -> int:
            asked = request([UserMessage(text)])
            return len(told([e async for e in provider.stream(asked)]).calls)

        both = await asyncio.gather(turn("One"), turn("Two"))
        await provider.close()
    assert sorted(both) == [0, 2]
    assert {each.json["messages"][0]["content"] for each in server.received} == {"One", "Two"}


# History


def assert_taken(body: dict[str, Any]) -> None:
    assert_valid_history(DIALECT, body)
    for message in body["messages"]:
        Message.model_validate(message)


@pytest.mark.parametrize("name", KINDS)
async def test_the_request_after_each_kind_of_turn_is_taken(name: str) -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
    if not told(events).usable:
        return
    body = await request_body(DIALECT, history_after(DIALECT, events))
    assert_taken(body)
    calls = [call for m in body["messages"] for call in m.get("tool_calls") or ()]
    assert [(call.get("id"), call["function"]["name"]) for call in calls] == [
        (call[0], call[1]) for call in KINDS[name].calls
    ]


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_the_request_after_each_real_turn_is_taken(recording: Recording) -> None:
    events = await events_of(replayed(DIALECT, recording.body))
    assert told(events).usable
    assert_taken(await request_body(DIALECT, history_after(DIALECT, events)))


async def test_ids_and_thinking_go_back_where_they_came() -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "ids")))
    messages = (await request_body(DIALECT, history_after(DIALECT, events)))["messages"]
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["call_1", "call_2"]
    results = [message for message in messages if message["role"] == "tool"]
    assert [result["tool_call_id"] for result in results] == ["call_1", "call_2"]
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "thinking-then-call")))
    messages = (await request_body(DIALECT, history_after(DIALECT, events)))["messages"]
    assert messages[2]["thinking"] == "Hm, f."


async def test_numbers_go_back_exactly() -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "numbers")))
    messages = (await request_body(DIALECT, history_after(DIALECT, events)))["messages"]
    sent = messages[2]["tool_calls"][0]["function"]["arguments"]
    assert str(sent["p"]) == "1250.00"
    assert sent == {"id": 2512292042121000001, "p": Decimal("1250.00"), "e": Decimal("1e400")}


async def test_another_dialects_turn_is_told_without_what_only_it_understands() -> None:
    foreign = AssistantTurn(
        "gemini",
        (
            OpaquePart("gemini", {"thinking": "no"}),
            TextPart("Looking.", {"thoughtSignature": "x"}),
            CallPart(0, None, "f", {"n": 1}, None, {"thoughtSignature": "y"}),
        ),
    )
    results = ToolResults((CallResult(0, None, "f", "not run", True),))
    silent = AssistantTurn(DIALECT, (TextPart(""),))
    body = await request_body(DIALECT, [UserMessage("Hi"), foreign, results, silent])
    assert_taken(body)
    assert body["messages"][1:] == [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [{"function": {"name": "f", "arguments": {"n": 1}}}],
        },
        {"role": "tool", "tool_name": "f", "content": "not run"},
    ]


async def test_tools_go_whole_past_the_sdks_own_types() -> None:
    body = await request_body(DIALECT, request().history)
    assert [tool["function"]["parameters"] for tool in body["tools"]] == [
        offer.parameters for offer in TOOLS
    ]
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["options"] == {"num_predict": 100}
