"""What a turn costs the person's browser, beside figures of the best-known chat kits.

Theirs were measured once, on two shared cores, with the same two kinds of turn at the same pace:
figures in the same row are of different runs. Ours are medians of one conversation's turns. The
time of the main thread is that for which it had a processor, with everything on it four times as
slow; beside what a page of theirs took, one of the AI SDK without its throttle in brackets. What
the machine itself costs is told in the same run: a bare page has the same turns, with neither style
nor library, and appends the text of each update as a line.
"""

import asyncio
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from app.records.store import Records
from app.web.assets import SCRIPTS, Assets, data_directory
from tests.bench.turns import TURNS, Provider
from tests.bench.watched_page import WatchedPage, watched_page
from tests.browser.product import serving
from tests.providers.stub_server import StubServer
from tests.records.long_conversation import talk

REPEATS = 5
SLOWDOWN = 4
LOADED_S = 3
"""What a page has to do at load falls within, slowed down as it is."""
LONG = 500
"""Exchanges of the long conversation: 1,000 messages, and a call in three of five."""

KITS = ("AI SDK", "assistant-ui", "Chainlit", "Gradio", "Streamlit")


@dataclass(frozen=True, slots=True)
class Goal:
    """A row: what the kits needed, and the most that is wanted of us."""

    name: str
    kits: tuple[str, ...]
    most: float


GOALS = {
    "scripts": Goal(
        "scripts at load, kB of 1,024 bytes", ("407", "1,011", "1,289", "234", "2,245"), 45
    ),
    "ticket bytes": Goal(
        "ticket of 47 fragments: bytes to the browser, first turn / later",
        ("6,769", "6,769", "7,337 / 4,069", "69,560 / 37,330", "1,671,000 / 13,550"),
        4_500,
    ),
    "e-mail bytes": Goal(
        "e-mail of 800 characters: bytes, first turn / later",
        ("23,723", "23,723", "9,569 / 6,316", "209,600 / 174,800", "1,766,000 / 109,700"),
        6_000,
    ),
    "ticket ms": Goal(
        "ticket: main thread, ms", ("515 (334)", "975", "2,135", "1,635", "1,310"), 150
    ),
    "e-mail ms": Goal(
        "e-mail: main thread, ms", ("1,331 (1,011)", "2,743", "6,846", "3,960", "3,120"), 400
    ),
    "name": Goal(
        "tool's name in the page after the first fragment, ms",
        ("8 (14)", "21", "20", "23", "15"),
        10,
    ),
    "typing": Goal("1,000 messages, 300 calls: longest task while typing, ms", ("",) * 5, 50),
    "scrolling": Goal("longest task while scrolling, ms", ("",) * 5, 50),
    "forming": Goal("longest task while a call forms, ms", ("",) * 5, 50),
}


def run() -> str:
    figures = {"scripts": _script_bytes() / 1024}
    with (
        tempfile.TemporaryDirectory() as folder,
        StubServer(Provider()) as provider,
        serving(
            Path(folder) / "data",
            model="anthropic-messages:m",
            base_url=provider.url,
            api_key="k",
        ) as address,
        watched_page(address) as page,
    ):
        figures |= {"name": _time_to_the_name(page)} | _turns(page) | _long_page(page, Path(folder))
    return "\n".join(["## Page", "", *_table(figures), ""])


def _script_bytes() -> int:
    assets = Assets(data_directory("static"), {})
    return sum(len(asset.content) for name in SCRIPTS if (asset := assets.find(name)))


def _time_to_the_name(page: WatchedPage) -> float:
    took: list[float] = []
    for _ in range(REPEATS):
        seen = page.named_at(TURNS["ticket"].message)
        took.append(1000 * (seen - Provider.named_at))
    return median(took)


def _turns(page: WatchedPage) -> dict[str, float]:
    page.slow_down(SLOWDOWN)
    figures: dict[str, float] = {}
    for name, turn in TURNS.items():
        costs = [page.say(turn.message) for _ in range(REPEATS)]
        figures[f"{name} bytes"] = median(cost[0] for cost in costs)
        figures[f"{name} ms"] = median(cost[1] for cost in costs)
    page.strip()
    for name, turn in TURNS.items():
        costs = [page.say(turn.message) for _ in range(REPEATS)]
        figures[f"{name} ms, bare"] = median(cost[1] for cost in costs)
    page.page.goto(page.page.url)
    page.slow_down(1)
    return figures


def _long_page(page: WatchedPage, folder: Path) -> dict[str, float]:
    conversation = page.page.url.rsplit("/", 1)[1]
    _elsewhere(_grow(next(folder.rglob("formwork.sqlite3")), conversation))
    page.page.goto(page.page.url)
    page.slow_down(SLOWDOWN)
    time.sleep(LOADED_S)
    page.watch_for_long_tasks()
    works: dict[str, Callable[[WatchedPage], None]] = {
        "typing": _type,
        "scrolling": _scroll,
        "forming": lambda page: page.say(TURNS["ticket"].message) and None,
    }
    found: dict[str, float] = {}
    for name, work in works.items():
        work(page)
        found[name] = page.longest_task_ms()
    return found


def _type(page: WatchedPage) -> None:
    page.page.locator("textarea").focus()
    page.page.keyboard.type("What became of the second of them? Please look.", delay=60)


def _scroll(page: WatchedPage) -> None:
    page.page.mouse.move(500, 300)
    for step in (-600, 600):
        for _ in range(15):
            page.page.mouse.wheel(0, step)
            time.sleep(0.1)


async def _grow(database: Path, conversation: str) -> None:
    records = await Records.open(f"sqlite:///{database}")
    try:
        await talk(records, conversation, LONG)
    finally:
        await records.close()


def _elsewhere(work: Coroutine[Any, Any, None]) -> None:
    """Playwright's loop runs in this thread."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    thread.join()


def _table(figures: dict[str, float]) -> list[str]:
    lines = [
        "| one turn | " + " | ".join(KITS) + " | bare page here | Formwork | goal | reached |",
        "| --- |" + " --- |" * (len(KITS) + 4),
    ]
    for name, goal in GOALS.items():
        figure = figures[name]
        told = "under 50" if name in ("typing", "scrolling", "forming") and not figure else ""
        bare = figures.get(f"{name}, bare")
        least = "" if bare is None else f"{bare:,.1f}"
        lines.append(
            f"| {goal.name} | {' | '.join(goal.kits)} | {least} | {told or f'{figure:,.1f}'} "
            f"| at most {goal.most:,} | {'yes' if figure <= goal.most else 'no'} |"
        )
    return lines
