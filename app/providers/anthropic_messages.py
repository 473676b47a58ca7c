"""The dialect ``anthropic-messages``, through the official SDK's raw server-sent events.

The SDK sends the request and splits the body into events; its accumulated snapshot is never
read, and the JSON of an event is read here, with exact numbers.

What announces a call
    ``content_block_start`` with a ``tool_use`` block; or a ``tool_use`` block within
    ``message_start.message.content``, which then is there whole (programmatic tool calling).
What carries its fragments
    ``input_json_delta.partial_json``. The first is usually empty and means nothing. A call
    without any means ``{}``, unless its ``input`` stood in the start already: that one is an
    object on the wire and stays one.
Its completion event
    ``content_block_stop``. It comes for a call that ``max_tokens`` cut off as well: it says that
    the call has ended, not that it is usable.
What ends the turn well
    ``stop_reason`` (in ``message_delta``, or in ``message_start`` for a whole message) is
    ``end_turn``, ``tool_use`` or ``stop_sequence``, and then ``message_stop``. ``pause_turn`` is
    a good end of a turn that the provider wants sent back to go on.
Every other end
    ``max_tokens``, ``model_context_window_exceeded``: truncated. ``refusal``: refused. An unknown
    reason, none, a call still open at ``message_stop``, or a body that ends before it:
    incomplete. An ``error`` event: a provider failure by its type.
Where ids come from
    The ``id`` of the block. It goes back in ``tool_use.id`` and ``tool_result.tool_use_id``.
What history it wants back
    The assistant's blocks in their order: text with its citations, ``thinking`` with its
    signature and ``redacted_thinking`` untouched, the provider's own work
    (``server_tool_use``, ``mcp_tool_use``) and its results, ``tool_use`` with its input; then one
    user message that begins with one ``tool_result`` for each call.

A fragment after the end of its call, an index used twice, two different stop reasons, or a start
input that differs from the fragments make the turn unusable (``ProtocolFault``). Keep-alives,
unknown events and unknown blocks are skipped and told (``ProtocolWarning``).

The provider holds each top-level value back until it is whole and valid, unless a tool asks for
``eager_input_streaming``; asked for where a tool shows a field as it is written.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from anthropic import AsyncAnthropic, AsyncStream

from app.calls.events import Event
from app.providers.anthropic_history import DIALECT, request_body
from app.providers.anthropic_turn import TurnReader, WireEvent
from app.providers.provider import FailureKind, ProviderFailure, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.streaming import run_turn
from app.providers.transports import http_client, http_timeout

NO_KEY = "no API key: set FORMWORK_API_KEY or ANTHROPIC_API_KEY"


class AnthropicMessages:
    """A :class:`~app.providers.provider.Provider` of the dialect ``anthropic-messages``."""

    dialect = DIALECT
    needs_call_ids = True

    def __init__(self, spec: ProviderSpec, client: AsyncAnthropic) -> None:
        self._spec = spec
        self._client = client

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        secrets = self._spec.secrets
        return run_turn(lambda: self._open(request), TurnReader(secrets), secrets)

    async def close(self) -> None:
        await self._client.close()

    @asynccontextmanager
    async def _open(self, request: TurnRequest) -> AsyncGenerator[AsyncIterator[WireEvent], None]:
        if not _has_credentials(self._client):
            raise ProviderFailure(FailureKind.AUTHENTICATION, NO_KEY)
        body: dict[str, Any] = request_body(
            self._spec.model, request, eager_input_streaming=self._spec.eager_input_streaming
        )
        stream = await self._client.messages.create(stream=True, **body)
        try:
            yield AsyncStream.raw_events(stream.response)
        finally:
            await stream.close()


def _has_credentials(client: AsyncAnthropic) -> bool:
    # The SDK would say so by a TypeError in the middle of its request.
    given = {name.lower() for name in client.default_headers}
    return bool(
        client.api_key
        or client.auth_token
        or client.credentials
        or given & {"x-api-key", "authorization"}
    )


def make(
    spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
) -> AnthropicMessages:
    """The provider; ``transport`` stands in for the network, and then no key is needed."""
    client = AsyncAnthropic(
        api_key=spec.api_key or ("none" if transport is not None else None),
        base_url=spec.base_url,
        timeout=http_timeout(spec.timeouts),
        max_retries=0,  # a retry is the exchange's, on screen
        open_telemetry=False,  # spans are ours, and hold no values
        http_client=http_client(spec.timeouts, transport, spec.tap),
    )
    return AnthropicMessages(spec, client)
