"""Signing in with a token, and out. What a session had before is not carried over but the person:
their conversations stay theirs."""

import hmac
import re
import secrets
import time
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from app.web.access import Role, token_digest
from app.web.contexts import SignInContext
from app.web.identity import SIGNED_IN, Identity, Person, roles_signed_in
from app.web.room import InRoom, Room
from app.web.words import phrase

MOST_NAME_CHARS = 60
_ONWARD = re.compile(r"/(?:approvals|developer)(?:/[A-Za-z0-9_-]+)*")
_TITLE = phrase("Sign in")
_WRONG = phrase("That token is not right.")
_TOO_OFTEN = phrase("Too many attempts. Try again in {seconds} s.")
# NOTE: Follows the name of who is signed in and a colon.
_ROLES = {Role.OPERATOR: phrase("operator"), Role.DEVELOPER: phrase("developer")}
# NOTE: The name on record of somebody who gave none.
_NAMELESS = phrase("Operator")


def sign_in_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.get("/sign-in")(sign_in_page)
    router.post("/sign-in")(sign_in)
    router.post("/sign-out")(sign_out)
    return router


async def sign_in_page(room: InRoom, person: Person, next: str = "") -> Response:
    """The form, and what the person is already."""
    return _page(room, person, _onward(next))


async def sign_in(
    request: Request,
    room: InRoom,
    person: Person,
    token: Annotated[str, Form()],
    name: Annotated[str, Form()] = "",
    next: Annotated[str, Form()] = "",
) -> Response:
    """Exchange a token for its role."""
    who = request.client.host if request.client else ""
    now = time.monotonic()
    if wait := room.attempts.wait_s(who, now):
        seconds = int(wait) + 1
        fault = room.words.language.gettext(_TOO_OFTEN).format(seconds=seconds)
        page = _page(room, person, _onward(next), fault, 429, _name(name))
        page.headers["Retry-After"] = str(seconds)
        return page
    found = _roles_of(room, token)
    if not found:
        room.attempts.failed(who, now)
        wrong = room.words.language.gettext(_WRONG)
        return _page(room, person, _onward(next), wrong, 403, _name(name))
    room.attempts.succeeded(who)
    _begin_session(request, room, person, found, name)
    default = "/approvals" if Role.OPERATOR in found else "/developer"
    return RedirectResponse(_onward(next) or default, 303)


async def sign_out(request: Request) -> Response:
    """Give up all roles that a token gave."""
    request.session.pop(SIGNED_IN, None)
    return RedirectResponse("/", 303)


def _roles_of(room: Room, token: str) -> frozenset[Role]:
    """The roles whose token this is; every one is compared, in the same time."""
    services = room.services
    return frozenset(
        role
        for role, known in services.access.tokens.items()
        if hmac.compare_digest(
            token_digest(services.secret_key, role, token.strip()),
            token_digest(services.secret_key, role, known),
        )
    )


def _begin_session(
    request: Request, room: Room, person: Identity, roles: frozenset[Role], name: str
) -> None:
    services = room.services
    known = request.session.get(SIGNED_IN)
    held = frozenset[str]()
    if known is not None:
        now = time.time()
        held = roles_signed_in(known, person.user, services.access, services.secret_key, now)
    tokens = {
        role: token_digest(services.secret_key, role, token)
        for role, token in services.access.tokens.items()
        if role in roles or role in held
    }
    kept: dict[str, Any] = {k: v for k, v in request.session.items() if k == "owner"}
    request.session.clear()
    request.session.update(kept)
    request.session[SIGNED_IN] = {
        "user": person.user,
        "name": _name(name) or room.words.language.gettext(_NAMELESS),
        "mark": secrets.token_hex(2),
        "at": time.time(),
        "tokens": tokens,
    }


def _name(name: str) -> str:
    """A name that people can be told by: one line of what can be seen."""
    seen = "".join(char for char in " ".join(name.split()) if char.isprintable())
    return seen[:MOST_NAME_CHARS]


def _onward(path: str) -> str:
    """A page of ours to go on to, or ""."""
    return path if _ONWARD.fullmatch(path) else ""


def _page(
    room: Room,
    person: Identity,
    onward: str,
    fault: str = "",
    status: int = 200,
    given: str = "",
) -> Response:
    if not room.services.access.tokens and not person.roles:
        raise HTTPException(404)
    _ = room.words.language.gettext
    context = SignInContext(
        title=_(_TITLE),
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=(),
        current=None,
        name=person.actor,
        given=given,
        roles=[_(word) for role, word in _ROLES.items() if role in person.roles],
        fault=fault,
        possible=bool(room.services.access.tokens),
        onward=onward,
    )
    return room.page(context, status)
