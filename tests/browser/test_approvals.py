"""Asked only when whole, shown whole, decided from the keyboard: in the real product."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.product import maps_asking, serving

pytestmark = pytest.mark.browser
ASKING = Path(__file__).with_name("asking.js")
REFUND = "Refund EUR 1,250 on invoice INV-2026-0312"
TOKEN = "a token of tests"
PATIENCE_MS = 30_000


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """The demo; operators are asked."""
    folder = tmp_path_factory.mktemp("operators")
    with serving(folder, demo_seed="5", demo_pace="0.1", operator_token=TOKEN) as address:
        yield address


@pytest.fixture(scope="module")
def personal(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    """The demo with a map by which the person is asked, and may change the amount."""
    folder = tmp_path_factory.mktemp("users")
    maps = str(maps_asking(folder, refund="user"))
    with serving(folder / "data", demo_pace="0.2", field_maps=maps) as address:
        yield address


def ask(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.type(REFUND)
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    waiting = page.locator('[data-state="awaiting_approval"]')
    expect(waiting).to_have_count(1, timeout=PATIENCE_MS)


def enter(page: Page, address: str) -> None:
    """Become an operator, from the keyboard alone."""
    page.goto(f"{address}/approvals")
    expect(page.locator("#name")).to_be_focused()
    page.keyboard.type("Ada")
    page.keyboard.press("Tab")
    page.keyboard.type(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_selector(".office")
    page.wait_for_load_state()  # the script is there


@pytest.mark.parametrize("_", range(2))
def test_nothing_of_an_approval_is_on_the_page_before_the_call_waits(
    page: Page, personal: str, _: int
) -> None:
    """Each run cuts the fragments elsewhere."""
    page.add_init_script(path=ASKING)
    ask(page, personal)
    expect(page.locator("form[data-approval] [name=decision]")).to_have_count(2)
    assert page.evaluate("early") == []


def test_a_person_approves_from_the_keyboard_what_stands_there(page: Page, personal: str) -> None:
    ask(page, personal)
    expect(page.locator(".withdraws")).to_be_visible()
    values = page.locator("[data-argument] [data-exact]").all_text_contents()
    assert values == [
        "INV-2026-0312",
        "1250.00",
        "EUR",
        "Paid twice: on 2 March and again on 4 March.",
    ]
    marks = page.locator("[data-call] summary").evaluate_all(
        "all => all.map(one => getComputedStyle(one, '::before').content)"
    )
    assert marks == ['""', "none"], "only the call's own head bears the mark of its state"
    expect(page.locator("#message")).to_be_focused()
    expect(page.locator(".prompt [data-until]")).not_to_be_empty()  # its script is there
    page.keyboard.press("Alt+a")
    expect(page.locator(".prompt h4")).to_be_focused()
    assert faults(page, "a prompt in the chat") == []
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.locator("[name=decision][value=approve]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator('[data-call][data-state="done"]')).to_have_count(1, timeout=PATIENCE_MS)
    expect(page.locator(".prompt, form[data-approval]")).to_have_count(0)
    assert faults(page, "after it was decided") == []


def test_a_person_changes_what_may_be_changed(page: Page, personal: str) -> None:
    ask(page, personal)
    page.get_by_role("link", name="Change before approving").click()
    assert faults(page, "a value to change") == []
    page.locator("textarea[name='edit:amount']").fill("100.50")
    page.get_by_role("button", name="Approve as changed").click()
    page.wait_for_url("**/c/*")
    done = page.locator('[data-call][data-state="done"]')
    expect(done.locator(".outcome [data-field=amount] [data-value]")).to_have_text(
        "100.50", timeout=PATIENCE_MS
    )


def test_a_new_message_withdraws_what_waits(page: Page, personal: str) -> None:
    ask(page, personal)
    page.locator("#message").fill("Refuse to answer, please")
    page.keyboard.press("Enter")
    call = page.locator("[data-call]").first
    expect(call).to_have_attribute("data-state", "not_run", timeout=PATIENCE_MS)
    expect(call).to_contain_text("You went on without a decision")
    expect(page.locator("form[data-approval]")).to_have_count(0)


def test_an_operator_works_the_queue_from_the_keyboard(
    page: Page, browser: Browser, product: str
) -> None:
    """The first decided while the second comes in; the chat goes on by itself."""
    first, second = browser.new_page(), browser.new_page()
    ask(first, product)
    expect(first.locator(".prompt")).to_contain_text("An operator decides on this, until")
    expect(first.locator("form[data-approval]")).to_have_count(0)
    enter(page, product)
    requests = page.locator(".request")
    expect(requests).to_have_count(1)
    page.keyboard.press("j")
    expect(requests.first).to_be_focused()
    before = requests.first.bounding_box()
    ask(second, product)
    expect(requests).to_have_count(2, timeout=PATIENCE_MS)
    expect(page).to_have_title("(2) Approvals")
    expect(requests.first).to_be_focused()
    assert requests.first.bounding_box() == before

    page.keyboard.press("a")
    page.keyboard.press("x")
    page.keyboard.press("y")
    expect(requests.first).to_have_attribute("data-state", "waiting")
    page.keyboard.press("a")
    page.keyboard.press("y")
    expect(requests.first).to_have_attribute("data-state", "approved", timeout=PATIENCE_MS)
    expect(requests.first).to_contain_text(re.compile(r"Approved by Ada \(.*It was run\."))
    expect(page).to_have_title("(1) Approvals")
    done = first.locator('[data-call][data-state="done"]')
    expect(done).to_have_count(1, timeout=PATIENCE_MS)

    page.keyboard.press("j")
    page.keyboard.press("r")
    page.keyboard.type("Not twice")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.keyboard.press("y")
    expect(requests.last).to_have_attribute("data-state", "denied", timeout=PATIENCE_MS)
    expect(page).to_have_title("Approvals")
    expect(second.locator('[data-state="not_run"]')).to_have_count(1, timeout=PATIENCE_MS)
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/approvals/a*")
    expect(page.locator(".decided")).to_contain_text("Approved by Ada")
    first.close()
    second.close()
