"""A page that watched equals a page loaded now, however the updates were batched."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.updates import (
    ExchangeEnded,
    ExchangeOpened,
    TextGrew,
    TurnAbandoned,
    Update,
    apply,
)
from app.display.view import ConversationView
from app.web.fragments import PARTIAL_END, Fragments
from app.web.page_ids import entry_id
from app.web.render import Renderer
from app.web.screen import Screen
from tests.web.dom import Node, apply_message, parse
from tests.web.random_updates import Chance, batches
from tests.web.scripted import WHEN
from tests.web.scripts import SCRIPTS, TICKET_FRAME, CallScript
from tests.web.wording import prompts, templates, words

SHELL = "<div id=say></div>"
SELECTOR = re.compile(r"[a-z][A-Za-z0-9_-]*")


def rendered(render: Renderer, view: ConversationView) -> str:
    stop, asks, kept = render.stop(view), render.asks(view), render.kept(view)
    desk = f"<p id=asks>{asks}</p><span id=stop>{stop}</span>"
    return f"{render.log(view)}<div id=kept>{kept}</div>{desk}"


def loaded(render: Renderer, view: ConversationView) -> Node:
    return parse(rendered(render, view) + SHELL)


def watched(updates: list[list[Update]], begin: int = 0, earlier: int = 0) -> None:
    """Load a page after some batches, let it watch the others, compare after each.

    ``earlier`` exchanges came before those of the page.
    """
    render, fragments = (
        Renderer(templates(), words(), prompts()),
        Fragments(templates(), words(), prompts()),
    )
    view = ConversationView("c", earlier=earlier)
    apply(view, [update for batch in updates[:begin] for update in batch])
    page, screen = loaded(render, view), Screen(view)
    for batch in updates[begin:]:
        apply_message(page, fragments.update(screen, batch))
        page.by_id("say").children = []
        assert page.canonical() == loaded(render, view).canonical()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 12, 400]), st.sampled_from([0, 1, 480]))
def test_a_page_that_watched_equals_a_page_loaded_now(
    seed: int, largest: int, earlier: int
) -> None:
    random = Random(seed)
    cut = batches(random, Chance(random).conversation(), largest)
    watched(cut, random.randint(0, len(cut)), earlier)


@pytest.mark.parametrize("message", SCRIPTS)
def test_each_script_shows_the_same_live_and_loaded(message: str) -> None:

    steps = SCRIPTS[message]("a")
    opened: Update = ExchangeOpened("a", message, WHEN)
    watched([[opened], *(list(updates) for _, updates in steps), [ExchangeEnded("a")]])


@pytest.mark.parametrize("at_once", [1, 2, 5, 100])
@pytest.mark.parametrize("message", SCRIPTS)
def test_so_it_does_whatever_comes_together(message: str, at_once: int) -> None:
    opened: Update = ExchangeOpened("a", message, WHEN)
    steps = [list(updates) for _, updates in SCRIPTS[message]("a")]
    together = [
        [update for updates in steps[at : at + at_once] for update in updates]
        for at in range(0, len(steps), at_once)
    ]
    watched([[opened], *together, [ExchangeEnded("a")]])


@pytest.mark.parametrize("reason", [Reason.STOPPED, Reason.TRUNCATED])
def test_what_is_set_aside_stays_the_same_on_the_page(reason: Reason) -> None:
    """The very elements stay, so that a selection, the focus and an opened detail do."""
    call = CallScript("a", 0)
    render, fragments = (
        Renderer(templates(), words(), prompts()),
        Fragments(templates(), words(), prompts()),
    )
    view = ConversationView("c")
    apply(view, [ExchangeOpened("a", "Hello", WHEN), call.opened()])
    page, screen = loaded(render, view), Screen(view)
    for batch in (
        [TextGrew("a", call.turn, "text", "I will open ")],
        [TextGrew("a", call.turn, "text", "a ticket.")],
        [call.announced("Create ticket", TICKET_FRAME)],
        [call.row(("project",), "Project", "BILLING", place=0)],
    ):
        apply_message(page, fragments.update(screen, batch))
    before = {id(node): node for node in page.by_id("log").walk()}
    ended: list[Update] = [call.changed(CallState.NOT_RUN, reason)]
    apply_message(page, fragments.update(screen, [*ended, TurnAbandoned("a", call.turn, reason)]))
    assert "aside" in page.by_id(entry_id(0, 0)).attributes["class"]
    after = {id(node) for node in page.by_id("log").walk()}
    gone = [node.canonical() for identity, node in before.items() if identity not in after]
    assert gone == ["<b>Create ticket</b>"], "only the line that tells the state is a new one"


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_every_target_is_a_selector_as_it_stands(seed: int) -> None:
    random = Random(seed)
    fragments = Fragments(templates(), words(), prompts())
    screen = Screen(ConversationView("c"))
    for batch in batches(random, Chance(random).conversation(), 5):
        message = fragments.update(screen, batch)
        for partial in parse(message + PARTIAL_END if message else "").children:
            assert isinstance(partial, Node)
            assert SELECTOR.fullmatch(partial.attributes["id"])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 30))
def test_a_page_that_comes_back_is_brought_up_to_date(seed: int, missed: int) -> None:
    random = Random(seed)
    render, fragments = (
        Renderer(templates(), words(), prompts()),
        Fragments(templates(), words(), prompts()),
    )
    cut = batches(random, Chance(random).conversation(), 3)
    view, now = ConversationView("c"), ConversationView("c")
    apply(view, [update for batch in cut[:missed] for update in batch])
    apply(now, [update for batch in cut for update in batch])
    known = list(view.exchanges)
    page = loaded(render, view)
    fresh = [exchange for exchange in now.exchanges if exchange not in known]
    updates = [update for batch in cut[missed:] for update in batch]
    apply_message(page, fragments.catch_up(now, fresh, known, updates))
    page.by_id("say").children = []
    assert page.canonical() == loaded(render, now).canonical()
    apply_message(page, fragments.snapshot(now))
    assert page.canonical() == loaded(render, now).canonical()
