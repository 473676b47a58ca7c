"""No hidden value reaches a page: not its bytes, not its document at any moment, not the log."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.canary_tools import ADDED, CANARY, arguments, write_maps
from tests.browser.product import serving
from tests.browser.screen import ended, say, send
from tests.providers.stub_server import Plan, Received, StubServer
from tests.providers.wire_shorthand import anthropic as wire

pytestmark = pytest.mark.browser
HERE = Path(__file__).parent
CASES = list(arguments())
TEXT = wire.start() + wire.block(0, "text", text="") + wire.text(0, "So be it.") + wire.end(0)
TOLD = TEXT + wire.reason("end_turn") + wire.STOP


def call(tool: str, text: str) -> bytes:
    pieces = [wire.piece(0, text[at : at + 9]) for at in range(0, len(text), 9)]
    ends = [wire.end(0), wire.reason("tool_use"), wire.STOP]
    return b"".join([wire.start(), wire.call(0, "toolu_1", tool), *pieces, *ends])


def plan(request: Received) -> Plan:
    """The call of the case that the person named last; a word, once it has been answered."""
    last = str(request.json["messages"][-1])
    for name, tool, text in CASES:
        if f"Show me: {name}!" in last:
            return Plan(call(tool, text), pace=0.02, seed=5)
    return Plan(TOLD)


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
        ) as address,
    ):
        yield address
        sent = b"".join(request.body for request in provider.received).decode()
        assert sent.count(CANARY) > len(CASES), "the tools gave the model no canary"


def test_no_hidden_value_is_anywhere(page: Page, served: str, tmp_path: Path) -> None:
    page.add_init_script(path=HERE / "wire.js")
    page.add_init_script(path=HERE / "canaries.js")
    say(page, "Hello again", served)
    for name, _, _ in CASES:
        send(page, f"Show me: {name}!")
        ended(page)
    assert page.locator("[data-call]").count() >= len(CASES)
    assert page.locator("[data-state=done]").count() >= len(CASES) - 3
    assert page.evaluate("caught.looks") > len(CASES)
    assert page.evaluate("caught.found") == []
    bodies: list[str] = page.evaluate("bodies")
    assert any("TICK-1" in body for body in bodies), "the wire was not recorded"
    log = (tmp_path / "data" / "server.log").read_text()
    for text in (*bodies, page.request.get(page.url).text(), log):
        assert CANARY not in text
        assert ADDED not in text
    page.reload()
    assert page.evaluate("caught.found") == []
