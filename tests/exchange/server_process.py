"""The real server in a process of its own, driven over HTTP like a browser would, and killable."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx2

from tests.exchange import held_tools

PATIENCE_S = 90.0
"""How long a condition is waited for: a bound on a hang, not on the time that it takes."""


def eventually(what: str, holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fails with its name when it does not come to."""
    over = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < over, f"did not come to: {what}"
        time.sleep(0.02)


class Server:
    """``python -m app serve`` on a port of its own. ``folder`` holds its data and its log."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._log = folder / "server.log"
        maps = folder / "no_maps"
        maps.mkdir(parents=True, exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        environment = {
            **kept,
            "FORMWORK_DATA": str(folder / "data"),
            "FORMWORK_FIELD_MAPS": str(maps),
            "FORMWORK_TOOLS": "tests.exchange.held_tools:make_tools",
            "FORMWORK_PORT": "0",
            held_tools.FOLDER: str(folder),
            **settings,
        }
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app", "serve"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.url = self._address()

    def _address(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+", line)
        assert found, f"the server did not start: {line!r}\n{self._log.read_text()}"
        return found[0]

    def kill(self) -> None:
        """As a power cut would: no handler of the process sees it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, with_signal: signal.Signals) -> None:
        self._process.send_signal(with_signal)
        self._process.wait(PATIENCE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def serving(folder: Path, settings: Mapping[str, str]) -> Generator[Server]:
    server = Server(folder, settings)
    try:
        yield server
    finally:
        server.stop()


@dataclass(frozen=True, slots=True)
class Front:
    """Something that a server stands behind."""

    url: str


class Visitor:
    """One person's session. It outlives a server, as a cookie does."""

    def __init__(self, server: "Server | Front") -> None:
        self._client = httpx2.Client(follow_redirects=False, timeout=PATIENCE_S)
        self.at(server)

    def at(self, server: "Server | Front") -> None:
        self._url = server.url

    def stream(self, conversation: str, within_s: float) -> AbstractContextManager[httpx2.Response]:
        """What a page of the conversation follows, from where it was loaded; ``within_s`` bounds
        the wait for each of its pieces."""
        place = re.search(r'hx-sse:connect="([^"]+)"', self.page(conversation))
        assert place is not None
        return self._client.stream("GET", f"{self._url}{unescape(place[1])}", timeout=within_s)

    def also_at(self, server: Server) -> "Visitor":
        """The same person with a second connection."""
        other = Visitor(server)
        other._client.cookies = self._client.cookies
        return other

    def close(self) -> None:
        self._client.close()

    def begin(self, message: str) -> str:
        """The id of a new conversation."""
        return self._post("/", {"message": message}).rpartition("/")[2]

    def send(self, conversation: str, message: str) -> None:
        self._post(f"/c/{conversation}/messages", {"message": message})

    def stop(self, conversation: str) -> None:
        self._post(f"/c/{conversation}/stop", {})

    def page(self, conversation: str) -> str:
        answer = self._client.get(f"{self._url}/c/{conversation}")
        assert answer.status_code == 200, answer.status_code
        return answer.text

    def _post(self, path: str, form: dict[str, str]) -> str:
        answer = self._client.post(f"{self._url}{path}", data=form, headers={"Origin": self._url})
        assert answer.status_code == 303, answer.status_code
        return answer.headers["location"]


def call_states(page: str) -> list[str]:
    """The states of the calls on a page, in order."""
    return re.findall(r'data-call="?[\w-]+"? data-state="?(\w+)', page)


def notices(page: str) -> list[str]:
    return re.findall(r'data-notice="?(\w+)', page)


class Store:
    """The server's database, looked at from outside and never written to."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "data" / "formwork.sqlite3"

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def calls(self, conversation: str) -> list[tuple[str, str, str | None]]:
        """Id, state and result of each call of a persisted turn, in order."""
        return self.rows(
            "SELECT calls.id, calls.state, calls.result_content FROM calls"
            " JOIN turns ON turns.id = calls.turn_id"
            " JOIN exchanges ON exchanges.id = turns.exchange_id WHERE conversation_id = ?"
            " ORDER BY exchanges.position, turns.position, ordinal",
            conversation,
        )

    def outcomes(self, conversation: str) -> list[str | None]:
        """How each exchange ended; None for one that is open."""
        found = self.rows(
            "SELECT outcome FROM exchanges WHERE conversation_id = ? ORDER BY position",
            conversation,
        )
        return [outcome for (outcome,) in found]

    def spans(self, conversation: str) -> list[tuple[str, str | None]]:
        """When each exchange began and ended, in order."""
        return self.rows(
            "SELECT created_at, ended_at FROM exchanges WHERE conversation_id = ?"
            " ORDER BY position",
            conversation,
        )

    def turn_parts(self, conversation: str) -> list[str]:
        found = self.rows(
            "SELECT parts FROM turns JOIN exchanges ON exchanges.id = turns.exchange_id"
            " WHERE conversation_id = ? ORDER BY exchanges.position, turns.position",
            conversation,
        )
        return [parts for (parts,) in found]

    def kept(self, conversation: str) -> list[str]:
        found = self.rows(
            "SELECT text FROM queued_messages WHERE conversation_id = ? ORDER BY position",
            conversation,
        )
        return [text for (text,) in found]
