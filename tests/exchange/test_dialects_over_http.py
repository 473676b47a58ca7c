"""The whole program over real HTTP, in each dialect: a provider that serves, breaks, or refuses."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import assemble
from app.display.view import CallView, ConversationView, NoticeView, TextView, TurnView
from app.settings import read_settings
from app.tools.registry import CallContext, Registry
from app.web.service import Conversations
from tests.providers.history_rules import assert_valid_history
from tests.providers.recordings import OWN
from tests.providers.stub_server import Ending, Plan, StubServer

OWNER = "owner-1"
CALLS = {
    "anthropic-messages": "text-then-call.sse",
    "openai-chat": "text-then-call.sse",
    "openai-responses": "one-call.sse",
    "gemini": "one-call.sse",
    "ollama": "thinking-then-call.ndjson",
}
TEXTS = {
    "anthropic-messages": "text-only.sse",
    "openai-chat": "text-only.sse",
    "openai-responses": "text.sse",
    "gemini": "text.sse",
    "ollama": "text.ndjson",
}
PATHS = {"openai-chat": "/v1", "openai-responses": "/v1"}

ran: list[str] = []
"""Ids of the calls that ran; a test clears it first."""


def tools() -> Registry:
    """The tools that the recordings call, each of which only notes that it ran."""
    registry = Registry()

    @registry.tool("f")
    def f(context: CallContext, x: int = 0) -> str:
        ran.append(context.call_id)
        return f"f of {x}"

    @registry.tool("look_up_invoice")
    def look_up_invoice(context: CallContext, invoice_number: str = "") -> str:
        ran.append(context.call_id)
        return f"invoice {invoice_number}"

    return registry


def plan(dialect: str, name: str, **more: Any) -> Plan:
    kind = "application/x-ndjson" if dialect == "ollama" else "text/event-stream"
    return Plan((OWN / dialect / name).read_bytes(), content_type=kind, **more)


@dataclass
class Program:
    conversations: Conversations
    conversation: str
    server: StubServer

    async def say(self) -> ConversationView:
        await self.conversations.send(OWNER, self.conversation, "hello")
        async with asyncio.timeout(60):
            while (view := await self.view()).open_exchange is not None:
                await asyncio.sleep(0.02)
        return view

    async def view(self) -> ConversationView:
        return (await self.conversations.view(OWNER, self.conversation))[0]


@asynccontextmanager
async def program(
    folder: Path, dialect: str, plans: Sequence[Plan], **settings: str
) -> AsyncGenerator[Program]:
    ran.clear()
    (folder / "maps").mkdir()
    with StubServer(plans) as server:
        environment = {
            "FORMWORK_MODEL": f"{dialect}:m",
            "FORMWORK_BASE_URL": server.url + PATHS.get(dialect, ""),
            "FORMWORK_API_KEY": "sk-canary-key",
            "FORMWORK_DATA": str(folder / "data"),
            "FORMWORK_FIELD_MAPS": str(folder / "maps"),
            "FORMWORK_TOOLS": f"{__name__}:tools",
            "FORMWORK_RETRY_WAIT_S": "5",
            **settings,
        }
        async with assemble(read_settings(environment)) as services:
            conversations = services.conversations
            yield Program(conversations, await conversations.create(OWNER), server)


def entries(view: ConversationView) -> list[TurnView | NoticeView]:
    return [entry for exchange in view.exchanges.values() for entry in exchange.entries.values()]


def states(view: ConversationView) -> list[tuple[str, str | None]]:
    return [
        (item.state.value, item.reason)
        for entry in entries(view)
        if isinstance(entry, TurnView)
        for item in entry.items.values()
        if isinstance(item, CallView)
    ]


def notices(view: ConversationView) -> list[str]:
    return [entry.kind.value for entry in entries(view) if isinstance(entry, NoticeView)]


def texts(view: ConversationView) -> list[str]:
    return [
        item.text
        for entry in entries(view)
        if isinstance(entry, TurnView)
        for item in entry.items.values()
        if isinstance(item, TextView)
    ]


@pytest.mark.parametrize("chunk", [None, 7])
@pytest.mark.parametrize("dialect", CALLS)
async def test_a_call_runs_and_its_result_goes_back(
    dialect: str, chunk: int | None, tmp_path: Path
) -> None:
    plans = [plan(dialect, CALLS[dialect], chunk=chunk), plan(dialect, TEXTS[dialect])]
    async with program(tmp_path, dialect, plans) as running:
        view = await running.say()
        assert [state for state, _ in states(view)] == ["done"]
        assert len(ran) == 1
        assert notices(view) == []
        assert texts(view)[-1]
        body = running.server.received[-1].json
        assert_valid_history(dialect, body)


@pytest.mark.parametrize("ending", [Ending.DROPPED, Ending.RESET])
@pytest.mark.parametrize("dialect", CALLS)
async def test_a_connection_that_breaks_runs_nothing_and_the_next_message_works(
    dialect: str, ending: Ending, tmp_path: Path
) -> None:
    whole = plan(dialect, CALLS[dialect])
    broken = replace(whole, cut=len(whole.body) * 2 // 3, ending=ending)
    plans = [broken, broken, broken, plan(dialect, TEXTS[dialect])]
    broken_left = plans[1:]
    async with program(
        tmp_path, dialect, plans, FORMWORK_REGENERATIONS="2", FORMWORK_API_RETRIES="0"
    ) as running:
        view = await running.say()
        assert ran == []
        assert {state for state, _ in states(view)} <= {"not_run"}
        assert notices(view)
        for _ in broken_left:
            view = await running.say()
        assert texts(view)[-1]
        assert_valid_history(dialect, running.server.received[-1].json)


@pytest.mark.parametrize("dialect", CALLS)
async def test_a_key_that_is_not_accepted_is_told_without_the_key(
    dialect: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    refused = Plan(
        b'{"error":{"type":"authentication_error","message":"invalid x-api-key sk-canary-key"}}',
        status=401,
        content_type="application/json",
    )
    async with program(tmp_path, dialect, [refused]) as running:
        view = await running.say()
        assert notices(view) == ["provider_failed"]
        assert len(running.server.received) == 1
        assert "sk-canary-key" not in repr(view)
        assert "sk-canary-key" not in caplog.text


@pytest.mark.parametrize("dialect", CALLS)
async def test_a_rate_limit_is_waited_for_as_the_provider_asks(
    dialect: str, tmp_path: Path
) -> None:
    busy = Plan(
        b'{"error":{"type":"rate_limit_error","message":"slow down"}}',
        status=429,
        content_type="application/json",
        headers={"retry-after": "0"},
    )
    plans = [busy, plan(dialect, TEXTS[dialect])]
    async with program(tmp_path, dialect, plans) as running:
        view = await running.say()
        assert notices(view) == ["waiting_to_retry"]
        assert texts(view)[-1]
