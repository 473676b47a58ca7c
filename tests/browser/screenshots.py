"""Pictures of the real product: ``python -m tests.browser.screenshots FOLDER`` or ``--readme``.

Each state is caught from a real server with the demo model, on a phone and on a desktop, light and
dark. ``--readme`` writes the one picture of the README, ``static/formwork.png``.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS
from tests.browser.product import REPOSITORY, maps_asking, serving

README_PICTURE = REPOSITORY / "static" / "formwork.png"
README_BYTES = 150 * 1024
TICKET = "Open a ticket: the March invoice run failed"
INVOICE = "Look up invoice INV-2026-0312"
REFUND = "Refund €1,250 on invoice INV-2026-0312"
OPERATOR, DEVELOPER = "a token of operators", "a token of developers"
ENOUGH = "Customers in"
"""Words of the ticket's streamed description that show it half written."""
WIDTHS = {"phone": 375, "desktop": 1100}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
PATIENCE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Servers:
    """Addresses: types at once; ten times slower than a provider; has a slow tool; speaks German;
    has a locale that is written from right to left; asks the person, not an operator; lets
    operators and developers in."""

    quick: str
    slow: str
    slow_tool: str
    german: str
    from_right: str
    personal: str
    office: str


def _ask(page: Page, address: str, message: str) -> None:
    page.goto(address)
    page.locator("textarea").fill(message)
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")


def _ended(page: Page) -> None:
    expect(page.locator("button[name=stop]")).to_have_count(0, timeout=PATIENCE_MS)


def _whole(message: str) -> Callable[[Page, Servers], None]:
    def go(page: Page, servers: Servers) -> None:
        _ask(page, servers.quick, message)
        _ended(page)

    return go


def _home(page: Page, servers: Servers) -> None:
    page.goto(servers.quick)


def _forming(page: Page, servers: Servers) -> None:
    _ask(page, servers.slow, TICKET)
    text = page.locator("[data-field=description] [data-value]")
    expect(text).to_contain_text(ENOUGH, timeout=PATIENCE_MS)


def _writing(page: Page, servers: Servers) -> None:
    _ask(page, servers.slow, TICKET)
    title = page.locator("[data-field=title] [data-value]:empty")
    expect(title).to_have_count(1, timeout=PATIENCE_MS)


def _running(page: Page, servers: Servers) -> None:
    _ask(page, servers.slow_tool, TICKET)
    expect(page.locator("[data-state=running]")).to_have_count(1, timeout=PATIENCE_MS)


def _refund(page: Page, address: str) -> None:
    _ask(page, address, REFUND)
    waiting = page.locator("[data-state=awaiting_approval]")
    expect(waiting).to_have_count(1, timeout=PATIENCE_MS)


def _waiting(page: Page, servers: Servers) -> None:
    _refund(page, servers.quick)


def _prompt(page: Page, servers: Servers) -> None:
    _refund(page, servers.personal)


def _prompt_decided(page: Page, servers: Servers) -> None:
    _prompt(page, servers)
    page.get_by_role("button", name="Approve").click()
    _ended(page)


def _prompt_denied(page: Page, servers: Servers) -> None:
    _prompt(page, servers)
    page.locator(".remarks summary").click()
    page.locator("[name=reason]").fill("It was paid back by hand")
    page.get_by_role("button", name="Deny").click()
    _ended(page)


def _enter(page: Page, address: str, token: str, place: str) -> None:
    page.request.post(f"{address}/sign-in", form={"token": token, "name": "Ada"})
    page.goto(address + place)


def _queue(page: Page, servers: Servers) -> None:
    """Two requests wait, however many pictures were taken before."""
    _enter(page, servers.office, OPERATOR, "/approvals")
    for _ in range(2 - page.locator(".request").count()):
        _refund(page, servers.office)
    page.goto(f"{servers.office}/approvals")


