"""The metrics page of the real application: there only when asked for, counts and no value."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import prometheus_client
from prometheus_client.parser import text_string_to_metric_families

from app.bootstrap import assemble
from app.exchange.conversations import Conversations
from app.providers.demo_texts import MARCH_TICKET
from app.records.store import Records
from app.settings import Settings
from app.web.application import create_app
from tests.records.making import new_call, open_with_calls
from tests.web.clients import client

OWNER = "canary-owner"
TICKET = "Create a ticket for the March invoice failure, canary-message"


@asynccontextmanager
async def serving(data: Path, **more: Any) -> AsyncGenerator[tuple[httpx2.AsyncClient, Any]]:
    """The whole program in this process, with the demo model typing at once."""
    settings = Settings(data=data, demo_seed=1, demo_pace=0, telemetry="prometheus", **more)
    async with assemble(settings) as services:
        transport = httpx2.ASGITransport(create_app(services))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as browser:
            yield browser, services.conversations


async def counted(browser: httpx2.AsyncClient) -> dict[tuple[str, ...], float]:
    """Name and label values, in alphabetical order of the labels, to the value."""
    answer = await browser.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


async def converse(conversations: Conversations, text: str) -> str:
    conversation = await conversations.create(OWNER)
    await conversations.send(OWNER, conversation, text)
    async with asyncio.timeout(30):
        while (await conversations.view(OWNER, conversation))[0].open_exchange is not None:
            await asyncio.sleep(0.01)
    return conversation


def test_without_metrics_there_is_no_such_page() -> None:
    with client() as session:
        answer = session.get("/metrics")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


async def test_before_anything_happened_what_can_be_zero_is_zero(tmp_path: Path) -> None:
    async with serving(tmp_path) as (browser, _):
        answer = await browser.get("/metrics")
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert await counted(browser) == {
            ("formwork_fragments_total",): 0,
            ("formwork_flushes_total",): 0,
            ("formwork_streams_open",): 0,
        }


async def test_an_exchange_is_counted_and_nothing_that_was_said_in_it_is_told(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (browser, conversations):
        conversation = await converse(conversations, TICKET)
        after = await counted(browser)
        page = (await browser.get("/metrics")).text
    assert after["formwork_exchanges_total", "answered"] == 1
    assert after["formwork_turns_total", "kept", "complete"] == 2
    assert after["formwork_calls_total", "none", "done", "create_ticket"] == 1
    assert after[("formwork_fragments_total",)] > 10
    assert after[("formwork_flushes_total",)] > 0
    for private in (conversation, "canary", *re.findall(r"\w{5,}", MARCH_TICKET)):
        assert private not in page


async def test_a_viewer_is_counted_while_it_follows(tmp_path: Path) -> None:
    async with serving(tmp_path) as (browser, conversations):
        conversation = await conversations.create(OWNER)
        _, position = await conversations.view(OWNER, conversation)
        stream = conversations.follow(conversation, position)
        step = asyncio.ensure_future(anext(stream))
        await conversations.send(OWNER, conversation, TICKET)
        await step
        assert (await counted(browser))[("formwork_streams_open",)] == 1
        await stream.aclose()
        assert (await counted(browser))[("formwork_streams_open",)] == 0


async def test_what_a_lost_process_left_is_counted_by_the_one_that_finds_it(
    tmp_path: Path,
) -> None:
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    store = f"sqlite:///{tmp_path / 'formwork.sqlite3'}"
    records = await Records.open(store, clock=lambda: long_ago)
    left = await open_with_calls(
        records, [new_call(0, name="create_ticket"), new_call(1, name="canary")], "w-lost"
    )
    assert await records.claim_call(left.call_ids[0], "w-lost", left.digests[0])
    await records.close()
    async with serving(tmp_path) as (browser, _):
        after = await counted(browser)
    assert after["formwork_calls_total", "none", "unknown", "create_ticket"] == 1, after
    assert after["formwork_calls_total", "incomplete", "not_run", "unknown"] == 1
    assert after["formwork_exchanges_total", "interrupted"] == 1


async def test_two_programs_in_one_process_count_for_themselves_alone(tmp_path: Path) -> None:
    other = prometheus_client.Counter("canary_of_others", "Not ours.")
    other.inc()
    async with (
        serving(tmp_path / "one") as (first, conversations),
        serving(tmp_path / "two") as (second, _),
    ):
        await converse(conversations, TICKET)
        assert ("formwork_exchanges_total", "answered") in await counted(first)
        assert ("formwork_exchanges_total", "answered") not in await counted(second)
        for browser in (first, second):
            assert "canary_of_others" not in (await browser.get("/metrics")).text
    prometheus_client.REGISTRY.unregister(other)
