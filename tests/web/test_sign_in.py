"""Who somebody is, and what makes an operator or a developer of them."""

import base64
import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from fastapi import APIRouter
from itsdangerous import TimestampSigner
from starlette.testclient import TestClient

from app.calls.exact_json import load_exact
from app.web.access import Access, Role
from app.web.application import create_app
from app.web.identity import SIGNED_IN_S, Developer, Operator, Person
from app.web.service import WebServices
from tests.web.scripted import ScriptedConversations
from tests.web.scripts import SCRIPTS

TOKENS = {Role.OPERATOR: "the operators' token", Role.DEVELOPER: "the developers' token"}
BY_TOKEN = Access(tokens=TOKENS)
BY_HEADER = Access(
    user_header="X-User",
    groups_header="X-Groups",
    members={Role.OPERATOR: frozenset({"group:approvers"}), Role.DEVELOPER: frozenset({"ada"})},
)
LOCAL, ELSEWHERE = ("127.0.0.1", 50_000), ("192.0.2.1", 50_000)
MESSAGE = "Open a ticket, slowly"


def services(access: Access) -> WebServices:
    return replace(ScriptedConversations(SCRIPTS).services(), access=access)


@contextmanager
def client(access: Access, peer: tuple[str, int] = LOCAL) -> Generator[TestClient, None, None]:
    """A browser at an application that also tells people what it knows of them."""
    app = create_app(services(access))
    probe = APIRouter()

    async def who(person: Person) -> dict[str, Any]:
        return {"user": person.user, "roles": sorted(person.roles), "actor": person.actor}

    async def operators(person: Operator) -> str:
        return person.actor

    async def developers(person: Developer) -> str:
        return person.actor

    probe.get("/probe/who")(who)
    probe.get("/probe/operators")(operators)
    probe.post("/probe/operators")(operators)
    probe.get("/probe/developers")(developers)
    app.include_router(probe)
    with TestClient(app, follow_redirects=False, client=peer) as session:
        yield session


def sign_in(session: TestClient, token: str, **more: str) -> Any:
    return session.post("/sign-in", data={"token": token, **more})


def roles(session: TestClient, **headers: str) -> list[str]:
    return session.get("/probe/who", headers=headers).json()["roles"]


@pytest.mark.parametrize("role", Role)
def test_a_token_gives_its_role_and_no_other(role: Role) -> None:
    with client(BY_TOKEN) as session:
        assert roles(session) == []
        assert sign_in(session, TOKENS[role]).status_code == 303
        assert roles(session) == [role]


def test_both_roles_can_be_had_and_are_given_up_together() -> None:
    with client(BY_TOKEN) as session:
        for token in TOKENS.values():
            sign_in(session, token)
        assert roles(session) == sorted(Role)
        assert session.post("/sign-out").headers["location"] == "/"
        assert roles(session) == []


@pytest.mark.parametrize("token", ["", "wrong", "the operators' toke", "the operators' tokens"])
def test_another_token_gives_nothing(token: str) -> None:
    with client(BY_TOKEN) as session:
        answer = sign_in(session, token)
        assert answer.status_code in (403, 422)
        assert roles(session) == []


def test_attempts_are_bounded_and_the_right_token_waits_too() -> None:
    with client(BY_TOKEN) as session:
        statuses = [sign_in(session, "wrong").status_code for _ in range(11)]
        late = sign_in(session, TOKENS[Role.OPERATOR])
        assert roles(session) == []
    assert statuses == [403] * 10 + [429]
    assert late.status_code == 429
    assert 0 < int(late.headers["retry-after"]) <= 60
    assert "Too many attempts" in late.text


def test_a_session_that_was_known_before_is_worth_nothing_after() -> None:
    """Whoever planted a cookie, or kept one, does not become an operator by another's sign-in."""
    with client(BY_TOKEN) as session:
        session.get("/")
        before = dict(session.cookies)
        sign_in(session, TOKENS[Role.OPERATOR])
        assert roles(session) == [Role.OPERATOR]
        planted = TestClient(session.app, cookies=before)
        assert roles(planted) == []


def test_a_person_keeps_their_conversations_over_signing_in_and_out() -> None:
    with client(BY_TOKEN) as session:
        place = session.post("/", data={"message": MESSAGE}).headers["location"]
        sign_in(session, TOKENS[Role.OPERATOR])
        assert session.get(place).status_code == 200
        session.post("/sign-out")
        assert session.get(place).status_code == 200


