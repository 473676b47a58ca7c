"""Hostile texts in every place that shows what somebody else wrote: nothing of them comes alive."""

import pytest
from playwright.sync_api import Page, expect

from app.calls.states import CallState
from app.display.updates import ExchangeEnded, ExchangeOpened, MessageKept, TextGrew, Update
from app.display.view import Row, RowStatus, Slot
from app.web.shelf import ON_SHELF
from tests.browser.conftest import Scripted
from tests.web.scripted import WHEN
from tests.web.scripts import CallScript
from tests.web.xss_corpus import ALL

pytestmark = pytest.mark.browser
WATCH = """
window.hits = [];
window.hit = (...what) => hits.push(["hit", ...what]);
for (const name of ["alert", "confirm", "prompt", "open"]) window[name] = () => hits.push([name]);
addEventListener("securitypolicyviolation", e => hits.push([e.violatedDirective, e.blockedURI]));
"""
AT_ONCE = 18
"""So many texts are brought by one message of the stream, which is quicker than one by one."""
ALIVE = "script, style, iframe, object, embed, base, meta, link, svg, math, video, audio, marquee"
HANDLERS = """() => [...document.querySelectorAll("main *, nav *")].flatMap(node =>
    node.getAttributeNames().filter(name => /^on|^style$|^srcdoc$|^hx-on/.test(name)))"""
LINKS = """() => [...document.querySelectorAll("a, form, button")].map(node =>
    node.getAttribute("href") ?? node.getAttribute("formaction") ?? "")
    .filter(place => /^[\\s\\0-\\x1f]*(java|vb|data)/i.test(place))"""


def answer(exchange: str, text: str) -> list[list[Update]]:
    """An exchange that has the text in each of its places; the streamed one comes in halves."""
    call, failed, refused = (CallScript(exchange, turn) for turn in range(3))
    frame = (Slot(("file",), text), Slot((text,), text))
    shown = (Row(("file",), text, text, RowStatus.SETTLED),)
    half = len(text) // 2
    name = f"{call.turn}-t"
    return [
        [ExchangeOpened(exchange, text, WHEN), call.opened()],
        [TextGrew(exchange, call.turn, name, text[:half])],
        [call.announced(text, frame)],
        [call.row(("file",), text, text[:half] or "x", place=0, status=RowStatus.STREAMING)],
        [TextGrew(exchange, call.turn, name, text[half:])],
        [call.row(("file",), text, text, place=0), call.row((text,), text, text, place=1)],
        [call.changed(CallState.DONE, None, text, 5, shown)],
        [failed.opened(), failed.announced(text, ()), failed.changed(CallState.FAILED, text)],
        [refused.opened(), refused.announced(text, ()), refused.changed(CallState.UNKNOWN)],
        [ExchangeEnded(exchange)],
    ]


def dead(page: Page) -> None:
    """Nothing was called, nothing was tried, and nothing of it is an element or an address."""
    assert page.evaluate("hits") == []
    assert page.locator(f":is(main, nav) :is({ALIVE})").count() == 0
    assert page.locator("main img[src], main form:not([action='/search'])").count() == 0
    assert page.evaluate(HANDLERS) == []
    assert page.evaluate(LINKS) == []


def test_nothing_that_is_written_comes_alive(page: Page, server: Scripted) -> None:
    page.add_init_script(WATCH)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address)
    page.locator("textarea").fill("Hello")
    with page.expect_response("**/stream*"):
        page.keyboard.press("Enter")
    expect(page.locator("button[name=stop]")).to_have_count(0)
    conversation = page.url.rpartition("/")[2]
    answers = [answer(f"x{number}", text) for number, text in enumerate(ALL)]
    for at in range(0, len(answers), AT_ONCE):
        for batches in zip(*answers[at : at + AT_ONCE], strict=True):
            server.play(conversation, [update for batch in batches for update in batch])
    server.play(conversation, [MessageKept("k", text) for text in ALL[:1]])
    expect(page.locator("article")).to_have_count(len(ALL) + 1, timeout=30_000)
    expect(page.locator("article:last-child [data-state=unknown]")).to_have_count(1)
    for _ in range(2):
        dead(page)
        # A browser leaves out what no document can hold.
        shown = [text.replace("\x00", "") for text in ALL]
        assert texts(page, ".said")[1:] == shown
        assert texts(page, "[data-state=done] h3 b") == shown
        assert texts(page, "[data-state=done] .places [data-field=file] [data-value]") == [
            text for text in shown for _ in range(2)
        ]
        page.goto(f"{page.url.partition('?')[0]}?first=0")
    assert [url for url in asked if not url.startswith(server.address)] == []


def test_no_title_comes_alive(page: Page, server: Scripted) -> None:
    page.add_init_script(WATCH)
    page.goto(server.address)
    for text in ALL:
        page.request.post(server.address, form={"message": text}, max_redirects=0)
    page.reload()
    expect(page.locator(".shelf a")).to_have_count(ON_SHELF + 2)
    dead(page)
    page.goto(f"{server.address}/search")
    expect(page.locator(".hits li a")).to_have_count(len(ALL))
    dead(page)
    page.locator(".hits li a").first.click()
    expect(page.locator("article")).to_have_count(1)
    dead(page)


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


def test_the_watch_sees_what_it_looks_for(page: Page, server: Scripted) -> None:
    """Otherwise the tests above would find nothing, whatever came alive."""
    page.add_init_script(WATCH)
    page.route(
        "**/bad",
        lambda route: route.fulfill(body="<script>hit(1)</script>x", content_type="text/html"),
    )
    page.goto(f"{server.address}/bad")
    assert page.evaluate("hits") == [["hit", 1]]


def test_the_corpus_is_large_and_without_twins() -> None:
    assert len(ALL) == len(set(ALL)) >= 60
