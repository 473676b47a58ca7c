"""WCAG 2.2 AA on every page in every state, light and dark, and what no rule engine can tell."""

import pytest
from fastapi.routing import iter_route_contexts
from playwright.sync_api import BrowserContext, Page, expect

from app.calls.states import CallState
from app.web.access import Role
from app.web.application import create_app
from tests.browser.axe import faults
from tests.browser.conftest import Scripted, scripted_server
from tests.browser.screen import RECORDER, send
from tests.browser.test_component_approvals import KINDS, put
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import TICKET_FRAME, CallScript
from tests.web.test_sign_in import BY_TOKEN, TOKENS

pytestmark = pytest.mark.browser

OPEN = {
    "forming": ("Open a ticket, slowly", "[data-field=description] [data-value]:not(:empty)"),
    "running": ("Open a ticket while the tracker is slow", "[data-state=running]"),
    "waiting": ("Order paper and pencils", "[data-state=awaiting_approval]"),
    "two calls": ("Open a ticket and write to Ada", "[data-state=ready] ~ [data-state=preparing]"),
}
"""What is asked, and what then shows while the exchange is open."""
ENDED = {
    "Archive the report": "[data-state=done]",
    "Open a ticket while the tracker is down": "[data-state=failed]",
    "Open a ticket and pull the plug": "[data-state=unknown]",
    "Open a ticket and be cut off": ".aside",
    "Order something that is not allowed": "article:last-child [data-state=not_run]",
}
"""What is asked, one after the other, and what stays."""

NOT_PAGES = ("/stream", "/healthz", ".csv", ".jsonl", ".ico")
"""How addresses end that have no looks."""


def ask(page: Page, server: Scripted, message: str, shows: str) -> None:
    page.goto(server.address)
    page.locator("textarea").fill(message)
    page.keyboard.press("Enter")
    expect(page.locator(shows).first).to_be_attached(timeout=15_000)


def test_axe_finds_nothing_in_any_state(page: Page, server: Scripted) -> None:
    found: list[str] = []
    page.add_init_script(path=RECORDER)
    for name, (message, shows) in OPEN.items():
        ask(page, server, message, shows)
        found += faults(page, name)
    ask(page, server, "Archive slowly", "html[data-connected]")
    conversation = page.url.rpartition("/")[2]
    call = CallScript(server.conversations.open_exchange(conversation), 0)
    queued = call.announced("Create ticket", TICKET_FRAME, CallState.QUEUED)
    server.play(conversation, [call.opened(), queued])
    expect(page.locator("[data-state=queued]")).to_have_count(1)
    found += faults(page, "queued")
    page.goto(server.address)
    found += faults(page, "empty")
    ask(page, server, "Hello", "article")
    for message, shows in ENDED.items():
        send(page, message)
        expect(page.locator(shows).first).to_be_attached(timeout=15_000)
        expect(page.locator("button[name=stop]")).to_have_count(0, timeout=15_000)
    page.locator(".aside > details > summary").click()
    found += faults(page, "ended")
    page.reload()
    found += faults(page, "past")
    assert not found, "\n".join(found)


def test_axe_finds_nothing_on_the_pages_around(context: BrowserContext) -> None:
    page = context.new_page()
    with scripted_server(access=BY_TOKEN) as server:
        page.goto(f"{server.address}/c/nothing")
        found = faults(page, "error")
        for place in ("/search", "/search?q=ticket", "/sign-in"):
            page.goto(server.address + place)
            found += faults(page, place)
        page.locator("[name=token]").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("[role=alert]")).to_have_count(1)
        found += faults(page, "refused sign-in")
        ask(page, server, "Hello", ".said")
        expect(page.locator("button[name=stop]")).to_have_count(0)
        for place in (f"{page.url}?edit=1", f"{server.address}/search?q=hello"):
            page.goto(place)
            found += faults(page, place)
        for role in Role:
            page.request.post(f"{server.address}/sign-in", form={"token": TOKENS[role]})
        for place in pages():
            if not place.endswith(NOT_PAGES):
                page.goto(server.address + place, wait_until="domcontentloaded")
                found += faults(page, f"{place} with every role")
        requests = [put(server, number, KINDS) for number in (1, 2)]
        for place in ("/approvals", f"/approvals/{requests[0]}?edit=1"):
            page.goto(server.address + place, wait_until="domcontentloaded")
            expect(page.locator("form[data-approval]").first).to_be_visible()
            found += faults(page, f"{place}, waiting")
        for decision in ("Approve as changed", "Deny"):
            page.get_by_role("button", name=decision).click()
            expect(page.locator(".decided")).to_be_visible()
            found += faults(page, f"after: {decision}")
            page.goto(f"{server.address}/approvals/{requests[1]}")
        page.goto(f"{server.address}/approvals/history")
        expect(page.locator(".past li")).to_have_count(2)
        found += faults(page, "history")
    assert not found, "\n".join(found)


def pages() -> list[str]:
    """Every address that is served and names nothing in particular: a new page is among them."""
    routes = create_app(ScriptedConversations({}).services()).routes
    return sorted(
        context.path
        for context in iter_route_contexts(routes)
        if context.path and "GET" in (context.methods or ()) and "{" not in context.path
    )