@pytest.mark.parametrize(
    ("tokens", "kept"),
    [
        (TOKENS, [Role.OPERATOR]),
        ({Role.OPERATOR: "a new token"}, []),
        ({}, []),
        ({Role.DEVELOPER: TOKENS[Role.OPERATOR]}, []),
    ],
)
def test_a_changed_token_ends_what_the_old_one_began(
    tokens: dict[Role, str], kept: list[Role]
) -> None:
    with client(BY_TOKEN) as session:
        sign_in(session, TOKENS[Role.OPERATOR])
        cookies = dict(session.cookies)
    with client(Access(tokens=tokens)) as later:
        later.cookies.update(cookies)
        assert roles(later) == kept


def test_a_sign_in_does_not_last_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with client(BY_TOKEN) as session:
        sign_in(session, TOKENS[Role.OPERATOR])
        now = time.time()
        monkeypatch.setattr("app.web.identity.time.time", lambda: now + SIGNED_IN_S - 60)
        assert roles(session) == [Role.OPERATOR]
        monkeypatch.setattr("app.web.identity.time.time", lambda: now + SIGNED_IN_S + 60)
        assert roles(session) == []


def test_neither_the_token_nor_a_name_can_be_read_out_of_the_page_or_forged_into_the_cookie():
    with client(BY_TOKEN) as session:
        sign_in(session, TOKENS[Role.OPERATOR], name="<b>Ada</b>\nand\u202eBen" + "x" * 90)
        page = session.get("/sign-in").text
        cookie = session.cookies["formwork"]
        signed_in: Any = load_exact(base64.b64decode(cookie.split(".")[0]).decode())
        signed_in = signed_in["signed_in"] | {"at": 0}
    assert "&lt;b&gt;Ada&lt;/b&gt; andBen" in page
    assert TOKENS[Role.OPERATOR] not in page
    assert TOKENS[Role.OPERATOR] not in json.dumps(signed_in)
    assert len(signed_in["name"]) == 60
    payload = base64.b64encode(json.dumps({"owner": "x", "signed_in": signed_in}).encode())
    forged = TimestampSigner("another key").sign(payload).decode()
    with client(BY_TOKEN) as other:
        other.cookies.set("formwork", forged)
        assert roles(other) == []


def test_two_of_one_name_are_told_apart() -> None:
    with client(BY_TOKEN) as session:
        actors: set[str] = set()
        for _ in range(3):
            sign_in(session, TOKENS[Role.OPERATOR], name="Ada")
            actors.add(session.get("/probe/operators").json())
    assert len(actors) == 3
    assert all(actor.startswith("Ada (") for actor in actors)


@pytest.mark.parametrize(
    ("onward", "location"),
    [
        ("/approvals", "/approvals"),
        ("/approvals/a1b2", "/approvals/a1b2"),
        ("/developer/a1b2", "/developer/a1b2"),
        ("", "/approvals"),
        ("https://evil.example", "/approvals"),
        ("//evil.example", "/approvals"),
        ("/approvals/../sign-out", "/approvals"),
        ("/approvals\\evil", "/approvals"),
        ("/c/somebody", "/approvals"),
    ],
)
def test_a_sign_in_leads_on_to_pages_of_ours_alone(onward: str, location: str) -> None:
    with client(BY_TOKEN) as session:
        answer = sign_in(session, TOKENS[Role.OPERATOR], next=onward)
        assert answer.headers["location"] == location


def test_who_is_no_operator_is_led_to_the_sign_in_and_refused_a_deed() -> None:
    with client(BY_TOKEN) as session:
        page = session.get("/probe/operators")
        deed = session.post("/probe/operators")
    assert (page.status_code, page.headers["location"]) == (303, "/sign-in?next=/probe/operators")
    assert deed.status_code == 403
    assert "a role that you do not have" in deed.text


def test_to_who_is_no_developer_the_page_does_not_exist() -> None:
    with client(BY_TOKEN) as session:
        assert session.get("/probe/developers").status_code == 404
        sign_in(session, TOKENS[Role.DEVELOPER])
        assert session.get("/probe/developers").status_code == 200


def test_without_any_token_there_is_nothing_to_sign_in_to() -> None:
    with client(Access()) as session:
        assert session.get("/sign-in").status_code == 404
        assert sign_in(session, "x").status_code == 404
        assert session.get("/probe/operators").status_code == 403


