"""A stream gives exactly what its page lacks, and ends as it should."""

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice
from typing import Any

import anyio
import pytest
from sse_starlette.sse import SendTimeoutError
from starlette.testclient import TestClient
from starlette.types import Message, Scope

from app.calls.states import CallState
from app.display.updates import (
    ExchangeEnded,
    ExchangeOpened,
    MessageKept,
    TextGrew,
    TurnOpened,
    Update,
)
from app.feed.feed import Entry
from app.web.application import create_app
from app.web.fragments import PARTIAL_END
from app.web.identity import Identity
from app.web.sse import OPENING
from app.web.stream import Viewer, follow
from tests.web.clients import begin, client, messages, stream_address
from tests.web.dom import Node, apply_message, parse
from tests.web.scripted import WHEN, Script, ScriptedConversations
from tests.web.scripts import TICKET_FRAME, CallScript

QUIET: dict[str, Script] = {"Hello": lambda _: [(600, [])]}
"""An exchange in which nothing happens but what a test plays."""


def conversation(place: str) -> str:
    return place.rpartition("/")[2]


def exchange_of(session: TestClient, scripted: ScriptedConversations, place: str) -> CallScript:
    """The script of a call in the open exchange of the conversation."""
    return CallScript(scripted.open_exchange(conversation(place)), 0)


def steps(call: CallScript) -> list[list[Update]]:
    return [
        [call.opened(), call.announced("Create ticket", TICKET_FRAME)],
        [call.row(("project",), "Project", "BILLING", place=0)],
        [call.changed(CallState.READY)],
        [call.changed(CallState.RUNNING)],
        [call.changed(CallState.DONE, None, "T-1", 5)],
    ]


def read(session: TestClient, address: str, count: int, **headers: str) -> list[dict[str, Any]]:
    with session.stream("GET", address, headers=headers) as answer:
        assert answer.status_code == 200
        return list(islice(messages(answer.iter_lines()), count))


def page_of(html: str) -> Node:
    body = html.partition("<main>")[2].partition('<div id="feed"')[0]
    asks = html.partition('id="asks">')[2].partition("</p>")[0]
    stop = html.partition('<span id="stop">')[2].partition("</span>")[0]
    heading = body.partition("</h1>")[2]
    return parse(f"{heading}<p id=asks>{asks}</p><span id=stop>{stop}</span><div id=say></div>")


def settle(page: Node) -> str:
    page.by_id("say").children = []
    return page.canonical()


@pytest.mark.parametrize("loaded", range(6))
@pytest.mark.parametrize("missed", range(6))
def test_a_page_catches_up_without_a_duplicate_or_a_gap(loaded: int, missed: int):
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        batches = steps(exchange_of(session, scripted, place))
        for batch in batches[:loaded]:
            scripted.play(conversation(place), batch)
        html = session.get(place).text
        page = page_of(html)
        for batch in batches[loaded : loaded + missed]:
            scripted.play(conversation(place), batch)
        behind = bool(batches[loaded : loaded + missed])
        events = read(session, stream_address(html), 1) if behind else []
        for event in events:
            apply_message(page, event["data"])
        assert settle(page) == settle(page_of(session.get(place).text))


def test_each_message_carries_its_position_and_the_header_wins():
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        address = stream_address(session.get(place).text)
        for batch in steps(exchange_of(session, scripted, place)):
            scripted.play(conversation(place), batch)
        (late,) = read(session, address, 1)
        (later,) = read(session, address, 1, **{"Last-Event-ID": "e:4"})
    assert late["id"] == later["id"] == "e:6"
    assert "Preparing Create ticket" in late["data"]
    assert "Preparing Create ticket" not in later["data"]
    assert later["data"].count("<p>") == 2, "running and completed were missed"


def test_what_was_missed_is_announced_once_each():
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        address = stream_address(session.get(place).text)
        for batch in steps(exchange_of(session, scripted, place)):
            scripted.play(conversation(place), batch)
        (event,) = read(session, address, 1)
    said = parse(event["data"] + PARTIAL_END).children[-1]
    assert isinstance(said, Node)
    assert [child.text() for child in said.children if isinstance(child, Node)] == [
        "Preparing Create ticket",
        "Create ticket ready, not started",
        "Running Create ticket",
        "Create ticket completed",
    ]


def test_an_exchange_that_began_meanwhile_is_added():
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        html = session.get(place).text
        first = exchange_of(session, scripted, place).exchange
        for batch in (
            [ExchangeEnded(first)],
            [ExchangeOpened("second", "And?", WHEN), TurnOpened("second", "t")],
            [TextGrew("second", "t", "i", "Yes")],
        ):
            scripted.play(conversation(place), batch)
        (event,) = read(session, stream_address(html), 1)
        page = page_of(html)
        apply_message(page, event["data"])
        assert settle(page) == settle(page_of(session.get(place).text))


@pytest.mark.parametrize("position", ["", "e:999", "another:1", "e:1"])
def test_a_position_that_the_log_does_not_hold_brings_the_whole(position: str):
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        page = page_of(session.get(place).text)
        for batch in steps(exchange_of(session, scripted, place)):
            scripted.play(conversation(place), batch)
        scripted.trim(conversation(place))
        (event,) = read(session, f"{place}/stream?after={position}", 1)
        apply_message(page, event["data"])
        assert event["id"] == "e:6"
        assert settle(page) == settle(page_of(session.get(place).text))


