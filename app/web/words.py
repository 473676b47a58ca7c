"""Every sentence that the page says about states, reasons, notices and failures.

A sentence stands here in English, within ``phrase``, and is looked up in the catalogue of the
page's language where it is used; names in braces are put in afterwards. A new one goes through
``make words`` into the catalogues (see CONTRIBUTING). Short labels stand in the templates,
within ``_()``.

A state's words report an event that has occurred (design, section 3): never a later state's
words, a gerund of the deed, or a percentage. A comment that begins with ``NOTE:`` is for
translators, and goes into the catalogues.
"""

import re
from collections.abc import Mapping

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.view import CallView, NoticeKind, NoticeView
from app.providers.provider import FailureKind
from app.web.language import Language


def phrase(message: str) -> str:
    """The message itself. Its call is what ``make words`` looks for."""
    return message


def plural_phrase(one: str, many: str) -> tuple[str, str]:
    """A message for one thing and for any other number of it."""
    return one, many


# NOTE: Stands for the label of a call whose name has not arrived.
UNNAMED_CALL = phrase("a tool")

HEADS: Mapping[CallState, str] = {
    # NOTE: Another call is being written. May not claim that anything of this one was begun.
    CallState.QUEUED: phrase("Queued · {label}"),
    # NOTE: The model is writing the request. May not claim that the deed was begun: never
    # "creating", "sending" or the like.
    CallState.PREPARING: phrase("Preparing · {label}"),
    # NOTE: The request is all there, and not judged yet. May not claim a start, an approval or
    # that it will run.
    CallState.READY: phrase("Ready, not started · {label}"),
    # NOTE: A person was asked. May not claim an answer, or that it will run.
    CallState.AWAITING_APPROVAL: phrase("Waiting for approval · {label}"),
    # NOTE: The tool was called and has not answered. May not claim progress or success.
    CallState.RUNNING: phrase("Running · {label}"),
    # NOTE: The tool answered without a fault; its own summary follows. The label alone: may
    # not claim the deed in the past tense ("Ticket created").
    CallState.DONE: phrase("{label}"),
    # NOTE: The tool gave an error; why follows. May not claim that nothing was done.
    CallState.FAILED: phrase("{label} failed"),
    # NOTE: It was not run and nothing was done; why follows. May not sound like a fault.
    CallState.NOT_RUN: phrase("Not run · {label}"),
    # NOTE: It may or may not have happened. May claim neither.
    CallState.UNKNOWN: phrase("Outcome unknown · {label}"),
}

# NOTE: A person approved. May not claim a start, nor that there was none: another server may be
# at it.
APPROVED_HEAD = phrase("Approved · {label}")

ANNOUNCEMENTS: Mapping[CallState, str] = {
    # NOTE: Read aloud. May not claim that anything of this one was begun.
    CallState.QUEUED: phrase("Queued {label}"),
    # NOTE: Read aloud. The request is being written; may not claim that the deed was begun.
    CallState.PREPARING: phrase("Preparing {label}"),
    # NOTE: Read aloud. May not claim a start, an approval or that it will run.
    CallState.READY: phrase("{label} ready, not started"),
    # NOTE: Read aloud. May not claim an answer, or that it will run.
    CallState.AWAITING_APPROVAL: phrase("{label} waiting for approval"),
    # NOTE: Read aloud. The tool was called; may not claim progress or success.
    CallState.RUNNING: phrase("Running {label}"),
    # NOTE: Read aloud. The tool answered without a fault; may not claim more than that.
    CallState.DONE: phrase("{label} completed"),
    # NOTE: The tool gave an error; why follows. May not claim that nothing was done.
    CallState.FAILED: phrase("{label} failed"),
    # NOTE: Read aloud. Nothing was done. May not sound like a fault.
    CallState.NOT_RUN: phrase("{label} not run"),
    # NOTE: Read aloud. It may or may not have happened. May claim neither.
    CallState.UNKNOWN: phrase("Outcome of {label} unknown"),
}

