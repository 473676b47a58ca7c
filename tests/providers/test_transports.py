"""The watch before every live transport: what it lets through, and when it gives up."""

import asyncio
import gzip
from collections.abc import AsyncIterator

import httpx2
import pytest

from app.providers import transports
from app.providers.provider import Timeouts
from app.providers.transports import (
    ByteStream,
    EndlessLine,
    RecordedBody,
    Silence,
    Tap,
    WatchedTransport,
    http_client,
)
from tests.providers.stub_server import Ending, Plan, StubServer

BODY = b'event: a\ndata: {"x": "\xf0\x9f\x98\x80"}\n\n' * 5


class Slow(httpx2.AsyncBaseTransport):
    """Waits before the head, then before each piece."""

    def __init__(self, head_s: float, waits: list[float], body: bytes = b"piece\n") -> None:
        self._head_s = head_s
        self._waits = waits
        self._body = body
        self.closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(self._head_s)
        return httpx2.Response(200, stream=ByteStream(self._pieces(), self._close))

    async def _pieces(self) -> AsyncIterator[bytes]:
        for wait in self._waits:
            await asyncio.sleep(wait)
            yield self._body

    async def _close(self) -> None:
        self.closed = True


async def read(
    inner: httpx2.AsyncBaseTransport, timeouts: Timeouts | None = None, tap: Tap | None = None
) -> bytes:
    async with (
        httpx2.AsyncClient(
            transport=WatchedTransport(inner, timeouts or Timeouts(), tap)
        ) as client,
        client.stream("GET", "http://provider.invalid/") as response,
    ):
        return b"".join([piece async for piece in response.aiter_bytes()])


@pytest.mark.parametrize("chunk", [None, 1, 7, 1000])
async def test_a_recorded_body_comes_whole_however_it_is_cut(chunk: int | None) -> None:
    assert await read(RecordedBody(BODY, chunk=chunk)) == BODY


async def test_a_recorded_body_can_be_asked_for_again_and_can_be_empty() -> None:
    recorded = RecordedBody(BODY, chunk=3)
    assert await read(recorded) == await read(recorded) == BODY
    assert await read(RecordedBody(b"")) == b""


@pytest.mark.parametrize(
    ("inner", "timeouts", "words"),
    [
        (Slow(9, []), Timeouts(first_byte=0.05), "no first byte within 0.05 s"),
        (Slow(0, [9]), Timeouts(first_byte=0.05), "no first byte within 0.05 s"),
        (Slow(0, [0, 9]), Timeouts(between_bytes=0.05), "nothing for 0.05 s"),
        (Slow(0, [0.02] * 99), Timeouts(whole_turn=0.1), "more than 0.1 s"),
        (Slow(9, []), Timeouts(whole_turn=0.05), "more than 0.05 s"),
    ],
    ids=["no-head", "no-body", "silence", "whole-turn", "whole-turn-before-the-head"],
)
async def test_silence_ends_the_wait_and_says_which(
    inner: httpx2.AsyncBaseTransport, timeouts: Timeouts, words: str
) -> None:
    with pytest.raises(Silence, match=words):
        await read(inner, timeouts)


async def test_the_first_byte_has_one_limit_for_head_and_body_together() -> None:
    with pytest.raises(Silence, match="first byte"):
        await read(Slow(0.15, [0.15]), Timeouts(first_byte=0.2))


async def test_a_slow_reader_is_not_the_providers_silence() -> None:
    transport = WatchedTransport(RecordedBody(BODY, chunk=9), Timeouts(between_bytes=0.05))
    async with (
        httpx2.AsyncClient(transport=transport) as client,
        client.stream("GET", "http://provider.invalid/") as response,
    ):
        pieces: list[bytes] = []
        async for piece in response.aiter_bytes():
            if len(pieces) < 3:
                await asyncio.sleep(0.08)
            pieces.append(piece)
    assert b"".join(pieces) == BODY


