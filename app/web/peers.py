"""Who a request came from, before and after a proxy's own account of it.

uvicorn's option ``proxy_headers`` puts the address that a proxy tells in the place of the proxy's
own, so that nobody could ask afterwards whether the proxy is one to be trusted. So it is off
(``app.cli.serve``), and its middleware is used here, behind a note of the true peer.
"""

from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.web.access import Network

PEER = "formwork.peer"
"""The scope's entry for the address of the connection itself; None for a socket file."""


class Peers:
    """Notes the peer, then heeds ``X-Forwarded-For`` and ``-Proto`` of trusted proxies."""

    def __init__(self, app: ASGIApp, proxies: tuple[Network, ...]) -> None:
        trusted = [str(network) for network in proxies]
        self._app = ProxyHeadersMiddleware(cast("Any", app), trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        scope[PEER] = client[0] if client else None
        await self._app(cast("Any", scope), cast("Any", receive), cast("Any", send))
