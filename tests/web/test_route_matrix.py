"""Every route, by role and owner: whose it is, and what anybody else gets of it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum

import pytest
from fastapi.routing import iter_route_contexts
from starlette.testclient import TestClient

from app.display.field_map import Approver
from app.web.access import Access, Role
from app.web.application import create_app
from tests.web.clients import begin
from tests.web.scripted import ScriptedConversations
from tests.web.scripted_approvals import ScriptedApprovals, asked
from tests.web.scripts import SCRIPTS

MESSAGE = "Open a ticket, slowly"


class Whose(StrEnum):
    ANYONE = "anyone"
    OWNER = "owner"
    """Of one conversation; to anybody else, whatever their role, it does not exist."""
    OPERATOR = "operator"
    DEVELOPER = "developer"
    """To anybody else it does not exist."""


ROUTES: list[tuple[str, str, Whose]] = [
    ("GET", "/c/{conversation}", Whose.OWNER),
    ("POST", "/c/{conversation}/messages", Whose.OWNER),
    ("POST", "/c/{conversation}/stop", Whose.OWNER),
    ("GET", "/c/{conversation}/stream", Whose.OWNER),
    ("POST", "/c/{conversation}/retry", Whose.OWNER),
    ("POST", "/c/{conversation}/edit", Whose.OWNER),
    ("POST", "/c/{conversation}/branch", Whose.OWNER),
    ("POST", "/c/{conversation}/rename", Whose.OWNER),
    ("POST", "/c/{conversation}/delete", Whose.OWNER),
    ("POST", "/c/{conversation}/restore", Whose.OWNER),
    ("GET", "/c/{conversation}/approvals/{approval}", Whose.OWNER),
    ("POST", "/c/{conversation}/approvals/{approval}", Whose.OWNER),
    ("GET", "/approvals", Whose.OPERATOR),
    ("GET", "/approvals/stream", Whose.OPERATOR),
    ("GET", "/approvals/history", Whose.OPERATOR),
    ("GET", "/approvals/audit.jsonl", Whose.OPERATOR),
    ("GET", "/approvals/audit.csv", Whose.OPERATOR),
    ("GET", "/approvals/{approval}", Whose.OPERATOR),
    ("POST", "/approvals/{approval}", Whose.OPERATOR),
    ("GET", "/search", Whose.ANYONE),
    ("GET", "/", Whose.ANYONE),
    ("POST", "/", Whose.ANYONE),
    ("GET", "/sign-in", Whose.ANYONE),
    ("POST", "/sign-in", Whose.ANYONE),
    ("POST", "/sign-out", Whose.ANYONE),
    ("GET", "/healthz", Whose.ANYONE),
    ("GET", "/metrics", Whose.ANYONE),
    ("GET", "/static/{name}", Whose.ANYONE),
    ("GET", "/favicon.ico", Whose.ANYONE),
]

TOKENS = {role: f"the token of a {role}" for role in Role}
STRANGERS: list[frozenset[Role]] = [
    frozenset(),
    frozenset({Role.OPERATOR}),
    frozenset({Role.DEVELOPER}),
    frozenset(Role),
]
OPERATORS = asked(1, {"amount": 1})
OWN = asked(2, {"amount": 1}, by=Approver.USER.value)


def of(*kinds: Whose) -> list[tuple[str, str]]:
    return [(method, path) for method, path, whose in ROUTES if whose in kinds]


@contextmanager
def office() -> Generator[tuple[TestClient, ScriptedApprovals], None, None]:
    approvals = ScriptedApprovals([OPERATORS, OWN])
    scripted = ScriptedConversations(SCRIPTS, approvals=approvals)
    services = replace(scripted.services(), access=Access(tokens=TOKENS))
    with TestClient(create_app(services), follow_redirects=False) as session:
        yield session, approvals


def become(session: TestClient, roles: frozenset[Role]) -> None:
    """Be somebody else, with these roles."""
    session.cookies.clear()
    for role in roles:
        session.post("/sign-in", data={"token": TOKENS[role]})


def test_the_matrix_has_every_route() -> None:
    app = create_app(ScriptedConversations(SCRIPTS).services())
    served = {
        (method, context.path)
        for context in iter_route_contexts(app.routes)
        for method in context.methods or ()
    }
    assert served == {(method, path) for method, path, _ in ROUTES}


@pytest.mark.parametrize("roles", STRANGERS, ids=lambda roles: "+".join(sorted(roles)) or "none")
@pytest.mark.parametrize(("method", "path"), of(Whose.OWNER))
def test_another_persons_conversation_does_not_exist(
    method: str, path: str, roles: frozenset[Role]
) -> None:
    with office() as (session, approvals):
        conversation = begin(session, MESSAGE).removeprefix("/c/")
        request = replace(OWN, conversation_id=conversation)
        approvals.put(request)
        become(session, roles)
        for name in (conversation, "nothing"):
            place = path.replace("{conversation}", name).replace("{approval}", request.id)
            data = {
                "message": "mine?",
                "title": "mine?",
                "exchange": "mine?",
                "decision": "approve",
                "digest": request.digest,
            }
            answer = session.request(method, place, data=data)
            assert answer.status_code in ((403, 404) if "approvals" in path else (404,))
            assert MESSAGE not in answer.text
            assert request.message not in answer.text
        assert approvals.requests[request.id] == request


@pytest.mark.parametrize("roles", STRANGERS, ids=lambda roles: "+".join(sorted(roles)) or "none")
@pytest.mark.parametrize(("method", "path"), of(Whose.OPERATOR))
def test_what_is_the_operators_is_nobody_else_s(
    method: str, path: str, roles: frozenset[Role]
) -> None:
    if path.endswith("/stream"):
        pytest.skip("without an end; its own test asks who may follow")
    with office() as (session, approvals):
        become(session, roles)
        place = path.replace("{approval}", OPERATORS.id)
        answer = session.request(method, place, data={"decision": "approve"})
        if Role.OPERATOR in roles:
            assert answer.status_code == (200 if method == "GET" else 403)
        elif method == "GET":
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/sign-in?next=/approvals")
        else:
            assert answer.status_code == 403
        assert approvals.requests[OPERATORS.id] == OPERATORS
        assert len(approvals.refusals()) == (method == "POST")


@pytest.mark.parametrize("roles", STRANGERS, ids=lambda roles: "+".join(sorted(roles)) or "none")
@pytest.mark.parametrize(("method", "path"), of(Whose.DEVELOPER) or [("GET", "/developer/x")])
def test_what_is_the_developers_does_not_exist_for_others(
    method: str, path: str, roles: frozenset[Role]
) -> None:
    with office() as (session, _):
        conversation = begin(session, MESSAGE).removeprefix("/c/")
        become(session, roles - {Role.DEVELOPER})
        answer = session.request(method, path.replace("{conversation}", conversation))
        assert answer.status_code == 404
        assert MESSAGE not in answer.text
