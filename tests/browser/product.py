"""The product as it is shipped: a server process of its own, told by settings alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
STOPS_WITHIN_S = 20


def personal_maps(folder: Path) -> Path:
    """The shipped maps, by which the person is asked about a refund and may change the amount."""
    maps = folder / "maps"
    shutil.copytree(REPOSITORY / "field_maps", maps)
    document: dict[str, Any] = json.loads((maps / "refund.json").read_text())  # noqa: TID251 - a file of ours
    document["approval"]["by"] = "user"
    document["display"]["amount"]["editable"] = True
    (maps / "refund.json").write_text(json.dumps(document))
    return maps


@contextmanager
def serving(data: Path, **settings: str) -> Generator[str, None, None]:
    """Run ``python -m app serve`` on a free port; gives its address.

    ``settings`` are names without their prefix. Afterwards the process must have ended well and
    logged nothing worse than a warning.
    """
    given = {f"FORMWORK_{name.upper()}": value for name, value in settings.items()}
    rest = {name: value for name, value in os.environ.items() if not name.startswith("FORMWORK_")}
    environment = {**rest, "PORT": "0", "FORMWORK_DATA": str(data), **given}
    data.mkdir(parents=True, exist_ok=True)
    log = data / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "serve"],
            cwd=REPOSITORY,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("Formwork is at "), log.read_text()
        yield first.removeprefix("Formwork is at ").split()[0].rstrip("/")
    finally:
        process.terminate()
        status = process.wait(STOPS_WITHIN_S)
        if process.stdout is not None:
            process.stdout.close()
    assert status in (0, -15), f"the server ended with {status}"
    worse = [
        line for line in log.read_text().splitlines() if line.startswith(("ERROR", "CRITICAL"))
    ]
    assert not worse
