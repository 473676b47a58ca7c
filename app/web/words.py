"""Every sentence that the page says about states, reasons, notices and failures.

A sentence stands here in English, within ``marked``, and is looked up in the catalogue of the
page's language where it is used; names in braces are put in afterwards. A new one goes through
``make words`` into the catalogues (see CONTRIBUTING). Short labels stand in the templates,
within ``_()``.

A state's words report an event that has occurred (design, section 3): never a later state's
words, a gerund of the deed, or a percentage. A comment that begins with ``NOTE:`` is for
translators, and goes into the catalogues.
"""

from collections.abc import Mapping

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.view import CallView, NoticeKind, NoticeView
from app.providers.provider import FailureKind
from app.web.language import Language


def marked(message: str) -> str:
    """The message itself. Its call is what ``make words`` looks for."""
    return message


def marked_plural(one: str, many: str) -> tuple[str, str]:
    """A message for one thing and for any other number of it."""
    return one, many


# NOTE: Stands for the label of a call whose name has not arrived.
UNNAMED_CALL = marked("a tool")

HEADS: Mapping[CallState, str] = {
    # NOTE: Another call is being written. May not claim that anything of this one was begun.
    CallState.QUEUED: marked("Queued · {label}"),
    # NOTE: The model is writing the request. May not claim that the deed was begun: never
    # "creating", "sending" or the like.
    CallState.PREPARING: marked("Preparing · {label}"),
    # NOTE: The request is all there, and not judged yet. May not claim a start, an approval or
    # that it will run.
    CallState.READY: marked("Ready, not started · {label}"),
    # NOTE: A person was asked. May not claim an answer, or that it will run.
    CallState.AWAITING_APPROVAL: marked("Waiting for approval · {label}"),
    # NOTE: The tool was called and has not answered. May not claim progress or success.
    CallState.RUNNING: marked("Running · {label}"),
    # NOTE: The tool answered without a fault; its own summary follows. The label alone: may
    # not claim the deed in the past tense ("Ticket created").
    CallState.DONE: marked("{label}"),
    # NOTE: The tool gave an error; why follows. May not claim that nothing was done.
    CallState.FAILED: marked("{label} failed"),
    # NOTE: It was not run and nothing was done; why follows. May not sound like a fault.
    CallState.NOT_RUN: marked("Not run · {label}"),
    # NOTE: It may or may not have happened. May claim neither.
    CallState.UNKNOWN: marked("Outcome unknown · {label}"),
}

ANNOUNCEMENTS: Mapping[CallState, str] = {
    # NOTE: Read aloud. May not claim that anything of this one was begun.
    CallState.QUEUED: marked("Queued {label}"),
    # NOTE: Read aloud. The request is being written; may not claim that the deed was begun.
    CallState.PREPARING: marked("Preparing {label}"),
    # NOTE: Read aloud. May not claim a start, an approval or that it will run.
    CallState.READY: marked("{label} ready, not started"),
    # NOTE: Read aloud. May not claim an answer, or that it will run.
    CallState.AWAITING_APPROVAL: marked("{label} waiting for approval"),
    # NOTE: Read aloud. The tool was called; may not claim progress or success.
    CallState.RUNNING: marked("Running {label}"),
    # NOTE: Read aloud. The tool answered without a fault; may not claim more than that.
    CallState.DONE: marked("{label} completed"),
    # NOTE: The tool gave an error; why follows. May not claim that nothing was done.
    CallState.FAILED: marked("{label} failed"),
    # NOTE: Read aloud. Nothing was done. May not sound like a fault.
    CallState.NOT_RUN: marked("{label} not run"),
    # NOTE: Read aloud. It may or may not have happened. May claim neither.
    CallState.UNKNOWN: marked("Outcome of {label} unknown"),
}

