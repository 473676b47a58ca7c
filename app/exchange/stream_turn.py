"""Streams one turn from a provider through a live turn: the one path, live or replayed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from app.calls.events import Event
from app.calls.turn import FinishedTurn
from app.display.live_turn import LiveTurn
from app.display.updates import Update
from app.exchange.stopping import StopSignal
from app.providers.provider import Provider, TurnRequest

Sink = Callable[[Sequence[Update]], Awaitable[None]]
Watch = Callable[[Event], None]


async def stream_turn(
    provider: Provider,
    request: TurnRequest,
    live: LiveTurn,
    sink: Sink,
    stop: StopSignal,
    watch: Watch | None = None,
) -> FinishedTurn:
    """Run one request to the end of its stream, a stop, or a limit that it passes.

    Raises the provider's failure. However it ends, the provider's stream is closed first.
    """
    reading = asyncio.create_task(_read(provider, request, live, sink, watch))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        if not reading.done():
            reading.cancel()
            await asyncio.wait({reading})
    if not reading.cancelled():
        reading.result()
    return live.finish()


async def _read(
    provider: Provider,
    request: TurnRequest,
    live: LiveTurn,
    sink: Sink,
    watch: Watch | None,
) -> None:
    events = provider.stream(request)
    try:
        async for event in events:
            updates = live.take(event)
            if watch is not None:
                watch(event)
            if updates:
                await sink(updates)
            if live.turn.overfull:
                return
    finally:
        await events.aclose()
