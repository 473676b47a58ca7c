"""What another site makes a browser send is refused."""

from fastapi import HTTPException, Request

from app.web.room import SAFE_METHODS, room_of


async def same_origin_only(request: Request) -> None:
    """Refuse what another site makes a browser send; raises 403.

    ``Sec-Fetch-Site`` decides where the browser sends it, ``Origin`` otherwise. A client that
    sends neither is not a browser, so nobody else's cookie is in play. An attempt to decide on a
    request goes on record; as nobody's, since whose browser it was did not mean it.
    """
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        allowed = site in ("same-origin", "none")
    else:
        origin = request.headers.get("origin")
        allowed = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not allowed:
        await room_of(request).note_refusal(request, "another site", "sent by another site")
        raise HTTPException(403)
