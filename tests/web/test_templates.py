"""Templates use what they are given, escape all of it, and stay within the page policy."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from jinja2 import meta

from app.web import approval_contexts, contexts
from app.web.assets import data_directory
from app.web.contexts import Context, NoticeContext, Partial, TextContext
from app.web.language import Language
from app.web.templates import template_environment
from tests.web.dom import parse
from tests.web.wording import templates

DIRECTORY = data_directory("templates")
FILES = sorted(DIRECTORY.glob("*.html"))
CONTEXTS: list[type[Context]] = [
    found
    for found in {**vars(contexts), **vars(approval_contexts)}.values()
    if isinstance(found, type) and isinstance(vars(found).get("TEMPLATE"), str)
]
FORBIDDEN = {
    "an inline style": r"\sstyle\s*=|<style",
    "an inline script": r"<script(?![^>]*\ssrc=)|javascript:|\sjs:",
    "an inline handler": r"\son[a-z]+\s*=|hx-on",
    "a trigger filter": r"hx-trigger=\"[^\"]*\[",
    "an unescaped value": r"\|\s*safe|autoescape",
}


def used(name: str) -> set[str]:
    """The names that a template and those it extends use."""
    environment = template_environment(DIRECTORY, Language())
    tree = environment.parse((DIRECTORY / name).read_text())
    names = meta.find_undeclared_variables(tree) - environment.globals.keys()
    for parent in meta.find_referenced_templates(tree):
        names |= used(parent or "")
    return names


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_a_template_uses_exactly_what_its_context_gives(context: type[Context]):
    assert used(context.TEMPLATE) == {field.name for field in fields(context)}


def test_every_template_has_a_context():
    known = {context.TEMPLATE for context in CONTEXTS} | {"base.html"}
    assert {file.name for file in FILES} == known


def test_fragments_and_only_fragments_start_with_an_underscore():
    pages = {
        file.name
        for file in FILES
        if "<!doctype" in file.read_text() or "extends" in file.read_text()
    }
    assert {file.name for file in FILES if not file.name.startswith("_")} == pages


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
@pytest.mark.parametrize("kind", FORBIDDEN)
def test_a_template_needs_nothing_that_the_policy_forbids(file: Path, kind: str):
    assert not re.search(FORBIDDEN[kind], file.read_text(), re.IGNORECASE)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_attribute_without_quotes_holds_only_words_of_ours(file: Path):
    bare = re.findall(r"[\w-]+=\{\{ *(\w+) *\}\}", file.read_text())
    ours = {"id", "target", "swap", "state", "state_id", "outcome_id", "code_id", "at", "call"}
    assert set(bare) <= ours | {"elements", "kind", "value", "mark", "first", "earlier"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_skip_link_of_a_page_leads_somewhere(file: Path):
    text = file.read_text()
    if "<main" in text:
        target = "message" if "{% block skip %}" in text else "main"
        assert f'id="{target}"' in text


def test_every_swap_that_a_template_names_is_known():
    swaps = {swap for file in FILES for swap in re.findall(r'hx-swap="?([\w]+)', file.read_text())}
    assert swaps == {"none"}


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "</div><hx-partial id=log>x",
        '" onmouseover="alert(1)',
        "&lt;b&gt;",
        "<!-- <hx-partial id=say>",
        "{{ 7 * 7 }}",
        "</textarea><title>x</title><head></head>",
    ],
)
def test_text_comes_out_as_text(text: str):
    rendered = templates().render(TextContext("c0-0-0", text))
    (block,) = parse(rendered).children
    assert not isinstance(block, str)
    assert [*block.children] == [text] or block.text() == text
    assert not any(tag in rendered.lower() for tag in ("<hx-", "<script", "<head", "<title"))


def test_line_ends_are_the_same_live_and_loaded():
    whole = templates().render(TextContext("c0-0-0", "a\r\nb"))
    pieces = [templates().render(Partial("c0-0-0", "", piece)) for piece in ("a\r", "\nb")]
    assert "\r" not in whole
    assert not any("\r" in piece for piece in pieces)
    assert parse(whole).text() == "".join(parse(piece).text() for piece in pieces)


def test_half_a_surrogate_pair_can_be_sent():
    rendered = templates().render(TextContext("c0-0-0", "a\ud83d"))
    assert "a\ufffd" in rendered
    rendered.encode()


def test_a_missing_value_is_an_error():
    environment = template_environment(DIRECTORY, Language())
    with pytest.raises(Exception, match="undefined"):
        environment.get_template(NoticeContext.TEMPLATE).render({"id": "t0-0", "kind": "stopped"})
