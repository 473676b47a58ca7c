"""A scripted server on a port of its own and a real Chromium."""

import asyncio
import shutil
import socket
import threading
from collections.abc import Coroutine, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from sse_starlette.sse import AppStatus

from app.display.updates import Update
from app.web.access import Access
from app.web.application import create_app
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import SCRIPTS

PATIENCE_MS = 30_000
"""How long a page is waited for: a bound on a hang, not on the time that it takes. A provider's
pace has gaps of a second, and one slowed down tenfold has them of ten."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright keeps a loop running, beside which no other can."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@dataclass(slots=True)
class Scripted:
    """A running server and the conversations behind it."""

    address: str
    conversations: ScriptedConversations
    _loop: asyncio.AbstractEventLoop

    def play(self, conversation: str, updates: Sequence[Update]) -> None:
        """Let something happen in the server."""

        async def play() -> None:
            self.conversations.play(conversation, updates)

        self.run(play())

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)


@pytest.fixture(scope="session")
def browser() -> Generator[Browser, None, None]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def server() -> Generator[Scripted, None, None]:
    with scripted_server() as running:
        yield running


@contextmanager
def scripted_server(
    locale: str = "en", access: Access | None = None
) -> Generator[Scripted, None, None]:
    conversations = ScriptedConversations(SCRIPTS, list(SCRIPTS))
    services = replace(conversations.services(), locale=locale)
    if access is not None:
        services = replace(services, access=access)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            create_app(services),
            log_level="error",
            timeout_graceful_shutdown=3,
            lifespan="on",
        )
        uvicorn_server = uvicorn.Server(config)
        ready = threading.Event()
        loops: list[asyncio.AbstractEventLoop] = []

        async def serve() -> None:
            loops.append(asyncio.get_running_loop())
            ready.set()
            await uvicorn_server.serve([listener])

        thread = threading.Thread(target=asyncio.run, args=(serve(),))
        thread.start()
        assert ready.wait(10)
        yield Scripted(f"http://127.0.0.1:{port}", conversations, loops[0])
        # What a signal does in a process of its own; streams end by it (and it is process-wide).
        AppStatus.should_exit = True
        uvicorn_server.should_exit = True
        thread.join(15)
        AppStatus.should_exit = False
        assert not thread.is_alive()


@pytest.fixture
def context(browser: Browser) -> Generator[BrowserContext, None, None]:
    made = browser.new_context(viewport={"width": 1000, "height": 700})
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Generator[Page, None, None]:
    """A page whose console must stay free of errors and of breaches of the page policy."""
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: faults.append(message.text) if message.type == "error" else None,
    )
    yield opened
    assert not faults
