"""Static files, the icon and the health check."""

from typing import Annotated

from fastapi import APIRouter, Header, HTTPException
from fastapi.responses import PlainTextResponse, Response

from app.web.assets import Asset
from app.web.room import InRoom

FOR_GOOD = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"


def static_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.get("/static/{name}")(static_file)
    router.get("/favicon.ico")(icon)
    router.get("/healthz")(health)
    return router


async def static_file(
    room: InRoom,
    name: str,
    v: str = "",
    accept_encoding: Annotated[str, Header()] = "",
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """A file; kept for good by whoever asked for this very version."""
    asset = room.assets.find(name)
    if asset is None:
        raise HTTPException(404)
    return respond(asset, v, accept_encoding, if_none_match)


async def icon(
    room: InRoom,
    accept_encoding: Annotated[str, Header()] = "",
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """The icon, where browsers look for it by themselves."""
    asset = room.assets.find("icon.svg")
    assert asset is not None
    return respond(asset, "", accept_encoding, if_none_match)


async def health() -> PlainTextResponse:
    """Whether this process serves."""
    return PlainTextResponse("ok")


def respond(asset: Asset, version: str, accept_encoding: str, if_none_match: str) -> Response:
    """A file, compressed where that is taken; for good where this very version was asked for."""
    tag = f'"{asset.version}"'
    headers = {
        "Cache-Control": FOR_GOOD if version == asset.version else ASK_AGAIN,
        "ETag": tag,
        "Vary": "Accept-Encoding",
    }
    if if_none_match == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" not in accept_encoding:
        return Response(asset.content, headers=headers, media_type=asset.media_type)
    headers["Content-Encoding"] = "gzip"
    return Response(asset.compressed, headers=headers, media_type=asset.media_type)
