"""Every kind of ``anthropic-messages`` stream, from our own recordings, through the real SDK."""

import asyncio
import gzip
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from app.calls.blocks import OpaqueBlock
from app.calls.events import (
    ArgumentFragment,
    CallCompleted,
    Event,
    ProviderWork,
    Stop,
    Usage,
)
from app.providers.connect import connect
from app.providers.provider import (
    FailureKind,
    Provider,
    ProviderFailure,
    Timeouts,
)
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody
from tests.providers.anthropic_kinds import FAILURES, KINDS, Kind
from tests.providers.recordings import OWN, own
from tests.providers.stub_server import Ending, Plan, StubServer
from tests.providers.turns import end_of, events_of, only, request, told
from tests.providers.wire_shorthand import anthropic

DIALECT = "anthropic-messages"
CUTS = [None, 1, 7, 1000]


def replayed(body: bytes, chunk: int | None = None) -> Provider:
    return connect(ProviderSpec(DIALECT, "m"), RecordedBody(body, chunk=chunk))


def live(server: StubServer, timeouts: Timeouts | None = None) -> Provider:
    spec = ProviderSpec(
        DIALECT, "m", base_url=server.url, api_key="k", timeouts=timeouts or Timeouts()
    )
    return connect(spec)


def test_every_recording_has_an_expectation() -> None:
    names = {path.stem for path in (OWN / DIALECT).glob("*.sse")}
    assert names == {*KINDS, *FAILURES}


@pytest.mark.parametrize("chunk", CUTS)
@pytest.mark.parametrize(("name", "kind"), KINDS.items())
async def test_kind_however_the_body_is_cut(name: str, kind: Kind, chunk: int | None) -> None:
    events = await events_of(replayed(own(DIALECT, f"{name}.sse"), chunk))
    _check(events, kind)


def _check(events: Sequence[Event], kind: Kind) -> None:
    turn = told(events)
    end = end_of(events)
    assert (end.stop, end.provider_stop) == (kind.stop, kind.provider_stop)
    fault = turn.finished.fault
    assert (fault is None) == (kind.fault is None), fault
    if kind.fault is not None:
        assert fault is not None
        assert kind.fault in fault.detail
    assert turn.calls == list(kind.calls)
    assert turn.text == kind.text
    work = [f"{w.name} {'finished' if w.finished else 'begun'}" for w in only(ProviderWork, events)]
    assert work == list(kind.work)
    assert _kept(events) == kind.kept
    told_warnings = " ".join(turn.turn.warnings)
    assert (kind.warns or "") in told_warnings
    assert bool(told_warnings) == (kind.warns is not None), told_warnings


def _kept(events: Sequence[Event]) -> tuple[object, ...]:
    blocks = told(events).turn.blocks.values()
    return tuple(
        block.data["type"]
        for block in blocks
        if isinstance(block, OpaqueBlock) and block.data is not None
    )


@pytest.mark.parametrize("name", KINDS)
async def test_a_body_that_ends_early_is_never_complete(name: str) -> None:
    body = own(DIALECT, f"{name}.sse")
    # The LF of a last CRLF adds nothing: a CR ends a line by itself.
    whole = len(body) - body.endswith(b"\r\n")
    for end in [*range(0, whole, 61), whole - 1]:
        events = await events_of(replayed(body[:end]))
        assert end_of(events).stop is not Stop.COMPLETE, f"complete after {end} bytes"


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("error-overloaded", FailureKind.OVERLOADED, "overloaded_error: Overloaded"),
        ("error-as-plain-text", FailureKind.SERVER_ERROR, "upstream failure"),
    ],
)
async def test_an_error_in_mid_stream_is_the_api_failing(
    name: str, kind: FailureKind, words: str
) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await events_of(replayed(own(DIALECT, f"{name}.sse"), 1))
    assert caught.value.kind is kind
    assert words in caught.value.detail


async def test_a_paused_turn_wants_to_be_sent_back() -> None:
    assert end_of(await events_of(replayed(own(DIALECT, "pause-turn.sse")))).resume
    assert not end_of(await events_of(replayed(own(DIALECT, "text-only.sse")))).resume


