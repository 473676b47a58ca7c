"""A client of the scripted application."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from typing import Any

from starlette.testclient import TestClient

from app.web.application import create_app
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import SCRIPTS


@contextmanager
def client(
    conversations: ScriptedConversations | None = None, locale: str = "en"
) -> Generator[TestClient, None, None]:
    """A browser's session with the scripted application."""
    scripted = conversations or ScriptedConversations(SCRIPTS, ["Archive the report"])
    application = create_app(replace(scripted.services(), locale=locale))
    with TestClient(application, follow_redirects=False) as session:
        yield session


def begin(session: TestClient, message: str) -> str:
    """Send a first message; the address of its conversation."""
    answer = session.post("/", data={"message": message})
    assert answer.status_code == 303
    return answer.headers["location"]


def stream_address(page: str) -> str:
    """Where a page follows its conversation."""
    found = re.search(r'hx-sse:connect="([^"]*)"', page)
    assert found
    return unescape(found[1])


def messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Events of a stream as htmx reads them; ``data`` is absent where none was sent."""
    event: dict[str, Any] = {}
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if event:
                yield event
            event = {}
        elif name == "data" and "data" in event:
            event["data"] += "\n" + value
        elif name:
            event[name] = value