REASONS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: marked("The answer broke off before it was complete"),
    Reason.TRUNCATED: marked("The answer was cut off at its length limit"),
    Reason.REFUSED_BY_MODEL: marked("The assistant declined to answer"),
    Reason.INVALID_JSON: marked("The details cannot be read"),
    Reason.TOO_LARGE: marked("The details are too large"),
    Reason.UNKNOWN_TOOL: marked("There is no such tool"),
    Reason.INVALID_ARGUMENTS: marked("The details do not fit this tool"),
    Reason.OUT_OF_SCOPE: marked("The details lead outside of what this tool may touch"),
    Reason.NOT_AUTHORISED: marked("It needs an approval or a permission that was not given"),
    Reason.DENIED: marked("The request was denied"),
    Reason.EXPIRED: marked("Nobody decided in time"),
    Reason.SUPERSEDED: marked("You went on without a decision"),
    Reason.STOPPED: marked("The answer was stopped"),
    Reason.PROTOCOL_ERROR: marked("The model's service sent something contradictory"),
}
"""Why a call was not run, after its head; nothing was done in any of these cases."""

NEXT_STEPS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: marked("Nothing was done. Send the message again to try once more."),
    Reason.TRUNCATED: marked("Nothing was done. Ask for less at once, or send the message again."),
    Reason.REFUSED_BY_MODEL: marked("Nothing was done. You can put the request in other words."),
    Reason.INVALID_JSON: marked("Nothing was done. Send the message again to try once more."),
    Reason.TOO_LARGE: marked("Nothing was done. Ask for less at once."),
    Reason.UNKNOWN_TOOL: marked("Nothing was done. The assistant has been told."),
    Reason.INVALID_ARGUMENTS: marked(
        "Nothing was done. The assistant has been told and may correct it."
    ),
    Reason.OUT_OF_SCOPE: marked("Nothing was done. The assistant has been told."),
    Reason.NOT_AUTHORISED: marked("Nothing was done. The assistant has been told."),
    Reason.DENIED: marked("Nothing was done. The assistant has been told."),
    Reason.EXPIRED: marked("Nothing was done. You can ask for it again."),
    Reason.SUPERSEDED: marked("Nothing was done. You can ask for it again."),
    Reason.STOPPED: marked("Nothing was done. You can ask for it again."),
    Reason.PROTOCOL_ERROR: marked("Nothing was done. Send the message again to try once more."),
}
UNKNOWN_NEXT_STEP = marked("It may or may not have happened. Check before you ask for it again.")
FAILED_NEXT_STEP = marked("The assistant has been told.")

FAILURES: Mapping[FailureKind, str] = {
    FailureKind.AUTHENTICATION: marked("The model's service did not accept our key"),
    FailureKind.PERMISSION: marked("Our key may not use this model"),
    FailureKind.NOT_FOUND: marked("The model's service does not know this model"),
    FailureKind.RATE_LIMIT: marked("The model's service has too many requests from us"),
    FailureKind.OVERLOADED: marked("The model's service is overloaded"),
    FailureKind.TIMEOUT: marked("The model's service did not answer in time"),
    FailureKind.BAD_REQUEST: marked("The model's service did not accept the request"),
    FailureKind.CONTEXT_TOO_LONG: marked("This conversation has become too long for the model"),
    FailureKind.CONNECTION: marked("The model's service cannot be reached"),
    FailureKind.DNS: marked("The address of the model's service cannot be found"),
    FailureKind.TLS: marked("No secure connection to the model's service could be made"),
    FailureKind.SERVER_ERROR: marked("The model's service has a fault"),
}

NOTICES: Mapping[NoticeKind, str] = {
    NoticeKind.REGENERATING: marked("{reason}. Asking again, {attempt} of {of}."),
    NoticeKind.WAITING_TO_RETRY: marked("{failure}. Trying again in {seconds} s."),
    NoticeKind.GAVE_UP: marked(
        "{reason}. No further attempt is made; you can send the message again."
    ),
    NoticeKind.PROVIDER_FAILED: marked("{failure}. You can send the message again later."),
    NoticeKind.REFUSED: marked("The assistant declined to answer."),
    NoticeKind.EMPTY_ANSWER: marked(
        "The assistant answered with nothing. You can send the message again."
    ),
    NoticeKind.STOPPED: marked("You stopped this answer."),
    NoticeKind.UNWATCHED: marked("This answer was stopped because nobody was watching."),
    NoticeKind.INTERRUPTED: marked("The server stopped while this answer was being written."),
    NoticeKind.INTERNAL_ERROR: marked(
        "Something went wrong on our side. You can send the message again."
    ),
}
TURN_LIMIT = marked_plural(
    "The assistant used its only turn for one message.",
    "The assistant used all of its {limit} turns for one message.",
)