async def test_a_refusal_says_what_the_provider_says_of_it() -> None:
    end = end_of(await events_of(replayed(own(DIALECT, "refusal.sse"))))
    assert end.detail == "cyber: Not something to help with."


async def test_usage_is_a_report_and_ends_nothing() -> None:
    events = await events_of(replayed(own(DIALECT, "text-then-call.sse")))
    assert [usage.output_tokens for usage in only(Usage, events)] == [1, 40]


async def test_fragments_are_the_wires_own_and_the_completion_comes_after_them() -> None:
    events = await events_of(replayed(own(DIALECT, "text-then-call.sse"), 1))
    pieces = [fragment.text for fragment in only(ArgumentFragment, events)]
    assert pieces == ['{"inv', "oice_num", 'ber": "INV-', '2026-0312"}']
    last = max(i for i, event in enumerate(events) if isinstance(event, ArgumentFragment))
    assert isinstance(events[last + 1], CallCompleted)


# Over real HTTP


@pytest.mark.parametrize("name", ["parallel-calls", "unicode", "server-tool", "refusal"])
@pytest.mark.parametrize("chunk", [None, 3])
async def test_kind_over_http(name: str, chunk: int | None) -> None:
    with StubServer([Plan(own(DIALECT, f"{name}.sse"), chunk=chunk, pace=0.02)]) as server:
        _check(await events_of(live(server)), KINDS[name])
    sent = server.received[0]
    assert (sent.method, sent.path) == ("POST", "/v1/messages")
    assert "k" in sent.headers["authorization"].split()
    assert sent.json["stream"] is True


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.99])
async def test_a_connection_lost_in_mid_stream_is_an_incomplete_turn(
    ending: Ending, share: float
) -> None:
    body = own(DIALECT, "parallel-calls.sse")
    plan = Plan(body, cut=int(len(body) * share), ending=ending, pace=0.02)
    with StubServer([plan]) as server:
        end = end_of(await events_of(live(server)))
    assert end.stop is Stop.INCOMPLETE
    assert "connection" in end.detail


async def test_a_connection_lost_before_anything_came_is_the_apis_failure() -> None:
    with (
        StubServer([Plan(b"", ending=Ending.DROPPED)]) as server,
        pytest.raises(ProviderFailure) as caught,
    ):
        await events_of(live(server))
    assert caught.value.kind is FailureKind.CONNECTION


@pytest.mark.parametrize(
    ("plan", "timeouts", "words"),
    [
        (Plan(b"", late_s=5), Timeouts(first_byte=0.1), "no first byte within 0.1 s"),
        (Plan(b"", ending=Ending.SILENT), Timeouts(first_byte=0.1), "no first byte within 0.1 s"),
        (
            Plan(anthropic.start() + anthropic.PING, ending=Ending.SILENT),
            Timeouts(between_bytes=0.1),
            "nothing for 0.1 s",
        ),
        (
            Plan(anthropic.start() + anthropic.PING * 2000, pace=1),
            Timeouts(whole_turn=0.2),
            "more than 0.2 s",
        ),
    ],
    ids=["no-head", "no-body", "silence", "whole-turn"],
)
async def test_a_provider_that_goes_silent_ends_as_incomplete(
    plan: Plan, timeouts: Timeouts, words: str
) -> None:
    with StubServer([plan]) as server:
        end = end_of(await events_of(live(server, timeouts)))
    assert end.stop is Stop.INCOMPLETE
    assert words in end.detail


