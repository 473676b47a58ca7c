"""No hidden value reaches a page: not its bytes, not its document at any moment, not the log."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.canary_tools import ADDED, CANARY, arguments, write_maps
from tests.browser.product import serving
from tests.browser.screen import ended, say, send
from tests.providers.stub_server import Ending, Plan, Received, StubServer
from tests.providers.wire_shorthand import anthropic as wire

pytestmark = pytest.mark.browser
TOKEN = "a token of tests"
HERE = Path(__file__).parent
CASES = list(arguments())
TEXT = wire.start() + wire.block(0, "text", text="") + wire.text(0, "So be it.") + wire.end(0)
TOLD = TEXT + wire.reason("end_turn") + wire.STOP


def call(tool: str, text: str, reason: str = "tool_use") -> bytes:
    pieces = [wire.piece(0, text[at : at + 9]) for at in range(0, len(text), 9)]
    ends = [wire.end(0), wire.reason(reason), wire.STOP]
    return b"".join([wire.start(), wire.call(0, "toolu_1", tool), *pieces, *ends])


def plan(request: Received) -> Plan:
    """The call of the case that the person named last; a word, once it has been answered."""
    last = str(request.json["messages"][-1])
    at, (name, tool, text) = max((last.rfind(f"Show me: {case[0]}!"), case) for case in CASES)
    if at < 0:
        return Plan(TOLD)
    body = call(tool, text, "max_tokens" if name == "cut off" else "tool_use")
    half = len(body) * 2 // 3 if name in HALVES else None
    return Plan(body, pace=0.02, seed=5, cut=half, ending=HALVES.get(name, Ending.WHOLE))


HALVES = {"broken": Ending.DROPPED, "stopped": Ending.SILENT}
"""Answers that end in the middle of a call, behind its hidden value."""


@pytest.fixture
def served(tmp_path: Path) -> Generator[str, None, None]:
    write_maps(tmp_path / "maps")
    with (
        StubServer(plan) as provider,
        serving(
            tmp_path / "data",
            model="anthropic-messages:m",
            base_url=provider.url,
            api_key="k",
            field_maps=str(tmp_path / "maps"),
            tools="tests.browser.canary_tools:tools",
            operator_token=TOKEN,
            expected="tool look_up_invoice raised RuntimeError",
        ) as address,
    ):
        yield address
        sent = b"".join(request.body for request in provider.received).decode()
        assert sent.count(CANARY) > len(CASES), "the tools gave the model no canary"


def act(page: Page, office: Page, case: str) -> None:
    """What somebody does about a call. An operator sees everything, on a page of their own."""
    match case:
        case "refund" | "denied by the user":
            choice = "approve" if case == "refund" else "deny"
            page.locator(f"[name=decision][value={choice}]").click()
        case "write_file" | "denied by the operator":
            choice = "approve" if case == "write_file" else "deny"
            office.reload()
            expect(office.locator(".request")).to_contain_text(CANARY)
            office.locator(f"[name=decision][value={choice}]").click()
        case "stopped":
            call = page.locator("article:last-child [data-call]")
            expect(call.locator("[data-field=title]")).to_have_count(1)
            page.locator("button[name=stop]").click()
        case _:
            pass


def operator(browser: Browser, address: str) -> Page:
    office = browser.new_page()
    office.goto(f"{address}/approvals")
    office.locator("#name").fill("Ada")
    office.locator("[type=password]").fill(TOKEN)
    office.keyboard.press("Enter")
    office.wait_for_selector(".office")
    return office


def test_no_hidden_value_is_anywhere(
    page: Page, browser: Browser, served: str, tmp_path: Path
) -> None:
    page.add_init_script(path=HERE / "wire.js")
    page.add_init_script(path=HERE / "canaries.js")
    office = operator(browser, served)
    say(page, "Hello again", served)
    for name, _, _ in CASES:
        send(page, f"Show me: {name}!")
        act(page, office, name)
        ended(page)
    states = page.locator("[data-call]").evaluate_all("all => all.map(one => one.dataset.state)")
    assert {state: states.count(state) for state in states} == {
        "done": 8,
        "failed": 1,
        "not_run": 11,
    }
    assert page.evaluate("caught.looks") > len(CASES)
    assert page.evaluate("caught.found") == []
    bodies: list[str] = page.evaluate("bodies")
    assert any("TICK-1" in body for body in bodies), "the wire was not recorded"
    log = (tmp_path / "data" / "server.log").read_text()
    pages = [page.request.get(place).text() for place in (page.url, f"{served}/search?q=bird")]
    for text in (*bodies, *pages, log):
        assert CANARY not in text
        assert ADDED not in text
    page.reload()
    assert page.evaluate("caught.found") == []
    office.close()
