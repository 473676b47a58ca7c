"""What a person may ask of a screen: size, zoom, direction, contrast, colours, keyboard, paper."""

from collections.abc import Generator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.axe import run
from tests.browser.conftest import Scripted, scripted_server
from tests.browser.screen import send

pytestmark = pytest.mark.browser
ASKED = {
    "Open a ticket about the March invoice run": "[data-state=done]",
    "Order something that is not allowed": "[data-state=not_run]",
    "Open a ticket while the tracker is down": "[data-state=failed]",
    "Open a ticket and be cut off": ".aside",
    "Order paper and pencils": "[data-state=awaiting_approval]",
}
"""What is asked, one after the other; the last stays open."""
FOCUSED = """() => {
    const at = document.activeElement, box = at.getBoundingClientRect();
    const ringed = node => node && ["outlineStyle", "boxShadow"].some(
        name => getComputedStyle(node)[name] != "none");
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return {
        tag: at.tagName, name: at.getAttribute("name") ?? at.textContent.trim().slice(0, 40),
        ring: ringed(at) || ringed(at.closest("form, label")),
        on: box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
        covered: !at.contains(top) && !top?.contains(at),
    };
}"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


SOME = dict([*ASKED.items()][::4])


def ask(page: Page, server: Scripted, asked: dict[str, str]) -> None:
    page.goto(server.address)
    page.locator("textarea").fill("Hello")
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    for message, shows in asked.items():
        send(page, message)
        expect(page.locator(f"article:last-child {shows}").first).to_be_attached(timeout=15_000)
        if message != list(asked)[-1]:
            expect(page.locator("button[name=stop]")).to_have_count(0, timeout=15_000)


def opens_where_its_button_is(page: Page) -> None:
    """The side list, from the end of a conversation: nothing has to be looked for further up."""
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    button = page.locator(".shelf > details > summary")
    button.click()
    for shown in (button, page.locator("[name=q]"), page.locator(".shelf .new")):
        expect(shown).to_be_in_viewport(ratio=1)
        shown.focus()
        assert not page.evaluate(FOCUSED)["covered"]
    page.locator(".said").first.evaluate("node => (node.tabIndex = -1, node.focus())")
    assert not page.evaluate(FOCUSED)["covered"], "the list covers what has the focus"
    button.click()


def zoomed(page: Page, pixels: int) -> None:
    """Set the browser's own text size, which every length of the page follows."""
    sizes = {"standard": pixels, "fixed": pixels}
    session: Any = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": sizes})


def test_every_state_on_every_screen(page: Page, server: Scripted) -> None:
    """One page: from 320 px to wide, at twice the text size, in forced colours, on paper."""
    ask(page, server, ASKED)
    page.locator(".aside > details > summary").click()
    for width in (320, 375, 640, 1100, 2400):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(WIDER) <= 0, f"{width} px"
    page.set_viewport_size({"width": 375, "height": 700})
    opens_where_its_button_is(page)
    page.set_viewport_size({"width": 1100, "height": 700})
    zoomed(page, 32)
    assert page.evaluate(WIDER) <= 0, "text at 200 %"
    zoomed(page, 16)

    page.emulate_media(contrast="more")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, contrast="more")
        assert run(page, ["color-contrast-enhanced"]) == [], f"more contrast, {scheme}"

    page.emulate_media(contrast="no-preference", forced_colors="active")
    mark = page.locator("[data-state=done] summary").first
    colour = "node => getComputedStyle(node, '::before').backgroundColor"
    canvas = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert mark.evaluate(colour) != canvas, "the mark of a state is lost in forced colours"

    page.emulate_media(forced_colors="none", media="print")
    for gone in (".top", ".desk", ".skip"):
        expect(page.locator(gone)).to_be_hidden()
    closed = page.locator("[data-call] details").first
    closed.evaluate("node => { node.open = false }")
    expect(closed.locator("[data-value]").first).to_be_visible()


def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(
    page: Page, server: Scripted
) -> None:
    ask(page, server, SOME)
    assert page.locator("[tabindex]:not([tabindex='-1'], [tabindex='0'])").count() == 0
    page.reload()
    stops: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at["tag"] == "BODY":
            break
        stops.append(at["name"])
        assert at["ring"], f"no focus is seen on {at}"
        assert at["on"], f"the focus is off the screen on {at}"
        assert not at["covered"], f"the focus is covered on {at}"
    assert stops[0].startswith("Skip to")
    assert stops.index("message") < stops.index("stop") < stops.index("Send")


@pytest.fixture
def from_right() -> Generator[Scripted, None, None]:
    with scripted_server("ar") as running:
        yield running


def test_from_right_to_left_the_page_is_a_mirror(
    context: BrowserContext, from_right: Scripted
) -> None:
    page = context.new_page()
    ask(page, from_right, SOME)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(WIDER) <= 0, f"{width} px"
    row = page.locator("[data-field=project]").first
    label, value = row.locator("b").bounding_box(), row.locator("[data-value]").bounding_box()
    assert label
    assert value
    assert label["x"] > value["x"] + value["width"], "a label stands after its value"
    said, shelf = page.locator(".said").first.bounding_box(), page.locator(".top").bounding_box()
    assert said
    assert shelf
    assert said["x"] < label["x"], "what the person said stands at the end of a line"
    assert shelf["x"] > 640, "the side list stands at the start"