REASONS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: phrase("The answer broke off before it was complete"),
    Reason.TRUNCATED: phrase("The answer was cut off at its length limit"),
    Reason.REFUSED_BY_MODEL: phrase("The assistant declined to answer"),
    Reason.INVALID_JSON: phrase("The details cannot be read"),
    Reason.TOO_LARGE: phrase("The details are too large"),
    Reason.UNKNOWN_TOOL: phrase("There is no such tool"),
    Reason.INVALID_ARGUMENTS: phrase("The details do not fit this tool"),
    Reason.OUT_OF_SCOPE: phrase("The details lead outside of what this tool may touch"),
    Reason.NOT_AUTHORISED: phrase("It needs an approval or a permission that was not given"),
    Reason.DENIED: phrase("The request was denied"),
    Reason.EXPIRED: phrase("Nobody decided in time"),
    Reason.SUPERSEDED: phrase("You went on without a decision"),
    Reason.STOPPED: phrase("The answer was stopped"),
    Reason.PROTOCOL_ERROR: phrase("The model's service sent something contradictory"),
}
"""Why a call was not run, after its head; nothing was done in any of these cases."""

NEXT_STEPS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: phrase("Nothing was done. Send the message again to try once more."),
    Reason.TRUNCATED: phrase("Nothing was done. Ask for less at once, or send the message again."),
    Reason.REFUSED_BY_MODEL: phrase("Nothing was done. You can put the request in other words."),
    Reason.INVALID_JSON: phrase("Nothing was done. Send the message again to try once more."),
    Reason.TOO_LARGE: phrase("Nothing was done. Ask for less at once."),
    Reason.UNKNOWN_TOOL: phrase("Nothing was done. The assistant has been told."),
    Reason.INVALID_ARGUMENTS: phrase(
        "Nothing was done. The assistant has been told and may correct it."
    ),
    Reason.OUT_OF_SCOPE: phrase("Nothing was done. The assistant has been told."),
    Reason.NOT_AUTHORISED: phrase("Nothing was done. The assistant has been told."),
    Reason.DENIED: phrase("Nothing was done. The assistant has been told."),
    Reason.EXPIRED: phrase("Nothing was done. You can ask for it again."),
    Reason.SUPERSEDED: phrase("Nothing was done. You can ask for it again."),
    Reason.STOPPED: phrase("Nothing was done. You can ask for it again."),
    Reason.PROTOCOL_ERROR: phrase("Nothing was done. Send the message again to try once more."),
}
UNKNOWN_NEXT_STEP = phrase("It may or may not have happened. Check before you ask for it again.")
FAILED_NEXT_STEP = phrase("The assistant has been told.")

FAULTS = (
    phrase("The tool had an internal error."),
    phrase("The tool cannot take these arguments."),
    # NOTE: May not claim that nothing was done: nobody knows.
    phrase("no answer within {seconds} s; it may or may not have happened"),
)
"""Sentences of ours that stand on record as a failed call's reason; all others are a tool's own."""

FAILURES: Mapping[FailureKind, str] = {
    FailureKind.AUTHENTICATION: phrase("The model's service did not accept our key"),
    FailureKind.PERMISSION: phrase("Our key may not use this model"),
    FailureKind.NOT_FOUND: phrase("The model's service does not know this model"),
    FailureKind.RATE_LIMIT: phrase("The model's service has too many requests from us"),
    FailureKind.OVERLOADED: phrase("The model's service is overloaded"),
    FailureKind.TIMEOUT: phrase("The model's service did not answer in time"),
    FailureKind.BAD_REQUEST: phrase("The model's service did not accept the request"),
    FailureKind.CONTEXT_TOO_LONG: phrase("This conversation has become too long for the model"),
    FailureKind.CONNECTION: phrase("The model's service cannot be reached"),
    FailureKind.DNS: phrase("The address of the model's service cannot be found"),
    FailureKind.TLS: phrase("No secure connection to the model's service could be made"),
    FailureKind.SERVER_ERROR: phrase("The model's service has a fault"),
}

