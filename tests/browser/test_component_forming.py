"""A call takes shape in a real browser: nothing is replaced, nothing moves, nothing is claimed."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Scripted
from tests.browser.screen import ended, log_of, say, true_at_every_moment
from tests.web.scripts import SCRIPTS

pytestmark = pytest.mark.browser
ENDING = [
    "Open a ticket about the March invoice run",
    "Draft an email to Ada",
    "Order something that is not allowed",
    "Open a ticket while the tracker is down",
    "Open a ticket and pull the plug",
    "Open a ticket and be cut off",
    "Archive the report",
]


OFTEN = ("Open a ticket about the March invoice run", "Archive the report")
"""The others are variations, and the demo's scenarios have their like."""


@pytest.mark.parametrize(
    "message",
    [pytest.param(one, marks=() if one in OFTEN else pytest.mark.soak) for one in ENDING],
)
def test_a_scenario_is_true_at_every_moment(page: Page, server: Scripted, message: str):
    say(page, message, server.address)
    seen = ended(page)
    live = log_of(page)
    assert seen["states"]
    true_at_every_moment(seen)
    assert not any(re.search(r'["{}\\]', text) for text in seen["texts"])
    each_change_was_announced_once(seen)
    page.reload()
    assert live == log_of(page)


def each_change_was_announced_once(seen: dict[str, Any]) -> None:
    changes = sum(
        len({head.partition(" | ")[0] for head in heads}) for heads in seen["states"].values()
    )
    assert len(seen["said"]) == changes + 1
    assert not any(word in " ".join(seen["said"]) for word in ("BILLING", "invoice run failed"))


def test_nothing_on_the_page_shifts_while_a_call_forms(page: Page, server: Scripted):
    say(page, "Open a ticket, slowly", server.address)
    expect(page.locator("[data-field=description] [data-value]")).to_contain_text("212")
    assert page.evaluate("seen.shifts") == []


def test_a_field_being_written_shows_its_label_and_no_value(page: Page, server: Scripted):
    say(page, "Open a ticket, slowly", server.address)
    title = page.locator("[data-field=title]")
    expect(title).to_have_count(1)
    texts = page.evaluate(
        """() => new Promise(done => setTimeout(() =>
            done(Object.entries(seen.rows).find(([key]) => key.endsWith(" title"))[1]), 900))"""
    )
    assert texts == ["", "March invoice run failed"]


def test_a_tool_without_a_map_shows_its_name_and_state_alone(page: Page, server: Scripted):
    say(page, "Archive the report", server.address)
    ended(page)
    call = page.locator("[data-call]")
    expect(call).to_have_text("archive_report · 1.8 s")
    expect(call.locator("[data-field]")).to_have_count(0)


def test_rows_that_arrive_out_of_order_stand_in_the_order_of_the_form(page: Page, server: Scripted):
    say(page, "Order something that is not allowed", server.address)
    seen = ended(page)
    assert seen["moves"] == []
    fields = page.locator("[data-field]").evaluate_all("rows => rows.map(r => r.dataset.field)")
    assert fields[:2] == ["customer.name", "customer.city"]
    assert fields[-1] == "note"


def test_every_script_is_driven_or_waits_for_good():
    waiting = {
        "Order paper and pencils",
        "Open a ticket and write to Ada",
        "Open a ticket, slowly",
        "Open a ticket while the tracker is slow",
        "Archive slowly",
    }
    without_a_call = {"Tell me in Markdown"}  # see test_markdown
    assert set(ENDING) | waiting | without_a_call == set(SCRIPTS)
