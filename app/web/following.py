"""Following something that has no end of its own, until the server stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeVar

import anyio

T = TypeVar("T")


async def until_stopped(source: AsyncIterator[T], stopping: anyio.Event) -> AsyncGenerator[T, None]:
    """What the source gives, until it ends or the server stops; the source is closed then."""
    stopped = asyncio.ensure_future(stopping.wait())
    step: asyncio.Future[T] | None = None
    try:
        while True:
            step = asyncio.ensure_future(anext(source))
            await asyncio.wait({step, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                return
            try:
                found = step.result()
            except StopAsyncIteration:
                return
            yield found
    finally:
        stopped.cancel()
        if step is not None:
            step.cancel()
            await asyncio.wait({step})
        if isinstance(source, AsyncGenerator):
            await source.aclose()