# NOTE: The answer to a message has come to its end; may not claim that anything succeeded.
ANSWER_FINISHED = marked("Answer finished")
# NOTE: {name} is a name of the provider's, such as web_search.
WORK_BEGUN = marked("The model's service is at work with its own tool {name}")
WORK_ENDED = marked("The model's service used its own tool {name}")
# NOTE: An answer that was rolled back, folded away; why follows.
SET_ASIDE = marked("Set aside · {reason}")
# NOTE: Beside a field's label, while the model writes the field's value.
WRITING = marked("writing")
YES = marked("Yes")
NO = marked("No")

MILLISECONDS = marked("{number} ms")
SECONDS = marked("{number} s")
MINUTES = marked("{minutes} min {seconds} s")

REFUSALS: Mapping[int, tuple[str, str]] = {
    403: (
        marked("Not from here"),
        marked("This request came from another site, so nothing was done."),
    ),
    404: (marked("Nothing here"), marked("There is no such page, or it is not yours.")),
    405: (marked("Not that way"), marked("This address does not take that kind of request.")),
    413: (
        marked("Too much at once"),
        marked("That was larger than this page takes. Nothing was done."),
    ),
    422: (marked("Not quite"), marked("The form was empty or did not fit. Nothing was done.")),
    500: (marked("A fault of ours"), marked("Something went wrong here. It has been noted.")),
}
OTHER_REFUSAL = (
    marked("That did not work"),
    marked("The request could not be answered."),
)
"""By status: the heading and the sentence of a page that tells what went wrong."""


class Words:
    """The sentences in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._ = language.gettext

    def call_head(self, call: CallView) -> tuple[str, str, str]:
        """The line that tells a call's state: what stands before its label, the label, the rest."""
        before, after = self._(HEADS[call.state]).split("{label}")
        match call.state:
            case CallState.DONE:
                facts = (self.duration(call.duration_ms), call.summary)
                after += "".join(f" · {fact}" for fact in facts if fact)
            case CallState.FAILED if call.reason:
                after += f" · {call.reason}"
            case CallState.NOT_RUN if call.reason:
                after += f" · {self.reason(call.reason)}"
            case _:
                pass
        return before, call.label or self._(UNNAMED_CALL), after

    def next_step(self, call: CallView) -> str | None:
        """Why a call did not end well, once more and whole, and what happens next; or None.

        The head may be too narrow for a reason (it must not grow, or the rows below would move).
        """
        match call.state:
            case CallState.NOT_RUN if call.reason:
                return f"{self.reason(call.reason)}. {self._(NEXT_STEPS[Reason(call.reason)])}"
            case CallState.FAILED:
                told = self._(FAILED_NEXT_STEP)
                return f"{call.reason.rstrip('.')}. {told}" if call.reason else told
            case CallState.UNKNOWN:
                return self._(UNKNOWN_NEXT_STEP)
            case _:
                return None

    def reason(self, code: str) -> str:
        """Why a call was not run, or a turn was set aside."""
        return self._(REASONS[Reason(code)])

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

    def abandoned(self, reason: str) -> str:
        """The summary line of a turn that was rolled back."""
        return self._(SET_ASIDE).format(reason=self.reason(reason))

    def work(self, name: str, *, finished: bool) -> str:
        """The provider's own work."""
        return self._(WORK_ENDED if finished else WORK_BEGUN).format(name=name)

    def refusal(self, status: int) -> tuple[str, str]:
        """Heading and sentence of a page that tells what went wrong, by HTTP status."""
        heading, sentence = REFUSALS.get(status, OTHER_REFUSAL)
        return self._(heading), self._(sentence)

    @property
    def yes_no(self) -> tuple[str, str]:
        """What a truth value reads as."""
        return self._(YES), self._(NO)

    @property
    def style_words(self) -> dict[str, str]:
        """What the style sheet says, by its custom properties."""
        return {"--word-writing": self._(WRITING)}