NOTICES: Mapping[NoticeKind, str] = {
    NoticeKind.REGENERATING: phrase("{reason}. Asking again, {attempt} of {of}."),
    NoticeKind.WAITING_TO_RETRY: phrase("{failure}. Trying again in {seconds} s."),
    NoticeKind.GAVE_UP: phrase(
        "{reason}. No further attempt is made; you can send the message again."
    ),
    NoticeKind.PROVIDER_FAILED: phrase("{failure}. You can send the message again later."),
    NoticeKind.REFUSED: phrase("The assistant declined to answer."),
    NoticeKind.EMPTY_ANSWER: phrase(
        "The assistant answered with nothing. You can send the message again."
    ),
    NoticeKind.STOPPED: phrase("You stopped this answer."),
    NoticeKind.UNWATCHED: phrase("This answer was stopped because nobody was watching."),
    NoticeKind.INTERRUPTED: phrase("The server stopped while this answer was being written."),
    NoticeKind.INTERNAL_ERROR: phrase(
        "Something went wrong on our side. You can send the message again."
    ),
}
TURN_LIMIT = plural_phrase(
    "The assistant used its only turn for one message.",
    "The assistant used all of its {limit} turns for one message.",
)

# NOTE: Which version of a message is shown, of how many.
ALTERNATIVE = phrase("{number} of {count}")
HITS = plural_phrase("One place", "{count} places")
NO_HITS = phrase("Nothing was found.")
SEARCHED = phrase("Search: {words}")
SEARCH = phrase("Search")

# NOTE: The answer to a message has come to its end; may not claim that anything succeeded.
ANSWER_FINISHED = phrase("Answer finished")
# NOTE: {name} is a name of the provider's, such as web_search.
WORK_BEGUN = phrase("The model's service is at work with its own tool {name}")
WORK_ENDED = phrase("The model's service used its own tool {name}")
# NOTE: An answer that was rolled back, folded away; a line below it tells why.
SET_ASIDE = phrase("Set aside · nothing of this was done")
# NOTE: Beside a field's label, while the model writes the field's value.
WRITING = phrase("writing")
YES = phrase("Yes")
NO = phrase("No")

HEAD_CHARS = 72
"""What a head shows at the least, on the two lines that it has on a narrow phone."""

MILLISECONDS = phrase("{number} ms")
SECONDS = phrase("{number} s")
MINUTES = phrase("{minutes} min {seconds} s")

REFUSALS: Mapping[int, tuple[str, str]] = {
    403: (
        phrase("Not from here"),
        phrase("This request came from another site, so nothing was done."),
    ),
    404: (phrase("Nothing here"), phrase("There is no such page, or it is not yours.")),
    405: (phrase("Not that way"), phrase("This address does not take that kind of request.")),
    413: (
        phrase("Too much at once"),
        phrase("That was larger than this page takes. Nothing was done."),
    ),
    422: (phrase("Not quite"), phrase("The form was empty or did not fit. Nothing was done.")),
    500: (phrase("A fault of ours"), phrase("Something went wrong here. It has been noted.")),
}
OTHER_REFUSAL = (
    phrase("That did not work"),
    phrase("The request could not be answered."),
)
"""By status: the heading and the sentence of a page that tells what went wrong."""
NOT_SIGNED_IN = (
    phrase("Not signed in"),
    phrase(
        "People are named by the sign-in in front of this page, and this request came without a "
        "name. Open the page through that sign-in."
    ),
)
ROLE_MISSING = (
    phrase("Not yours to do"),
    phrase("This takes a role that you do not have. Nothing was done."),
)


