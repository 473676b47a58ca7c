"""Every state, reason, notice and failure has its words, and none claims what has not occurred."""

from pathlib import Path
from string import Formatter

import pytest

from app.calls.reasons import Reason
from app.calls.states import FINAL_STATES, CallState
from app.display.view import CallView, NoticeKind, NoticeView
from app.providers.provider import FailureKind
from app.web import words
from tests.web.wording import words as words_in

SAID = words_in("en")

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
    assert "".join(SAID.call_head(call)) == HEADS[state]


@pytest.mark.parametrize("state", CallState)
def test_each_state_is_announced_in_its_own_words(state: CallState):
    said = SAID.announcement(state, "Create ticket", REASON.get(state))
    others = {
        SAID.announcement(other, "Create ticket", REASON.get(other))
        for other in CallState
        if other is not state
    }
    assert "Create ticket" in said
    assert said not in others


def test_a_done_call_tells_only_what_is_known():
    bare = CallView("c", "Create ticket", CallState.DONE)
    assert "".join(SAID.call_head(bare)) == "Create ticket"


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_has_a_sentence_and_a_next_step(reason: Reason):
    assert words.REASONS[reason]
    call = CallView("c", "Go", CallState.NOT_RUN, reason=reason)
    said = SAID.next_step(call) or ""
    assert said == words.NEXT_STEPS[reason]
    assert said.startswith("Nothing was done.")


@pytest.mark.parametrize("state", [CallState.NOT_RUN, CallState.FAILED])
def test_a_reason_is_told_once_unless_the_head_is_too_narrow_for_it(state: CallState):
    label = "Change the address of a customer in every table"
    why = str(Reason.NOT_AUTHORISED) if state is CallState.NOT_RUN else "The table is locked by us."
    call = CallView("c", label, state, reason=why)
    head, said = "".join(SAID.call_head(call)), SAID.next_step(call) or ""
    told = SAID.reason(why) if state is CallState.NOT_RUN else "The table is locked by us"
    assert told in head
    assert said.startswith(f"{told}. ")
    call.label = "Go"
    assert told not in (SAID.next_step(call) or "")


def test_what_may_have_happened_is_not_said_to_be_undone():
    call = CallView("c", "Create ticket", CallState.UNKNOWN)
    assert "may or may not" in (SAID.next_step(call) or "")


@pytest.mark.parametrize("state", sorted(frozenset(CallState) - FINAL_STATES))
def test_a_call_that_has_not_ended_has_no_next_step(state: CallState):
    assert SAID.next_step(CallView("c", "Create ticket", state)) is None


@pytest.mark.parametrize("kind", NoticeKind)
def test_each_notice_is_a_sentence(kind: NoticeKind):
    said = SAID.notice(NoticeView("n", kind, tuple(PARAMS.items())))
    assert said.endswith(".")
    assert "{" not in said


@pytest.mark.parametrize("failure", FailureKind)
def test_each_failure_has_a_sentence(failure: FailureKind):
    assert words.FAILURES[failure]


def test_every_pattern_names_only_what_it_is_given():
    patterns = [
        *words.HEADS.values(),
        *words.ANNOUNCEMENTS.values(),
        *words.NOTICES.values(),
        *words.TURN_LIMIT,
    ]
    for pattern in patterns:
        names = {name for _, name, _, _ in Formatter().parse(pattern) if name}
        assert names <= {"label", *PARAMS}


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (None, None),
        (0, "0 ms"),
        (999, "999 ms"),
        (1840, "1.8 s"),
        (2000, "2.0 s"),
        (59_999, "59.9 s"),
        (125_000, "2 min 5 s"),
        (4_000_000, "66 min 40 s"),
    ],
)
def test_a_duration_is_short(milliseconds: int | None, said: str | None):
    assert SAID.duration(milliseconds) == said


def test_a_duration_is_written_as_the_locale_writes_numbers():
    assert words_in("de").duration(1840) == "1,8 s"
    assert words_in("hi_IN").duration(1840) == "1.8 s"


def test_one_turn_is_not_several():
    def told(limit: str) -> str:
        return SAID.notice(NoticeView("n", NoticeKind.TURN_LIMIT, (("limit", limit),)))

    assert told("1") == "The assistant used its only turn for one message."
    assert "all of its 12 turns" in told("12")


def test_an_answer_that_ended_with_a_notice_ends_with_its_sentence():
    stopped = NoticeView("n", NoticeKind.STOPPED)
    assert SAID.closing_announcement(stopped) == SAID.notice(stopped)
    assert SAID.closing_announcement(None) == words.ANSWER_FINISHED


def test_a_fault_of_ours_is_told_in_the_language_of_the_page_and_a_tools_own_as_it_is():
    german = words_in("de")
    own = "The tracker is closed on Sundays."
    assert german.fault(own) == SAID.fault(own) == own
    for sentence in words.FAULTS:
        reason = sentence.format(seconds="2.5")
        assert SAID.fault(reason) == reason
        assert german.fault(reason) not in (reason, sentence)
    call = CallView(
        "c", "Go", CallState.FAILED, reason="no answer within 30 s; it may or may not have happened"
    )
    assert "30 s" in "".join(german.call_head(call))


def test_the_faults_of_ours_are_those_that_are_put_on_record():
    """The rooms that write them know no page, so their sentences stand there once more."""
    rooms = Path(words.__file__).parents[1]
    written = (rooms / "tools/registry.py").read_text() + (
        rooms / "exchange/dispatch.py"
    ).read_text()
    for sentence in words.FAULTS:
        assert sentence.replace("{seconds}", "{seconds:g}") in written
