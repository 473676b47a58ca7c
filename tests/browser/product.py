"""The product as it is shipped: a server process of its own, told by settings alone."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
STOPS_WITHIN_S = 20
WORSE = re.compile(r"(?:\S+ \S+ )?(?:ERROR|CRITICAL)\b")
"""How a line of the log begins that is worse than a warning: ours have a date, uvicorn's none."""


class Product:
    """``python -m app serve``. It keeps its port, its data and its log when it begins again."""

    def __init__(self, data: Path, settings: dict[str, str]) -> None:
        given = {f"FORMWORK_{name.upper()}": value for name, value in settings.items()}
        rest = {
            name: value for name, value in os.environ.items() if not name.startswith("FORMWORK_")
        }
        self._environment = {**rest, "FORMWORK_DATA": str(data), **given}
        self._port = "0"
        self._process: subprocess.Popen[str] | None = None
        data.mkdir(parents=True, exist_ok=True)
        self.log = data / "server.log"
        self.address = ""

    def start(self) -> None:
        with self.log.open("a") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app", "serve"],
                cwd=REPOSITORY,
                env={**self._environment, "PORT": self._port},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self._process.stdout is not None
        first = self._process.stdout.readline()
        assert first.startswith("Formwork is at "), self.log.read_text()
        self.address = first.removeprefix("Formwork is at ").split()[0].rstrip("/")
        self._port = self.address.rpartition(":")[2]

    def kill(self) -> None:
        """As a power cut would: nothing of the process sees it."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Tell it to end, as whoever restarts it does; its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, by: signal.Signals) -> int:
        if self._process is None:
            return 0
        process, self._process = self._process, None
        process.send_signal(by)
        status = process.wait(STOPS_WITHIN_S)
        if process.stdout is not None:
            process.stdout.close()
        return status


@contextmanager
def running(
    data: Path, expected: str | None = None, **settings: str
) -> Generator[Product, None, None]:
    """A product that has started; ``settings`` are names without their prefix.

    Afterwards the process must have ended well, and no process of it have logged anything worse
    than a warning, but for what is ``expected``.
    """
    product = Product(data, settings)
    try:
        product.start()
        yield product
    finally:
        status = product.stop()
    assert status in (0, -15), f"the server ended with {status}"
    worse = [line for line in product.log.read_text().splitlines() if WORSE.match(line)]
    assert expected is None or worse, "nothing was told of what is expected"
    worse = [line for line in worse if expected is None or expected not in line]
    assert not worse, worse


def maps_asking(folder: Path, **whom: str) -> Path:
    """The shipped maps, but for who is asked about which tool: ``refund="user"``.

    Whoever is asked about a refund may change its amount.
    """
    maps = folder / "maps"
    shutil.copytree(REPOSITORY / "field_maps", maps)
    for tool, by in whom.items():
        file = maps / f"{tool}.json"
        document: dict[str, Any] = json.loads(file.read_text())  # noqa: TID251 - a file of ours
        document["approval"] = {"required": True, "by": by}
        if tool == "refund":
            document["display"]["amount"]["editable"] = True
        file.write_text(json.dumps(document))
    return maps


@contextmanager
def serving(data: Path, expected: str | None = None, **settings: str) -> Generator[str, None, None]:
    """The address of one that runs."""
    with running(data, expected, **settings) as product:
        yield product.address
