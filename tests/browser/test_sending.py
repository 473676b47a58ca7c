"""What is sent is sent once, and what was not sent is not lost: in the real product."""

import time
from collections.abc import Generator

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.product import serving

pytestmark = pytest.mark.browser
MOST = 400
"""Characters of a message."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    settings = {"demo_seed": "3", "demo_pace": "0", "message_chars": str(MOST)}
    with serving(tmp_path_factory.mktemp("sending"), **settings) as started:
        yield started


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """One on whose console a request that failed may be told."""
    return context.new_page()


def late(route: Route) -> None:
    """A network on which a message is on its way for longer than somebody waits."""
    time.sleep(0.5)
    route.continue_()


def impatient(page: Page, message: str) -> None:
    """Enter twice, then the button; what holds the message until it was taken is the box."""
    page.locator("#message").fill(message)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator(".send").click(no_wait_after=True)


def said(page: Page, *messages: str) -> None:
    """These messages and no others, each with its answer, here and on a page loaded now."""
    for _ in range(2):
        expect(page.locator(".said")).to_have_text(messages)
        expect(page.locator(".notice")).to_have_count(len(messages))
        expect(page.locator("button[name=stop]")).to_have_count(0)
        expect(page.locator(".kept")).to_have_count(0)
        page.reload()


def conversations(page: Page, number: int) -> None:
    expect(page.locator(".shelf li a:not(.new)")).to_have_count(number)


def test_impatience_sends_nothing_twice(page: Page, address: str) -> None:
    page.goto(address)
    page.route(
        "**/*", lambda route: late(route) if route.request.method == "POST" else route.continue_()
    )
    impatient(page, "Refuse one")
    page.wait_for_url("**/c/*")
    expect(page.locator("#message")).to_be_focused()
    said(page, "Refuse one")
    conversations(page, 1)
    impatient(page, "Refuse two")
    said(page, "Refuse one", "Refuse two")

    page.unroute_all()
    suggestion = page.get_by_role("button", name="Refuse to answer this")
    suggestion.dblclick()
    said(page, "Refuse one", "Refuse two", "Refuse to answer this")
    page.get_by_role("button", name="Try again").dblclick()
    expect(page.locator(".when")).to_contain_text("2 of 2")
    said(page, "Refuse one", "Refuse two", "Refuse to answer this")
    expect(page.locator(".when")).to_contain_text("2 of 2")

    page.goto(address)
    suggestion.dblclick()
    page.wait_for_url("**/c/*")
    said(page, "Refuse to answer this")
    conversations(page, 2)


def test_what_was_not_sent_is_kept_and_told(
    context: BrowserContext, page: Page, address: str
) -> None:
    """Without a network and longer than it may be; as first message, further one and edited one."""
    page.set_viewport_size({"width": 360, "height": 640})
    for place, sent in (("", "Refuse one"), ("", "Refuse two"), ("?edit=1", "Refuse three")):
        page.goto(page.url + place if place or sent == "Refuse two" else address)
        box, line = page.locator("#message"), page.locator(".unsent")
        context.set_offline(True)
        box.fill(sent)
        box.press("Enter")
        expect(line).to_have_text(
            "That was not sent. Your text is still here.", use_inner_text=True
        )
        context.set_offline(False)
        box.focus()
        page.keyboard.insert_text("x" * MOST)
        text = box.input_value()
        assert len(text) == len(sent) + MOST, "it was cut"
        box.press("Enter")
        expect(line).to_contain_text(f"longer than {MOST} characters", use_inner_text=True)
        expect(line).to_be_in_viewport(ratio=1)
        expect(box).to_have_value(text)
        box.fill(sent)
        box.press("Enter")
        expect(page.locator(".said").last).to_have_text(sent)
        expect(page.locator("#message")).to_have_value("")
        expect(page.locator("button[name=stop]")).to_have_count(0)
    said(page, "Refuse one", "Refuse three")


def test_a_draft_is_of_its_page_until_it_was_sent(page: Page, address: str) -> None:
    box = page.locator("#message")
    page.goto(address)
    box.fill("a draft")
    page.get_by_role("button", name="Refuse to answer this").click()
    page.wait_for_url("**/c/*")
    expect(box).to_have_value("")
    conversation = page.url
    page.goto(address)
    expect(box).to_have_value("a draft")
    page.locator(".shelf summary").first.click()
    page.locator("[name=q]").fill("Refuse")
    page.locator("[name=q]").press("Enter")
    page.locator(".hits li a").first.click()
    page.wait_for_url("**/c/*")
    expect(box).not_to_be_focused()
    page.goto(address)
    expect(box).to_have_value("a draft")

    page.goto(f"{conversation}?edit=1")
    box.fill("Refuse that")
    page.reload()
    expect(box).to_have_value("Refuse that")
    box.press("Enter")
    expect(page.locator(".said")).to_have_text("Refuse that")
    expect(box).to_have_value("")
    page.goto(f"{conversation}?edit=1")
    expect(box).to_have_value("Refuse that")
    page.get_by_role("link", name="Leave it as it is").click()
    expect(box).to_have_value("")
