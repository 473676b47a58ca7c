"""A frame that holds still, whatever the order in which its fields arrive."""

from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Page, expect

from app.calls.events import ArgumentFragment, CallAnnounced, CallCompleted
from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonValue
from app.calls.states import CallState
from app.calls.strict import parse_strict
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.updates import CallChanged, Update
from app.providers.demo_texts import EMAIL, MARCH_TICKET, NOTES, SEARCH, refund_of
from app.tools.map_files import load_field_maps, shipped_maps
from tests.browser.conftest import Scripted
from tests.browser.screen import RECORDER, true_at_every_moment

pytestmark = pytest.mark.browser
CALLS = {
    "create_ticket": MARCH_TICKET,
    "send_email": EMAIL,
    "refund": refund_of("INV-2026-0312", "1250.00"),
    "write_file": NOTES,
    "search_tickets": SEARCH,
}
FRAGMENTS = 12
ORDERS = ("written", "reversed", "shuffled")


def reordered(value: JsonValue, order: str, random: Random) -> JsonValue:
    """A document with the members of its objects in another order."""
    match value:
        case dict():
            names = list(value)
            if order == "reversed":
                names.reverse()
            if order == "shuffled":
                random.shuffle(names)
            return {name: reordered(value[name], order, random) for name in names}
        case list():
            return [reordered(item, order, random) for item in value]
        case _:
            return value


def forming(exchange: str, number: int, tool: str, text: str) -> Iterator[list[Update]]:
    """What viewers learn of one call, piece by piece, through its shipped map."""
    turn = LiveTurn(exchange, f"turn{number}", load_field_maps(shipped_maps()), Formats("en"))
    yield turn.take(CallAnnounced(0, "id", tool))
    size = -(-len(text) // FRAGMENTS)
    for at in range(0, len(text), size):
        yield turn.take(ArgumentFragment(0, text[at : at + size]))
    yield turn.take(CallCompleted(0))
    call = f"turn{number}-0"
    for state in (CallState.RUNNING, CallState.DONE):
        yield [CallChanged(exchange, turn.id, call, state)]


@pytest.mark.parametrize("order", ORDERS)
def test_no_row_moves_and_nothing_shifts_while_a_call_forms(
    page: Page, server: Scripted, order: str
) -> None:
    page.add_init_script(path=RECORDER)
    page.goto(server.address)
    page.locator("textarea").fill("Archive slowly")
    with page.expect_response("**/stream*"):
        page.keyboard.press("Enter")
    expect(page.locator("html[data-connected]")).to_have_count(1)
    conversation = page.url.rpartition("/")[2]
    exchange = server.conversations.open_exchange(conversation)
    random = Random(order)
    for number, (tool, written) in enumerate(CALLS.items()):
        text = dump_exact(reordered(parse_strict(written), order, random))
        for at, updates in enumerate(forming(exchange, number, tool, text)):
            server.play(conversation, updates)
            page.wait_for_timeout(25)
            if at == 0:
                page.evaluate("() => { seen.shifts.length = 0 }")
        expect(page.locator("[data-state=done]")).to_have_count(number + 1)
        assert page.evaluate("seen.shifts") == [], f"{tool}, {order}"
    seen = page.evaluate("seen")
    assert seen["moves"] == []
    assert len(seen["rows"]) == 23
    for heads in seen["states"].values():
        assert [head.partition(" | ")[0] for head in heads][-1] == "done"
    seen["texts"].clear()  # a note has braces of its own
    true_at_every_moment(seen)
