"""The developer view's templates: apart from the page's, and within the same policy."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from jinja2 import meta

from app.web.assets import data_directory
from app.web.contexts import Context
from app.web.developer import contexts
from app.web.language import Language
from app.web.templates import template_environment
from tests.web.test_templates import FORBIDDEN

DIRECTORY = data_directory("templates")
FILES = sorted(DIRECTORY.glob("developer/*.html"))
CONTEXTS: list[type[Context]] = [
    found
    for found in vars(contexts).values()
    if isinstance(found, type) and isinstance(vars(found).get("TEMPLATE"), str)
]
SHARED = {"base.html", "_macros.html"}


def used(name: str) -> set[str]:
    environment = template_environment(DIRECTORY, Language())
    tree = environment.parse((DIRECTORY / name).read_text())
    names = meta.find_undeclared_variables(tree) - environment.globals.keys()
    for parent in meta.find_referenced_templates(tree):
        names |= used(parent or "")
    return names


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: context.__name__)
def test_a_template_uses_exactly_what_its_context_gives(context: type[Context]) -> None:
    assert used(context.TEMPLATE) == {field.name for field in fields(context)}


def test_every_template_has_a_context() -> None:
    known = {context.TEMPLATE.removeprefix("developer/") for context in CONTEXTS}
    assert {file.name for file in FILES} == known | SHARED


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_shares_no_template_with_the_page_and_none_leads_to_it(file: Path) -> None:
    tree = template_environment(DIRECTORY, Language()).parse(file.read_text())
    for named in meta.find_referenced_templates(tree):
        assert named is not None
        assert named.startswith("developer/")
    for page in DIRECTORY.glob("*.html"):
        assert "developer" not in page.read_text()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
@pytest.mark.parametrize("kind", FORBIDDEN)
def test_a_template_needs_nothing_that_the_policy_forbids(file: Path, kind: str) -> None:
    assert not re.search(FORBIDDEN[kind], file.read_text(), re.IGNORECASE)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_value_in_an_attribute_is_quoted(file: Path) -> None:
    assert not re.findall(r"[\w-]+=\{\{", file.read_text())
