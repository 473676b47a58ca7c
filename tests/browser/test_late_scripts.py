"""A page follows its conversation whichever of its scripts comes late, as on a slow line."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Scripted

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("late", ["htmx.js", "formwork.js", "hx-sse.js"])
def test_a_script_that_comes_late_is_waited_for(page: Page, server: Scripted, late: str) -> None:
    def after_a_while(route: Route) -> None:
        time.sleep(0.4)
        route.continue_()

    page.route(f"**/static/{late}*", after_a_while)
    page.goto(server.address)
    page.locator("textarea").fill("Archive the report")
    with page.expect_response("**/stream*", timeout=10_000):
        page.keyboard.press("Enter")
    expect(page.locator("[data-call]")).to_have_count(1)
