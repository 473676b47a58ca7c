"""The whole product with the demo model in a real browser: true at every moment."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.calls.exact_json import load_exact
from app.calls.json_types import JsonObject
from app.providers.demo_script import SCENARIOS, Scenario
from app.providers.demo_texts import EMAIL, MARCH_TICKET, NOTES
from tests.browser.product import serving
from tests.browser.screen import (
    announced_once,
    ended,
    log_of,
    say,
    send,
    signs_of_writing,
    states,
    true_at_every_moment,
)

pytestmark = pytest.mark.browser
WIRE = Path(__file__).with_name("wire.js")
FIRST = "Refuse to answer, please"
"""The shortest exchange there is: the page then follows before anything of the next one shows."""

ENDS = {
    "ticket": ["done"],
    "invoice": ["done"],
    "both": ["done", "done"],
    "email": ["done"],
    "refund": ["not_run"],
    "notes": ["done"],
    "search": ["done"],
    "urgent": ["not_run", "done"],
    "dies": ["not_run"] * 3,
    "cut_off": ["not_run"] * 3,
    "refusal": [],
}
"""The state in which each call of a scenario ends."""
ASKING = {"refund"}
"""The scenarios that wait for a person's decision."""

HIDDEN = ("desk-1", "desk-2", "outbox/", "account_manager", "ledger_entry", "sha256", "query_ms")
"""Values and names of result fields that no map shows."""

