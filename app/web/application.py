"""The ASGI application, put together from what it is given."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.middleware import Middleware
from starlette.responses import Response

from app.display.formats import Formats
from app.web.approval_export import approval_export_routes
from app.web.approval_pages import approval_routes
from app.web.approval_render import ApprovalRenderer
from app.web.approval_stream import approval_stream_routes
from app.web.assets import Assets, data_directory
from app.web.attempts import Attempts
from app.web.branches import branch_routes
from app.web.developer.desk import UPLOAD_FORM_BYTES, UPLOADS, DevelopersOnly
from app.web.developer.routes import add_developer_view
from app.web.error_pages import add_error_pages, error_page
from app.web.form_tokens import FormTokens
from app.web.fragments import Fragments
from app.web.guard import BodyLimits, Faults, PageHeaders, Sessions
from app.web.language import Language
from app.web.metrics import metrics_routes
from app.web.origin import same_origin_only
from app.web.own_approvals import own_approval_routes
from app.web.pages import page_routes
from app.web.peers import Peers
from app.web.prompts import Prompts
from app.web.render import Renderer
from app.web.room import Room
from app.web.service import WebServices
from app.web.shelf import shelf_routes
from app.web.sign_in import sign_in_routes
from app.web.static_files import static_routes
from app.web.stream import stream_routes
from app.web.templates import Templates, template_environment
from app.web.words import Words


def create_app(services: WebServices) -> FastAPI:
    """The application over its services; raises :class:`app.web.assets.MissingAsset`.

    FastAPI's documentation pages do not fit the page policy, and its telemetry is ours to set up.
    """
    room = _room(services)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        async with services.running():
            yield

    async def fault() -> Response:
        return error_page(room, 500)

    app = FastAPI(
        title="Formwork",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},
        form_limits={"max_part_size": services.max_body_bytes, "max_fields": 16, "max_files": 0},
        dependencies=[Depends(same_origin_only)],
        lifespan=lifespan,
        middleware=[
            Middleware(Peers, proxies=services.access.proxies),
            Middleware(PageHeaders),
            Middleware(Faults, page=fault),
            Middleware(Sessions, secret_key=services.secret_key),
            Middleware(DevelopersOnly),
            # Not FastAPI's own option: that one answers outside of the page policy.
            Middleware(BodyLimits, most=services.max_body_bytes, uploads=_uploads(services)),
        ],
    )
    app.state.room = room
    for routes in (
        page_routes(),
        shelf_routes(),
        branch_routes(),
        stream_routes(),
        sign_in_routes(),
        approval_stream_routes(),
        approval_export_routes(),
        approval_routes(),
        own_approval_routes(),
        static_routes(),
        metrics_routes(),
    ):
        app.include_router(routes)
    if services.developer is not None:
        add_developer_view(app, services.developer)
    add_error_pages(app)
    return app


def _uploads(services: WebServices) -> Mapping[str, int]:
    """Paths that take larger bodies than a form, and how large."""
    view = services.developer
    return {} if view is None else {UPLOADS: view.recording_bytes + UPLOAD_FORM_BYTES}


def _room(services: WebServices) -> Room:
    words = Words(Language(services.locale, services.zone))
    templates = Templates(template_environment(data_directory("templates"), words.language))
    formats = Formats(services.locale, words.yes_no)
    requests = ApprovalRenderer(templates, words, formats)
    prompts = Prompts(templates, requests)
    return Room(
        services=services,
        words=words,
        assets=Assets(data_directory("static"), words.style_words),
        templates=templates,
        renderer=Renderer(templates, words, prompts),
        fragments=Fragments(templates, words, prompts),
        attempts=Attempts(),
        requests=requests,
        form_tokens=FormTokens(services.secret_key),
    )
