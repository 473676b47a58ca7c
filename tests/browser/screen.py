"""What is done to a page and what must have been true of it at every moment (``recorder.js``)."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from app.calls.states import FINAL_STATES, INITIAL_STATES, TRANSITIONS, CallState
from app.web.words import ANNOUNCEMENTS
from tests.web.dom import parse

RECORDER = Path(__file__).with_name("recorder.js")
FOLLOWS = {(before, after) for (before, _), after in TRANSITIONS.items()}
RAW_JSON = re.compile(r'[{}]|"\s*:|\\["\\/bfnu]|\\u[0-9a-f]')
"""A brace, the colon behind a key, an escape: what argument text has and no value of ours."""


def say(page: Page, message: str, address: str, first: str = "Hello") -> None:
    """Send a message, from the keyboard, on a page that follows its conversation already."""
    page.add_init_script(path=RECORDER)
    page.goto(address)
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.type(first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/c/*")
    expect(page.locator("html[data-connected]")).to_have_count(1)
    expect(page.locator("button[name=stop]")).to_have_count(0, timeout=15_000)
    page.evaluate("() => { seen.said.length = seen.shifts.length = 0 }")
    send(page, message)


def send(page: Page, message: str) -> None:
    """Send a further message."""
    page.locator("textarea").focus()
    page.keyboard.type(message)
    page.keyboard.press("Enter")
    expect(page.locator("textarea")).to_have_value("")
    expect(page.locator(".said", has_text=message)).to_have_count(1)


def ended(page: Page, timeout_s: float = 20) -> dict[str, Any]:
    """Wait for the end of the exchange; what was seen until then."""
    expect(page.locator("button[name=stop]")).to_have_count(0, timeout=timeout_s * 1000)
    return page.evaluate("seen")


def log_of(page: Page) -> str:
    """The conversation on the page, in a form in which equal pages are equal."""
    html = page.locator("#log").evaluate("log => (log.normalize(), log.outerHTML)")
    return parse(html).canonical()


def true_at_every_moment(seen: dict[str, Any]) -> None:
    """The rules that hold for every page: nothing replaced, moved, raw, or claimed too early."""
    rows_only_grow(seen)
    states_follow_the_table(seen)
    assert seen["moves"] == []
    assert seen["breaches"] == []
    for text in seen["texts"]:
        assert not RAW_JSON.search(text), text


def rows_only_grow(seen: dict[str, Any]) -> None:
    for key, texts in seen["rows"].items():
        for before, after in pairwise(texts):
            assert after.startswith(before), f"{key} was replaced: {before!r}, {after!r}"


def states_follow_the_table(seen: dict[str, Any]) -> None:
    for call, heads in seen["states"].items():
        path = states(heads)
        assert path[0] in INITIAL_STATES, f"{call} began as {path[0]}"
        assert set(pairwise(path)) <= FOLLOWS


def states(heads: list[str]) -> list[CallState]:
    """The states that a call went through on the page."""
    every = [CallState(head.partition(" | ")[0]) for head in heads]
    return [every[0], *(after for before, after in pairwise(every) if before != after)]


def announced_once(seen: dict[str, Any]) -> None:
    """Each change of a call's state was announced once, the answer's end once, and nothing else.

    What is said of one call is a path through the table, from a first state to a final one, with
    every state that was on the page: nothing is left out, said twice, or said of a field.
    """
    *changes, closing = seen["said"]
    assert not any(pattern.fullmatch(closing) for pattern in SENTENCES.values()), closing
    paths: dict[str, list[list[CallState]]] = {}
    for sentence in changes:
        label, state = _told(sentence)
        of_label = paths.setdefault(label, [])
        if state in INITIAL_STATES and (not of_label or of_label[-1][-1] in FINAL_STATES):
            of_label.append([])
        assert of_label, f"nothing began before {sentence!r}"
        of_label[-1].append(state)
    told = [path for of_label in paths.values() for path in of_label]
    for path in told:
        assert path[-1] in FINAL_STATES
        assert set(pairwise(path)) <= FOLLOWS, path
    shown = sorted(states(heads) for heads in seen["states"].values())
    assert len(told) == len(shown)
    for said, was in zip(sorted(told), shown, strict=True):
        assert set(was) <= set(said)


SENTENCES = {
    state: re.compile(re.escape(pattern).replace(r"\{label\}", "(.+?)") + r"(?:\. [^.]+)?")
    for state, pattern in ANNOUNCEMENTS.items()
}


def _told(sentence: str) -> tuple[str, CallState]:
    for state, pattern in SENTENCES.items():
        if found := pattern.fullmatch(sentence):
            return found[1], state
    raise AssertionError(f"no change of a state is announced by {sentence!r}")


def signs_of_writing(page: Page) -> int:
    """How many rows say that they are being written. (Style sheets say it, beside the text.)"""
    return page.locator("#log [data-field]").evaluate_all(
        """rows => rows.filter(row => [...row.children].some(part =>
            ["::before", "::after"].some(side =>
                getComputedStyle(part, side).content != "none"))).length"""
    )
