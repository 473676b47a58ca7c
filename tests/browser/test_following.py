"""What stays put while an answer is written, and what a reload does not lose."""

import pytest
from playwright.sync_api import Page, expect

from app.display.updates import ExchangeEnded, ExchangeOpened, TextGrew, TurnOpened
from tests.browser.conftest import Scripted
from tests.web.scripted import WHEN

pytestmark = pytest.mark.browser
LONG = "A line of text that is long enough.\n\n" * 60


def test_the_page_follows_only_who_is_at_its_end_and_keeps_a_draft(page: Page, server: Scripted):
    page.goto(server.address)
    page.locator("#message").fill("Archive slowly")
    page.reload()
    box = page.locator("#message")
    expect(box).to_have_value("Archive slowly")
    box.press("Enter")
    page.wait_for_url("**/c/*")
    expect(box).to_be_focused()
    expect(box).to_have_value("")

    conversation = page.url.rpartition("/")[2]
    exchange = server.conversations.open_exchange(conversation)

    def grow(text: str) -> None:
        server.play(conversation, [TextGrew(exchange, "t", "b", text)])

    server.play(conversation, [TurnOpened(exchange, "t"), TextGrew(exchange, "t", "b", LONG)])
    expect(page.locator(".text p")).to_have_count(60)
    at_end = "() => document.documentElement.scrollHeight - innerHeight - scrollY < 60"
    page.wait_for_function(at_end)
    below = page.locator(".below")
    expect(below).to_be_hidden()

    # A person who reads further up stays there, with what they selected.
    page.evaluate("() => scrollTo(0, 0)")
    page.wait_for_function("() => scrollY == 0")
    page.evaluate("() => getSelection().selectAllChildren(document.querySelector('.text p'))")
    chosen = page.evaluate("getSelection().toString()")
    grow(LONG)
    expect(page.locator(".text p")).to_have_count(120)
    expect(below).to_be_visible()
    assert page.evaluate("scrollY") == 0
    assert page.evaluate("getSelection().toString()") == chosen

    below.click()
    page.wait_for_function(at_end)
    expect(below).to_be_hidden()
    page.evaluate("() => getSelection().removeAllRanges()")
    grow("The very last words.")
    expect(page.get_by_text("The very last words.")).to_be_in_viewport()

    box.fill("not sent yet")
    page.reload()
    expect(box).to_have_value("not sent yet")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(box).to_be_focused()


def test_a_page_whose_conversation_is_deleted_elsewhere_says_so(page: Page, server: Scripted):
    page.goto(server.address)
    page.locator("#message").fill("Archive slowly")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    expect(page.locator(".said")).to_be_visible()
    expect(page.locator(".ended")).to_be_hidden()
    page.evaluate("fetch(location.pathname + '/delete', { method: 'POST' })")
    expect(page.locator(".ended")).to_be_visible()
    expect(page.locator(".offline")).to_be_hidden()


def test_an_old_answer_can_be_turned_back_to(page: Page, server: Scripted):
    page.goto(server.address)
    page.locator("#message").fill("Hello")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".when")).to_contain_text("2 of 2")
    expect(page.locator(".said")).to_have_count(1)
    page.get_by_role("link", name="Edit message").click()
    expect(page.locator("#message")).to_have_value("Hello")
    page.locator("#message").fill("Hello again")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("Hello again")
    page.get_by_role("button", name="Earlier version").click()
    expect(page.locator(".said")).to_have_text("Hello")
    expect(page.locator(".when")).to_contain_text("2 of 3")


def test_one_goes_back_in_a_long_conversation_and_stays_in_place(page: Page, server: Scripted):
    page.goto(server.address)
    page.locator("#message").fill("Archive slowly")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    conversation = page.url.rpartition("/")[2]
    server.play(conversation, [ExchangeEnded(server.conversations.open_exchange(conversation))])
    for number in range(1, 45):
        opened = ExchangeOpened(f"e{number}", f"Message {number}. " * 30, WHEN)
        server.play(conversation, [opened, ExchangeEnded(f"e{number}")])
    expect(page.locator("article")).to_have_count(45)
    expect(page.locator("article").last).to_be_in_viewport()
    page.reload()
    expect(page.locator("article")).to_have_count(20)
    last = page.locator("article").last
    expect(last).to_be_in_viewport()
    page.locator("#message").fill("not sent yet")

    page.get_by_role("link", name="Show earlier messages").click()
    expect(page.locator("article")).to_have_count(40)
    expect(page.locator("#x25")).to_be_in_viewport()
    expect(last).not_to_be_in_viewport()
    expect(page.locator("#message")).to_have_value("not sent yet")
    expect(page.locator(".below")).to_be_hidden()
    page.wait_for_load_state()
    server.play(conversation, [ExchangeOpened("new", "One more", WHEN)])
    expect(page.locator("article")).to_have_count(41)
    expect(page.locator("#x25")).to_be_in_viewport()
    page.locator(".below").click()
    expect(page.get_by_text("One more")).to_be_in_viewport()