PROSE = {
    "ticket": ("description", MARCH_TICKET),
    "email": ("body", EMAIL),
    "notes": ("content", NOTES),
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with serving(tmp_path_factory.mktemp("quick"), demo_seed="7", demo_pace="0.3") as address:
        yield address


@pytest.fixture(scope="module")
def real_pace(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with serving(tmp_path_factory.mktemp("real"), demo_seed="8", demo_pace="1") as address:
        yield address


def test_every_scenario_has_its_end() -> None:
    assert set(ENDS) == {scenario.key for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.key)
def test_a_scenario_is_true_at_every_moment(page: Page, quick: str, scenario: Scenario) -> None:
    holds_at_every_moment(page, quick, scenario)


@pytest.mark.soak
@pytest.mark.parametrize(
    "key",
    [
        "ticket",
        "both",
        "dies",
    ],
)
def test_so_it_is_at_the_pace_of_a_real_provider(page: Page, real_pace: str, key: str) -> None:
    (scenario,) = (one for one in SCENARIOS if one.key == key)
    holds_at_every_moment(page, real_pace, scenario)


def holds_at_every_moment(page: Page, address: str, scenario: Scenario) -> None:
    page.add_init_script(path=WIRE)
    say(page, scenario.suggestion, address, FIRST)
    if scenario.key in ASKING:
        stop_while_it_waits(page)
    seen = ended(page, 40)
    live = log_of(page)
    true_at_every_moment(seen)
    announced_once(seen)
    assert signs_of_writing(page) == 0
    assert [states(heads)[-1] for heads in seen["states"].values()] == ENDS[scenario.key]
    if scenario.key in PROSE:
        assert final_prose(page, scenario.key) == written_prose(scenario.key)
    nothing_hidden_was_sent(page)
    page.reload()
    assert log_of(page) == live
    nothing_hidden_was_sent(page)


def stop_while_it_waits(page: Page) -> None:
    """Nobody decides here: the person goes no further."""
    expect(page.locator("[data-state=awaiting_approval]")).to_have_count(1, timeout=20_000)
    page.locator("button[name=stop]").click()


def final_prose(page: Page, key: str) -> str | None:
    field = PROSE[key][0]
    return page.locator(f"[data-field={field}] [data-value]").first.text_content()


def written_prose(key: str) -> str:
    field, arguments = PROSE[key]
    document = load_exact(arguments)
    assert isinstance(document, dict)
    return str(document[field])


def nothing_hidden_was_sent(page: Page) -> None:
    """Not in the page, not in what it fetched, not in the page as the server sends it now."""
    bodies: list[str] = page.evaluate("bodies")
    texts = [page.content(), *bodies, page.request.get(page.url).text()]
    for text in texts:
        assert not [hidden for hidden in HIDDEN if hidden in text]


def test_the_wire_is_recorded(page: Page, quick: str) -> None:
    """Otherwise the test above would find nothing hidden whatever was sent."""
    page.add_init_script(path=WIRE)
    say(page, SCENARIOS[0].suggestion, quick, FIRST)
    ended(page)
    assert any("TICK-" in body for body in page.evaluate("bodies"))


def follow(page: Page, other: Page, address: str, message: str) -> None:
    """Begin an exchange on one page, and follow it on another one of the same person."""
    say(page, message, address, FIRST)
    other.goto(page.url)


def test_rows_stay_in_place_when_the_conversation_goes_on(page: Page, quick: str) -> None:
    """Neither an end nor a next message gives back room that stands above a row."""
    say(page, "Search the open tickets", quick, FIRST)
    ended(page)
    for message in ("Write notes.txt", "Refuse this one"):
        send(page, message)
        true_at_every_moment(ended(page))


def test_a_done_call_folds_to_its_summary_when_the_conversation_goes_on(
    page: Page, quick: str
) -> None:
    say(page, "Look up invoice INV-2026-0312", quick, FIRST)
    ended(page)
    details = page.locator("[data-call] details")
    expect(details).to_have_attribute("open", "")
    send(page, "Refuse this one")
    expect(details).not_to_have_attribute("open", "")
    expect(details.locator("summary")).to_contain_text("INV-2026-0312")
    details.locator("summary").click()
    ended(page)
    send(page, "Refuse that one, too")
    ended(page)
    expect(details).to_have_attribute("open", "")


MOMENTS = {
    "first word": "article:last-child .text",
    "call announced": "article:last-child [data-call]",
    "first value": "article:last-child [data-field] [data-value]:not(:empty)",
    "prose": "article:last-child [data-field=description] [data-value]:not(:empty)",
    "told": "[data-call][data-state=done]",
}


def test_a_page_loaded_again_in_mid_call_ends_like_one_that_watched(
    page: Page, real_pace: str
) -> None:
    other = page.context.new_page()
    follow(page, other, real_pace, SCENARIOS[0].suggestion)
    for moment in MOMENTS.values():
        expect(other.locator(moment).first).to_be_attached(timeout=20_000)
        other.reload()
    true_at_every_moment(ended(page, 40))
    expect(other.locator("button[name=stop]")).to_have_count(0)
    assert log_of(other) == log_of(page)
    assert other.locator("[data-call]").count() == 1


def test_a_hidden_tab_comes_back_to_the_same_page(page: Page, real_pace: str) -> None:
    other = page.context.new_page()
    follow(page, other, real_pace, "Send an e-mail to the finance team")
    body = other.locator("[data-field=body] [data-value]")
    expect(body).to_contain_text("Dear", timeout=20_000)
    for _ in range(2):
        hide(other, hidden=True)
        before = body.text_content() or ""
        other.wait_for_timeout(300)
        assert body.text_content() == before, "a hidden tab was sent something"
        with other.expect_response("**/stream*") as again:
            hide(other, hidden=False)
        assert "last-event-id" in again.value.request.headers
    true_at_every_moment(ended(page, 40))
    expect(other.locator("button[name=stop]")).to_have_count(0)
    assert log_of(other) == log_of(page)


def hide(page: Page, *, hidden: bool) -> None:
    """What a browser does to a page when its tab is left or come back to."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_values_on_the_page_are_those_of_the_arguments(page: Page, quick: str) -> None:
    say(page, "Refund EUR 1,250 on invoice INV-2026-0312", quick, FIRST)
    stop_while_it_waits(page)
    ended(page)
    shown: JsonObject = page.locator("[data-field]").evaluate_all(
        """rows => Object.fromEntries(rows.map(row =>
            [row.dataset.field, row.querySelector("[data-value]").textContent]))"""
    )
    assert shown == {
        "invoice_number": "INV-2026-0312",
        "amount": "1,250.00",
        "currency": "EUR",
        "reason": "Paid twice: on 2 March and again on 4 March.",
    }
