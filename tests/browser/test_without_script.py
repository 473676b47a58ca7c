"""Everything that a person or an operator does, as plain forms and pages, in the real product."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.product import maps_asking, serving

pytestmark = pytest.mark.browser
TOKEN = "a token of tests"
LOADS = 600
"""How often a page is loaded again at most, to see what has come."""


def ask(page: Page, message: str, shows: str) -> None:
    """Send a message and load the page again until something shows in the answer."""
    page.locator("#message").fill(message)
    page.locator(".send").click()
    expect(page.locator(".said, .kept").last).to_contain_text(message)
    until(page, f"article:last-child {shows}")


def until(page: Page, shows: str) -> None:
    for _ in range(LOADS):
        if page.locator(shows).count():
            return
        page.locator("noscript a").click()
    raise AssertionError(f"{shows} never came")


def ended(page: Page) -> None:
    until(page, "body:not(:has([name=stop]))")


def decide(page: Page, decision: str, reason: str = "") -> None:
    if reason:
        page.locator(".remarks summary").click()
        page.locator("[name=reason]").fill(reason)
    page.get_by_role("button", name=decision).click()


@pytest.mark.soak
def test_all_of_it_works_without_script(browser: Browser, tmp_path: Path) -> None:
    maps = maps_asking(tmp_path, refund="user", write_file="operator")
    settings = {"demo_seed": "3", "demo_pace": "0.02", "operator_token": TOKEN}
    person = browser.new_context(java_script_enabled=False)
    operator = browser.new_context(java_script_enabled=False)
    with serving(tmp_path / "data", field_maps=str(maps), **settings) as address:
        page, office = person.new_page(), operator.new_page()
        page.goto(address)
        expect(page.locator("[data-copy]")).to_have_count(0)

        # Reading, and a call to its end
        ask(page, "Look up invoice INV-2026-0312", "[data-state=done]")
        ended(page)
        expect(page.locator("[data-field=customer] [data-value]")).to_have_text("Blue Harbour GmbH")
        for button in page.locator("[data-copy]").all():
            expect(button).to_be_hidden()

        # Once more, back, and another message in its place
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".when")).to_contain_text("2 of 2")
        ended(page)
        page.get_by_role("button", name="Earlier version").click()
        expect(page.locator(".when")).to_contain_text("1 of 2")
        page.get_by_role("link", name="Edit message").click()
        expect(page.locator("#message")).to_have_value("Look up invoice INV-2026-0312")
        ask(page, "Look up invoice INV-2026-9999", "[data-state=failed]")
        expect(page.locator(".when")).to_contain_text("3 of 3")
        ended(page)

        # A prompt of one's own: stopped, approved, denied
        waiting = "form[data-approval]"
        ask(page, "Refund EUR 1,250 on invoice INV-2026-0312", waiting)
        page.locator("[name=stop]").click()
        ended(page)
        expect(page.locator("article .notice").last).to_have_text("You stopped this answer.")
        ask(page, "Refund EUR 10 on invoice INV-2026-0312", waiting)
        decide(page, "Approve")
        until(page, "article:last-child [data-state=done]")
        ended(page)
        ask(page, "Refund EUR 20 on invoice INV-2026-0312", waiting)
        decide(page, "Deny", "Not twice")
        until(page, "article:last-child [data-state=not_run]")
        ended(page)

        # An operator decides, whose page follows no more by itself than the chat
        office.goto(f"{address}/approvals")
        office.locator("#name").fill("Ada")
        office.locator("#token").fill(TOKEN)
        office.locator("form.stacked button").click()
        for decision, state, said in (
            ("Approve", "done", "Approved by Ada"),
            ("Deny", "not_run", "Denied by Ada"),
        ):
            ask(page, "Write notes.txt", "[data-state=awaiting_approval]")
            office.goto(f"{address}/approvals")
            decide(office, decision, "Because")
            expect(office.locator(".decided")).to_contain_text(said)
            until(page, f"article:last-child [data-state={state}]")
            ended(page)
        office.get_by_role("link", name="Back").click()
        office.get_by_role("link", name="Decided").click()
        expect(office.locator(".past li")).to_have_count(2)
    person.close()
    operator.close()
