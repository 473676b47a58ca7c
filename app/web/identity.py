"""Who sends a request, and what they may do.

- An anonymous person is a random id in the signed session cookie.
- Where a trusted proxy names people, no cookie does. Their ids have a prefix, so that no name is
  anybody's random id. A request without a name, or from elsewhere, is refused.
- Whoever signed in with a token has its role for :data:`SIGNED_IN_S`, in the session cookie, which
  is bound to the person and to a keyed digest of the token: another token ends it. An anonymous
  one has a name of their own choosing, with a mark that tells two of the same name apart.
"""

import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, HTTPException, Request

from app.web.access import USER_PREFIX, Access, Role, token_digest
from app.web.peers import PEER
from app.web.room import SAFE_METHODS, new_owner, room_of

SIGNED_IN_S = 12 * 3600
"""A working day; then the token is asked for again."""

SIGNED_IN = "signed_in"
"""The session's entry: ``user``, ``name``, ``mark``, ``at`` and ``tokens`` (digests by role)."""

NAME_CHARS = 200
"""Characters of a name that a proxy tells; longer ones are not taken for names."""


class NotSignedIn(Exception):
    """A proxy should have named the person, and did not."""


class RoleMissing(Exception):
    """The person has a name, and not the role that this takes."""


class SignInNeeded(Exception):
    """The page is for somebody who has signed in; ``path`` is where they were going."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True)
class Identity:
    """A person.

    ``user`` owns conversations. ``actor`` is what the record of decisions says, ``session`` what
    tokens in forms are bound to.
    """

    user: str
    roles: frozenset[str]
    actor: str
    session: str


def identity_of(request: Request) -> Identity:
    """Who sends this request. Raises :class:`NotSignedIn`."""
    known = getattr(request.state, "identity", None)
    if isinstance(known, Identity):
        return known
    services = room_of(request).services
    access = services.access
    if access.user_header is None:
        identity = _anonymous(request)
    else:
        identity = _named(request, access, access.user_header)
    entry = request.session.get(SIGNED_IN)
    if entry is not None:
        now = time.time()
        roles = roles_signed_in(entry, identity.user, access, services.secret_key, now)
        identity = _with_roles(identity, roles, entry)
    request.state.identity = identity
    return identity


def owner_of(request: Request) -> str:
    """The id that conversations belong to."""
    return identity_of(request).user


async def operator_of(request: Request) -> Identity:
    """An operator. Anybody else is led to the sign-in; a deed is refused, which goes on record."""
    identity = identity_of(request)
    if Role.OPERATOR in identity.roles:
        return identity
    room = room_of(request)
    if request.method in SAFE_METHODS and room.services.access.tokens:
        raise SignInNeeded(request.url.path)
    await room.note_refusal(request, identity.actor, "not an operator")
    raise RoleMissing


def developer_of(request: Request) -> Identity:
    """A developer; to anybody else the page does not exist."""
    identity = identity_of(request)
    if Role.DEVELOPER not in identity.roles:
        raise HTTPException(404)
    return identity


def _anonymous(request: Request) -> Identity:
    owner = request.session.get("owner")
    if not isinstance(owner, str):
        owner = request.session["owner"] = new_owner()
    return Identity(owner, frozenset(), owner, owner)


def _with_roles(identity: Identity, roles: frozenset[str], entry: Mapping[str, Any]) -> Identity:
    if not roles:
        return identity
    is_named = identity.user.startswith(USER_PREFIX)
    return replace(
        identity,
        roles=identity.roles | roles,
        actor=identity.actor if is_named else f"{entry['name']} ({entry['mark']})",
        session=f"{identity.session}:{entry['mark']}",
    )


def roles_signed_in(
    entry: Mapping[str, Any], user: str, access: Access, secret_key: str, now: float
) -> frozenset[str]:
    """The roles of a session's entry that still hold."""
    if entry["user"] != user or not 0 <= now - entry["at"] < SIGNED_IN_S:
        return frozenset()
    kept: Mapping[str, str] = entry["tokens"]
    return frozenset(
        role
        for role, token in access.tokens.items()
        if hmac.compare_digest(kept.get(role, ""), token_digest(secret_key, role, token))
    )


def _named(request: Request, access: Access, user_header: str) -> Identity:
    if not access.trusts(request.scope.get(PEER)):
        raise NotSignedIn
    names = request.headers.getlist(user_header)
    if len(names) != 1:  # none, or one from the proxy and one from whoever
        raise NotSignedIn
    name = _text(names[0])
    if not name or len(name) > NAME_CHARS or not name.isprintable():
        raise NotSignedIn
    groups = request.headers.getlist(access.groups_header) if access.groups_header else []
    listed = (_text(group) for line in groups for group in line.split(","))
    user = f"{USER_PREFIX}{name}"
    return Identity(user, access.roles_of(name, filter(None, listed)), name, user)


def _text(header: str) -> str:
    """A header's text: proxies send UTF-8, ASGI servers read Latin-1."""
    try:
        return header.encode("latin-1").decode().strip()
    except UnicodeError:
        return header.strip()


def sign_in_address(path: str) -> str:
    """The sign-in page that leads on to a path."""
    return f"/sign-in?next={quote(path)}"


Owner = Annotated[str, Depends(owner_of)]
Person = Annotated[Identity, Depends(identity_of)]
Operator = Annotated[Identity, Depends(operator_of)]
Developer = Annotated[Identity, Depends(developer_of)]