async def test_a_timeout_of_the_network_is_not_taken_for_ours() -> None:
    class Failing(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            raise TimeoutError("the system's own")

    with pytest.raises(TimeoutError, match="the system's own"):
        await read(Failing())


async def test_closing_the_response_closes_the_inner_one() -> None:
    slow = Slow(0, [0, 9])
    transport = WatchedTransport(slow, Timeouts())
    async with (
        httpx2.AsyncClient(transport=transport) as client,
        client.stream("GET", "http://provider.invalid/") as response,
    ):
        assert await anext(response.aiter_bytes()) == b"piece\n"
    assert slow.closed


async def test_a_line_without_an_end_is_stopped_with_both_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transports, "MAX_LINE_BYTES", 20)
    assert await read(RecordedBody(b"x" * 20 + b"\n" + b"y" * 20 + b"\n", chunk=3))
    with pytest.raises(EndlessLine, match="a line of 21 bytes, 20 at most"):
        await read(RecordedBody(b"ok\n" + b"x" * 40, chunk=3))


class TestTap:
    async def test_has_a_sink_for_each_response(self) -> None:
        taken: list[list[bytes]] = []

        def tap() -> transports.Sink:
            taken.append([])
            return taken[-1].append

        recorded = RecordedBody(BODY, chunk=4)
        await read(recorded, tap=tap)
        await read(recorded, tap=tap)
        assert [b"".join(pieces) for pieces in taken] == [BODY, BODY]
        assert [pieces.index(b"") for pieces in taken] == [len(pieces) - 1 for pieces in taken]

    async def test_has_what_came_before_a_break(self) -> None:
        taken: list[bytes] = []
        with pytest.raises(Silence):
            await read(Slow(0, [0, 9]), Timeouts(between_bytes=0.05), lambda: taken.append)
        assert taken == [b"piece\n"], "without an end"

    async def test_never_sees_the_body_of_an_error(self) -> None:
        taken: list[bytes] = []
        refused = RecordedBody(b"no such key: sk-canary", status=401)
        async with http_client(Timeouts(), refused, lambda: taken.append) as client:
            response = await client.get("http://provider.invalid/")
        assert b"sk-canary" in response.content
        assert taken == []


async def test_a_compressed_body_is_decoded_once() -> None:
    headers = {"content-encoding": "gzip"}
    with StubServer([Plan(gzip.compress(BODY), headers=headers, chunk=5)]) as server:
        async with http_client(Timeouts()) as client:
            response = await client.get(server.url)
    assert response.content == BODY
    assert "content-encoding" not in response.headers


async def test_a_redirect_is_not_followed_with_the_key() -> None:
    with StubServer([Plan(b"", 307, headers={"location": "http://127.0.0.1:9/"})]) as server:
        async with http_client(Timeouts()) as client:
            response = await client.post(server.url, headers={"x-api-key": "k"})
    assert response.status_code == 307
    assert len(server.received) == 1


async def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer([Plan(b"by the proxy", content_type="text/plain")]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        async with http_client(Timeouts()) as client:
            response = await client.get("http://provider.invalid/v1")
    assert response.text == "by the proxy"
    assert proxy.received[0].path == "http://provider.invalid/v1"


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
async def test_a_lost_connection_is_the_networks_error(ending: Ending) -> None:
    with StubServer([Plan(BODY, cut=30, chunk=10, ending=ending)]) as server:
        async with http_client(Timeouts()) as client:
            with pytest.raises(httpx2.TransportError):
                await client.get(server.url)


async def test_connecting_has_its_own_limit() -> None:
    seen: list[dict[str, float | None]] = []

    class Noting(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            seen.append(request.extensions["timeout"])
            return httpx2.Response(200)

    async with http_client(Timeouts(connect=3, first_byte=7), Noting()) as client:
        await client.get("http://provider.invalid/")
    assert seen == [{"connect": 3, "read": None, "write": 7, "pool": 7}]
