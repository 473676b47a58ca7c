"""What axe-core finds on a page (``package.json`` beside this file names its version)."""

from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

AXE = Path(__file__).with_name("node_modules") / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SCHEMES: dict[Literal["light", "dark"], list[str]] = {"light": RULES, "dark": ["color-contrast"]}
RUN = """async only => {
    const found = await axe.run(document, {
        resultTypes: ["violations"],
        runOnly: only,
        rules: only[0].startsWith("wcag") ? { "target-size": { enabled: true } } : {},
    });
    return found.violations.flatMap(one => one.nodes.map(node =>
        `${one.id}: ${node.target} ${node.failureSummary}`));
}"""


def faults(page: Page, where: str) -> list[str]:
    """One line per element that breaks a rule of WCAG 2.2 A or AA, or a best practice.

    All rules by light, and by dark those that a colour can break.
    """
    found: list[str] = []
    for scheme, only in SCHEMES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{where}, {scheme}: {fault}" for fault in run(page, only)]
    return found


def run(page: Page, only: list[str]) -> list[str]:
    """What breaks these rules, or the rules of these tags."""
    assert AXE.is_file(), f"{AXE} is missing; run npm ci in {Path(__file__).parent}"
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text())
    return page.evaluate(RUN, only)
