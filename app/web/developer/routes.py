"""Adds the developer view to the application; without this call, nothing of it is there."""

from fastapi import FastAPI, Request
from starlette.responses import Response

from app.developer.viewing import DeveloperView, NothingThere
from app.web.developer.desk import Desk
from app.web.developer.pages import developer_pages
from app.web.developer.replays import developer_replays
from app.web.developer.streams import developer_streams
from app.web.error_pages import error_page
from app.web.room import room_of


def add_developer_view(app: FastAPI, view: DeveloperView) -> None:
    """Routes, and the state they need."""
    app.state.developer_desk = Desk.over(view)
    for routes in (developer_replays(), developer_streams(), developer_pages()):
        app.include_router(routes)
    app.add_exception_handler(NothingThere, _gone)


async def _gone(request: Request, error: Exception) -> Response:
    return error_page(room_of(request), 404)
