"""OpenAI's SDK as both of its dialects use it: it sends, signs and reports errors, no more."""

import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
from openai import AsyncOpenAI, BadRequestError, UnprocessableEntityError

from app.providers.provider import FailureKind, ProviderFailure
from app.providers.spec import ProviderSpec
from app.providers.transports import http_client, http_timeout

Body = AbstractAsyncContextManager[AsyncIterator[bytes]]

NO_KEY = "no API key: set FORMWORK_API_KEY or OPENAI_API_KEY"

_NO_KEY = "none"
"""A server of one's own often has no key, and the SDK insists on one."""


def openai_client(
    spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
) -> AsyncOpenAI:
    return AsyncOpenAI(
        api_key=spec.api_key or os.environ.get("OPENAI_API_KEY") or _NO_KEY,
        base_url=spec.base_url,
        max_retries=0,  # a retry is the exchange's, on screen
        timeout=http_timeout(spec.timeouts),
        http_client=http_client(spec.timeouts, transport, spec.tap),
    )


def is_official(client: AsyncOpenAI) -> bool:
    """Whether the client speaks to OpenAI itself, or to Azure's copy of it."""
    return client.base_url.host.endswith((".openai.com", ".azure.com"))


@asynccontextmanager
async def sent(
    client: AsyncOpenAI,
    send: Callable[[], Body],
    adapt: Callable[[str], bool],
    *,
    replayed: bool,
) -> AsyncGenerator[AsyncIterator[bytes]]:
    """The bytes of the answer. ``send`` is asked again while ``adapt`` can meet a refusal.

    ``adapt`` gets the message of a server that refused the request's form, and tells whether it
    changed something. That is no retry: the server has not begun to answer, and each habit of a
    server is learned once.
    """
    if client.api_key == _NO_KEY and is_official(client) and not replayed:
        raise ProviderFailure(FailureKind.AUTHENTICATION, NO_KEY)
    while True:
        try:
            async with send() as body:
                yield body
                return
        except (BadRequestError, UnprocessableEntityError) as refusal:
            if not adapt(refusal.message):
                raise
