"""The page around the calls: coming back, keyboard, scroll and focus, hostile text."""

from datetime import timedelta

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.formats import Formats
from app.display.updates import ApprovalChanged, TextGrew, TurnAbandoned, TurnOpened, Update
from app.display.view import ApprovalView, Row, RowKind, RowStatus
from app.display.whole import whole_for_operator
from tests.browser.conftest import Scripted
from tests.web.dom import parse
from tests.web.scripted import WHEN
from tests.web.scripts import TICKET_FRAME, CallScript

pytestmark = pytest.mark.browser

UNDISTURBED = """() => {
    const deny = document.querySelector("[value=deny]"), box = deny.getBoundingClientRect();
    return {
        focus: document.activeElement.value,
        pointer: document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.value,
        hovered: deny.matches(":hover"),
        top: Math.round(box.top),
        selected: String(getSelection()),
    };
}"""

LOG = "log => (log.normalize(), log.outerHTML)"


def begin(page: Page, server: Scripted) -> tuple[str, CallScript]:
    """A conversation whose exchange stays open, followed by the page."""
    page.goto(server.address)
    page.locator("textarea").fill("Archive slowly")
    with page.expect_response("**/stream*"):
        page.keyboard.press("Enter")
    conversation = page.url.rpartition("/")[2]
    return conversation, CallScript(server.conversations.open_exchange(conversation), 0)


