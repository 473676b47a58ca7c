"""Every kind of ``openai-chat`` stream: our own recordings, the real ones, and real HTTP."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter

from app.calls.events import Retained, Stop
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
from app.providers.connect import connect
from app.providers.openai_chat_calls import ObjectEnd
from app.providers.openai_chat_turn import STOPS, ChatTurn
from app.providers.provider import FailureKind, ProviderFailure, Timeouts
from app.providers.spec import ProviderSpec
from app.providers.wire_names import wire_name
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
    serving,
)
from tests.providers.history_rules import assert_valid_history
from tests.providers.openai_chat_kinds import FAILURES, KINDS
from tests.providers.recordings import Recording, parameters
from tests.providers.stub_server import Ending, Plan, StubServer
from tests.providers.turns import end_of, events_of, history_after, only, request, told
from tests.providers.wire_shorthand import ABSENT, chat

DIALECT = "openai-chat"
GATES_BUSINESS = (
    # The gate refuses these turns, or the record makes their ids unique first.
    "not-an-object",
    "text-after-the-object",
    "raw-newline-in-string",
    "not-a-number",
    "same-id-twice",
)


def only_the_mark(cut_off: bytes) -> bool:
    """Whether nothing was cut off but ``[DONE]``, or a report of usage that repeats one."""
    events = [event for event in cut_off.split(b"\n\n") if event.strip()]
    return all(event == b"data: [DONE]" or b'"choices":[]' in event for event in events)


def test_every_recording_has_an_expectation() -> None:
    assert_all_told(DIALECT, KINDS, FAILURES)


@pytest.mark.parametrize("chunk", CUTS)
@pytest.mark.parametrize(("name", "kind"), KINDS.items())
async def test_kind_however_the_body_is_cut(name: str, kind: Kind, chunk: int | None) -> None:
    check(await events_of(replayed(DIALECT, own_body(DIALECT, name), chunk)), kind)


@pytest.mark.parametrize(("name", "failure"), FAILURES.items())
async def test_an_error_object_is_the_apis_failure(
    name: str, failure: tuple[FailureKind, str]
) -> None:
    await check_failure(DIALECT, own_body(DIALECT, name), *failure)


@pytest.mark.parametrize("chunk", CUTS_OF_MANY)
@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_real_calls_are_the_manifests(recording: Recording, chunk: int | None) -> None:
    if recording.stop_reason != "error":
        await check_recording(recording, chunk)
        return
    end = end_of(await events_of(replayed(DIALECT, recording.body, chunk)))
    assert (end.stop, end.provider_stop) == (Stop.ERROR, "tool_use_failed")


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_turn_ends_as_its_reason_says(recording: Recording) -> None:
    turn = told(await events_of(replayed(DIALECT, recording.body)))
    if "finish-reason-lies" in recording.entry["odd_kinds"]:
        assert turn.finished.stop is Stop.TRUNCATED
    elif "refusal" in recording.entry["odd_kinds"]:
        assert turn.finished.stop is Stop.REFUSED
    elif recording.stop_reason is None:
        assert turn.finished.stop is Stop.INCOMPLETE
    else:
        assert turn.finished.stop is STOPS[recording.stop_reason]
        assert turn.usable == (turn.finished.stop is Stop.COMPLETE)


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_body_that_ends_early_is_never_complete(recording: Recording) -> None:
    await check_early_ends(DIALECT, recording.body, only_the_mark)


@pytest.mark.parametrize("name", ["text-then-call", "text-only", "no-mark-with-usage"])
async def test_our_body_that_ends_early_is_never_complete(name: str) -> None:
    await check_early_ends(DIALECT, own_body(DIALECT, name), only_the_mark, steps=150)


async def test_a_server_that_refuses_to_tell_its_usage_owes_none() -> None:
    refusal = Plan(b'{"error":{"message":"Unknown field: stream_options"}}', 400)
    bare = own_body(DIALECT, "no-mark-and-no-usage")
    with StubServer([refusal, Plan(bare), Plan(bare)]) as server:
        provider = live(DIALECT, server)
        ends = [[e async for e in provider.stream(request())][-1] for _ in range(2)]
        await provider.close()
    assert [getattr(end, "stop", None) for end in ends] == [Stop.COMPLETE, Stop.COMPLETE]
    asked = ["stream_options" in each.json for each in server.received]
    assert asked == [True, False, False], "what a server refused once is not sent again"


async def test_the_limit_goes_by_the_name_that_the_server_takes() -> None:
    message = b"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    refusal = Plan(b'{"error":{"message":"%b"}}' % message, 400)
    with StubServer([refusal, Plan(own_body(DIALECT, "text-only"))]) as server:
        check(await events_of(live(DIALECT, server), request(max_tokens=77)), KINDS["text-only"])
    first, second = (each.json for each in server.received)
    assert first["max_tokens"] == 77
    assert second["max_completion_tokens"] == 77
    assert "max_tokens" not in second


async def test_a_request_that_stays_refused_is_a_failure() -> None:
    plan = Plan(b'{"error":{"message":"stream_options and max_completion_tokens: no"}}', 400)
    with StubServer([plan]) as server, pytest.raises(ProviderFailure) as caught:
        await events_of(live(DIALECT, server))
    assert caught.value.kind is FailureKind.BAD_REQUEST
    assert len(server.received) == 3


# Identity, at random


@st.composite
def interleavings(draw: st.DrawFn) -> tuple[bytes, list[tuple[str, str, str]]]:
    """Calls in pieces of any size, in any order, told apart as the protocol says."""
    texts = draw(st.lists(st.text('{}[]"\\:,x1 ü😀', max_size=12), min_size=1, max_size=4))
    waiting = [list(_pieces(draw, text)) for text in texts]
    body = b""
    for index in range(len(texts)):
        body += chat.call(index, f"id{index}", f"f{index}", "")
    while any(waiting):
        index = draw(st.sampled_from([i for i, pieces in enumerate(waiting) if pieces]))
        identity = draw(st.sampled_from([ABSENT, None, ""]))
        name = draw(st.sampled_from([ABSENT, None, ""]))
        body += chat.call(index, identity, name, waiting[index].pop(0))
    body += chat.finish("tool_calls") + chat.DONE
    return body, [(f"id{i}", f"f{i}", text) for i, text in enumerate(texts)]


def _pieces(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    ends = [*cuts, len(text)]
    return [text[start:end] for start, end in zip([0, *cuts], ends, strict=True)]


@given(interleavings(), st.integers(1, 40))
def test_any_interleaving_in_any_bytes_gives_each_call_its_text(
    stream: tuple[bytes, list[tuple[str, str, str]]], chunk: int
) -> None:
    body, calls = stream
    turn = ChatTurn()
    events = [e for at in range(0, len(body), chunk) for e in turn.feed(body[at : at + chunk])]
    assert told(events).calls == calls
    assert end_of(events).stop is Stop.COMPLETE


@given(st.lists(st.text('{}[]"\\a', max_size=3)))
def test_the_end_of_an_object_is_seen_however_it_is_cut(pieces: list[str]) -> None:
    whole, cut = ObjectEnd(), ObjectEnd()
    whole.feed("".join(pieces))
    for piece in pieces:
        cut.feed(piece)
    assert whole.closed == cut.closed


# Over real HTTP


@pytest.mark.parametrize("name", ["parallel-interleaved", "unicode", "keep-alives", "refusal"])
@pytest.mark.parametrize("chunk", [None, 3])
async def test_kind_over_http(name: str, chunk: int | None) -> None:
    async with serving(DIALECT, own_body(DIALECT, name), chunk=chunk, pace=0.01) as server:
        check(await events_of(live(DIALECT, server)), KINDS[name])
    sent = server.received[0]
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["authorization"] == "Bearer k"
    assert sent.json["stream"] is True


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_lost_after_a_good_reason_is_an_incomplete_turn(ending: Ending) -> None:
    body = own_body(DIALECT, "no-index")
    async with serving(DIALECT, body, ending=ending, pace=0.01) as server:
        end = end_of(await events_of(live(DIALECT, server)))
    assert end.stop is Stop.INCOMPLETE
    assert "connection" in end.detail


async def test_a_server_that_goes_silent_ends_as_incomplete() -> None:
    plan = Plan(chat.text("Well"), ending=Ending.SILENT)
    with StubServer([plan]) as server:
        spec = {"timeouts": Timeouts(between_bytes=0.1)}
        end = end_of(await events_of(live(DIALECT, server, **spec)))
    assert (end.stop, "nothing for 0.1 s" in end.detail) == (Stop.INCOMPLETE, True)


async def test_after_the_mark_nobody_waits_for_the_connection() -> None:
    async with serving(DIALECT, own_body(DIALECT, "unicode"), ending=Ending.SILENT) as server:
        async with asyncio.timeout(5):
            check(await events_of(live(DIALECT, server)), KINDS["unicode"])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FailureKind.AUTHENTICATION),
        (403, FailureKind.PERMISSION),
        (404, FailureKind.NOT_FOUND),
        (429, FailureKind.RATE_LIMIT),
        (500, FailureKind.SERVER_ERROR),
        (503, FailureKind.OVERLOADED),
    ],
)
async def test_an_error_response_is_a_failure_and_is_not_retried_here(
    status: int, kind: FailureKind
) -> None:
    body = b'{"error":{"message":"no: k-secret-1","type":null}}'
    plan = Plan(body, status, "application/json", {"retry-after": "7"})
    with StubServer([plan]) as server, pytest.raises(ProviderFailure) as caught:
        await events_of(live(DIALECT, server, api_key="k-secret-1"))
    failure = caught.value
    assert (failure.kind, failure.status, failure.retry_after) == (kind, status, 7.0)
    assert failure.detail == f"HTTP {status}: no: [hidden]"
    assert len(server.received) == 1


async def test_without_a_key_the_failure_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ProviderFailure, match="FORMWORK_API_KEY") as caught:
        await events_of(connect(ProviderSpec(DIALECT, "m")))
    assert caught.value.kind is FailureKind.AUTHENTICATION


async def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with serving(DIALECT, own_body(DIALECT, "text-only")) as server:
        check(await events_of(live(DIALECT, server, api_key=None)), KINDS["text-only"])


async def test_the_tap_sees_the_bodys_bytes() -> None:
    body, seen = own_body(DIALECT, "keep-alives"), list[bytes]()
    async with serving(DIALECT, body, chunk=5) as server:
        await events_of(live(DIALECT, server, tap=lambda: seen.append))
    assert b"".join(seen) == body


# History


def assert_taken(body: dict[str, Any]) -> None:
    """By the protocol's rules and by the SDK's types, message by message."""
    assert_valid_history(DIALECT, body)
    for message in body["messages"]:
        _message_type().validate_python(floats(message))


@cache
def _message_type() -> TypeAdapter[Any]:
    return TypeAdapter(ChatCompletionMessageParam)


async def next_request(history: Sequence[HistoryItem]) -> dict[str, Any]:
    async with serving(DIALECT, own_body(DIALECT, "text-only")) as server:
        await events_of(live(DIALECT, server), request(history, TOOLS))
    return server.received[0].json


@pytest.mark.parametrize(
    "name", [n for n, k in KINDS.items() if k.stop is Stop.COMPLETE and not k.fault]
)
async def test_the_request_after_each_kind_of_turn_is_taken(name: str) -> None:
    if name in GATES_BUSINESS:
        return
    events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
    body = await next_request(history_after(DIALECT, events))
    assert_taken(body)
    calls = [call for m in body["messages"] for call in m.get("tool_calls") or ()]
    # Argument text goes back to the letter; "none" and an object become the text of an object.
    for sent, (identity, called, arguments) in zip(calls, KINDS[name].calls, strict=True):
        assert sent["id"] == (identity or "call_1_0")
        assert sent["function"]["name"] == wire_name(called or "")
        if isinstance(arguments, str) and arguments.strip():
            assert sent["function"]["arguments"] == arguments


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_the_request_after_each_real_turn_is_taken(recording: Recording) -> None:
    events = await events_of(replayed(DIALECT, recording.body))
    if told(events).usable:
        assert_taken(await next_request(history_after(DIALECT, events)))


async def test_reasoning_goes_back_where_it_is_asked_back() -> None:
    async def assistant(name: str) -> dict[str, Any]:
        events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
        return (await next_request(history_after(DIALECT, events)))["messages"][1]

    assert (await assistant("reasoning-content"))["reasoning_content"] == "They want f."
    assert "reasoning_content" not in await assistant("reasoning-content-without-calls")
    signed, encrypted = (await assistant("signed-reasoning"))["reasoning_details"]
    assert (signed["text"], signed["signature"]) == ("Both calls.", "c2lnbmVk")
    assert encrypted["data"] == "ZW5j"
    thinking, text = (await assistant("thinking-parts"))["content"]
    assert thinking["thinking"] == [{"type": "text", "text": "Hm, yes."}]
    assert text == {"type": "text", "text": "Yes."}
    call = (await assistant("thought-signature"))["tool_calls"][0]
    assert call["extra_content"] == {"google": {"thought_signature": "c2ln"}}


async def test_reasoning_is_never_shown() -> None:
    for name in ("reasoning-content", "signed-reasoning", "tool-use-failed"):
        events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
        assert told(events).text == ""
        assert len(only(Retained, events)) == (0 if name == "tool-use-failed" else 1)


async def test_another_dialects_turn_is_told_in_this_ones_words() -> None:
    foreign = AssistantTurn(
        "gemini",
        (
            TextPart("Looking.", {"thoughtSignature": "x"}),
            OpaquePart("gemini", {"thought": True}),
            CallPart(0, None, "f", {"n": 1}, None, {"thoughtSignature": "y"}),
            CallPart(1, "b", "g", {}, None),
        ),
    )
    results = ToolResults(
        (CallResult(0, None, "f", "1", False), CallResult(1, "b", "g", "not run", True))
    )
    silent = AssistantTurn(DIALECT, (TextPart(""),))
    body = await next_request([UserMessage("Hi"), foreign, results, silent, UserMessage("Bye")])
    assert_taken(body)
    _, assistant, first, second, last = body["messages"]
    assert assistant == {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [
            {
                "id": "call_1_0",
                "type": "function",
                "function": {"name": "f", "arguments": '{"n":1}'},
            },
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    }
    assert (first["tool_call_id"], first["content"]) == ("call_1_0", "1")
    assert (second["tool_call_id"], second["content"]) == ("b", "not run")
    assert last["content"] == "Bye"


async def test_tools_and_the_system_text_go_as_they_are() -> None:
    async with serving(DIALECT, own_body(DIALECT, "text-only")) as server:
        asked = request(tools=TOOLS, max_tokens=9)
        await events_of(live(DIALECT, server), type(asked)(asked.history, TOOLS, 9, "Be brief."))
    body = server.received[0].json
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["max_tokens"] == 9
    assert body["stream_options"] == {"include_usage": True}
    assert [tool["function"]["parameters"] for tool in body["tools"]] == [
        offer.parameters for offer in TOOLS
    ]
    adapter: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolParam)
    for tool in body["tools"]:
        adapter.validate_python(tool)


async def test_no_tools_is_no_list_of_tools() -> None:
    async with serving(DIALECT, own_body(DIALECT, "text-only")) as server:
        await events_of(live(DIALECT, server))
    assert "tools" not in server.received[0].json
