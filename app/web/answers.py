"""What forms have in common: a message that fits, and the answer to one that was taken."""

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from app.web.room import Room


def taken(request: Request, conversation: str) -> Response:
    """Nothing with script, where the stream brings what comes of it; else the page."""
    return Response(status_code=204) if _is_of_script(request) else _shown(conversation)


def moved(request: Request, conversation: str) -> Response:
    """The same for a form whose page does not follow the conversation: it goes there."""
    if not _is_of_script(request):
        return _shown(conversation)
    return Response(status_code=204, headers={"HX-Redirect": _address(conversation)})


def checked(room: Room, message: str) -> str:
    """A message with the line ends of a form made plain; 422 for none or too much of it."""
    text = message.replace("\r\n", "\n").strip()
    if not text or len(text) > room.services.max_message_chars:
        raise HTTPException(422)
    return text


def _is_of_script(request: Request) -> bool:
    return request.headers.get("hx-request") == "true"


def _shown(conversation: str) -> Response:
    return RedirectResponse(_address(conversation), 303)


def _address(conversation: str) -> str:
    return f"/c/{conversation}"
