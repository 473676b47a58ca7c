"""A long conversation: a page holds the end of it, and says how to come to the rest."""

import re

import pytest
from starlette.testclient import TestClient

from app.display.updates import ExchangeEnded, ExchangeOpened, TextGrew, TurnOpened
from app.web.pages import SHOWN
from tests.web.clients import begin, client, messages, stream_address
from tests.web.dom import apply_message
from tests.web.scripted import WHEN, Script, ScriptedConversations
from tests.web.test_stream import conversation, page_of, settle

QUIET: dict[str, Script] = {"Hello": lambda _: [(600, [])]}
LENGTH = 2 * SHOWN + 5


@pytest.fixture
def scripted() -> ScriptedConversations:
    return ScriptedConversations(QUIET)


def long(session: TestClient, scripted: ScriptedConversations) -> str:
    """A conversation of :data:`LENGTH` exchanges, all of them ended."""
    place = begin(session, "Hello")
    scripted.play(conversation(place), [ExchangeEnded(scripted.open_exchange(conversation(place)))])
    for number in range(1, LENGTH):
        name = f"e{number}"
        scripted.play(
            conversation(place),
            [
                ExchangeOpened(name, f"Message {number}.", WHEN),
                TurnOpened(name, f"t{number}"),
                TextGrew(name, f"t{number}", "i", f"Answer {number}."),
                ExchangeEnded(name),
            ],
        )
    return place


def shown(html: str) -> list[int]:
    return [int(found) for found in re.findall(r"<article[^>]* id=x(\d+)>", html)]


def earlier(html: str) -> str:
    found = re.search(r'class="earlier" href="([^"]*)"', html)
    return found[1] if found else ""


def test_a_page_holds_the_end_and_leads_to_the_beginning(scripted: ScriptedConversations):
    with client(scripted) as session:
        place = long(session, scripted)
        html = session.get(place).text
        assert shown(html) == list(range(LENGTH - SHOWN, LENGTH))
        steps: list[str] = []
        while link := earlier(html):
            steps.append(link)
            html = session.get(place + link.partition("#")[0]).text
            assert link.endswith(f"#x{LENGTH - SHOWN * len(steps)}"), "where one was before"
        assert shown(html) == list(range(LENGTH))
        assert len(steps) == 2


def test_a_short_one_is_whole(scripted: ScriptedConversations):
    with client(scripted) as session:
        html = session.get(begin(session, "Hello")).text
        assert shown(html) == [0]
        assert not earlier(html)


def test_a_hit_is_on_the_page_that_it_leads_to(scripted: ScriptedConversations):
    with client(scripted) as session:
        place = long(session, scripted)
        found = session.get("/search", params={"q": "message 7."}).text
        (link,) = re.findall(rf'href="({place}\?[^"]*)#log"', found)
        assert shown(session.get(link).text) == list(range(7, LENGTH))


@pytest.mark.parametrize("first", ["-1", "x", "²", "9" * 60, "%00"])
def test_an_odd_beginning_is_none_or_the_end(scripted: ScriptedConversations, first: str):
    with client(scripted) as session:
        place = begin(session, "Hello")
        assert shown(session.get(f"{place}?first={first}").text) == [0]


@pytest.mark.parametrize("first", ["", f"?first={SHOWN}", "?first=0"])
@pytest.mark.parametrize("forgets", [False, True])
def test_its_stream_goes_on_with_what_the_page_holds(
    scripted: ScriptedConversations, first: str, forgets: bool
):
    with client(scripted) as session:
        place = long(session, scripted)
        html = session.get(place + first).text
        page = page_of(html)
        scripted.play(conversation(place), [ExchangeOpened("new", "And?", WHEN)])
        scripted.play(
            conversation(place), [TurnOpened("new", "t"), TextGrew("new", "t", "i", "So")]
        )
        if forgets:
            scripted.trim(conversation(place))
        with session.stream("GET", stream_address(html)) as answer:
            apply_message(page, next(messages(answer.iter_lines()))["data"])
        begins = shown(html)[0]
        assert settle(page) == settle(page_of(session.get(f"{place}?first={begins}").text))
