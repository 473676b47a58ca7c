"""``formwork serve``: the server, until it is told to stop."""

import argparse
import asyncio
import logging
import socket
import sys
from collections.abc import Iterator

import uvicorn

from app.bootstrap import StartRefused, assemble
from app.cli.errors import cannot
from app.settings import BadSetting, Settings, read_settings
from app.web.access import Access, Role
from app.web.application import create_app

GRACEFUL_S = 8
"""How long uvicorn waits for streams; they end by themselves well before."""


def run(arguments: argparse.Namespace) -> int:
    del arguments  # the command takes none
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    for library in ("alembic", "httpx", "httpx2"):  # their news is none for an operator
        logging.getLogger(library).setLevel(logging.WARNING)
    try:
        settings = read_settings()
        return asyncio.run(_serve(settings))
    except (BadSetting, StartRefused) as error:
        return cannot(error)


async def _serve(settings: Settings) -> int:
    async with assemble(settings) as services:
        config = uvicorn.Config(
            create_app(services),
            host=settings.host,
            port=settings.port,
            log_level="warning",
            timeout_graceful_shutdown=GRACEFUL_S,
            lifespan="on",
            proxy_headers=False,  # app.web.peers heeds them, and notes who sent them
        )
        server = _TellingServer(config, settings, services.access)
        await server.serve()
    return 0 if server.started else 1


class _TellingServer(uvicorn.Server):
    """Says where to look, once there is something to see."""

    def __init__(self, config: uvicorn.Config, settings: Settings, access: Access) -> None:
        super().__init__(config)
        self._settings = settings
        self._access = access

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            settings = self._settings
            port = self.servers[0].sockets[0].getsockname()[1]
            place = f"http://{settings.host}:{port}"
            print(f"Formwork is at {place}/ (Ctrl+C stops it)")
            print(f"Model: {settings.model}; data: {settings.data.resolve()}")
            for line in _made_up(settings, self._access):
                print(f"{line} at {place}/sign-in")
            sys.stdout.flush()


def _made_up(settings: Settings, access: Access) -> Iterator[str]:
    """What to sign in with where no setting says it: told here, and nowhere else."""
    chosen = {Role.OPERATOR: settings.operator_token, Role.DEVELOPER: settings.developer_token}
    for role, token in access.tokens.items():
        if chosen[role] is None:
            yield f"Token for {role}s: {token}"
