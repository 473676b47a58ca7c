"""What is copied arrives as it stands there, by click and by keyboard."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Scripted
from tests.browser.screen import ended, say, send

pytestmark = pytest.mark.browser
MESSAGE = 'Ünï  "two  gaps"\n\n  <b>&amp;</b>\t\\u0041 \U0001f9fe'
CODE = """def invoices(month: str) -> list[Invoice]:
    # all of them
    return [run(month, 3) for c in "customers" if c]"""
ANSWER = "Ticket TICK-9034 is open in BILLING with high priority."
PLACES = """all => all.map(one => {
    const [own, around] = [one, one.closest("article")].map(node => getComputedStyle(node));
    return [own.padding, own.border, around.padding, around.margin];
})"""
UNSAFE = """() => {
    self.clipboard = navigator.clipboard;
    Object.defineProperty(navigator, "clipboard", { value: undefined });
}"""
"""What a page loaded over plain http from another machine finds."""
EMPTY = "nothing was copied yet"


def copied(page: Page, button: Locator, key: str) -> str:
    """What is in the clipboard after a click, or a key on the button."""
    box = button.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 24
    page.evaluate("text => (self.clipboard ?? navigator.clipboard).writeText(text)", EMPTY)
    if key:
        button.focus()
        page.keyboard.press(key)
    else:
        button.click()
    expect(page.locator("#say")).to_have_text("Copied")
    expect(button).to_have_attribute("data-copy", "1")
    page.evaluate("document.getElementById('say').replaceChildren()")
    return page.evaluate("(self.clipboard ?? navigator.clipboard).readText()")


def test_a_message_an_answer_code_and_a_result_are_copied_exactly(
    page: Page, server: Scripted
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    say(page, "Open a ticket about the March invoice run", server.address)
    ended(page)
    result = page.locator(".outcome").get_by_role("button", name="Copy")
    answer = page.get_by_role("button", name="Copy answer")
    message = page.locator(".acts").get_by_role("button", name="Copy message")
    for key in ("", "Space"):
        assert copied(page, result, key) == "Ticket\nTICK-9034"
    for key in ("", "Enter"):
        assert copied(page, answer, key) == ANSWER
        assert copied(page, message, key) == "Open a ticket about the March invoice run"
    send(page, "Open a ticket and be cut off")
    expect(page.locator(".aside")).to_have_count(1)
    ended(page)
    last = page.locator("article:last-child > .turn:last-child > .text")
    assert copied(page, answer, "") == last.inner_text()
    page.locator(".aside ~ *").evaluate_all("all => all.forEach(one => one.remove())")
    # Where no text is the answer, what stands in its place.
    assert copied(page, answer, "") == page.locator(".aside").inner_text()
    send(page, "Tell me in Markdown")
    ended(page)
    code = page.locator(".text figure").first.get_by_role("button", name="Copy")
    page.locator("textarea").fill(MESSAGE)
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_count(5)
    ended(page)
    for key in ("", "Enter"):
        assert copied(page, code, key) == CODE
        assert copied(page, message, key) == MESSAGE
    looks = page.locator("article :is(.said, li)").evaluate_all(PLACES)
    page.reload()
    assert page.locator("article :is(.said, li)").evaluate_all(PLACES) == looks
    earlier = page.locator("article").first.get_by_role("button", name="Copy message")
    for key in ("", "Enter"):
        assert copied(page, earlier, key) == "Hello"
    page.evaluate(UNSAFE)
    page.locator(".said").last.select_text()
    selected = page.evaluate("String(getSelection())")
    for key in ("", "Enter"):
        assert copied(page, code, key) == CODE
        assert copied(page, message, key) == MESSAGE
    assert page.evaluate("String(getSelection())") == selected
    page.evaluate("document.execCommand = () => false")
    message.click()
    expect(page.locator("#say")).to_contain_text("could not be copied")
    expect(message).to_have_attribute("data-copy", "0")