async def test_pings_keep_a_slow_turn_alive() -> None:
    body = anthropic.start() + anthropic.PING * 40 + anthropic.reason("end_turn") + anthropic.STOP
    with StubServer([Plan(body, pace=1)]) as server:
        end = end_of(await events_of(live(server, Timeouts(between_bytes=1.5))))
    assert end.stop is Stop.COMPLETE


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (401, FailureKind.AUTHENTICATION, "authentication_error"),
        (403, FailureKind.PERMISSION, "permission_error"),
        (404, FailureKind.NOT_FOUND, "not_found_error"),
        (429, FailureKind.RATE_LIMIT, "rate_limit_error"),
        (400, FailureKind.BAD_REQUEST, "invalid_request_error"),
        (500, FailureKind.SERVER_ERROR, "api_error"),
        (529, FailureKind.OVERLOADED, "overloaded_error"),
    ],
)
async def test_an_error_response_is_a_failure_by_kind_and_is_not_retried_here(
    status: int, kind: FailureKind, error: str
) -> None:
    body = f'{{"type":"error","error":{{"type":"{error}","message":"no: k-secret-1"}}}}'.encode()
    plan = Plan(body, status, "application/json", {"retry-after": "7"})
    with StubServer([plan]) as server:
        spec = ProviderSpec(DIALECT, "m", base_url=server.url, api_key="k-secret-1")
        with pytest.raises(ProviderFailure) as caught:
            await events_of(connect(spec))
    failure = caught.value
    assert (failure.kind, failure.status, failure.retry_after) == (kind, status, 7.0)
    assert failure.detail == f"HTTP {status}: {error}: no: [hidden]"
    assert len(server.received) == 1


async def test_a_refused_connection_is_told_as_one() -> None:
    spec = ProviderSpec(DIALECT, "m", base_url="http://127.0.0.1:9", api_key="k")
    with pytest.raises(ProviderFailure) as caught:
        await events_of(connect(spec))
    assert caught.value.kind is FailureKind.CONNECTION


async def test_without_a_key_the_failure_says_what_to_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(ProviderFailure, match="FORMWORK_API_KEY") as caught:
        await events_of(connect(ProviderSpec(DIALECT, "m", base_url="http://127.0.0.1:9")))
    assert caught.value.kind is FailureKind.AUTHENTICATION


async def test_closing_the_generator_closes_the_connection() -> None:
    body = anthropic.start() + anthropic.block(0, "text", text="Hello")
    with StubServer([Plan(body, ending=Ending.SILENT)]) as server:
        provider = live(server)
        events = provider.stream(request())
        first = await anext(events)
        assert isinstance(first, Usage)
        await events.aclose()
        await _until(lambda: server.left == 1)
        await provider.close()


async def test_stopping_the_reader_closes_the_connection() -> None:
    with StubServer([Plan(anthropic.start(), ending=Ending.SILENT)]) as server:
        provider = live(server)
        reading = asyncio.create_task(_drain(provider))
        await _until(lambda: len(server.received) == 1)
        await asyncio.sleep(0.05)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await _until(lambda: server.left == 1)
        await provider.close()


async def test_turns_at_the_same_time_do_not_mix() -> None:
    bodies = [own(DIALECT, f"{name}.sse") for name in ("text-then-call", "parallel-calls")]
    with StubServer([Plan(body, pace=0.1, seed=n) for n, body in enumerate(bodies)]) as server:
        provider = live(server)
        both = await asyncio.gather(_drain(provider), _drain(provider))
        await provider.close()
    names = sorted(len(told(events).calls) for events in both)
    assert names == [1, 3]


async def _drain(provider: Provider) -> list[Event]:
    return [event async for event in provider.stream(request())]


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


class TestTap:
    async def test_sees_the_bodys_bytes_and_nothing_else(self) -> None:
        body = own(DIALECT, "unicode.sse")
        seen: list[bytes] = []
        spec = ProviderSpec(DIALECT, "m", api_key="k", tap=lambda: seen.append)
        await events_of(connect(spec, RecordedBody(body, chunk=5)))
        assert b"".join(seen) == body

    async def test_sees_a_compressed_body_decoded(self) -> None:
        body = own(DIALECT, "unicode.sse")
        seen: list[bytes] = []
        headers = {"content-encoding": "gzip"}
        with StubServer([Plan(gzip.compress(body), headers=headers, chunk=9)]) as server:
            spec = ProviderSpec(
                DIALECT, "m", base_url=server.url, api_key="k", tap=lambda: seen.append
            )
            _check(await events_of(connect(spec)), KINDS["unicode"])
        assert b"".join(seen) == body
