"""Every state, reason, notice and failure has its words, and none claims what has not occurred."""

import re
from string import Formatter

import pytest

from app.calls.reasons import Reason
from app.calls.states import FINAL_STATES, CallState
from app.display.view import CallView, NoticeKind, NoticeView
from app.providers.provider import FailureKind
from app.web import words

CREATED = CallView("c", "Create ticket", CallState.QUEUED)

HEADS = {
    CallState.QUEUED: "Queued · Create ticket",
    CallState.PREPARING: "Preparing · Create ticket",
    CallState.READY: "Ready, not started · Create ticket",
    CallState.AWAITING_APPROVAL: "Waiting for approval · Create ticket",
    CallState.RUNNING: "Running · Create ticket",
    CallState.DONE: "Create ticket · 412 ms · TICK-9034",
    CallState.FAILED: "Create ticket failed · The tracker did not answer",
    CallState.NOT_RUN: "Not run · Create ticket · The request was denied",
    CallState.UNKNOWN: "Outcome unknown · Create ticket",
}
"""The table of the design's section 3."""
REASON = {
    CallState.FAILED: "The tracker did not answer",
    CallState.NOT_RUN: str(Reason.DENIED),
}
PARAMS = {
    "reason": str(Reason.TRUNCATED),
    "failure": str(FailureKind.OVERLOADED),
    "attempt": "1",
    "of": "2",
    "seconds": "4",
    "limit": "12",
}


@pytest.mark.parametrize("state", CallState)
def test_a_head_says_what_the_table_says(state: CallState):
    call = CallView("c", "Create ticket", state, reason=REASON.get(state))
    if state is CallState.DONE:
        call.summary, call.duration_ms = "TICK-9034", 412
    assert "".join(words.call_head(call)) == HEADS[state]


@pytest.mark.parametrize("state", CallState)
def test_each_state_is_announced_in_its_own_words(state: CallState):
    said = words.announcement(state, "Create ticket", REASON.get(state))
    others = {
        words.announcement(other, "Create ticket", REASON.get(other))
        for other in CallState
        if other is not state
    }
    assert "Create ticket" in said
    assert said not in others


def test_a_done_call_tells_only_what_is_known():
    bare = CallView("c", "Create ticket", CallState.DONE)
    assert "".join(words.call_head(bare)) == "Create ticket"


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_has_a_sentence_and_a_next_step(reason: Reason):
    assert words.REASONS[reason]
    call = CallView("c", "Create ticket", CallState.NOT_RUN, reason=reason)
    said = words.next_step(call) or ""
    assert said.startswith(f"{words.REASONS[reason]}. Nothing was done.")


def test_what_may_have_happened_is_not_said_to_be_undone():
    call = CallView("c", "Create ticket", CallState.UNKNOWN)
    assert "may or may not" in (words.next_step(call) or "")


@pytest.mark.parametrize("state", sorted(frozenset(CallState) - FINAL_STATES))
def test_a_call_that_has_not_ended_has_no_next_step(state: CallState):
    assert words.next_step(CallView("c", "Create ticket", state)) is None


@pytest.mark.parametrize("kind", NoticeKind)
def test_each_notice_is_a_sentence(kind: NoticeKind):
    said = words.notice(NoticeView("n", kind, tuple(PARAMS.items())))
    assert said.endswith(".")
    assert "{" not in said


@pytest.mark.parametrize("failure", FailureKind)
def test_each_failure_has_a_sentence(failure: FailureKind):
    assert words.FAILURES[failure]


def test_every_pattern_names_only_what_it_is_given():
    patterns = [*words.HEADS.values(), *words.ANNOUNCEMENTS.values(), *words.NOTICES.values()]
    for pattern in patterns:
        names = {name for _, name, _, _ in Formatter().parse(pattern) if name}
        assert names <= {"label", *PARAMS}


def test_no_state_word_is_a_gerund_of_a_deed_or_a_measure_of_progress():
    allowed = {"Preparing", "Waiting", "Running"}
    for pattern in (*words.HEADS.values(), *words.ANNOUNCEMENTS.values()):
        assert not set(re.findall(r"\b\w+ing\b", pattern)) - allowed - {"waiting"}
        assert "%" not in pattern


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [(None, None), (0, "0 ms"), (999, "999 ms"), (1840, "1.8 s"), (125_000, "2 min 5 s")],
)
def test_a_duration_is_short(milliseconds: int | None, said: str | None):
    assert words.duration(milliseconds) == said


def test_an_answer_that_ended_with_a_notice_ends_with_its_sentence():
    stopped = NoticeView("n", NoticeKind.STOPPED)
    assert words.closing_announcement(stopped) == words.notice(stopped)
    assert words.closing_announcement(None) == words.ANSWER_FINISHED