def _request(page: Page, servers: Servers) -> None:
    _queue(page, servers)
    page.locator(".request h2 a").first.click()
    page.wait_for_url("**/approvals/a*")


def _decided(page: Page, servers: Servers) -> None:
    _request(page, servers)
    page.locator(".remarks summary").click()
    page.locator("[name=note]").fill("Checked against the bank statement of 4 March")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".decided")).to_be_visible(timeout=PATIENCE_MS)


def _history(page: Page, servers: Servers) -> None:
    _request(page, servers)
    page.locator(".remarks summary").click()
    page.locator("[name=reason]").fill("It was paid back by hand")
    page.get_by_role("button", name="Deny").click()
    expect(page.locator(".decided")).to_be_visible(timeout=PATIENCE_MS)
    page.goto(f"{servers.office}/approvals/history")


def _signing_in(page: Page, servers: Servers) -> None:
    page.goto(f"{servers.office}/approvals")


def _developer(page: Page, servers: Servers) -> None:
    _ask(page, servers.office, TICKET)
    _ended(page)
    place = page.url.removeprefix(servers.office).replace("/c/", "/developer/")
    _enter(page, servers.office, DEVELOPER, place)
    expect(page.locator(".exchange h2")).to_contain_text("answered", timeout=PATIENCE_MS)


def _developer_call(page: Page, servers: Servers) -> None:
    _developer(page, servers)
    page.get_by_role("link", name="Walk through").first.click()
    page.wait_for_url("**/developer/*/*/*")


def _developer_replay(page: Page, servers: Servers) -> None:
    _developer(page, servers)
    page.get_by_role("link", name="Replay step by step").first.click()
    page.get_by_label("Event").fill("40")
    page.keyboard.press("Enter")
    page.wait_for_url("**at=40")


def _branch(page: Page, servers: Servers) -> None:
    """A message that was edited: its version, with the way back."""
    _ask(page, servers.quick, INVOICE)
    _ended(page)
    page.get_by_role("link", name="Edit message").click()
    page.locator("#message").fill("Look up invoice INV-2026-0312 once more")
    page.locator(".send").click()
    page.wait_for_url(lambda url: "edit" not in url)
    _ended(page)
    page.evaluate("() => scrollTo(0, 0)")


def _not_run(page: Page, servers: Servers) -> None:
    _waiting(page, servers)
    page.locator("button[name=stop]").click()
    _ended(page)


def _failed(page: Page, servers: Servers) -> None:
    _ask(page, servers.quick, "Look up invoice INV-2026-9999")
    _ended(page)


def _abandoned(page: Page, servers: Servers) -> None:
    _whole("Let the connection break in mid-call")(page, servers)
    page.locator(".aside > details > summary").first.click()


def _asked_all(page: Page, address: str, messages: Sequence[str]) -> None:
    """A conversation that has gone on: what is past is folded."""
    _ask(page, address, messages[0])
    for message in messages[1:]:
        _ended(page)
        page.locator("textarea").fill(message)
        page.keyboard.press("Enter")
        expect(page.locator(".said", has_text=message)).to_have_count(1)
    _ended(page)


def _search(page: Page, servers: Servers) -> None:
    _asked_all(page, servers.quick, [TICKET, "Search the open tickets"])


def _past(page: Page, servers: Servers) -> None:
    _asked_all(page, servers.quick, [TICKET, INVOICE, "Open an urgent ticket"])
    page.reload()


def _german(page: Page, servers: Servers) -> None:
    _asked_all(page, servers.german, [TICKET, INVOICE])


def _from_right(page: Page, servers: Servers) -> None:
    _asked_all(page, servers.from_right, [TICKET, INVOICE])


def _error(page: Page, servers: Servers) -> None:
    page.goto(f"{servers.quick}/c/nothing-here")