@pytest.mark.parametrize(
    ("peer", "headers", "user", "named"),
    [
        (LOCAL, {"X-User": "ada"}, "user:ada", [Role.DEVELOPER]),
        (
            LOCAL,
            {"X-User": "ben", "X-Groups": "approvers, sales"},
            "user:ben",
            ["approvers", Role.OPERATOR, "sales"],
        ),
        (LOCAL, {"X-User": "ben", "X-Forwarded-For": "192.0.2.9"}, "user:ben", []),
        (LOCAL, {"X-User": "jürgen".encode().decode("latin-1")}, "user:jürgen", []),
        (("::1", 1), {"X-User": "ada"}, "user:ada", [Role.DEVELOPER]),
    ],
)
def test_a_trusted_proxy_names_people(
    peer: tuple[str, int], headers: dict[str, str], user: str, named: list[str]
) -> None:
    with client(BY_HEADER, peer) as session:
        raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        told = session.get("/probe/who", headers=raw).json()
    assert (told["user"], told["roles"]) == (user, sorted(named))


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        (LOCAL, []),
        (LOCAL, [("X-User", "")]),
        (LOCAL, [("X-User", "ada"), ("X-User", "ben")]),
        (LOCAL, [("X-User", "a\tb")]),
        (LOCAL, [("X-User", "a" * 201)]),
        (ELSEWHERE, [("X-User", "ada")]),
        (ELSEWHERE, [("X-User", "ada"), ("X-Forwarded-For", "127.0.0.1")]),
        (("testclient", 1), [("X-User", "ada")]),
    ],
)
def test_a_request_that_no_trusted_proxy_names_is_refused(
    peer: tuple[str, int], headers: list[tuple[str, str]]
) -> None:
    with client(BY_HEADER, peer) as session:
        for path in ("/", "/c/x", "/c/x/stream", "/sign-in"):
            answer = session.get(path, headers=headers)
            assert answer.status_code == 403
            assert "Open the page through that sign-in" in answer.text
        assert session.get("/healthz").status_code == 200


def test_a_person_of_a_header_is_nobody_s_cookie() -> None:
    """Neither may a cookie become a named person, nor a name a cookie's owner."""
    with client(Access()) as anonymous:
        place = anonymous.post("/", data={"message": MESSAGE}).headers["location"]
        owner = anonymous.get("/probe/who").json()["user"]
        cookies = dict(anonymous.cookies)
        assert anonymous.get(place, headers={"X-User": "ada"}).status_code == 200
    with client(BY_HEADER) as session:
        session.cookies.update(cookies)
        headers = {"X-User": owner}
        assert session.get("/probe/who", headers=headers).json()["user"] == f"user:{owner}"


def test_one_named_person_cannot_see_another_s_conversation() -> None:
    with client(BY_HEADER) as session:
        place = session.post("/", data={"message": MESSAGE}, headers={"X-User": "ada"}).headers[
            "location"
        ]
        assert session.get(place, headers={"X-User": "ada"}).status_code == 200
        assert session.get(place, headers={"X-User": "ben"}).status_code == 404


def test_a_role_that_a_token_gave_is_the_person_s_own() -> None:
    both = replace(BY_HEADER, tokens=TOKENS)
    with client(both) as session:
        data = {"token": TOKENS[Role.OPERATOR], "name": "Mallory"}
        session.post("/sign-in", data=data, headers={"X-User": "ben"})
        told = session.get("/probe/who", headers={"X-User": "ben"}).json()
        assert (told["actor"], told["roles"]) == ("ben", [Role.OPERATOR])
        assert roles(session, **{"X-User": "cyn"}) == []


def test_a_proxy_s_word_for_the_client_counts_for_attempts_and_tls() -> None:
    with client(BY_TOKEN) as session:
        for number in range(11):
            headers = {"X-Forwarded-For": f"192.0.2.{number}"}
            answer = session.post("/sign-in", data={"token": "wrong"}, headers=headers)
            assert answer.status_code == 403
        session.cookies.clear()
        answer = session.get("/", headers={"X-Forwarded-Proto": "https"})
        assert "secure" in answer.headers["set-cookie"].lower()
    with client(BY_TOKEN, ELSEWHERE) as session:
        answer = session.get("/", headers={"X-Forwarded-Proto": "https"})
        assert "secure" not in answer.headers["set-cookie"].lower()


def test_a_name_is_not_forgotten_for_a_wrong_token() -> None:
    with client(BY_TOKEN) as session:
        given = {"token": "wrong", "name": 'Ada "the first" <b>'}
        page = session.post("/sign-in", data=given).text
        assert 'value="Ada &#34;the first&#34; &lt;b&gt;"' in page
        for _ in range(10):
            page = session.post("/sign-in", data=given).text
        assert 'value="Ada &#34;the first&#34; &lt;b&gt;"' in page, "after too many attempts, too"
