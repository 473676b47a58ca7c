"""HTTP transports: a recorded body, and the watch that stands before every live one.

They speak ``httpx2``, as the SDKs of Anthropic, OpenAI and Google do. :mod:`app.providers.sdk_body`
takes them to an SDK that speaks ``httpx``.

The watch gives what no SDK gives: idle timeouts that count bytes (a ping is a byte), an end to a
line that does not end, and a tap on the response's bytes. What it raises ends the turn as
incomplete (:mod:`app.providers.streaming`). It does not clean the stream: the readers behind it
skip comments, empty events and keep-alives themselves.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import httpx2

from app.providers.provider import Timeouts

T = TypeVar("T")

Sink = Callable[[bytes], None]

Tap = Callable[[], Sink]
"""Called once per good response, within the turn's own task, for a sink of its bytes.

No bytes tell that the body came to its end. The body of an error is not tapped: it may repeat the
key that was refused."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Bytes of a body without a line's end: four times what the arguments of a whole turn may hold.
The SDKs buffer a line without a bound."""


class Silence(Exception):
    """The provider sent nothing for too long, or the turn took too long; the message says which."""


class EndlessLine(Exception):
    """The provider sent a line without an end; the message carries both numbers."""


class RecordedBody(httpx2.AsyncBaseTransport):
    """Answers every request with one recorded body, ``chunk`` bytes at a time (None: at once)."""

    def __init__(
        self,
        body: bytes,
        *,
        chunk: int | None = None,
        content_type: str = "text/event-stream",
        status: int = 200,
    ) -> None:
        self._body = body
        self._chunk = chunk
        self._content_type = content_type
        self._status = status

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(
            self._status,
            headers={"content-type": self._content_type},
            stream=ByteStream(self._pieces()),
        )

    async def _pieces(self) -> AsyncIterator[bytes]:
        step = self._chunk or max(len(self._body), 1)
        for start in range(0, len(self._body), step):
            yield self._body[start : start + step]


class ByteStream(httpx2.AsyncByteStream):
    """A response body from any iterator of bytes; ``close`` is awaited when it is done with."""

    def __init__(
        self, pieces: AsyncIterator[bytes], close: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._pieces = pieces
        self._close = close

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        if self._close is not None:
            await self._close()


class WatchedTransport(httpx2.AsyncBaseTransport):
    """Stands between an SDK and ``inner``: timeouts, the bound on a line, the tap.

    The bytes that a tap sees are the decoded body: a recording, without headers.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        timeouts: Timeouts,
        tap: Tap | None = None,
    ) -> None:
        self._inner = inner
        self._timeouts = timeouts
        self._tap = tap

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        watch = _Watch(self._timeouts)
        response = await watch.next(self._inner.handle_async_request(request))
        # httpx decodes the inner body, so that the tap never meets gzip.
        headers = httpx2.Headers(
            [
                (name, value)
                for name, value in response.headers.multi_items()
                if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
            ]
        )
        return httpx2.Response(
            response.status_code,
            headers=headers,
            stream=ByteStream(self._seen(response, watch), response.aclose),
            extensions=response.extensions,
        )

    def _seen(self, response: httpx2.Response, watch: "_Watch") -> AsyncIterator[bytes]:
        pieces = _watched(response, watch)
        if self._tap is None or not response.is_success:
            return pieces
        return _tapped(pieces, self._tap())

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _tapped(pieces: AsyncIterator[bytes], sink: Sink) -> AsyncIterator[bytes]:
    async for piece in pieces:
        sink(piece)
        yield piece
    sink(b"")


async def _watched(response: httpx2.Response, watch: "_Watch") -> AsyncIterator[bytes]:
    body = response.aiter_bytes()
    line_bytes = 0
    while True:
        try:
            piece = await watch.next(anext(body))
        except StopAsyncIteration:
            return
        watch.heard()
        end = piece.rfind(b"\n") + 1
        line_bytes = len(piece) - end if end else line_bytes + len(piece)
        if line_bytes > MAX_LINE_BYTES:
            raise EndlessLine(f"a line of {line_bytes} bytes, {MAX_LINE_BYTES} at most")
        yield piece


class _Watch:
    """The three timeouts of one request. Only waiting for the provider counts, never for us."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._now = asyncio.get_running_loop().time
        started = self._now()
        self._first_byte_at = started + timeouts.first_byte
        self._over_at = started + timeouts.whole_turn
        self._heard = False

    def heard(self) -> None:
        self._heard = True

    async def next(self, wanted: Awaitable[T]) -> T:
        """What is awaited; raises :class:`Silence` when it takes too long."""
        quiet_at = self._now() + self._timeouts.between_bytes
        patience = quiet_at if self._heard else self._first_byte_at
        limit = asyncio.timeout_at(min(patience, self._over_at))
        try:
            async with limit:
                return await wanted
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise Silence(self._sentence(patience)) from error

    def _sentence(self, patience: float) -> str:
        if self._over_at <= patience:
            return f"the turn took more than {self._timeouts.whole_turn:g} s"
        if self._heard:
            return f"the provider sent nothing for {self._timeouts.between_bytes:g} s"
        return f"the provider sent no first byte within {self._timeouts.first_byte:g} s"


class Network(httpx2.AsyncBaseTransport):
    """The network as a client of its own reaches it: its proxy and certificate settings too.

    A client that is given a transport ignores the proxies of the environment; this one is not.
    """

    def __init__(self) -> None:
        # A redirect would carry the key's header to wherever it points.
        self._client = httpx2.AsyncClient(timeout=None, follow_redirects=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._client.send(request, stream=True)

    async def aclose(self) -> None:
        await self._client.aclose()


def http_client(
    timeouts: Timeouts,
    transport: httpx2.AsyncBaseTransport | None = None,
    tap: Tap | None = None,
) -> httpx2.AsyncClient:
    """A client to hand to an SDK, with the watch in place. ``transport`` replaces the network."""
    return httpx2.AsyncClient(
        transport=WatchedTransport(transport or Network(), timeouts, tap),
        timeout=http_timeout(timeouts),
        follow_redirects=False,
    )


def http_timeout(timeouts: Timeouts) -> httpx2.Timeout:
    """What is left to the HTTP library (and must be given to an SDK that has its own default).

    Reading is the watch's to time: the library would not tell silence from a lost connection.
    """
    return httpx2.Timeout(timeouts.first_byte, connect=timeouts.connect, read=None)
