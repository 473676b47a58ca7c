"""The page policy is on every response, other sites are refused, faults show nothing."""

import logging

import pytest

from app.display.view import ConversationView
from app.web.guard import HEADERS
from tests.web.clients import begin, client
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import SCRIPTS

MESSAGE = "Open a ticket, slowly"


class Broken(ScriptedConversations):
    """Fails to show anything."""

    async def view(
        self, owner: str, conversation: str, first: int | str = 0
    ) -> tuple[ConversationView, str]:
        raise RuntimeError("the secret of the cellar")


@pytest.mark.parametrize(
    ("address", "status"),
    [("/", 200), ("/c/none", 404), ("/nowhere", 404), ("/healthz", 200), ("/static/htmx.js", 200)],
)
def test_every_response_has_the_policy(address: str, status: int):
    with client() as session:
        answer = session.get(address)
    assert answer.status_code == status
    for name, value in HEADERS.items():
        if name != "Cache-Control" or not address.startswith("/static"):
            assert answer.headers[name] == value


def test_a_fault_shows_a_page_with_the_policy_and_nothing_of_the_inside(
    caplog: pytest.LogCaptureFixture,
):
    with client(Broken(SCRIPTS)) as session, caplog.at_level(logging.ERROR):
        answer = session.get("/c/any")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert "cellar" not in answer.text
    assert "Traceback" not in answer.text
    assert "the secret of the cellar" in caplog.text


def test_a_wrong_method_has_a_page_too():
    with client() as session:
        answer = session.post("/healthz")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    assert "<h1>" in answer.text


@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"}, False),
        ({"Origin": "http://testserver"}, True),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "null"}, False),
    ],
)
@pytest.mark.parametrize("form", ["/", "{place}/messages", "{place}/stop"])
def test_only_our_own_pages_may_post(headers: dict[str, str], allowed: bool, form: str):
    with client() as session:
        place = begin(session, MESSAGE)
        answer = session.post(
            form.format(place=place), data={"message": "Archive the report"}, headers=headers
        )
        page = session.get(place).text + session.get("/").text
    assert answer.status_code == (303 if allowed else 403)
    if not allowed:
        assert "Archive the report</p>" not in page
        assert "Stop asked" not in page


def test_a_page_may_be_linked_to_from_anywhere():
    with client() as session:
        assert session.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200