class Words:
    """The sentences in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._ = language.gettext

    def search_title(self, words: str) -> str:
        """The heading of what was searched."""
        return self._(SEARCHED).format(words=words) if words else self._(SEARCH)

    def alternative(self, number: int, count: int) -> str:
        """Which of several versions of a message is shown."""
        show = self.language.number
        return self._(ALTERNATIVE).format(number=show(number), count=show(count))

    def hits(self, count: int) -> str:
        """How many places were found."""
        if not count:
            return self._(NO_HITS)
        number = self.language.number(count)
        return self.language.ngettext(*HITS, count).format(count=number)

    def call_head(self, call: CallView) -> tuple[str, str, str]:
        """The line that tells a call's state: what stands before its label, the label, the rest."""
        approved = call.approval is not None and call.approval.approved_at is not None
        head = APPROVED_HEAD if approved else HEADS[call.state]
        before, after = self._(head).split("{label}")
        match call.state:
            case CallState.DONE:
                facts = (self.duration(call.duration_ms), call.summary)
                after += "".join(f" · {fact}" for fact in facts if fact)
            case CallState.FAILED if call.reason:
                after += f" · {self.fault(call.reason)}"
            case CallState.NOT_RUN if call.reason:
                after += f" · {self.reason(call.reason)}"
            case _:
                pass
        return before, call.label or self._(UNNAMED_CALL), after

    def next_step(self, call: CallView) -> str | None:
        """What happens next after a call that did not end well; None for any other.

        The head has told why. Where it is too narrow for that (it must not grow, or the rows
        below would move) the reason is told here once more, whole.
        """
        match call.state:
            case CallState.NOT_RUN if call.reason:
                why, told = self.reason(call.reason), self._(NEXT_STEPS[Reason(call.reason)])
            case CallState.FAILED:
                why, told = self.fault(call.reason or ""), self._(FAILED_NEXT_STEP)
            case CallState.UNKNOWN:
                return self._(UNKNOWN_NEXT_STEP)
            case _:
                return None
        fits = len("".join(self.call_head(call))) <= HEAD_CHARS
        return told if fits or not why else f"{why.rstrip('.')}. {told}"

    def reason(self, code: str) -> str:
        """Why a call was not run, or a turn was set aside."""
        return self._(REASONS[Reason(code)])

    def fault(self, reason: str) -> str:
        """Why a call failed: a sentence of a tool as it is, one of ours in the page's language."""
        for sentence in FAULTS:
            pattern = re.escape(sentence).replace(r"\{seconds\}", "(?P<seconds>[^ ]+)")
            if found := re.fullmatch(pattern, reason):
                return self._(sentence).format(**found.groupdict())
        return reason

    def duration(self, milliseconds: int | None) -> str | None:
        """A time that a tool took, as short as it stays honest."""
        if milliseconds is None:
            return None
        number = self.language.number
        if milliseconds < 1000:
            return self._(MILLISECONDS).format(number=number(milliseconds))
        seconds = milliseconds / 1000
        if seconds < 60:
            return self._(SECONDS).format(number=number(int(seconds * 10) / 10, digits=1))
        minutes, rest = divmod(int(seconds), 60)
        return self._(MINUTES).format(minutes=number(minutes), seconds=number(rest))

    def announcement(self, state: CallState, label: str | None, reason: str | None) -> str:
        """One sentence for one change of a call's state."""
        said = self._(ANNOUNCEMENTS[state]).format(label=label or self._(UNNAMED_CALL))
        if state is CallState.NOT_RUN and reason:
            return f"{said}. {self.reason(reason)}"
        return said

    def closing_announcement(self, last: NoticeView | None) -> str:
        """One sentence for one exchange that ended; ``last`` is the notice it ended with."""
        return self._(ANSWER_FINISHED) if last is None else self.notice(last)

    def notice(self, view: NoticeView) -> str:
        """The sentence of a notice."""
        names = dict(view.params)
        if view.kind is NoticeKind.TURN_LIMIT:
            return self.language.ngettext(*TURN_LIMIT, int(names["limit"])).format(**names)
        if "reason" in names:
            names["reason"] = self.reason(names["reason"])
        if "failure" in names:
            names["failure"] = self._(FAILURES[FailureKind(names["failure"])])
        return self._(NOTICES[view.kind]).format(**names)

    def abandoned(self) -> str:
        """The summary line of a turn that was rolled back. Why is told by the notice after it."""
        return self._(SET_ASIDE)

    def work(self, name: str, *, finished: bool) -> str:
        """The provider's own work."""
        return self._(WORK_ENDED if finished else WORK_BEGUN).format(name=name)

    def refusal(self, status: int) -> tuple[str, str]:
        """Heading and sentence of a page that tells what went wrong, by HTTP status."""
        heading, sentence = REFUSALS.get(status, OTHER_REFUSAL)
        return self._(heading), self._(sentence)

    @property
    def not_signed_in(self) -> tuple[str, str]:
        """The same of a request that should have named a person."""
        heading, sentence = NOT_SIGNED_IN
        return self._(heading), self._(sentence)

    @property
    def role_missing(self) -> tuple[str, str]:
        """The same of a person who may not do this."""
        heading, sentence = ROLE_MISSING
        return self._(heading), self._(sentence)

    @property
    def yes_no(self) -> tuple[str, str]:
        """What a truth value reads as."""
        return self._(YES), self._(NO)

    @property
    def style_words(self) -> dict[str, str]:
        """What the style sheet says, by its custom properties."""
        return {"--word-writing": self._(WRITING)}