def show(page: Page, *, hidden: bool) -> None:
    """What a browser does to a page when its tab is left or come back to."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_hidden_tab_comes_back_without_a_duplicate_or_a_gap(page: Page, server: Scripted):
    conversation, call = begin(page, server)
    server.play(conversation, [call.opened(), call.announced("Create ticket", TICKET_FRAME)])
    expect(page.locator("[data-call]")).to_have_count(1)
    for turn, updates in enumerate(
        (
            [call.row(("project",), "Project", "BILLING", place=0)],
            [call.row(("title",), "Title", "March", place=1), call.changed(CallState.READY)],
            [TextGrew(call.exchange, call.turn, "text", "And so on")],
        )
    ):
        show(page, hidden=True)
        server.play(conversation, updates)
        with page.expect_response("**/stream*") as again:
            show(page, hidden=False)
        assert "last-event-id" in again.value.request.headers, f"turn {turn}"
        server.play(conversation, [TextGrew(call.exchange, call.turn, "text", f"{turn}.")])
        expect(page.locator(".text")).to_contain_text(f"{turn}.")
    live = page.locator("#log").evaluate(LOG)
    page.reload()
    assert parse(live).canonical() == parse(page.locator("#log").evaluate(LOG)).canonical()


def test_an_opened_detail_a_draft_and_the_focus_outlast_updates(page: Page, server: Scripted):
    conversation, call = begin(page, server)
    server.play(conversation, [call.opened(), call.announced("Create ticket", TICKET_FRAME)])
    summary = page.locator("[data-call] summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-call] details")).not_to_have_attribute("open", "")
    page.locator("textarea").fill("a draft")
    summary.focus()
    server.play(conversation, [call.row(("title",), "Title", "March", place=0)])
    server.play(conversation, [call.changed(CallState.READY)])
    expect(page.locator("[data-call][data-state=ready]")).to_have_count(1)
    expect(page.locator("[data-call] details")).not_to_have_attribute("open", "")
    expect(summary).to_be_focused()
    expect(page.locator("textarea")).to_have_value("a draft")


def test_a_long_value_folds_and_stays_as_the_person_has_it(page: Page, server: Scripted):
    conversation, call = begin(page, server)
    long = "\n".join(f"line {number}" for number in range(60))
    server.play(
        conversation,
        [
            call.opened(),
            call.announced("Create ticket", TICKET_FRAME),
            call.row(("description",), "Description", long, place=0, kind=RowKind.PROSE),
        ],
    )
    value = page.locator("[data-field=description] [data-value]")
    fold = page.get_by_role("checkbox", name="Show all of Description")
    is_cut = "value => value.scrollHeight > value.clientHeight + 1"
    expect(fold).not_to_be_checked()
    assert value.evaluate(is_cut)
    page.locator(".fold").click()
    expect(fold).to_be_checked()
    for cut in (True, False):
        page.keyboard.press("Space")
        expect(fold).to_be_checked(checked=not cut)
        assert value.evaluate(is_cut) is cut
    show(page, hidden=True)
    server.play(conversation, [call.row(("title",), "Title", "March", place=0)])
    server.conversations.trim(conversation)  # the page comes back to a snapshot
    show(page, hidden=False)
    expect(page.locator("[data-field=title]")).to_have_count(1)
    states = (CallState.READY, CallState.RUNNING, CallState.DONE)
    server.play(conversation, [call.changed(state) for state in states])
    expect(page.locator("[data-call][data-state=done]")).to_have_count(1)
    expect(fold).to_be_checked()
    expect(fold).to_be_focused()
    assert not value.evaluate(is_cut)
    page.keyboard.press("Space")
    assert value.evaluate(is_cut)
    page.emulate_media(media="print")
    assert not value.evaluate(is_cut)
    expect(page.locator(".fold")).to_be_hidden()


def test_the_page_follows_its_end_only_while_the_person_is_there(page: Page, server: Scripted):
    conversation, call = begin(page, server)
    tall: list[Update] = [
        TurnOpened(call.exchange, call.turn),
        TextGrew(call.exchange, call.turn, "text", "line\n" * 200),
    ]
    server.play(conversation, tall)
    distance = "() => document.documentElement.scrollHeight - innerHeight - scrollY"
    expect(page.locator(".text")).to_contain_text("line")
    page.wait_for_timeout(300)
    assert page.evaluate(distance) < 5
    page.evaluate("() => scrollTo(0, 400)")
    page.wait_for_timeout(100)
    server.play(conversation, [TextGrew(call.exchange, call.turn, "text", "more\n" * 50)])
    expect(page.locator(".text")).to_contain_text("more")
    assert page.evaluate("() => scrollY") == 400


def test_a_selection_outlasts_text_that_grows(page: Page, server: Scripted):
    conversation, call = begin(page, server)
    server.play(
        conversation,
        [call.opened(), TextGrew(call.exchange, call.turn, "text", "Some words to select. ")],
    )
    page.locator(".text").select_text()
    server.play(conversation, [TextGrew(call.exchange, call.turn, "text", "And more of them.")])
    expect(page.locator(".text")).to_contain_text("of them")
    assert "Some words to select." in page.evaluate("() => String(getSelection())")
    page.locator(".text").select_text()
    show(page, hidden=True)
    server.play(conversation, [call.announced("Create ticket", TICKET_FRAME)])
    show(page, hidden=False)
    expect(page.locator("[data-call]")).to_have_count(1)
    assert "Some words to select. And" in page.evaluate("() => String(getSelection())")
    page.locator("button[name=stop]").click()
    expect(page.locator("button[name=stop]")).to_have_count(0)
    assert "Some words to select. And" in page.evaluate("() => String(getSelection())")


@pytest.mark.parametrize("reason", [Reason.STOPPED, Reason.TRUNCATED])
def test_a_selection_and_a_folded_call_outlast_a_turn_that_is_set_aside(
    page: Page, server: Scripted, reason: Reason
):
    conversation, call = begin(page, server)
    server.play(
        conversation,
        [call.opened(), TextGrew(call.exchange, call.turn, "text", "Some words to select. ")],
    )
    server.play(conversation, [call.announced("Create ticket", TICKET_FRAME)])
    server.play(conversation, [call.row(("title",), "Title", "March", place=0)])
    page.locator("[data-call] summary").click()
    page.locator(".text").select_text()
    ended = call.changed(CallState.NOT_RUN, reason)
    server.play(conversation, [ended, TurnAbandoned(call.exchange, call.turn, reason)])
    aside = page.locator(".aside > details")
    expect(aside).to_have_count(1)
    if reason == Reason.STOPPED:
        assert "Some words to select." in page.evaluate("() => String(getSelection())")
    else:
        expect(page.locator(".text")).to_be_hidden()
        aside.locator("summary").click()
        expect(page.locator(".text")).to_be_visible()
    expect(page.locator("[data-call] details")).not_to_have_attribute("open", "")


def test_who_is_about_to_decide_is_not_disturbed_by_another_call(page: Page, server: Scripted):
    """The block above takes shape and ends with a result; the one that waits is not touched."""
    conversation, other = begin(page, server)
    mine = CallScript(other.exchange, 0, 1)
    whole = whole_for_operator(None, {"amount": "12.50", "reason": "Paid twice."}, Formats("en"))
    until = WHEN + timedelta(days=900)
    asked = ApprovalView("a1", "user", "d", WHEN, until, "v1", "Pay it back.", whole)
    waits = [
        ApprovalChanged(mine.exchange, mine.turn, mine.call, asked),
        mine.changed(CallState.AWAITING_APPROVAL),
    ]
    server.play(conversation, [other.opened(), other.announced("Create ticket", TICKET_FRAME)])
    server.play(conversation, [mine.announced("Refund", TICKET_FRAME[:1]), *waits])
    deny = page.locator("[name=decision][value=deny]")
    deny.focus()
    page.locator("[data-argument=reason] [data-exact]").select_text()
    page.evaluate("() => scrollBy(0, -40)")
    deny.hover()
    before = page.evaluate(UNDISTURBED)
    assert before["focus"] == before["pointer"] == "deny"
    assert before["selected"] == "Paid twice."

    prose = other.streamed(("description",), "Description", "Line.\n" * 30, place=1, size=20)
    result = tuple(Row((f"r{n}",), f"Result {n}", "told", RowStatus.SETTLED) for n in range(12))
    for update in (
        other.row(("title",), "Title", "March", place=0),
        *prose,
        other.changed(CallState.READY),
        other.changed(CallState.RUNNING),
        other.changed(CallState.DONE, None, "TICK-1", 40, result),
    ):
        server.play(conversation, [update])
    expect(page.locator("[data-state=done] .outcome [data-field]")).to_have_count(12)
    assert page.evaluate(UNDISTURBED) == before


def test_stop_works_from_the_keyboard(page: Page, server: Scripted):
    page.goto(server.address)
    page.keyboard.type("Open a ticket, slowly")
    page.keyboard.press("Enter")
    expect(page.locator("[data-call]")).to_have_count(1)
    page.locator("button[name=stop]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("button[name=stop]")).to_have_count(0)
    expect(page.locator(".notice")).to_have_text("You stopped this answer.")
    expect(page.locator("textarea")).to_be_focused()


def test_shift_enter_breaks_the_line_and_enter_sends(page: Page, server: Scripted):
    page.goto(server.address)
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.locator("textarea")).to_have_value("one\ntwo")
    page.keyboard.press("Enter")
    expect(page.locator(".said")).to_have_text("one\ntwo")


@pytest.mark.parametrize("composing", ["isComposing: true", "keyCode: 229"])
def test_enter_that_ends_a_composition_does_not_send(page: Page, server: Scripted, composing: str):
    page.goto(server.address)
    page.locator("textarea").fill("かな")
    event = f'{{ key: "Enter", bubbles: true, cancelable: true, {composing} }}'
    kept = page.locator("textarea").evaluate(
        f'box => box.dispatchEvent(new KeyboardEvent("keydown", {event}))'
    )
    assert kept is True
    assert page.url.rstrip("/") == server.address


def test_a_message_sent_meanwhile_is_shown_as_kept(page: Page, server: Scripted):
    begin(page, server)
    page.locator("textarea").fill("And then?")
    page.keyboard.press("Enter")
    expect(page.locator(".kept")).to_contain_text("And then?")
    expect(page.locator("textarea")).to_have_value("")


def test_a_send_that_fails_keeps_its_text_and_says_so(browser: Browser, server: Scripted):
    page = browser.new_page()  # a failed request is an error on the console
    begin(page, server)

    def refuse(route: Route) -> None:
        route.abort()

    page.route("**/messages", refuse)
    page.locator("textarea").fill("Do not lose me")
    page.keyboard.press("Enter")
    expect(page.locator(".unsent")).to_be_visible()
    expect(page.locator("textarea")).to_have_value("Do not lose me")
    page.unroute("**/messages")
    page.locator("textarea").press("Enter")
    expect(page.locator("textarea")).to_have_value("")
    expect(page.locator(".unsent")).to_be_hidden()
    page.close()


def test_without_a_network_a_message_is_kept_and_sent_later(
    context: BrowserContext, server: Scripted
):
    page = context.new_page()  # a failed request is an error on the console
    conversation, call = begin(page, server)
    page.locator("textarea").fill("Do not lose me")
    context.set_offline(True)
    page.locator("textarea").press("Enter")
    expect(page.locator(".unsent")).to_be_visible()
    expect(page.locator("textarea")).to_have_value("Do not lose me")
    assert page.locator(".desk > p:visible").count() == 1
    server.play(conversation, [call.opened(), call.announced("Create ticket", TICKET_FRAME)])
    context.set_offline(False)
    page.locator("textarea").press("Enter")
    expect(page.locator("textarea")).to_have_value("")
    expect(page.locator(".kept", has_text="Do not lose me")).to_have_count(1)
    expect(page.locator("[data-call]")).to_have_count(1)
    expect(page.locator(".desk > p:visible")).to_have_count(0)


@pytest.mark.parametrize("fault", ["refused", "busy"])
def test_a_first_connection_that_fails_is_tried_again(
    browser: Browser, server: Scripted, fault: str
):
    page = browser.new_page()
    tries: list[str] = []

    def fail_once(route: Route) -> None:
        tries.append(route.request.url)
        if len(tries) > 1:
            route.continue_()
        elif fault == "refused":
            route.abort("connectionrefused")
        else:
            route.fulfill(status=503, body="<h1>busy</h1>", content_type="text/html")

    page.route("**/stream*", fail_once)
    page.goto(server.address)
    page.locator("textarea").fill("Open a ticket, slowly")
    page.keyboard.press("Enter")
    expect(page.locator(".offline")).to_be_visible()
    expect(page.locator("[data-call]")).to_have_count(1, timeout=8000)
    expect(page.locator(".offline")).to_be_hidden()
    expect(page.locator("text=busy")).to_have_count(0)
    page.close()


def test_the_mark_stands_still_for_who_asks_for_it(browser: Browser, server: Scripted):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    begin(page, server)
    running = page.evaluate("() => document.getAnimations().length")
    assert running == 0
    context.close()
