"""The side list by plain forms: rename, delete and bring back, search."""

import pytest

from app.web.shelf import ON_SHELF
from tests.web.clients import begin, client

MESSAGE = "Archive the report"


def test_the_list_tells_title_and_time_and_offers_what_can_be_done():
    with client() as session:
        place = begin(session, MESSAGE)
        page = session.get(place).text
        other = session.get("/").text
    assert f'href="{place}" aria-current="page">{MESSAGE} <time datetime="2026-03-01T09:30' in page
    assert f'action="{place}/rename"' in page
    assert f'action="{place}/rename"' not in other


def test_a_conversation_is_renamed():
    with client() as session:
        place = begin(session, MESSAGE)
        answer = session.post(f"{place}/rename", data={"title": "  March\n <b> "})
        assert (answer.status_code, answer.headers["location"]) == (303, place)
        assert "March &lt;b&gt; <time" in session.get(place).text


@pytest.mark.parametrize("title", ["", " \n", "\u200b", "\u200b \u2060\ufe0f", "\u3164", "x" * 201])
def test_a_title_of_nothing_or_too_much_is_refused(title: str):
    with client() as session:
        place = begin(session, MESSAGE)
        assert session.post(f"{place}/rename", data={"title": title}).status_code == 422
        assert MESSAGE in session.get(place).text


def test_what_was_deleted_is_gone_and_can_be_brought_back():
    with client() as session:
        place = begin(session, MESSAGE)
        after = session.post(f"{place}/delete").headers["location"]
        assert session.get(place).status_code == 404
        page = session.get(after).text
        assert f'href="{place}"' not in page
        assert f'action="{place}/restore"' in page
        assert session.post(f"{place}/restore").headers["location"] == place
        assert f'href="{place}"' in session.get(place).text
        assert "restore" not in session.get(after).text


def test_search_finds_ones_own_and_shows_it_as_text():
    with client() as session:
        place = begin(session, "Is <b> there & here?")
        page = session.get("/search", params={"q": "<B> THERE"}).text
        assert f'href="{place}?first=' in page
        assert "Is <mark>&lt;b&gt; there</mark> &amp; here?" in page
        assert "One place" in page
        assert "Nothing was found." in session.get("/search?q=%25").text
        session.cookies.clear()
        assert "Nothing was found." in session.get("/search", params={"q": "there"}).text


def test_a_renamed_conversation_is_found_by_its_title_and_shown_as_text():
    with client() as session:
        place = begin(session, MESSAGE)
        session.post(f"{place}/rename", data={"title": f"<b> {'Audit ' * 30}"})
        page = session.get("/search", params={"q": "<B> AUDIT"}).text
        assert f'<a href="{place}"><mark>&lt;b&gt; Audit</mark>{" Audit" * 29}</a>' in page
        assert "One place" in page


def test_a_search_for_nothing_offers_to_search():
    with client() as session:
        assert 'name="q"' in session.get("/search").text


def test_the_list_is_of_the_newest_and_leads_to_all():
    with client() as session:
        places = [begin(session, f"Number {number}.") for number in range(ON_SHELF + 2)]
        page = session.get("/").text
        assert [f'href="{place}"' in page for place in places] == [False] * 2 + [True] * ON_SHELF
        assert 'href="/search">All conversations' in page
        oldest = session.get(places[0]).text
        assert f'action="{places[0]}/rename"' in oldest, "the open one is there"
        every = session.get("/search").text
        assert all(f'href="{place}"' in every for place in places)


def test_a_short_list_is_whole():
    with client() as session:
        for number in range(ON_SHELF):
            begin(session, f"Number {number}.")
        assert "All conversations" not in session.get("/").text
