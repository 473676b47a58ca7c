"""The bytes of an answer, past an SDK that has no way to give them.

The SDKs of Google and Ollama decode a streamed answer themselves: decimals into binary floats,
and not at all where a body is not what they expect. So the SDK writes the request, signs it and
reports an error's answer, as ever; of a good answer it gets an empty body, and we read the bytes.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import httpx
import httpx2

from app.providers.provider import Timeouts
from app.providers.transports import ByteStream, Network, Tap, WatchedTransport, http_timeout

Amend = Callable[[bytes], bytes]
"""Takes the request's body as the SDK wrote it, gives the one to send."""

_GONE = ("content-length", "content-encoding", "transfer-encoding")


@dataclass(slots=True)
class _Asked:
    amend: Amend | None
    answer: httpx2.Response | None = None


class SdkBodies:
    """Requests through an SDK. ``transport`` and ``legacy_transport`` are what it sends them by:
    one for an SDK that speaks ``httpx2``, one for an SDK that speaks ``httpx``."""

    def __init__(
        self,
        timeouts: Timeouts,
        network: httpx2.AsyncBaseTransport | None = None,
        tap: Tap | None = None,
    ) -> None:
        self._wire = WatchedTransport(network or Network(), timeouts, tap)
        # An SDK may set its own timeouts in each request, none included.
        self._timeout = http_timeout(timeouts).as_dict()
        self._asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)
        self.transport = _Transport(self)
        self.legacy_transport = _LegacyTransport(self)

    @asynccontextmanager
    async def body(
        self, ask: Callable[[], Awaitable[None]], amend: Amend | None = None
    ) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The bytes of the answer to the one request that ``ask`` makes through the SDK.

        Raises what the SDK raises, for an answer that is an error.
        """
        asked = _Asked(amend)
        before = self._asked.set(asked)
        try:
            await ask()
        finally:
            self._asked.reset(before)
        assert asked.answer is not None, "the SDK reported no error and sent no request"
        try:
            yield asked.answer.aiter_bytes()
        finally:
            await asked.answer.aclose()

    async def close(self) -> None:
        await self._wire.aclose()

    async def fetch(self, request: httpx2.Request) -> httpx2.Response:
        """The answer as the SDK is to see it: without its body if it is a good one."""
        asked = self._asked.get()
        if asked is not None and asked.amend is not None:
            request = _amended(request, asked.amend)
        request.extensions["timeout"] = self._timeout
        answer = await self._wire.handle_async_request(request)
        if asked is None or not answer.is_success:
            return answer
        asked.answer = answer
        headers = [(n, v) for n, v in answer.headers.multi_items() if n.lower() not in _GONE]
        return httpx2.Response(answer.status_code, headers=headers, stream=ByteStream(_nothing()))


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, bodies: SdkBodies) -> None:
        self._bodies = bodies

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._bodies.fetch(request)


class _LegacyTransport(httpx.AsyncBaseTransport):
    """For an SDK that speaks ``httpx``. It only ever gets an empty body or an error's."""

    def __init__(self, bodies: SdkBodies) -> None:
        self._bodies = bodies

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        answer = await self._bodies.fetch(
            httpx2.Request(
                request.method, str(request.url), headers=request.headers.raw, content=content
            )
        )
        try:
            body = b"".join([piece async for piece in answer.aiter_bytes()])
        finally:
            await answer.aclose()
        headers = [(n, v) for n, v in answer.headers.multi_items() if n.lower() not in _GONE]
        return httpx.Response(answer.status_code, headers=headers, content=body)


def _amended(request: httpx2.Request, amend: Amend) -> httpx2.Request:
    headers = [(n, v) for n, v in request.headers.multi_items() if n.lower() not in _GONE]
    return httpx2.Request(
        request.method, request.url, headers=headers, content=amend(request.content)
    )


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""  # a generator that yields nothing is still one
