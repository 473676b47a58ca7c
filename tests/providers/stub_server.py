"""A real HTTP server on 127.0.0.1 that plays the provider: any body, any timing, any way to end.

It speaks plain HTTP/1.1 over sockets of its own, so that it can do what no server framework lets
one do: stop in the middle of a chunk, reset the connection, or say nothing at all. It knows no
dialect.
"""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from types import TracebackType
from typing import Any

from app.calls.exact_json import load_exact
from app.providers.demo_typing import gaps


class Ending(Enum):
    """What happens after the last byte of the plan."""

    WHOLE = "the response ends as HTTP wants it"
    DROPPED = "the connection closes without the end of the response"
    RESET = "the connection is reset (RST)"
    SILENT = "nothing more comes, and the connection stays open"


@dataclass(frozen=True, slots=True)
class Plan:
    """One response.

    ``cut`` ends the body after so many bytes. ``chunk``: bytes per network write; None writes an
    event (a line of JSON, where there are no events) at a time. ``pace``: a factor on pauses like
    a real provider's (median 11 ms) between writes; 0 sends at once. ``late_s``: seconds before
    the head.
    """

    body: bytes
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: int | None = None
    chunk: int | None = None
    pace: float = 0.0
    seed: int = 0
    ending: Ending = Ending.WHOLE
    late_s: float = 0.0

    def pieces(self) -> Iterator[bytes]:
        body = self.body if self.cut is None else self.body[: self.cut]
        if self.chunk is None:
            yield from _events(body)
        else:
            for start in range(0, len(body), self.chunk):
                yield body[start : start + self.chunk]


def _events(body: bytes) -> Iterator[bytes]:
    end = b"\r\n\r\n" if b"\r\n\r\n" in body else b"\n\n" if b"\n\n" in body else b"\n"
    *events, rest = body.split(end)
    for one in events:
        yield one + end
    if rest:
        yield rest


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return load_exact(self.body.decode())


Plans = Sequence[Plan] | Callable[[Received], Plan]


class StubServer:
    """``with StubServer(plans) as server``: the plans are served in turn, the last one for ever.

    A function of the request may stand for the list. ``received`` holds the requests; ``left``
    counts clients that went away before their response was over.
    """

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._served = 0
        self.received: list[Received] = []
        self.left = 0
        self.port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "StubServer":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._loop is not None
        assert self._stopping is not None
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        for writer in self._open:
            writer.transport.abort()
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                self.received.append(request)
                if not await self._answer(self._plan(request), reader, writer):
                    return
        except ConnectionError:
            self.left += 1
        finally:
            self._open.discard(writer)
            writer.close()

    def _plan(self, request: Received) -> Plan:
        if callable(self._plans):
            return self._plans(request)
        plan = self._plans[min(self._served, len(self._plans) - 1)]
        self._served += 1
        return plan

    async def _answer(
        self, plan: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection can serve another request."""
        await asyncio.sleep(plan.late_s)
        writer.write(_head(plan))
        wait = gaps(Random(plan.seed))
        for piece in plan.pieces():
            if plan.pace:
                await asyncio.sleep(next(wait) * plan.pace)
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            if reader.at_eof():
                raise ConnectionResetError("the client went away")
        return await self._end(plan, reader, writer)

    async def _end(
        self, plan: Plan, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        match plan.ending:
            case Ending.WHOLE:
                writer.write(b"0\r\n\r\n")
                await writer.drain()
                return True
            case Ending.RESET:
                raw: socket.socket = writer.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            case Ending.SILENT:
                await reader.read()
                raise ConnectionResetError("the client went away")
            case Ending.DROPPED:
                pass
        return False


async def _read(reader: asyncio.StreamReader) -> Received | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, colon, value in (line.partition(":") for line in lines)
        if colon
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body)


def _head(plan: Plan) -> bytes:
    headers = {
        "content-type": plan.content_type,
        "transfer-encoding": "chunked",
        **plan.headers,
    }
    lines = [f"HTTP/1.1 {plan.status} stub", *(f"{name}: {v}" for name, v in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
