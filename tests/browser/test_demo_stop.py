"""Stop works in every phase of an exchange, with script and without, and the next message works."""

import json
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.product import REPOSITORY, serving
from tests.browser.screen import ended, say, send, signs_of_writing, states, true_at_every_moment
from tests.providers.stub_server import Plan, StubServer

pytestmark = pytest.mark.browser
FIRST = "Refuse to answer, please"
TICKET = "Open a ticket: the March invoice run failed"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """Types ten times as slowly as a real provider."""
    with serving(tmp_path_factory.mktemp("slow"), demo_seed="9", demo_pace="10") as address:
        yield address


@pytest.fixture(scope="module")
def slow_tool(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    folder = tmp_path_factory.mktemp("slow-tool")
    maps = folder / "maps"
    maps.mkdir()
    shutil.copy(REPOSITORY / "field_maps" / "create_ticket.json", maps)
    place = "tests.browser.slow_tools:tools"
    settings = {"field_maps": str(maps), "tools": place, "demo_seed": "9", "demo_pace": "0.1"}
    with serving(folder / "data", **settings) as address:
        yield address


@pytest.fixture
def overloaded(tmp_path: Path) -> Generator[str, None, None]:
    """A provider that asks for half a minute's patience."""
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    plan = Plan(
        json.dumps(error).encode(),
        status=529,
        content_type="application/json",
        headers={"retry-after": "30"},
    )
    with (
        StubServer([plan]) as provider,
        serving(
            tmp_path / "data", model="anthropic-messages:m", base_url=provider.url, api_key="k"
        ) as address,
    ):
        yield address


def stop(page: Page) -> None:
    page.locator("button[name=stop]").click()
    expect(page.locator(".notice", has_text="You stopped this answer.")).to_have_count(1)


@pytest.mark.soak
def test_while_text_streams(page: Page, slow: str) -> None:
    say(page, "What is the meaning of it all?", slow, FIRST)
    text = page.locator("article:last-child .text")
    expect(text).to_contain_text("I am")
    stop(page)
    true_at_every_moment(ended(page))
    assert len(text.text_content() or "") < 500
    send(page, FIRST + "!")
    expect(page.locator("button[name=stop]")).to_have_count(0)


@pytest.mark.soak
def test_while_arguments_form(page: Page, slow: str) -> None:
    say(page, TICKET, slow, FIRST)
    expect(page.locator("[data-field=project] [data-value]")).to_have_text("BILLING")
    expect(page.locator("[data-field=title] [data-value]:empty")).to_have_count(1)
    assert signs_of_writing(page) == 1
    stop(page)
    assert signs_of_writing(page) == 0
    seen = ended(page)
    true_at_every_moment(seen)
    (heads,) = seen["states"].values()
    assert states(heads) == ["preparing", "not_run"]
    expect(page.locator("[data-call] h3")).to_contain_text("The answer was stopped")


def test_while_a_tool_runs(page: Page, slow_tool: str) -> None:
    say(page, TICKET, slow_tool, FIRST)
    expect(page.locator("[data-state=running]")).to_have_count(1)
    stop(page)
    seen = ended(page)
    true_at_every_moment(seen)
    (heads,) = seen["states"].values()
    assert states(heads) == ["preparing", "ready", "running", "failed"]
    assert "told to stop" in heads[-1]


@pytest.mark.soak
def test_while_waiting_for_a_retry(page: Page, overloaded: str) -> None:
    page.goto(overloaded)
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.type("Hello")
    page.keyboard.press("Enter")
    expect(page.locator("[data-notice=waiting_to_retry]")).to_contain_text("Trying again in 30")
    stop(page)
    expect(page.locator("button[name=stop]")).to_have_count(0)
    expect(page.locator("[data-call]")).to_have_count(0)


def test_without_script_one_can_send_see_reload_and_stop(browser: Browser, slow: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(slow)
    page.locator(".chips button", has_text=TICKET).click()
    expect(page.locator(".said")).to_have_text(TICKET)
    project = page.locator("[data-field=project] [data-value]:not(:empty)")
    for _ in range(300):
        if project.count():
            break
        page.wait_for_timeout(100)
        page.locator("noscript a").click()
    expect(project).to_have_text("BILLING")
    expect(page.locator("[data-call]")).to_have_attribute("data-state", "preparing")
    page.locator("button[name=stop]").click()
    for _ in range(60):
        if not page.locator("button[name=stop]").count():
            break
        page.reload()
    expect(page.locator(".notice", has_text="You stopped this answer.")).to_have_count(1)
    expect(page.locator("[data-call]")).to_have_attribute("data-state", "not_run")
    context.close()
