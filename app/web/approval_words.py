"""Every sentence about requests for a person's decision, for operators and in the chat.

A sentence about a decision says who made it and when, and claims nothing that came of it: whether
the call has run is told by the call's own state.
"""

import hashlib
from collections.abc import Iterator, Mapping

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.field_map import Approver
from app.display.view import ApprovalView
from app.display.whole_rows import Caution, ValueKind, WholeRow
from app.exchange.approvals import Refusal
from app.records.rows import ApprovalRecord, ApprovalState
from app.web.access import USER_PREFIX
from app.web.words import REASONS, Words, phrase, plural_phrase

CAUTIONS: Mapping[Caution, str] = {
    Caution.INVISIBLE: phrase("Holds characters that cannot be seen; they are named here."),
    Caution.BIDI: phrase("Holds controls that turn text around; they are named here."),
    Caution.MIXED: phrase("Holds letters that look like others; they are marked here."),
    Caution.RIDDLED: phrase(
        "Holds so many unusual characters that from some place on only their numbers are shown."
    ),
    Caution.EDGES: phrase("Begins or ends with white space."),
    Caution.GAPS: phrase("Holds wide gaps that could push text out of sight."),
    Caution.RIGHT_TO_LEFT: phrase(
        "Holds writing from right to left; what stands beside it may be in another order."
    ),
    Caution.PUNYCODE: phrase("Holds an address in an encoded form (xn--)."),
    Caution.NAME: phrase("The name of this value holds unusual characters."),
}

KINDS: Mapping[ValueKind, str] = {
    # NOTE: The kind of a value, beside it.
    ValueKind.TEXT: phrase("text"),
    ValueKind.NUMBER: phrase("number"),
    ValueKind.BOOLEAN: phrase("yes or no"),
    ValueKind.NULL: phrase("no value"),
    ValueKind.EMPTY_OBJECT: phrase("empty group"),
    ValueKind.EMPTY_ARRAY: phrase("empty list"),
}
# NOTE: Stands in the place of a text of no characters.
EMPTY_TEXT = phrase("empty text")
LENGTH = plural_phrase("{n} character", "{n} characters")
NOT_SHOWN = plural_phrase("Not shown to you: {n} field", "Not shown to you: {n} fields")
WAITING = plural_phrase("{n} request waits", "{n} requests wait")
NOTHING_WAITS = phrase("Nothing waits for a decision")

# NOTE: {who} is a name, {when} a date with its time.
APPROVED = phrase("Approved by {who}, {when}.")
APPROVED_EDITED = phrase("Approved with changes by {who}, {when}.")
DENIED = phrase("Denied by {who}, {when}.")
EXPIRED = phrase("Expired {when}: nobody decided in time.")
SUPERSEDED = phrase("Withdrawn {when}: the person went on without a decision.")
STOPPED = phrase("Withdrawn {when}: the answer was stopped.")
STILL_WAITING = phrase("Not decided yet.")
VERDICTS: Mapping[ApprovalState, str] = {
    ApprovalState.WAITING: STILL_WAITING,
    ApprovalState.APPROVED: APPROVED,
    ApprovalState.DENIED: DENIED,
    ApprovalState.EXPIRED: EXPIRED,
    ApprovalState.SUPERSEDED: SUPERSEDED,
    ApprovalState.STOPPED: STOPPED,
}

REFUSALS: Mapping[Refusal, str] = {
    Refusal.DECIDED: phrase("It was decided before. You changed nothing."),
    Refusal.EXPIRED: phrase("The time for a decision is over. You changed nothing."),
    Refusal.WITHDRAWN: phrase("It no longer waits for a decision. You changed nothing."),
    Refusal.OTHER_ARGUMENTS: phrase(
        "The form was about other details than those that wait here. Nothing was changed; read "
        "these and decide again."
    ),
    Refusal.TOOL_CHANGED: phrase(
        "The tool has changed since this was asked, so it cannot be approved any more. Nothing "
        "was changed; you can deny it."
    ),
    Refusal.BAD_EDIT: phrase("The change cannot be made. Nothing was decided."),
}

