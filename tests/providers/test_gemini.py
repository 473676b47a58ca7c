"""Every kind of ``gemini`` stream: our own recordings, the real ones, and real HTTP."""

import asyncio
import base64
import json
from decimal import Decimal
from typing import Any

import pytest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from app.calls.events import ArgumentPatch, CallCompleted, Retained, Stop, Usage
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.providers.connect import connect
from app.providers.gemini_turn import STOPS, GeminiTurn
from app.providers.provider import FailureKind, ProviderFailure, Timeouts
from app.providers.spec import ProviderSpec
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
from tests.providers.gemini_kinds import FAILURES, KINDS
from tests.providers.history_rules import assert_valid_history
from tests.providers.recordings import Recording, parameters
from tests.providers.stub_server import Ending, Plan, StubServer
from tests.providers.turns import end_of, events_of, history_after, only, request, told

DIALECT = "gemini"


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


def test_every_reason_of_the_sdk_is_told_apart() -> None:
    unsure = {"FINISH_REASON_UNSPECIFIED", "OTHER", "IMAGE_OTHER", "NO_IMAGE"}
    assert {reason.value for reason in types.FinishReason} - unsure == set(STOPS)


@pytest.mark.parametrize("chunk", CUTS_OF_MANY)
@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_real_calls_are_the_manifests(recording: Recording, chunk: int | None) -> None:
    await check_recording(recording, chunk)


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_real_body_that_ends_early_is_never_complete(recording: Recording) -> None:
    await check_early_ends(DIALECT, recording.body, white_space)


@pytest.mark.parametrize("name", ["text-then-call", "partial-arguments", "json-array.json"])
async def test_our_body_that_ends_early_is_never_complete(name: str) -> None:
    await check_early_ends(DIALECT, own_body(DIALECT, name), white_space, steps=100)


async def test_a_call_left_open_makes_the_turn_incomplete() -> None:
    body = own_body(DIALECT, "partial-arguments-never-closed")
    assert told(await events_of(replayed(DIALECT, body))).finished.stop is Stop.INCOMPLETE


async def test_pieces_of_arguments_are_told_as_they_come() -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "partial-arguments"), 1))
    pieces = [(p.path, p.value, p.continues) for p in only(ArgumentPatch, events)]
    assert pieces == [
        (("title",), "March ", True),
        (("title",), "run", True),
        (("title",), "", False),
        (("lines", 0, "amount"), 12, False),
        (("lines", 1, "amount"), Decimal("0.5"), False),
        (("odd key",), True, False),
        (("note",), None, False),
    ]
    last = max(i for i, event in enumerate(events) if isinstance(event, ArgumentPatch))
    assert isinstance(events[last + 1], CallCompleted)


async def test_thoughts_count_as_output_and_are_not_shown() -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, "thought-then-signed-call")))
    assert only(Usage, events)[-1].output_tokens == 11
    assert told(events).text == ""


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), _json), st.integers(1, 30), st.booleans())
def test_any_object_comes_whole_out_of_any_bytes(
    arguments: dict[str, Any], chunk: int, as_array: bool
) -> None:
    part = {"functionCall": {"name": "f", "args": arguments}}
    answer = {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}
    text = json.dumps(answer)
    body = (f"[{text}\n]" if as_array else f"data: {text}\r\n\r\n").encode()
    turn = GeminiTurn()
    events = [e for at in range(0, len(body), chunk) for e in turn.feed(body[at : at + chunk])]
    events += turn.finish()
    assert told(events).calls == [(None, "f", arguments)]
    assert end_of(events).stop is Stop.COMPLETE


# Over real HTTP


@pytest.mark.parametrize("name", ["parallel-without-ids", "unicode", "numbers", "safety"])
@pytest.mark.parametrize("chunk", [None, 3])
async def test_kind_over_http(name: str, chunk: int | None) -> None:
    async with serving(DIALECT, own_body(DIALECT, name), chunk=chunk, pace=0.01) as server:
        check(await events_of(live(DIALECT, server)), KINDS[name])
    sent = server.received[0]
    assert sent.method == "POST"
    assert sent.path == "/v1/models/m:streamGenerateContent?alt=sse"
    assert sent.headers["x-goog-api-key"] == "k"


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_connection_lost_after_a_good_reason_is_an_incomplete_turn(ending: Ending) -> None:
    async with serving(DIALECT, own_body(DIALECT, "text"), ending=ending, pace=0.01) as server:
        end = end_of(await events_of(live(DIALECT, server)))
    assert end.stop is Stop.INCOMPLETE
    assert "connection" in end.detail


