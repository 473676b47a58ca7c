"""The formats ``iri`` and ``iri-reference``, and that schemas check them."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display.exact_schema import ExactSchema
from app.display.iri import is_iri, is_iri_reference

IRIS = [
    "https://example.com/",
    "https://exämple.com/straße?q=größe#käse",
    "https://例え.jp/道?名=値",
    "mailto:jörg@example.com",
    "urn:example:né",
    "https://example.com/?private=\ue000",
]
NEITHER = [
    "https://exa mple.com/",
    "https://example.com/\ue000",
    "https://example.com/?a#\ue000",
    "https://example.com/%zz",
    "https://example.com/<b>",
    "https://[::1",
    "\ud800",
    "https://example.com/\uffff",
    "https://example.com/\U000e0001",
]


@pytest.mark.parametrize("text", IRIS)
def test_iris(text: str) -> None:
    assert is_iri(text)
    assert is_iri_reference(text)


@pytest.mark.parametrize("text", ["/größe", "straße?x=é", "#ä", "", "//例え.jp/"])
def test_references_are_not_whole(text: str) -> None:
    assert is_iri_reference(text)
    assert not is_iri(text)


@pytest.mark.parametrize("text", NEITHER)
def test_neither(text: str) -> None:
    assert not is_iri(text)
    assert not is_iri_reference(text)


def test_a_long_query_is_read_once() -> None:
    """Where each place asked what is before it, this took hours."""
    assert is_iri("https://example.com/?" + 1_000_000 * "\ue000")


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert is_iri(text) <= is_iri_reference(text)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("iri", "https://exämple.com/", "exämple"),
        ("iri-reference", "/größe", "größe<"),
        ("uri", "https://example.com/", "example"),
        ("date-time", "2026-03-02T10:00:00Z", "2026-03-02"),
        ("duration", "P1D", "1 day"),
        ("idn-email", "jörg@example.com", "jörg"),
        ("hostname", "example.com", "-example"),
        ("json-pointer", "/a/0", "a"),
        ("uri-template", "https://example.com/{id}", "https://example.com/{"),
    ],
)
def test_schemas_check_formats(name: str, good: str, bad: str) -> None:
    schema = ExactSchema({"type": "string", "format": name})
    assert schema.allows(good)
    assert not schema.allows(bad)


def test_no_grammar_is_compiled_at_start() -> None:
    code = "import sys, app.display.exact_schema; sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
