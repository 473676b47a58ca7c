"""Who is a developer."""

from fastapi import Request

from app.web.access import Role
from app.web.identity import NotSignedIn, identity_of
from app.web.room import room_of


def is_developer(request: Request) -> bool:
    """Whether the view is on, and the person may use it."""
    try:
        identity = identity_of(request)
    except NotSignedIn:
        return False
    return room_of(request).services.developer is not None and Role.DEVELOPER in identity.roles
