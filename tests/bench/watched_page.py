"""A page in Debian's Chromium, its processor slowed down, and what its turns cost it."""

import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.bench.bare_page import BARE
from tests.browser.conftest import ARGUMENTS

SETTLES_S = 0.4
"""After the end of a turn: what the page has left to do falls within."""

NAME_SEEN = """() => {
  const known = document.querySelectorAll("[data-call]").length
  window.named = 0
  new MutationObserver((_, watch) => {
    if (!document.querySelectorAll("[data-call] h3 b")[known]) return
    watch.disconnect()
    window.named = performance.timeOrigin + performance.now()
  }).observe(document.getElementById("log"), { subtree: true, childList: true })
}"""
LONG_TASKS = """() => {
  window.long = []
  new PerformanceObserver(list => window.long.push(...list.getEntries().map(e => e.duration)))
    .observe({ type: "longtask" })
}"""


class WatchedPage:
    """One conversation, followed by one page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.received = 0
        """Bytes of all bodies so far, as they came over the wire."""
        page.goto(address)
        page.locator("textarea").fill("Hello")
        page.keyboard.press("Enter")
        page.wait_for_url("**/c/*")
        self._devtools: CDPSession = page.context.new_cdp_session(page)
        self._devtools.on("Network.dataReceived", self._count)
        self._ask("Network.enable")
        # The time that the main thread had a processor: other processes do not count.
        self._ask("Performance.enable", timeDomain="threadTicks")
        self.wait_for_the_end()

    def strip(self) -> None:
        """Leave of the page the least that shows the same updates, until it is loaded again."""
        self.page.evaluate(BARE)

    def slow_down(self, times: int) -> None:
        """Let everything on the main thread take ``times`` as long."""
        self._ask("Emulation.setCPUThrottlingRate", rate=times)

    def main_thread_ms(self) -> float:
        """Milliseconds that the main thread has worked."""
        metrics = self._ask("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def wait_for_the_end(self) -> None:
        """Until the exchange is over. Asks the server, and leaves the page to its own work."""
        while "name=stop" in self.page.request.get(self.page.url).text():
            time.sleep(0.1)
        time.sleep(SETTLES_S)

    def say(self, message: str) -> tuple[int, float]:
        """Bytes to the browser and milliseconds of its main thread for one exchange."""
        self.page.locator("textarea").fill(message)
        time.sleep(SETTLES_S)
        received, worked = self.received, self.main_thread_ms()
        self.page.keyboard.press("Enter")
        time.sleep(SETTLES_S)
        self.wait_for_the_end()
        return self.received - received, self.main_thread_ms() - worked

    def named_at(self, message: str) -> float:
        """When the name of the call that answers a message stood in the page: Unix time in s."""
        self.page.evaluate(NAME_SEEN)
        self.page.locator("textarea").fill(message)
        self.page.keyboard.press("Enter")
        time.sleep(SETTLES_S)
        self.wait_for_the_end()
        return cast(float, self.page.evaluate("named")) / 1000

    def longest_task_ms(self) -> float:
        """The longest task above 50 ms since the last time this was asked, or 0."""
        time.sleep(SETTLES_S)
        found = cast(list[float], self.page.evaluate("long.splice(0)"))
        return max(found, default=0.0)

    def watch_for_long_tasks(self) -> None:
        self.page.evaluate(LONG_TASKS)

    def _ask(self, method: str, **parameters: Any) -> Any:
        return cast(Any, self._devtools.send(method, parameters))  # pyright: ignore[reportUnknownMemberType]

    def _count(self, event: dict[str, Any]) -> None:
        self.received += event["dataLength"]


@contextmanager
def watched_page(address: str) -> Generator[WatchedPage]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        yield WatchedPage(browser.new_page(viewport={"width": 1000, "height": 700}), address)
        browser.close()
