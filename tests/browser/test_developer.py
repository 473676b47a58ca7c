"""The developer view in a browser: live, replayed as time goes by, and never the end user's."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.axe import faults
from tests.browser.product import serving

pytestmark = pytest.mark.browser

TOKEN = "a developer's token"
PATIENCE_MS = 30_000


@pytest.mark.soak
def test_a_developer_follows_a_turn_live_and_the_end_user_never_asks_for_any_of_it(
    page: Page, tmp_path: Path
) -> None:
    with serving(
        tmp_path, developer_view="1", developer_token=TOKEN, demo_seed="3", demo_pace="3"
    ) as address:
        asked: list[str] = []
        troubles: list[str] = []
        page.on("console", lambda line: troubles.append(line.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"{address}/sign-in")
        page.locator("[name=token]").fill(TOKEN)
        page.keyboard.press("Enter")
        page.wait_for_url("**/developer")
        assert faults(page, "developer view") == []

        def note(request: Request) -> None:
            asked.append(request.url)

        page.on("request", note)
        page.goto(address)
        page.locator("textarea").fill("Open a ticket: the March invoice run failed")
        page.keyboard.press("Enter")
        page.wait_for_url("**/c/*")
        expect(page.locator("[data-call]")).to_have_count(1, timeout=PATIENCE_MS)
        page.remove_listener("request", note)
        assert asked
        assert not [url for url in asked if "developer" in url]
        page.goto(page.url.replace("/c/", "/developer/"))
        expect(page.locator(".exchange h2")).to_contain_text("open")
        first = page.locator(".turn").first
        expect(first).to_contain_text("stream", timeout=PATIENCE_MS)
        table = first.locator("details", has_text="Events").first
        table.locator("summary").click()
        expect(page.locator(".exchange h2")).to_contain_text("answered", timeout=PATIENCE_MS)
        expect(first).to_contain_text("→ done")
        expect(table).to_have_attribute("open", "")
        conversation = page.url
        assert faults(page, "a conversation") == []
        for detail in ("Walk through", "Compare"):
            first.get_by_role("link", name=detail).first.click()
            page.wait_for_url(f"{conversation}/**")
            assert faults(page, detail) == []
            page.goto(conversation)
        first.get_by_role("link", name="Replay step by step").click()
        page.get_by_role("link", name="Play at 1x").click()
        last = page.locator("#step .facts dd").first
        expect(last).to_contain_text(re.compile(r"[1-9]\d* of "), timeout=PATIENCE_MS)
        expect(page.locator("#step")).to_contain_text("TurnEnded", timeout=PATIENCE_MS)
        assert faults(page, "a replay") == []
        assert troubles == []