SHOTS: dict[str, Callable[[Page, Servers], None]] = {
    "home": _home,
    "writing": _writing,
    "forming": _forming,
    "running": _running,
    "done": _whole(TICKET),
    "done-nested": _search,
    "past": _past,
    "german": _german,
    "right-to-left": _from_right,
    "done-code": _whole("Write notes.txt"),
    "failed": _failed,
    "waiting": _waiting,
    "prompt": _prompt,
    "prompt-decided": _prompt_decided,
    "prompt-denied": _prompt_denied,
    "branch": _branch,
    "sign-in": _signing_in,
    "queue": _queue,
    "request": _request,
    "request-decided": _decided,
    "approval-history": _history,
    "developer": _developer,
    "developer-call": _developer_call,
    "developer-replay": _developer_replay,
    "not-run": _not_run,
    "corrected": _whole("Open an urgent ticket"),
    "abandoned": _abandoned,
    "error": _error,
}
WHOLE = {
    *("past", "prompt", "request", "request-decided"),
    *("developer", "developer-call", "developer-replay"),
}
"""Pictures of the whole page, and not of what fits on the screen alone."""


@contextmanager
def servers() -> Generator[Servers, None, None]:
    """Real servers on folders of their own, which are removed afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        maps = folder / "maps"
        maps.mkdir()
        shutil.copy(REPOSITORY / "field_maps" / "create_ticket.json", maps)
        place = "tests.browser.slow_tools:tools"
        yield Servers(
            stack.enter_context(serving(folder / "q", demo_seed="3", demo_pace="0.02")),
            stack.enter_context(serving(folder / "s", demo_seed="3", demo_pace="6")),
            stack.enter_context(
                serving(
                    folder / "t",
                    demo_seed="3",
                    demo_pace="0.02",
                    tools=place,
                    field_maps=str(maps),
                )
            ),
            stack.enter_context(
                serving(folder / "g", demo_seed="3", demo_pace="0.02", locale="de")
            ),
            stack.enter_context(
                serving(folder / "r", demo_seed="3", demo_pace="0.02", locale="ar")
            ),
            stack.enter_context(
                serving(
                    folder / "p" / "data",
                    demo_seed="3",
                    demo_pace="0.02",
                    field_maps=str(maps_asking(folder / "p", refund="user")),
                )
            ),
            stack.enter_context(
                serving(
                    folder / "o",
                    demo_seed="3",
                    demo_pace="0.02",
                    operator_token=OPERATOR,
                    developer_token=DEVELOPER,
                    developer_view="1",
                )
            ),
        )


def _shoot(
    browser: Browser, at: Servers, name: str, target: Path, width: int, scheme: Scheme
) -> None:
    """A context of its own: each picture begins without conversations."""
    context = browser.new_context(
        viewport={"width": width, "height": 760}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    SHOTS[name](page, at)
    if name in WHOLE:
        height = page.evaluate("() => document.documentElement.scrollHeight")
        page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(200)
    page.screenshot(path=target)
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go")
    parser.add_argument("--readme", action="store_true", help=f"write {README_PICTURE.name}")
    parser.add_argument("--only", action="append", choices=SHOTS, help="some of the pictures")
    arguments = parser.parse_args()
    if not arguments.readme and arguments.folder is None:
        parser.error("name a folder, or --readme")
    chromium = shutil.which("chromium")
    if chromium is None:
        parser.error("chromium is not installed")
    with servers() as at, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        if arguments.folder is not None:
            arguments.folder.mkdir(parents=True, exist_ok=True)
            for name in arguments.only or SHOTS:
                for size, width in WIDTHS.items():
                    for scheme in SCHEMES:
                        target = arguments.folder / f"{name}-{size}-{scheme}.png"
                        _shoot(browser, at, name, target, width, scheme)
                        print(target)
        if arguments.readme:
            _shoot(browser, at, "forming", README_PICTURE, WIDTHS["desktop"], "light")
            size = README_PICTURE.stat().st_size
            assert size <= README_BYTES, f"the picture has {size} bytes"
            print(README_PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