async def test_a_connection_lost_before_anything_came_is_the_apis_failure() -> None:
    async with serving(DIALECT, b"", ending=Ending.DROPPED) as server:
        with pytest.raises(ProviderFailure) as caught:
            await events_of(live(DIALECT, server))
    assert caught.value.kind is FailureKind.CONNECTION
    assert len(server.received) == 1


async def test_a_server_that_goes_silent_ends_as_incomplete() -> None:
    body = own_body(DIALECT, "no-reason")
    async with serving(DIALECT, body, ending=Ending.SILENT) as server:
        timeouts = Timeouts(between_bytes=0.1)
        end = end_of(await events_of(live(DIALECT, server, timeouts=timeouts)))
    assert (end.stop, "nothing for 0.1 s" in end.detail) == (Stop.INCOMPLETE, True)


@pytest.mark.parametrize(
    ("status", "word", "kind"),
    [
        (400, "INVALID_ARGUMENT", FailureKind.BAD_REQUEST),
        (403, "PERMISSION_DENIED", FailureKind.PERMISSION),
        (429, "RESOURCE_EXHAUSTED", FailureKind.RATE_LIMIT),
        (503, "UNAVAILABLE", FailureKind.OVERLOADED),
    ],
)
async def test_an_error_response_is_a_failure_and_is_not_retried_here(
    status: int, word: str, kind: FailureKind
) -> None:
    body = json.dumps({"error": {"code": status, "message": "no: k-secret-1", "status": word}})
    plan = Plan(body.encode(), status, "application/json", {"retry-after": "7"})
    with StubServer([plan]) as server, pytest.raises(ProviderFailure) as caught:
        await events_of(live(DIALECT, server, api_key="k-secret-1"))
    failure = caught.value
    assert (failure.kind, failure.status, failure.retry_after) == (kind, status, 7.0)
    assert "k-secret" not in failure.detail
    assert len(server.received) == 1


async def test_without_a_key_the_failure_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ProviderFailure, match="FORMWORK_API_KEY") as caught:
        await events_of(connect(ProviderSpec(DIALECT, "m", base_url="http://127.0.0.1:9")))
    assert caught.value.kind is FailureKind.AUTHENTICATION


async def test_turns_at_the_same_time_do_not_mix() -> None:
    bodies = [own_body(DIALECT, name) for name in ("text", "parallel-without-ids")]
    with StubServer([Plan(body, pace=0.1, seed=n) for n, body in enumerate(bodies)]) as server:
        provider = live(DIALECT, server)

        async def turn() -> int:
            return len(told([e async for e in provider.stream(request())]).calls)

        both = await asyncio.gather(turn(), turn())
        await provider.close()
    assert sorted(both) == [0, 2]


async def test_the_tap_sees_the_bodys_bytes() -> None:
    body, seen = own_body(DIALECT, "unicode"), list[bytes]()
    async with serving(DIALECT, body, chunk=5) as server:
        await events_of(live(DIALECT, server, tap=lambda: seen.append))
    assert b"".join(seen) == body


async def test_closing_the_generator_closes_the_connection() -> None:
    body = own_body(DIALECT, "no-reason")
    async with serving(DIALECT, body, ending=Ending.SILENT) as server:
        provider = live(DIALECT, server)
        events = provider.stream(request())
        await anext(events)
        await events.aclose()
        while server.left == 0:
            await asyncio.sleep(0.01)
        await provider.close()


# History


def assert_taken(body: dict[str, Any]) -> None:
    assert_valid_history(DIALECT, body)
    for content in body["contents"]:
        types.Content.model_validate(content)


@pytest.mark.parametrize("name", KINDS)
async def test_the_request_after_each_kind_of_turn_is_taken(name: str) -> None:
    events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
    if not told(events).usable:
        return
    body = await request_body(DIALECT, history_after(DIALECT, events))
    assert_taken(body)
    parts = [part for content in body["contents"] for part in content["parts"]]
    sent = [part["functionCall"] for part in parts if "functionCall" in part]
    given_calls = KINDS[name].calls
    assert [(call.get("id"), call["name"]) for call in sent] == [(c[0], c[1]) for c in given_calls]
    answers = [p["functionResponse"]["response"] for p in parts if "functionResponse" in p]
    assert [next(iter(answer)) for answer in answers] == [
        "error" if ordinal % 2 else "output" for ordinal in range(len(sent))
    ]


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_the_request_after_each_real_turn_is_taken(recording: Recording) -> None:
    events = await events_of(replayed(DIALECT, recording.body))
    assert told(events).usable
    body = await request_body(DIALECT, history_after(DIALECT, events))
    assert_taken(body)
    kept = [str(each.data["thoughtSignature"]) for each in only(Retained, events)]
    sent = [p["thoughtSignature"] for p in body["contents"][1]["parts"] if "thoughtSignature" in p]
    assert [_bytes(text) for text in sent] == [_bytes(text) for text in kept]


