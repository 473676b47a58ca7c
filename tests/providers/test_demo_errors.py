"""What the demo model says of errors: never that nothing happened where something may have."""

import re

import pytest

from app.calls.reasons import Reason
from app.exchange.answers import UNKNOWN_OUTCOME, not_run
from app.providers.demo_errors import tell_error
from app.providers.demo_reply import Answered

TOOLS = (
    "create_ticket",
    "look_up_invoice",
    "send_email",
    "refund",
    "write_file",
    "search_tickets",
)
PERSISTED = [
    reason
    for reason in Reason
    if reason
    not in (Reason.TRUNCATED, Reason.REFUSED_BY_MODEL, Reason.INVALID_JSON, Reason.TOO_LARGE)
]
"""Those whose turn stays on record, so that the model hears of them."""


def told(content: str, name: str = "refund") -> str:
    return tell_error(Answered(name, {}, content, is_error=True))


@pytest.mark.parametrize("reason", PERSISTED)
@pytest.mark.parametrize("name", [*TOOLS, "unheard_of"])
def test_each_reason_of_the_host_has_words_of_its_own(name: str, reason: Reason) -> None:
    detail = "/amount: -5 is less than the canary"
    sentence = told(not_run(reason, detail), name)
    assert re.fullmatch(r"The [^“”]+ was not [^“”]+: [a-z][^“”]+\.|The [^“”]+\.", sentence)
    assert "canary" not in sentence
    assert "Not run" not in sentence


def test_the_words_of_reasons_differ() -> None:
    assert len({told(not_run(reason)) for reason in PERSISTED}) == len(PERSISTED)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "Not run: not authorised. a person must approve this call, and nobody can do so here",
            "The refund was not made: it needs an approval that nobody can give here.",
        ),
        (
            "Not run: not authorised.",
            "The refund was not made: it needs a permission that was not given.",
        ),
        ("Not run: for a reason of its own", "The refund was not made: “for a reason of its own”."),
        ("Failed: Only 5 EUR are left.", "The refund failed. Only 5 EUR are left."),
        ("no answer within 30 s", "The refund failed. No answer within 30 s."),
        ("", "The refund failed."),
    ],
)
def test_an_error_is_told_in_whole_sentences(content: str, sentence: str) -> None:
    assert told(content) == sentence


@pytest.mark.parametrize("name", [*TOOLS, "unheard_of"])
@pytest.mark.parametrize(
    "content",
    [
        UNKNOWN_OUTCOME,
        "Failed: no answer within 30 s; it may or may not have happened",
    ],
)
def test_what_may_have_happened_is_not_denied(name: str, content: str) -> None:
    sentence = told(content, name)
    assert "may or may not have happened" in sentence
    assert " was not " not in sentence
    assert re.match(r"[A-Z].*\.$", sentence)


def test_a_long_error_is_cut() -> None:
    sentence = told("Failed: " + "x " * 999)
    assert sentence.endswith("…")
    assert len(sentence) < 400
