"""Tools for a server in a process of its own: each writes down that it ran, some then wait.

``HELD_TOOLS`` names a folder. A run appends a line to its file ``ran``; a tool that waits goes on
once a file ``release`` is there.
"""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from app.tools.registry import CallContext, Registry

FOLDER = "HELD_TOOLS"


@dataclass(frozen=True, slots=True)
class Ran:
    tool: str
    call: str
    key: str


def runs(folder: Path) -> list[Ran]:
    """Every run of a tool, in any process, in order."""
    file = folder / "ran"
    lines = file.read_text().splitlines() if file.exists() else []
    return [Ran(*line.split(" ")) for line in lines]


def release(folder: Path) -> None:
    (folder / "release").touch()


def make_tools() -> Registry:
    folder = Path(os.environ[FOLDER])
    tools = Registry()

    @tools.tool("note")
    async def note(context: CallContext, text: str) -> str:
        _write_down(folder, "note", context)
        return f"noted: {text}"

    @tools.tool("hold")
    async def hold(context: CallContext, text: str) -> str:
        _write_down(folder, "hold", context)
        await _released(folder)
        return f"held: {text}"

    @tools.tool("again", idempotent=True)
    async def again(context: CallContext, text: str) -> str:
        _write_down(folder, "again", context)
        await _released(folder)
        return f"again: {text}"

    return tools


def _write_down(folder: Path, tool: str, context: CallContext) -> None:
    with (folder / "ran").open("a") as file:
        file.write(f"{tool} {context.call_id} {context.idempotency_key}\n")


async def _released(folder: Path) -> None:
    while not (folder / "release").exists():
        await asyncio.sleep(0.02)
