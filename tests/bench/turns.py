"""The turns that are measured in a browser, and the provider on loopback that writes them."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from app.providers.demo_typing import fragments
from tests.providers.stub_server import Plan, Received
from tests.providers.wire_shorthand import anthropic as wire
from tests.web.scripts import EMAIL_TEXT, TICKET_TEXT

TICKET: dict[str, Any] = {
    "project": "BILLING",
    "title": "March invoice run failed",
    "priority": "high",
    "description": TICKET_TEXT,
}
EMAIL: dict[str, Any] = {
    "to": "ada@example.com",
    "subject": "Your March invoice",
    "body": EMAIL_TEXT,
}


@dataclass(frozen=True, slots=True)
class Turn:
    """The message that asks for a call, and the call, in how many fragments (None: any)."""

    message: str
    tool: str
    arguments: dict[str, Any]
    count: int | None = None

    def body(self) -> bytes:
        text = json.dumps(self.arguments, ensure_ascii=False)
        pieces = fragments(text, Random(7), self.count)
        return b"".join(
            [
                wire.start(),
                wire.call(0, f"toolu_{self.tool}", self.tool),
                *(wire.piece(0, piece) for piece in pieces),
                wire.end(0),
                wire.reason("tool_use"),
                wire.STOP,
            ]
        )


TURNS = {
    "ticket": Turn("Open a ticket", "create_ticket", TICKET, 47),
    "e-mail": Turn("Send an e-mail", "send_email", EMAIL),
}


@dataclass(frozen=True, slots=True)
class _Timed(Plan):
    """Notes when the first fragment of a call had been written."""

    def pieces(self) -> Iterator[bytes]:
        # Spelled out: a class with slots is made anew, and loses what super() goes by.
        for piece in Plan.pieces(self):
            yield piece
            if b"content_block_start" in piece:
                Provider.named_at = time.time()


class Provider:
    """A call for a message that asks for one, a short text for everything else."""

    named_at = 0.0
    """When the last call's name had been written to the wire: Unix time in seconds."""

    def __call__(self, request: Received) -> Plan:
        content = request.json["messages"][-1]["content"]
        said = content if isinstance(content, str) else content[0].get("text", "")
        for turn in TURNS.values():
            if said.startswith(turn.message):
                return _Timed(turn.body(), pace=1.0, seed=5)
        text = [wire.block(0, "text", text=""), wire.text(0, "That is done."), wire.end(0)]
        return Plan(b"".join([wire.start(), *text, wire.reason("end_turn"), wire.STOP]), pace=1.0)
