"""Asking again by plain forms, and the way back to what was before."""

import re

import pytest
from starlette.testclient import TestClient

from tests.web.clients import begin, client

QUICK = "Say nothing"
"""A message without a script is answered by nothing, at once."""
SLOW = "Open a ticket, slowly"


def at_rest(session: TestClient, place: str) -> str:
    """The page once its exchange has ended."""
    for _ in range(200):
        page = session.get(place).text
        if "name=stop" not in page:
            return page
    raise AssertionError("the exchange did not end")


def version(page: str) -> str | None:
    found = re.search(r"(\d of \d)", page)
    return found and found[1]


def test_the_last_message_is_asked_again_and_edited_and_the_old_stay():
    with client() as session:
        place = begin(session, QUICK)
        page = at_rest(session, place)
        assert version(page) is None
        assert session.post(f"{place}/retry").headers["location"] == place
        assert version(at_rest(session, place)) == "2 of 2"
        session.post(f"{place}/edit", data={"message": "Say <less>"})
        page = at_rest(session, place)
        assert version(page) == "3 of 3"
        assert "<div class=said>Say &lt;less&gt;</div>" in page
        [before] = re.findall(r'name=exchange value="(\w+)"', page)
        session.post(f"{place}/branch", data={"exchange": before})
        page = at_rest(session, place)
        assert version(page) == "2 of 3"
        assert f"<div class=said>{QUICK}</div>" in page
        assert len(re.findall(r'name=exchange value="(\w+)"', page)) == 2


def test_editing_begins_with_the_message_as_it_was():
    with client() as session:
        place = begin(session, "One\n  <two>")
        at_rest(session, place)
        page = session.get(f"{place}?edit=1").text
    assert ">\nOne\n  &lt;two&gt;</textarea>" in page
    assert f'action="{place}/edit"' in page


@pytest.mark.parametrize("form", ["retry", "edit"])
def test_nothing_is_asked_again_while_an_answer_is_written(form: str):
    with client() as session:
        place = begin(session, SLOW)
        answer = session.post(f"{place}/{form}", data={"message": "Again"})
        assert answer.status_code == 409
        page = session.get(place).text
    assert "Again" not in page
    assert version(page) is None


def test_without_script_the_start_page_has_no_more_to_show():
    with client() as session:
        assert "Show more" not in session.get("/").text
        assert "Show more" in session.get(begin(session, SLOW)).text