def _bytes(signature: str) -> bytes:
    """What a signature stands for; it may be written in either of base64's alphabets."""
    return base64.urlsafe_b64decode(signature.replace("+", "-").replace("/", "_"))


async def test_signatures_go_back_on_the_parts_they_came_with() -> None:
    async def parts(name: str) -> list[dict[str, Any]]:
        events = await events_of(replayed(DIALECT, own_body(DIALECT, name)))
        return (await request_body(DIALECT, history_after(DIALECT, events)))["contents"][1]["parts"]

    signed, plain = await parts("thought-then-signed-call")
    assert signed["thoughtSignature"] == "c2lnbmVk"
    assert "thoughtSignature" not in plain
    texts = [(p.get("text"), p.get("thoughtSignature")) for p in await parts("signed-text")]
    assert texts == [("Plain. ", None), ("Signed.", "c2lnMQ=="), ("", "c2lnMg==")]
    code, result, text = await parts("code-execution")
    assert code["executableCode"]["code"] == "print(6*7)"
    assert result["codeExecutionResult"]["output"] == "42\n"
    assert text["text"] == "42."


async def test_numbers_arrive_as_exact_as_the_sdk_can_carry_them() -> None:
    arguments = {
        "id": 2512292042121000001,
        "amount": Decimal("1250.00"),
        "share": Decimal("0.1"),
        "huge": Decimal("1e400"),
        "whole": Decimal("12345678901234567890.0"),
    }
    turn = AssistantTurn(DIALECT, (CallPart(0, None, "f", dict(arguments), None),))
    results = ToolResults((CallResult(0, None, "f", "ok", False),))
    body = await request_body(DIALECT, [UserMessage("Hi"), turn, results])
    assert body["contents"][1]["parts"][0]["functionCall"]["args"] == {
        "id": 2512292042121000001,
        "amount": 1250,
        "share": Decimal("0.1"),
        "huge": 10**400,
        "whole": 12345678901234567890,
    }


async def test_another_dialects_turn_is_told_without_what_only_it_understands() -> None:
    foreign = AssistantTurn(
        "openai-responses",
        (
            OpaquePart("openai-responses", {"type": "reasoning"}),
            TextPart("Looking.", {"thoughtSignature": "eA=="}),
            CallPart(0, "call_1", "f", {"n": 1}, '{"n":1}', {"thoughtSignature": "eA=="}),
        ),
    )
    results = ToolResults((CallResult(0, "call_1", "f", "not run", True),))
    silent = AssistantTurn(DIALECT, (TextPart(""),))
    body = await request_body(DIALECT, [UserMessage("Hi"), foreign, results, silent])
    assert_taken(body)
    assert body["contents"][1]["parts"] == [
        {"text": "Looking."},
        {"functionCall": {"id": "call_1", "name": "f", "args": {"n": 1}}},
    ]


async def test_tools_the_system_text_and_the_limit_go_as_they_are() -> None:
    body = await request_body(DIALECT, request().history)
    declared = body["tools"][0]["functionDeclarations"]
    schemas = [
        tool.get("parametersJsonSchema") or tool["parameters_json_schema"] for tool in declared
    ]
    assert schemas == [offer.parameters for offer in TOOLS]
    assert body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert body["generationConfig"]["maxOutputTokens"] == 100
    assert "toolConfig" not in body, "pieces of arguments are not to be had of this API"


async def test_vertex_is_asked_for_pieces_where_a_field_is_shown_as_it_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    body = await request_body(DIALECT, request().history)
    calling = body["toolConfig"]["functionCallingConfig"]
    # As this SDK writes it; the API takes a field by either of its names.
    assert calling == {"stream_function_call_arguments": True}
    body = await request_body(DIALECT, request().history, TOOLS[1:])
    assert "toolConfig" not in body
