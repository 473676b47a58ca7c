"""What holds for every response: the page policy, and faults that never show a traceback.

Pure ASGI classes: a stream passes through them without a task of its own.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types htmx",
    )
)
"""No inline script, style or eval; htmx runs under it, with the policy of ``formwork.js``."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Sent with every response that does not set its own."""

SESSION_COOKIE = "formwork"
SESSION_AGE_S = 365 * 24 * 3600


class PageHeaders:
    """Adds :data:`HEADERS`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Faults:
    """Answers an exception that nothing else answered, and logs it.

    Here and not in an exception handler: Starlette answers those for ``Exception`` outside of
    all middleware, where the page policy would be missing.
    """

    def __init__(self, app: ASGIApp, page: Callable[[], Awaitable[Response]]) -> None:
        self._app = app
        self._page = page
        self._log = logging.getLogger(__name__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_noting(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_noting)
        except Exception:
            if started or scope["type"] != "http":
                raise
            self._log.exception("a request failed: %s %s", scope["method"], scope["path"])
            response = await self._page()
            await response(scope, receive, send)


class BodyLimits:
    """Refuses a body of more than ``most`` bytes; ``uploads`` have limits of their own."""

    def __init__(self, app: ASGIApp, most: int, uploads: Mapping[str, int]) -> None:
        self._others = RequestBodyLimitMiddleware(app, most)
        self._uploads = {
            path: RequestBodyLimitMiddleware(app, limit) for path, limit in uploads.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limited = self._uploads.get(scope.get("path", ""), self._others)
        await limited(scope, receive, send)


class Sessions:
    """Signed session cookies, ``Secure`` where the request came by TLS."""

    def __init__(self, app: ASGIApp, secret_key: str) -> None:
        self._plain = _sessions(app, secret_key, https_only=False)
        self._secure = _sessions(app, secret_key, https_only=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chosen = self._secure if scope.get("scheme") in ("https", "wss") else self._plain
        await chosen(scope, receive, send)


def _sessions(app: ASGIApp, secret_key: str, *, https_only: bool) -> SessionMiddleware:
    return SessionMiddleware(
        app,
        secret_key,
        session_cookie=SESSION_COOKIE,
        max_age=SESSION_AGE_S,
        same_site="lax",
        https_only=https_only,
    )
