"""Pages and forms, with and without script; nothing of one person is another's."""

import pytest
from starlette.testclient import TestClient

from app.web.assets import SCRIPTS
from tests.web.clients import begin, client

MESSAGE = "Open a ticket, slowly"
SCRIPT_BUDGET = 46_080
"""45 kB of 1,024 bytes, htmx and its extension included."""


def test_an_empty_page_offers_what_can_be_asked():
    with client() as session:
        page = session.get("/").text
    assert 'name="message" value="Archive the report"' in page
    assert "hx-sse:connect" not in page
    assert "name=stop" not in page


def test_a_first_message_begins_a_conversation_and_shows_it():
    with client() as session:
        place = begin(session, MESSAGE)
        page = session.get(place).text
    assert f"<div class=said>{MESSAGE}</div>" in page
    assert "button name=stop" in page
    assert f'action="{place}/messages"' in page


@pytest.mark.parametrize("form", ["messages", "stop"])
def test_a_form_without_script_leads_back_to_the_page(form: str):
    with client() as session:
        place = begin(session, MESSAGE)
        answer = session.post(f"{place}/{form}", data={"message": "And then?"})
    assert (answer.status_code, answer.headers["location"]) == (303, place)


@pytest.mark.parametrize("form", ["messages", "stop"])
def test_a_form_with_script_changes_nothing_but_by_the_stream(form: str):
    with client() as session:
        place = begin(session, MESSAGE)
        answer = session.post(
            f"{place}/{form}", data={"message": "And then?"}, headers={"HX-Request": "true"}
        )
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_message_sent_meanwhile_is_kept_and_shown():
    with client() as session:
        place = begin(session, MESSAGE)
        session.post(f"{place}/messages", data={"message": "And\r\nthen?"})
        page = session.get(place).text
    assert "<p class=kept><b>Kept, sent next</b> And\nthen?</p>" in page


def test_asking_to_stop_shows_and_ends():
    with client() as session:
        place = begin(session, MESSAGE)
        session.post(f"{place}/stop")
        page = session.get(place).text
        assert "Stop asked" in page or "You stopped this answer." in page


@pytest.mark.parametrize("text", ["", "   \n ", "x" * 100_001])
def test_a_message_of_nothing_or_too_much_is_refused(text: str):
    with client() as session:
        place = begin(session, MESSAGE)
        answers = [
            session.post("/", data={"message": text}),
            session.post(f"{place}/messages", data={"message": text}),
        ]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert "Nothing was done" in answers[0].text


def test_a_body_beyond_any_message_is_refused():
    with client() as session:
        answer = session.post("/", data={"message": "x" * 1_300_000})
    assert answer.status_code == 413
    assert "content-security-policy" in answer.headers


def test_the_longest_message_fits_in_a_body():
    with client() as session:
        assert session.post("/", data={"message": "😀" * 100_000}).status_code == 303


def test_the_side_list_has_only_ones_own():
    with client() as session:
        begin(session, MESSAGE)
        assert MESSAGE in session.get("/").text
        session.cookies.clear()
        assert MESSAGE not in session.get("/").text


def test_scripts_at_load_stay_within_their_budget():
    with client() as session:
        page = session.get("/").text
        sizes = [len(session.get(f"/static/{name}").content) for name in SCRIPTS]
    assert page.count("<script") == len(SCRIPTS)
    assert sum(sizes) <= SCRIPT_BUDGET


@pytest.mark.parametrize("name", [*SCRIPTS, "formwork.css", "icon.svg"])
def test_a_file_is_kept_for_good_under_its_own_address_alone(name: str):
    with client() as session:
        room = session.get("/").text
        address = next(part for part in room.split('"') if part.startswith(f"/static/{name}?v="))
        good, bare = session.get(address), session.get(f"/static/{name}?v=other")
        again = session.get(address, headers={"If-None-Match": good.headers["etag"]})
        plain = session.get(address, headers={"Accept-Encoding": "identity"})
    assert "immutable" in good.headers["cache-control"]
    assert bare.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert "content-encoding" not in plain.headers
    assert plain.content == good.content


def test_there_are_no_other_files():
    with client() as session:
        for name in ("package.json", "..%2fpyproject.toml", "node_modules"):
            assert session.get(f"/static/{name}").status_code == 404


def test_the_icon_and_the_health_check_answer():
    with client() as session:
        assert session.get("/favicon.ico").headers["content-type"] == "image/svg+xml"
        assert session.get("/healthz").text == "ok"


def test_a_session_is_signed_and_out_of_reach_of_scripts():
    with client() as session:
        cookie = session.get("/").headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "secure" not in cookie
        forged = TestClient(session.app, cookies={"formwork": "eyJvd25lciI6ICJ4In0=.x.y"})
        assert "set-cookie" in forged.get("/").headers


def test_a_session_over_tls_stays_there():
    with client() as session:
        secure = TestClient(session.app, base_url="https://testserver")
        assert "secure" in secure.get("/").headers["set-cookie"].lower()
