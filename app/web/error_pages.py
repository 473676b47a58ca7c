"""Pages for what went wrong: one heading, one sentence, nothing of the inside."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from app.exchange.approvals import UnknownApproval
from app.exchange.conversations import UnknownConversation
from app.web.contexts import ErrorContext
from app.web.identity import NotSignedIn, RoleMissing, SignInNeeded, sign_in_address
from app.web.room import Room, room_of


def add_error_pages(app: FastAPI) -> None:
    """Have every refused request answered by a page of ours."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _misfit)
    app.add_exception_handler(UnknownConversation, _unknown)
    app.add_exception_handler(UnknownApproval, _unknown)
    app.add_exception_handler(NotSignedIn, _nameless)
    app.add_exception_handler(RoleMissing, _lacks_role)
    app.add_exception_handler(SignInNeeded, _to_sign_in)


def error_page(room: Room, status: int, words: tuple[str, str] | None = None) -> Response:
    """The page of a status, or with a heading and a sentence of its own."""
    heading, sentence = words or room.words.refusal(status)
    context = ErrorContext(
        title=heading,
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=(),
        current=None,
        status=status,
        heading=heading,
        sentence=sentence,
    )
    return room.page(context, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    response = error_page(room_of(request), error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _misfit(request: Request, error: Exception) -> Response:
    return error_page(room_of(request), 422)


async def _unknown(request: Request, error: Exception) -> Response:
    return error_page(room_of(request), 404)


async def _nameless(request: Request, error: Exception) -> Response:
    room = room_of(request)
    return error_page(room, 403, room.words.not_signed_in)


async def _lacks_role(request: Request, error: Exception) -> Response:
    room = room_of(request)
    return error_page(room, 403, room.words.role_missing)


async def _to_sign_in(request: Request, error: Exception) -> Response:
    assert isinstance(error, SignInNeeded)
    return RedirectResponse(sign_in_address(error.path), 303)
