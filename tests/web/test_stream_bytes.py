"""What a turn costs on the wire, headers and chunk framing aside."""

import pytest

from app.display.updates import ExchangeEnded, ExchangeOpened, Update
from app.display.view import ConversationView
from app.web.fragments import Fragments
from app.web.screen import Screen
from app.web.sse import message as encoded
from tests.web.scripted import WHEN, Script
from tests.web.scripts import EMAIL_TEXT, email, said, ticket
from tests.web.wording import prompts, templates, words

EXCHANGE = "x5f0c1d2e3b4a59687786"
POSITION = "0a1b2c3d-"
"""The mark that a log in memory gives its positions."""


def cost(message: str, script: Script) -> int:
    """Bytes of one exchange on a page that has been watching for a while."""
    fragments = Fragments(templates(), words(), prompts())
    screen = Screen(ConversationView("c"))
    fragments.update(screen, [ExchangeOpened("before", "Hello", WHEN), ExchangeEnded("before")])
    opened: Update = ExchangeOpened(EXCHANGE, message, WHEN)
    batches = [[opened], *(updates for _, updates in script(EXCHANGE)), [ExchangeEnded(EXCHANGE)]]
    total = 0
    for number, batch in enumerate(batches):
        data, position = fragments.update(screen, batch), f"{POSITION}{100 + number}"
        total += len(encoded(position, data))
    return total


@pytest.mark.parametrize(
    ("message", "script", "budget"),
    [
        ("Open a ticket about the March invoice run", ticket, 3_800),
        ("Draft an email", email, 5_200),
    ],
)
def test_a_turn_stays_within_its_budget(message: str, script: Script, budget: int):
    assert cost(message, script) <= budget


def test_the_email_is_one_of_800_characters():
    assert len(EMAIL_TEXT) == pytest.approx(800, abs=20)


def test_bytes_grow_with_the_text_and_not_with_its_square():
    def long(times: int) -> Script:
        return lambda exchange: said(exchange, 0, EMAIL_TEXT * times)

    one, four = cost("x", long(1)), cost("x", long(4))
    assert four < 4.2 * one
