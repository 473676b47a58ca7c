"""A registry whose one tool takes its time: it ends when it is asked to, or after half a minute."""

import asyncio

from app.calls.json_types import JsonObject
from app.tools.registry import CallContext, Registry, ToolFault

LONGEST_S = 30.0
STEP_S = 0.05


def tools() -> Registry:
    """``FORMWORK_TOOLS=tests.browser.slow_tools:tools``."""
    registry = Registry()

    @registry.tool("create_ticket")
    async def create_ticket(
        context: CallContext, project: str, title: str, priority: str, description: str = ""
    ) -> JsonObject:
        """Open a ticket, slowly."""
        for _ in range(round(LONGEST_S / STEP_S)):
            if context.cancelled.is_set():
                raise ToolFault("The tracker was told to stop before the ticket was opened.")
            await asyncio.sleep(STEP_S)
        return {"ticket_id": "TICK-1"}

    return registry