OUTCOMES: Mapping[CallState, str] = {
    # NOTE: What became of the call after the decision. None may claim more than its state, nor
    # that something has not happened: the page is read after it was made.
    CallState.RUNNING: phrase("It was started."),
    CallState.DONE: phrase("It was run."),
    CallState.FAILED: phrase("It was run and failed."),
    CallState.UNKNOWN: phrase("Its outcome is unknown: it may or may not have happened."),
}
"""Of a call that has not started there is nothing to tell: it may have by the time this is read."""
# NOTE: {reason} is why, such as "The answer was stopped".
NOT_RUN = phrase("It was not run. {reason}.")

# NOTE: Who asked, where nothing is known of them but that they are one person.
ANONYMOUS = phrase("Anonymous visitor {mark}")
# NOTE: The person who is asked in the chat, in a sentence such as "Approved by you".
YOU = phrase("you")
OPERATOR = phrase("an operator")

# NOTE: The headings of a request in the chat. None may claim an answer.
ASKED_HERE = phrase("Approve exactly this?")
ASKED_ELSEWHERE = phrase("Waiting for an operator")
APPROVED_HEADING = phrase("Approved")
# NOTE: {when} is a date with its time.
WAITS_FOR_OPERATOR = phrase("An operator decides on this, until {when}. You need not wait here.")
WAITS_FOR_YOU = phrase("You decide on this, until {when}.")
APPROVED_AT = phrase("Approved {when}.")

_LIKE_ANOTHER_KIND = frozenset({"true", "false", "null", "{}", "[]"})


class ApprovalWords:
    """The sentences in one language."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._ = words.language.gettext

    def number_of(self, messages: tuple[str, str], n: int) -> str:
        """A sentence about so many things."""
        language = self._words.language
        return language.ngettext(*messages, n).format(n=language.number(n))

    def person(self, user: str) -> str:
        """A person who asked; an anonymous one by a mark, never by their id."""
        if user.startswith(USER_PREFIX):
            return user.removeprefix(USER_PREFIX)
        mark = hashlib.sha256(user.encode()).hexdigest()[:4]
        return self._(ANONYMOUS).format(mark=mark)

    def verdict(self, asked: ApprovalRecord, who: str | None = None) -> str:
        """Who decided what and when; ``who`` stands for the name on record."""
        said = VERDICTS[asked.state]
        if asked.state is ApprovalState.APPROVED and asked.edited is not None:
            said = APPROVED_EDITED
        at = asked.decided_at
        when = "" if at is None else self._words.language.moment_and_zone(at)
        return self._(said).format(who=who or asked.decided_by or self._(OPERATOR), when=when)

    def outcome(self, asked: ApprovalRecord) -> str:
        """What became of a call that was approved; nothing of one that was not."""
        if asked.state is not ApprovalState.APPROVED:
            return ""
        if asked.call_state is CallState.NOT_RUN:
            why = self._(REASONS[Reason(asked.call_reason or Reason.STOPPED)])
            return self._(NOT_RUN).format(reason=why)
        said = OUTCOMES.get(asked.call_state)
        return "" if said is None else self._(said)

    def refusal(self, refusal: Refusal, detail: str) -> str:
        """Why an attempt to decide changed nothing."""
        return " ".join(part for part in (self._(REFUSALS[refusal]), detail) if part)

    def cautions(self, row: WholeRow) -> Iterator[str]:
        return (self._(CAUTIONS[caution]) for caution in row.cautions)

    def kind(self, row: WholeRow) -> str:
        """The kind of a value, where it does not tell by itself; else nothing."""
        if row.kind is not ValueKind.TEXT:
            return self._(KINDS[row.kind])
        exact = row.exact
        looks_otherwise = exact in _LIKE_ANOTHER_KIND or exact.lstrip("-")[:1].isdigit()
        return self._(KINDS[row.kind]) if looks_otherwise and len(exact) < 40 else ""

    def prompt_heading(self, view: ApprovalView) -> str:
        """What stands above a request in the chat."""
        if view.approved_at is not None:
            return self._(APPROVED_HEADING)
        heading = ASKED_HERE if view.by == Approver.USER else ASKED_ELSEWHERE
        return self._(heading)

    def asked(self, view: ApprovalView) -> str:
        """Who is waited for, in the chat."""
        when = self._words.language.moment_and_zone
        if view.approved_at is not None:
            return self._(APPROVED_AT).format(when=when(view.approved_at))
        said = WAITS_FOR_YOU if view.by == Approver.USER else WAITS_FOR_OPERATOR
        return self._(said).format(when=when(view.expires_at))