class Forgetful(ScriptedConversations):
    """A log that loses what it held while somebody reads on."""

    async def follow(self, conversation: str, after: str) -> AsyncIterator[Entry]:
        first = not self.forgot
        self.forgot = True
        if first:
            for batch in steps(CallScript(self.open_exchange(conversation), 0)):
                self.play(conversation, batch)
            self.trim(conversation)
        async for entry in super().follow(conversation, after):
            yield entry

    forgot = False


def test_a_viewer_that_fell_behind_the_log_gets_the_whole():
    with client(Forgetful(QUIET)) as session:
        place = begin(session, "Hello")
        html = session.get(place).text
        (event,) = read(session, stream_address(html), 1)
        page = page_of(html)
        apply_message(page, event["data"])
        assert settle(page) == settle(page_of(session.get(place).text))


class Failing(ScriptedConversations):
    """A log that breaks."""

    async def follow(self, conversation: str, after: str) -> AsyncIterator[Entry]:
        raise RuntimeError("the log is on fire")
        yield


def test_a_stream_that_fails_says_that_it_ends(caplog: pytest.LogCaptureFixture):
    with client(Failing(QUIET)) as session, caplog.at_level(logging.ERROR):
        place = begin(session, "Hello")
        address = stream_address(session.get(place).text)
        with session.stream("GET", address) as answer:
            events = list(messages(answer.iter_lines()))
    assert events == [{"event": "end", "data": ""}]
    assert "the log is on fire" in caplog.text


def test_a_stream_whose_conversation_is_deleted_says_that_it_ends_until_it_is_back():
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        address = stream_address(session.get(place).text)
        with session.stream("GET", address) as answer:
            session.post(f"{place}/delete")
            watching = list(messages(answer.iter_lines()))
        coming_back = read(session, address, 2)
        assert watching[-1] == {"event": "end", "data": ""}
        assert coming_back == [{"event": "end", "data": ""}]
        session.post(f"{place}/restore")
        scripted.play(conversation(place), [MessageKept("k", "later")])
        assert "event" not in read(session, address, 1)[0]
        session.post(f"{place}/delete")
        session.cookies.clear()
        assert session.get(address).status_code == 404, "to anybody else there is none"


def test_headers_and_opening_let_no_proxy_hold_the_stream():
    with client(ScriptedConversations(QUIET)) as session:
        place = begin(session, "Hello")
        with session.stream("GET", stream_address(session.get(place).text)) as answer:
            raw = next(answer.iter_raw())
        headers = answer.headers
    assert raw.startswith(b":")
    assert b"\r" not in raw
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["cache-control"] == "no-store, no-transform"
    assert headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in headers


def test_a_silent_stream_has_a_heartbeat():
    with client(ScriptedConversations(QUIET)) as session:
        place = begin(session, "Hello")
        with session.stream("GET", stream_address(session.get(place).text)) as answer:
            lines = list(islice((line for line in answer.iter_lines() if line), 2))
    assert all(line.startswith(":") for line in lines)


def test_text_with_line_breaks_arrives_whole():
    scripted = ScriptedConversations(QUIET)
    with client(scripted) as session:
        place = begin(session, "Hello")
        exchange = exchange_of(session, scripted, place).exchange
        address = stream_address(session.get(place).text)
        scripted.play(
            conversation(place),
            [TurnOpened(exchange, "t"), TextGrew(exchange, "t", "i", "```\na\n\nid: 7\ndata: b\n")],
        )
        (event,) = read(session, address, 1)
    assert event["id"] == "e:2"
    assert "a\n\nid: 7\ndata: b" in parse(event["data"] + PARTIAL_END).text()


async def test_a_server_that_stops_ends_a_stream_without_a_word():
    scripted = ScriptedConversations(QUIET)
    room = create_app(scripted.services()).state.room
    async with scripted.running():
        conversation = await scripted.create("ada")
        await scripted.send("ada", conversation, "Hello")
        stopping = anyio.Event()
        person = Identity("ada", frozenset(), "ada", "ada")
        viewer = Viewer(room, person, conversation, stopping)
        sent: list[bytes] = []
        async for message in viewer.messages(*await scripted.view("ada", conversation), "e:1"):
            sent.append(message)
            stopping.set()
    assert sent == [OPENING]


async def test_a_viewer_that_takes_nothing_is_let_go_and_nothing_else_ends():
    """As where packets are dropped: no word comes that the other side has gone."""
    scripted = ScriptedConversations(QUIET)
    room = create_app(replace(scripted.services(), send_timeout_s=0.05)).state.room
    taken: list[str] = []

    async def send(message: Message) -> None:
        taken.append(message["type"])
        if message.get("body"):
            await anyio.sleep_forever()

    async def receive() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async with scripted.running():
        name = await scripted.create("ada")
        await scripted.send("ada", name, "Hello")
        answer = await follow(room, Identity("ada", frozenset(), "ada", "ada"), name)
        scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        with anyio.fail_after(5), pytest.raises(SendTimeoutError):
            await answer(scope, receive, send)
        view, _ = await scripted.view("ada", name)
    assert taken == ["http.response.start", "http.response.body"]
    assert view.open_exchange is not None
