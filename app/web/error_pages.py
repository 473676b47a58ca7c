"""Pages for what went wrong: one heading, one sentence, nothing of the inside."""

from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from app.exchange.conversations import UnknownConversation
from app.web.contexts import ErrorContext
from app.web.room import Room, room_of

SENTENCES: Mapping[int, tuple[str, str]] = {
    403: ("Not from here", "This request came from another site, so nothing was done."),
    404: ("Nothing here", "There is no such page, or it is not yours."),
    405: ("Not that way", "This address does not take that kind of request."),
    413: ("Too much at once", "That was larger than this page takes. Nothing was done."),
    422: ("Not quite", "The form was empty or did not fit. Nothing was done."),
    500: ("A fault of ours", "Something went wrong here. It has been noted."),
}
OTHERWISE = ("That did not work", "The request could not be answered.")


def add_error_pages(app: FastAPI) -> None:
    """Have every refused request answered by a page of ours."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _misfit)
    app.add_exception_handler(UnknownConversation, _unknown)


def error_page(room: Room, status: int) -> Response:
    """The page of a status."""
    heading, sentence = SENTENCES.get(status, OTHERWISE)
    context = ErrorContext(
        title=heading,
        styles=room.assets.url("formwork.css"),
        icon=room.assets.url("icon.svg"),
        scripts=(),
        conversations=(),
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
