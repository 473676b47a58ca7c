"""A provider's wire in memory: response bodies in turn, each ended as a test wants it."""

from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx2

from app.calls.exact_json import load_exact
from app.providers.connect import connect
from app.providers.provider import Provider
from app.providers.spec import ProviderSpec
from app.providers.transports import ByteStream
from tests.providers.wire_shorthand import ABSENT, anthropic, chat


class Ending(StrEnum):
    EOF = "the body ends as if it were whole"
    ERROR = "the connection breaks"


@dataclass(frozen=True, slots=True)
class Body:
    data: bytes
    ending: Ending = Ending.EOF


class MemoryWire(httpx2.AsyncBaseTransport):
    """Answers each request with the next body; ``requests`` holds what was asked, in order."""

    def __init__(self, bodies: Iterable[Body] = ()) -> None:
        self.bodies = deque(bodies)
        self.requests: list[Any] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(load_exact((await request.aread()).decode()))
        body = self.bodies.popleft()
        return httpx2.Response(
            200,
            headers={"content-type": "text/event-stream"},
            stream=ByteStream(_pieces(body, request)),
        )


async def _pieces(body: Body, request: httpx2.Request) -> AsyncIterator[bytes]:
    if body.data:
        yield body.data
    if body.ending is Ending.ERROR:
        raise httpx2.ReadError("the connection was reset", request=request)


def over(wire: MemoryWire, dialect: str) -> Provider:
    """The dialect's real adapter over a wire in memory."""
    return connect(ProviderSpec(dialect, "m", api_key="k"), wire)


@dataclass(frozen=True, slots=True)
class CallBody:
    """A turn with one call, in parts: up to its announcement, its fragments, and the end."""

    head: bytes
    fragments: tuple[bytes, ...]
    tail: bytes

    @property
    def unended(self) -> bytes:
        """All of the arguments, and nothing after them."""
        return self.head + b"".join(self.fragments)

    @property
    def whole(self) -> bytes:
        return self.unended + self.tail


def call_body(
    dialect: str,
    name: str,
    arguments: str,
    *,
    size: int = 8,
    identity: str = "id_1",
    stop: str | None = None,
) -> CallBody:
    """``size`` is that of a fragment. ``stop`` replaces the dialect's good reason."""
    pieces = [arguments[start : start + size] for start in range(0, len(arguments), size)]
    if dialect == "anthropic-messages":
        return CallBody(
            anthropic.start()
            + anthropic.block(0, "text", text="")
            + anthropic.text(0, "One moment.")
            + anthropic.end(0)
            + anthropic.call(1, identity, name),
            tuple(anthropic.piece(1, piece) for piece in pieces),
            anthropic.end(1) + anthropic.reason(stop or "tool_use") + anthropic.STOP,
        )
    assert dialect == "openai-chat"
    return CallBody(
        chat.text("One moment.") + chat.call(0, identity, name, ""),
        tuple(chat.call(0, ABSENT, ABSENT, piece) for piece in pieces),
        chat.finish(stop or "tool_calls") + chat.DONE,
    )


def text_body(dialect: str, text: str) -> bytes:
    """A turn that answers with text."""
    if dialect == "anthropic-messages":
        return (
            anthropic.start()
            + anthropic.block(0, "text", text="")
            + anthropic.text(0, text)
            + anthropic.end(0)
            + anthropic.reason("end_turn")
            + anthropic.STOP
        )
    assert dialect == "openai-chat"
    return chat.text(text) + chat.finish("stop") + chat.DONE
