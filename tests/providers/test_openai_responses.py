"""Every kind of ``openai-responses`` stream: our own recordings, the real ones, and real HTTP."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from pydantic import TypeAdapter

from app.calls.events import ProviderWork, Stop
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.providers.openai_responses_turn import CLIENT_CALLS, ResponseTurn
from app.providers.provider import FailureKind, ProviderFailure
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
    floats,
    live,
    own_body,
    replayed,
    request_body,
    serving,
)
from tests.providers.history_rules import assert_valid_history
from tests.providers.openai_responses_kinds import FAILURES, KINDS
from tests.providers.recordings import ExpectedCall, Recording, parameters
from tests.providers.stub_server import Ending, Plan, StubServer
from tests.providers.turns import end_of, events_of, history_after, only, request, told
from tests.providers.wire_shorthand import event

DIALECT = "openai-responses"


def nothing(cut_off: bytes) -> bool:
    return not cut_off


def announced(recording: Recording) -> list[ExpectedCall]:
    """The manifest's calls that wait for an answer; the others are the provider's own work."""
    return [c for c in recording.expected if c.ours or c.kind in CLIENT_CALLS]


def test_every_recording_has_an_expectation() -> None:
    assert_all_told(DIALECT, KINDS, FAILURES)


@pytest.mark.parametrize("chunk", CUTS)
@pytest.mark.parametrize(("name", "kind"), KINDS.items())
async def test_kind_however_the_body_is_cut(name: str, kind: Kind, chunk: int | None) -> None:
    check(await events_of(replayed(DIALECT, own_body(DIALECT, name), chunk)), kind)


@pytest.mark.parametrize("name", ["call-never-done", "incomplete-item-in-a-completed-response"])
async def test_a_call_left_open_makes_the_turn_incomplete(name: str) -> None:
    turn = told(await events_of(replayed(DIALECT, own_body(DIALECT, name))))
    assert turn.finished.stop is Stop.INCOMPLETE


@pytest.mark.parametrize("name", ["custom-tool", "client-tool-search"])
async def test_a_call_of_a_tool_not_offered_ends_a_whole_turn_unusable(name: str) -> None:
    turn = told(await events_of(replayed(DIALECT, own_body(DIALECT, name))))
    assert turn.finished.stop is Stop.COMPLETE
    assert not turn.usable


@pytest.mark.parametrize(("name", "failure"), FAILURES.items())
async def test_an_error_is_the_apis_failure(name: str, failure: tuple[FailureKind, str]) -> None:
    await check_failure(DIALECT, own_body(DIALECT, name), *failure)


@pytest.mark.parametrize("chunk", CUTS_OF_MANY)
@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_real_calls_are_the_manifests(recording: Recording, chunk: int | None) -> None:
    if recording.stop_reason == "failed":
        with pytest.raises(ProviderFailure) as caught:
            await events_of(replayed(DIALECT, recording.body, chunk))
        assert caught.value.kind is FailureKind.RATE_LIMIT
    else:
        await check_recording(recording, chunk, announced(recording))


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_turn_is_usable_when_all_its_calls_are_ours(recording: Recording) -> None:
    if recording.stop_reason == "failed":
        return
    events = await events_of(replayed(DIALECT, recording.body))
    turn = told(events)
    foreign = [c for c in announced(recording) if not c.ours]
    assert turn.usable == (recording.stop_reason == "completed" and not foreign)
    work = {w.name for w in only(ProviderWork, events) if w.finished}
    assert len(work) >= len(recording.expected) - len(announced(recording))


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_body_that_ends_early_is_never_complete(recording: Recording) -> None:
    await check_early_ends(DIALECT, recording.body, nothing)


@pytest.mark.parametrize("name", ["reasoning-then-call", "text", "provider-work"])
async def test_our_body_that_ends_early_is_never_complete(name: str) -> None:
    await check_early_ends(DIALECT, own_body(DIALECT, name), nothing, steps=100)


@given(st.lists(st.text('{}"\\,x1 ü😀', max_size=6), max_size=8), st.integers(1, 60))
def test_any_fragments_in_any_bytes_are_the_text(pieces: list[str], chunk: int) -> None:
    text = "".join(pieces)
    item: dict[str, Any] = {"id": "fc", "type": "function_call", "call_id": "c", "name": "f"}
    whole = {**item, "arguments": text, "status": "completed"}
    body = event("response.output_item.added", output_index=0, item={**item, "arguments": ""})
    for piece in pieces:
        body += event("response.function_call_arguments.delta", item_id="fc", delta=piece)
    body += event("response.output_item.done", output_index=0, item=whole)
    end = {"status": "completed", "output": [whole]}
    body += event("response.completed", response=end)
    turn = ResponseTurn()
    events = [e for at in range(0, len(body), chunk) for e in turn.feed(body[at : at + chunk])]
    assert told(events).calls == [("c", "f", text)]
    assert told(events).usable


# Over real HTTP


@pytest.mark.parametrize("name", ["interleaved", "provider-work", "data-before-event", "refusal"])
@pytest.mark.parametrize("chunk", [None, 3])
async def test_kind_over_http(name: str, chunk: int | None) -> None:
    async with serving(DIALECT, own_body(DIALECT, name), chunk=chunk, pace=0.01) as server:
        check(await events_of(live(DIALECT, server)), KINDS[name])
    sent = server.received[0]
    assert (sent.method, sent.path) == ("POST", "/v1/responses")
    assert sent.headers["authorization"] == "Bearer k"
    assert (sent.json["stream"], sent.json["store"]) == (True, False)


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_lost_in_mid_stream_is_an_incomplete_turn(ending: Ending) -> None:
    body = own_body(DIALECT, "parallel")
    async with serving(DIALECT, body, cut=900, ending=ending, pace=0.01) as server:
        end = end_of(await events_of(live(DIALECT, server)))
    assert end.stop is Stop.INCOMPLETE
    assert "connection" in end.detail


async def test_an_error_response_is_a_failure_and_is_not_retried_here() -> None:
    body = b'{"error":{"message":"no: k-secret-1","code":"rate_limit_exceeded"}}'
    plan = Plan(body, 429, "application/json", {"retry-after-ms": "1500"})
    with StubServer([plan]) as server, pytest.raises(ProviderFailure) as caught:
        await events_of(live(DIALECT, server, api_key="k-secret-1"))
    failure = caught.value
    assert (failure.kind, failure.retry_after) == (FailureKind.RATE_LIMIT, 1.5)
    assert "k-secret" not in failure.detail
    assert len(server.received) == 1


async def test_a_model_that_does_not_reason_is_not_asked_for_its_reasoning_again() -> None:
    message = b"Encrypted content is not supported with this model."
    refusal = Plan(b'{"error":{"message":"%b"}}' % message, 400)
    with StubServer([refusal, Plan(own_body(DIALECT, "text"))]) as server:
        check(await events_of(live(DIALECT, server)), KINDS["text"])
    first, second = (each.json for each in server.received)
    assert first["include"] == ["reasoning.encrypted_content"]
    assert "include" not in second


# History


def assert_taken(body: dict[str, Any]) -> None:
    """By the protocol's rules and by the SDK's types, item by item."""
    assert_valid_history(DIALECT, body)
    for item in body["input"]:
        _item_type().validate_python(floats(item))


@cache
def _item_type() -> TypeAdapter[Any]:
    return TypeAdapter(ResponseInputItemParam)


async def input_after(name: str) -> list[dict[str, Any]]:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
    body = await request_body(DIALECT, history_after(DIALECT, events))
    assert_taken(body)
    return body["input"]


@pytest.mark.parametrize("name", KINDS)
async def test_the_request_after_each_kind_of_turn_is_taken(name: str) -> None:
    turn = told(await events_of(replayed(DIALECT, own_body(DIALECT, name))))
    if turn.usable and name != "same-call-id-twice":  # the record makes ids unique first
        items = await input_after(name)
        calls = [item for item in items if item.get("type") == "function_call"]
        sent = [(call["call_id"], call["name"], call["arguments"]) for call in calls]
        assert sent == [(i, n, t or "{}") for i, n, t in turn.calls]


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_the_request_after_each_real_turn_is_taken(recording: Recording) -> None:
    if recording.stop_reason == "failed":
        return
    events = await events_of(replayed(DIALECT, recording.body))
    if told(events).usable:
        assert_taken(await request_body(DIALECT, history_after(DIALECT, events)))


def kinds_of(items: Sequence[dict[str, Any]]) -> list[str]:
    return [item.get("type", item.get("role", "")) for item in items]


async def test_reasoning_goes_back_whole_before_what_it_led_to() -> None:
    items = await input_after("reasoning-then-call")
    expected = ["user", "reasoning", "function_call", "function_call_output", "user"]
    assert kinds_of(items) == expected
    assert items[1]["encrypted_content"] == "ZW5j"
    assert "status" not in items[1], "a null of an answer is refused in a request"
    assert items[2]["id"] == "fc_1"


async def test_the_providers_own_work_goes_back_in_its_place() -> None:
    items = await input_after("provider-work")
    assert kinds_of(items) == [
        "user",
        "web_search_call",
        "mcp_list_tools",
        "mcp_call",
        "message",
        "user",
    ]
    assert items[4]["phase"] == "final_answer"
    answered = await input_after("shell-answered-by-the-provider")
    assert kinds_of(answered)[1:3] == ["shell_call", "shell_call_output"]


async def test_a_call_by_a_program_is_answered_to_that_program() -> None:
    items = await input_after("program-then-call")
    assert kinds_of(items)[1:4] == ["program", "function_call", "function_call_output"]
    assert items[2]["caller"] == items[3]["caller"] == {"type": "program", "caller_id": "call_p"}


async def test_another_dialects_turn_and_lone_reasoning_leave_no_trace_of_their_own() -> None:
    foreign = AssistantTurn(
        "gemini",
        (
            TextPart("Looking.", {"thoughtSignature": "x"}),
            OpaquePart("gemini", {"thought": True}),
            CallPart(0, None, "f", {"n": 1}, None, {"thoughtSignature": "y"}),
        ),
    )
    results = ToolResults((CallResult(0, None, "f", "not run", True),))
    lone = AssistantTurn(DIALECT, (OpaquePart(DIALECT, {"type": "reasoning", "summary": []}),))
    body = await request_body(DIALECT, [UserMessage("Hi"), foreign, results, lone])
    assert_taken(body)
    assert body["input"][1:] == [
        {"role": "assistant", "content": "Looking."},
        {"type": "function_call", "call_id": "call_1_0", "name": "f", "arguments": '{"n":1}'},
        {"type": "function_call_output", "call_id": "call_1_0", "output": "not run"},
    ]


async def test_tools_go_as_they_are_and_the_limit_is_one_that_is_taken() -> None:
    body = await request_body(DIALECT, request().history)
    assert [tool["parameters"] for tool in body["tools"]] == [offer.parameters for offer in TOOLS]
    adapter: TypeAdapter[Any] = TypeAdapter(FunctionToolParam)
    for tool in body["tools"]:
        adapter.validate_python(tool)
        assert tool["strict"] is False
    assert (body["instructions"], body["max_output_tokens"]) == ("Be brief.", 100)
    async with serving(DIALECT, own_body(DIALECT, "text")) as server:
        await events_of(live(DIALECT, server), request(max_tokens=1))
    assert server.received[0].json["max_output_tokens"] == 16
    assert "tools" not in server.received[0].json
