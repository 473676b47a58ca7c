"""A page that watched equals a page loaded now, however the updates were batched."""

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.display.view import ConversationView, ExchangeEnded, ExchangeOpened, Update, apply
from app.web.fragments import PARTIAL_END, Fragments
from app.web.render import Renderer
from app.web.screen import Screen
from tests.web.dom import Node, apply_message, parse
from tests.web.random_updates import Chance, batches
from tests.web.scripted import WHEN
from tests.web.scripts import SCRIPTS
from tests.web.wording import prompts, templates, words

SHELL = "<div id=say></div>"
SELECTOR = re.compile(r"[a-z][A-Za-z0-9_-]*")


def rendered(render: Renderer, view: ConversationView) -> str:
    stop, kept = render.stop(view), render.kept(view)
    return f"{render.log(view)}<span id=stop>{stop}</span><div id=kept>{kept}</div>"


def loaded(render: Renderer, view: ConversationView) -> Node:
    return parse(rendered(render, view) + SHELL)


def watched(updates: list[list[Update]], begin: int = 0) -> None:
    """Load a page after some batches, let it watch the others, compare after each."""
    render, fragments = (
        Renderer(templates(), words(), prompts()),
        Fragments(templates(), words(), prompts()),
    )
    view = ConversationView("c")
    apply(view, [update for batch in updates[:begin] for update in batch])
    page, screen = loaded(render, view), Screen(view)
    for batch in updates[begin:]:
        apply_message(page, fragments.update(screen, batch))
        page.by_id("say").children = []
        assert page.canonical() == loaded(render, view).canonical()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 12, 400]))
def test_a_page_that_watched_equals_a_page_loaded_now(seed: int, largest: int) -> None:
    random = Random(seed)
    cut = batches(random, Chance(random).conversation(), largest)
    watched(cut, random.randint(0, len(cut)))


@pytest.mark.parametrize("message", SCRIPTS)
def test_each_script_shows_the_same_live_and_loaded(message: str) -> None:

    steps = SCRIPTS[message]("a")
    opened: Update = ExchangeOpened("a", message, WHEN)
    watched([[opened], *(list(updates) for _, updates in steps), [ExchangeEnded("a")]])


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
