"""What forms have in common: a message that fits, and the answer to one that was taken."""

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from app.web.room import Room


def taken(request: Request, conversation: str) -> Response:
    """Nothing with script, where the stream brings what comes of it; else the page."""
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204)
    return RedirectResponse(f"/c/{conversation}", 303)


def checked(room: Room, message: str) -> str:
    """A message with the line ends of a form made plain; 422 for none or too much of it."""
    text = message.replace("\r\n", "\n").strip()
    if not text or len(text) > room.services.max_message_chars:
        raise HTTPException(422)
    return text
