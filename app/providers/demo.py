"""The demo model: a script behind an in-process HTTP transport, no key and no network.

It reads request bodies and answers with server-sent events like the provider whose dialect it
speaks; the adapter and the SDK that a real key would use are the ones that read it.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from random import Random

import httpx2

from app.providers import anthropic_messages
from app.providers.demo_script import answer
from app.providers.demo_wire import Broken, NoMessage, body_of, situation_of
from app.providers.payload import as_integer, as_object
from app.providers.provider import Provider, Timeouts
from app.providers.spec import ProviderSpec
from app.providers.transports import ByteStream, Tap
from app.providers.wire_json import UnreadableJson, read

UNLIMITED_TOKENS = 4096
"""What a turn that runs into the limit reports when the request named none."""


def make_demo(
    seed: int,
    pace: float = 1.0,
    *,
    timeouts: Timeouts | None = None,
    tap: Tap | None = None,
) -> Provider:
    """The demo model. ``pace`` is a factor on its pauses; 0 types at once.

    The same seed types the same answer to the same request body, pauses and ids included.
    """
    spec = ProviderSpec(
        "anthropic-messages",
        "demo",
        base_url="http://demo.invalid",
        api_key="demo",
        timeouts=timeouts or Timeouts(),
        tap=tap,
    )
    return anthropic_messages.make(spec, DemoTransport(seed, pace))


class DemoTransport(httpx2.AsyncBaseTransport):
    """Answers ``POST /v1/messages`` from the script."""

    def __init__(self, seed: int, pace: float = 1.0) -> None:
        self._seed = seed
        self._pace = pace

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        content = await request.aread()
        try:
            body = as_object(read(content))
            situation = situation_of(body)
        except (UnreadableJson, NoMessage) as error:
            return _refused(str(error))
        digest = hashlib.sha256(content).hexdigest()
        random = Random(f"{self._seed}:{digest}")  # noqa: S311 - typing, not a secret
        max_tokens = as_integer(body.get("max_tokens")) or UNLIMITED_TOKENS
        pieces = body_of(answer(situation), random, max_tokens)
        return httpx2.Response(
            200,
            headers={"content-type": "text/event-stream; charset=utf-8"},
            stream=ByteStream(self._typed(pieces, request)),
        )

    async def _typed(
        self, pieces: Iterator[tuple[float, bytes]], request: httpx2.Request
    ) -> AsyncIterator[bytes]:
        try:
            for gap, piece in pieces:
                # Even without a pause the loop gets its turn, as it would between packets.
                await asyncio.sleep(gap * self._pace)
                yield piece
        except Broken:
            raise httpx2.ReadError("the connection was reset", request=request) from None


def _refused(reason: str) -> httpx2.Response:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": reason}}
    return httpx2.Response(
        400, headers={"content-type": "application/json"}, content=json.dumps(error)
    )
