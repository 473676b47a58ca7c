"""What the developer's routes share; and that nobody else finds any of them."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.developer.viewing import DeveloperView
from app.web.assets import Assets, data_directory
from app.web.contexts import Context
from app.web.developer.access import is_developer
from app.web.developer.call_part import CallPart
from app.web.developer.figures import Marking
from app.web.developer.turn_part import TurnPart
from app.web.error_pages import error_page
from app.web.language import Language
from app.web.room import room_of
from app.web.templates import Templates, template_environment

PREFIX = "/developer"
UPLOADS = f"{PREFIX}/replays"
UPLOAD_FORM_BYTES = 16 * 1024
"""What a form holds beside the recording in it."""
HTMX = "node_modules/htmx.org/dist"
SCRIPTS = ("htmx.js", "developer.js", "hx-sse.js")
FILES = {
    "htmx.js": (f"{HTMX}/htmx.min.js", "text/javascript; charset=utf-8"),
    "developer.js": ("developer.js", "text/javascript; charset=utf-8"),
    "hx-sse.js": (f"{HTMX}/ext/hx-sse.min.js", "text/javascript; charset=utf-8"),
    "developer.css": ("developer.css", "text/css; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class Desk:
    """The view, and what renders it: in English, and apart from the end user's page."""

    view: DeveloperView
    assets: Assets
    templates: Templates
    turns: TurnPart
    calls: CallPart
    marking: Marking

    @classmethod
    def over(cls, view: DeveloperView) -> "Desk":
        environment = template_environment(data_directory("templates"), Language())
        templates = Templates(environment)
        assets = Assets(data_directory("static"), {}, FILES, f"{PREFIX}/assets")
        return cls(
            view,
            assets,
            templates,
            TurnPart(templates),
            CallPart(templates),
            Marking(templates),
        )

    @property
    def styles(self) -> str:
        return self.assets.url("developer.css")

    @property
    def scripts(self) -> list[str]:
        return [self.assets.url(name) for name in SCRIPTS]

    def page(self, context: Context, status: int = 200) -> HTMLResponse:
        """A whole page."""
        return HTMLResponse(self.templates.render(context), status)


def desk_of(request: Request) -> Desk:
    """The desk of the application that serves the request."""
    desk = request.app.state.developer_desk
    assert isinstance(desk, Desk)
    return desk


AtDesk = Annotated[Desk, Depends(desk_of)]


class DevelopersOnly:
    """Answers every address below :data:`PREFIX` as one that does not exist, but to a developer.

    Before all routing: otherwise another method, a missing slash or a cross-site form would be
    answered in a way of its own, which tells that there is something.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_below(scope["path"]):
            request = Request(scope)
            if not is_developer(request):
                room = room_of(request)
                response = error_page(room, 404)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


def is_below(path: str) -> bool:
    """Whether a path is one of the developer view's."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")
