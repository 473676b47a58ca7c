"""A page that loses its server and finds it again: nothing is lost or said twice."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.product import Product, running
from tests.browser.screen import ended, log_of, rows_only_grow, say, send

pytestmark = pytest.mark.browser
FIRST = "Refuse to answer, please"


@pytest.fixture
def product(tmp_path: Path) -> Generator[Product, None, None]:
    with running(tmp_path / "data", demo_seed="9", demo_pace="1") as started:
        yield started


def lines(page: Page) -> list[str]:
    """What the page says of itself at the message box."""
    return page.locator(".desk > p:visible").all_inner_texts()


def lost(page: Page) -> None:
    expect(page.locator(".offline")).to_be_visible()
    assert lines(page) == [page.locator(".offline").inner_text()]


def found(page: Page) -> None:
    expect(page.locator(".offline")).to_be_hidden()
    assert lines(page) == []


def is_like_one_loaded_now(page: Page) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    assert log_of(page) == log_of(other)
    other.close()


@pytest.mark.soak
def test_a_server_that_begins_anew_is_found_again(
    context: BrowserContext, product: Product
) -> None:
    """Told to stop while nothing happens, then killed in the middle of a call."""
    page = context.new_page()
    say(page, "Look up invoice INV-2026-0312", product.address, FIRST)
    said: list[str] = ended(page)["said"]
    before = log_of(page)
    product.stop()
    lost(page)
    product.start()
    found(page)
    assert log_of(page) == before
    assert page.evaluate("seen.said") == said, "what was said before is said again"

    send(page, "Open a ticket: the March invoice run failed")
    expect(page.locator("[data-field=title] [data-value]:not(:empty)")).to_have_count(1)
    page.locator("textarea").fill("a draft")
    product.kill()
    lost(page)
    expect(page.locator("[data-field=title] [data-value]:not(:empty)")).to_have_count(1)
    product.start()
    found(page)
    expect(page.locator(".notice", has_text="The server stopped")).to_have_count(1)
    seen = ended(page)
    rows_only_grow(seen)
    assert len(seen["said"]) == len(set(seen["said"])), seen["said"]
    expect(page.locator("textarea")).to_have_value("a draft")
    is_like_one_loaded_now(page)

    page.locator("textarea").fill("")
    send(page, "Refuse this one, too")
    ended(page)
    is_like_one_loaded_now(page)
