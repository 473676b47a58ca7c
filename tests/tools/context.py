"""A call's context for tests."""

import asyncio
import time

from app.tools.registry import CallContext


def context(call_id: str = "turn-1", *, cancelled: bool = False) -> CallContext:
    """The context of a call that has a minute left."""
    event = asyncio.Event()
    if cancelled:
        event.set()
    return CallContext(
        call_id=call_id,
        user="ada",
        conversation="c-1",
        idempotency_key=call_id,
        cancelled=event,
        deadline=time.monotonic() + 60,
    )
