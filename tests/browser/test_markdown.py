"""Assistant text in a real browser: blocks that have ended stay, nothing of it runs or loads."""

import pytest
from playwright.sync_api import Page, expect

from app.display.updates import ExchangeEnded, TextGrew, TurnOpened
from tests.browser import axe
from tests.browser.conftest import Scripted
from tests.browser.screen import ended, log_of, say
from tests.web.markdown_attacks import ATTACKS

pytestmark = pytest.mark.browser

WATCH = """() => {
    window.changed = []
    const ended = new Map()
    new MutationObserver(() => {
        const blocks = [...document.querySelectorAll("article:last-child .text > *")]
        for (const [block, html] of ended)
            if (!block.isConnected || block.outerHTML != html) window.changed.push(html)
        for (const block of blocks.slice(0, -1))
            if (!block.id) ended.set(block, block.outerHTML)
    }).observe(document.querySelector("#log"), {
        subtree: true, childList: true, characterData: true,
    })
}"""


def test_a_block_that_has_ended_never_changes(page: Page, server: Scripted):
    say(page, "Archive the report", server.address)
    ended(page)
    page.evaluate(WATCH)
    page.locator("textarea").fill("Tell me in Markdown")
    page.keyboard.press("Enter")
    code = page.locator(".text figure").first
    expect(code).to_contain_text("def invoices")
    seen = ended(page)
    assert page.evaluate("changed") == []
    assert seen["breaches"] == []
    text = page.locator("article").last.locator(".text")
    expect(text.locator("ol > li")).to_have_count(2)
    expect(text.locator("table td")).to_have_count(6)
    expect(text.locator("img")).to_have_count(0)
    expect(code.locator(".k").first).to_have_text("def")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code.get_by_role("button", name="Copy").click()
    expect(code.locator('[data-copy="1"]')).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()").startswith("def invoices(month: str)")
    page.evaluate("() => document.querySelector('[data-copy=\"1\"]').dataset.copy = ''")
    live = log_of(page)
    page.reload()
    assert live == log_of(page)
    assert axe.faults(page, "an answer in Markdown") == []


def test_nothing_of_an_answer_runs_or_loads(page: Page, server: Scripted):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    say(page, "Open a ticket, slowly", server.address)
    conversation = page.url.rpartition("/")[2]
    exchange = server.conversations.open_exchange(conversation)
    server.play(conversation, [TurnOpened(exchange, "attacks")])
    for number, attack in enumerate(ATTACKS):
        # Open as text first, in two pieces, and then ended.
        half = len(attack) // 2
        for piece in (attack[:half], attack[half:], "\n\nnext\n\n"):
            server.play(conversation, [TextGrew(exchange, "attacks", f"a{number}", piece)])
    server.play(conversation, [ExchangeEnded(exchange)])
    expect(page.locator(".text p", has_text="next").last).to_be_visible()
    expect(page.locator("button[name=stop]")).to_have_count(0)
    page.reload()
    assert page.evaluate("seen.breaches") == []
    assert page.locator(".text :is(script, img, iframe, svg, style, form, base, meta)").count() == 0
    assert all(url.startswith(server.address) for url in asked)
