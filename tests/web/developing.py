"""A whole server of its own, in process, with what a person or a developer would do at it."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from fastapi import FastAPI

from app.bootstrap import assemble
from app.settings import read_settings
from app.web.application import create_app
from app.web.service import WebServices

TOKENS = {"developer": "a developer's token", "operator": "an operator's token"}
TICKET = "Open a ticket: the March invoice run failed"
REFUND = "Refund €1,250 on invoice INV-2026-0312"
BREAKS = "Let the connection break in mid-call"


@dataclass
class House:
    app: FastAPI
    services: WebServices

    @asynccontextmanager
    async def visitor(self, *roles: str) -> AsyncGenerator[httpx2.AsyncClient]:
        """A browser's session, signed in to roles."""
        transport = httpx2.ASGITransport(self.app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as client:
            for role in roles:
                answer = await client.post("/sign-in", data={"token": TOKENS[role], "name": "Ada"})
                assert answer.status_code == 303
            yield client


@asynccontextmanager
async def house(folder: Path, *, view: bool = True, **more: str) -> AsyncGenerator[House]:
    """``view`` is the flag."""
    settings = {
        "DATA": str(folder),
        "DEVELOPER_VIEW": "1" if view else "0",
        "DEVELOPER_TOKEN": TOKENS["developer"],
        "OPERATOR_TOKEN": TOKENS["operator"],
        "SECRET_KEY": "a key of tests",
        "DEMO_SEED": "3",
        "DEMO_PACE": "0",
        **more,
    }
    named = {f"FORMWORK_{name}": value for name, value in settings.items()}
    async with assemble(read_settings(named)) as services:
        yield House(create_app(services), services)


async def say(client: httpx2.AsyncClient, message: str) -> str:
    """Begin a conversation and wait for its end; its id."""
    answer = await client.post("/", data={"message": message})
    place = answer.headers["location"]
    async with asyncio.timeout(20):
        while "name=stop" in (await client.get(place)).text:
            await asyncio.sleep(0.02)
    return place.removeprefix("/c/")


async def developed(client: httpx2.AsyncClient, conversation: str) -> str:
    """The page of a conversation, once all of it has been kept."""
    async with asyncio.timeout(20):
        while True:
            page = (await client.get(f"/developer/{conversation}")).text
            if "is under way" not in page and "Exchange 1 · open" not in page and "gate" in page:
                return page
            await asyncio.sleep(0.05)


def links(page: str, last: str) -> list[str]:
    """Addresses on a page whose last part is this."""
    found = re.findall(r'href="(/developer/[^"]+)"', page)
    return [each for each in found if each.split("?")[0].endswith(f"/{last}")]
