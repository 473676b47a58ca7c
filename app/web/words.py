"""Every sentence that the page says about states, reasons, notices and failures.

A state's words report an event that has occurred (design, section 3): never a later state's
words, a gerund of the deed, or a percentage. Patterns keep ``{label}`` and other names in braces
so that a catalogue can translate them whole.
"""

from collections.abc import Mapping

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.view import CallView, NoticeKind, NoticeView
from app.providers.provider import FailureKind

UNNAMED_CALL = "a tool"
"""Stands for the label of a call whose name has not arrived."""

HEADS: Mapping[CallState, str] = {
    CallState.QUEUED: "Queued · {label}",
    CallState.PREPARING: "Preparing · {label}",
    CallState.READY: "Ready, not started · {label}",
    CallState.AWAITING_APPROVAL: "Waiting for approval · {label}",
    CallState.RUNNING: "Running · {label}",
    CallState.DONE: "{label}",
    CallState.FAILED: "{label} failed",
    CallState.NOT_RUN: "Not run · {label}",
    CallState.UNKNOWN: "Outcome unknown · {label}",
}

ANNOUNCEMENTS: Mapping[CallState, str] = {
    CallState.QUEUED: "Queued {label}",
    CallState.PREPARING: "Preparing {label}",
    CallState.READY: "{label} ready, not started",
    CallState.AWAITING_APPROVAL: "{label} waiting for approval",
    CallState.RUNNING: "Running {label}",
    CallState.DONE: "{label} completed",
    CallState.FAILED: "{label} failed",
    CallState.NOT_RUN: "{label} not run",
    CallState.UNKNOWN: "Outcome of {label} unknown",
}

REASONS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: "The answer broke off before it was complete",
    Reason.TRUNCATED: "The answer was cut off at its length limit",
    Reason.REFUSED_BY_MODEL: "The assistant declined to answer",
    Reason.INVALID_JSON: "The details cannot be read",
    Reason.TOO_LARGE: "The details are too large",
    Reason.UNKNOWN_TOOL: "There is no such tool",
    Reason.INVALID_ARGUMENTS: "The details do not fit this tool",
    Reason.OUT_OF_SCOPE: "The details lead outside of what this tool may touch",
    Reason.NOT_AUTHORISED: "It needs an approval or a permission that was not given",
    Reason.DENIED: "The request was denied",
    Reason.EXPIRED: "Nobody decided in time",
    Reason.SUPERSEDED: "You went on without a decision",
    Reason.STOPPED: "The answer was stopped",
    Reason.PROTOCOL_ERROR: "The model's service sent something contradictory",
}
"""Why a call was not run, after its head; nothing was done in any of these cases."""

NEXT_STEPS: Mapping[Reason, str] = {
    Reason.INCOMPLETE: "Nothing was done. Send the message again to try once more.",
    Reason.TRUNCATED: "Nothing was done. Ask for less at once, or send the message again.",
    Reason.REFUSED_BY_MODEL: "Nothing was done. You can put the request in other words.",
    Reason.INVALID_JSON: "Nothing was done. Send the message again to try once more.",
    Reason.TOO_LARGE: "Nothing was done. Ask for less at once.",
    Reason.UNKNOWN_TOOL: "Nothing was done. The assistant has been told.",
    Reason.INVALID_ARGUMENTS: "Nothing was done. The assistant has been told and may correct it.",
    Reason.OUT_OF_SCOPE: "Nothing was done. The assistant has been told.",
    Reason.NOT_AUTHORISED: "Nothing was done. The assistant has been told.",
    Reason.DENIED: "Nothing was done. The assistant has been told.",
    Reason.EXPIRED: "Nothing was done. You can ask for it again.",
    Reason.SUPERSEDED: "Nothing was done. You can ask for it again.",
    Reason.STOPPED: "Nothing was done. You can ask for it again.",
    Reason.PROTOCOL_ERROR: "Nothing was done. Send the message again to try once more.",
}
UNKNOWN_NEXT_STEP = "It may or may not have happened. Check before you ask for it again."
FAILED_NEXT_STEP = "The assistant has been told."

FAILURES: Mapping[FailureKind, str] = {
    FailureKind.AUTHENTICATION: "The model's service did not accept our key",
    FailureKind.PERMISSION: "Our key may not use this model",
    FailureKind.NOT_FOUND: "The model's service does not know this model",
    FailureKind.RATE_LIMIT: "The model's service has too many requests from us",
    FailureKind.OVERLOADED: "The model's service is overloaded",
    FailureKind.TIMEOUT: "The model's service did not answer in time",
    FailureKind.BAD_REQUEST: "The model's service did not accept the request",
    FailureKind.CONTEXT_TOO_LONG: "This conversation has become too long for the model",
    FailureKind.CONNECTION: "The model's service cannot be reached",
    FailureKind.DNS: "The address of the model's service cannot be found",
    FailureKind.TLS: "No secure connection to the model's service could be made",
    FailureKind.SERVER_ERROR: "The model's service has a fault",
}

NOTICES: Mapping[NoticeKind, str] = {
    NoticeKind.REGENERATING: "{reason}. Asking again, {attempt} of {of}.",
    NoticeKind.WAITING_TO_RETRY: "{failure}. Trying again in {seconds} s.",
    NoticeKind.GAVE_UP: "{reason}. No further attempt is made; you can send the message again.",
    NoticeKind.PROVIDER_FAILED: "{failure}. You can send the message again later.",
    NoticeKind.REFUSED: "The assistant declined to answer.",
    NoticeKind.EMPTY_ANSWER: "The assistant answered with nothing. You can send the message again.",
    NoticeKind.STOPPED: "You stopped this answer.",
    NoticeKind.UNWATCHED: "This answer was stopped because nobody was watching.",
    NoticeKind.INTERRUPTED: "The server stopped while this answer was being written.",
    NoticeKind.TURN_LIMIT: "The assistant used all of its {limit} turns for one message.",
    NoticeKind.INTERNAL_ERROR: "Something went wrong on our side. You can send the message again.",
}

ANSWER_FINISHED = "Answer finished"
WORK_BEGUN = "The model's service is at work with its own tool {name}"
WORK_ENDED = "The model's service used its own tool {name}"


def call_head(call: CallView) -> tuple[str, str, str]:
    """The line that tells a call's state: the words before its label, the label, those after."""
    before, after = HEADS[call.state].split("{label}")
    match call.state:
        case CallState.DONE:
            facts = (duration(call.duration_ms), call.summary)
            after += "".join(f" · {fact}" for fact in facts if fact)
        case CallState.FAILED if call.reason:
            after += f" · {call.reason}"
        case CallState.NOT_RUN if call.reason:
            after += f" · {REASONS[Reason(call.reason)]}"
        case _:
            pass
    return before, call.label or UNNAMED_CALL, after


def next_step(call: CallView) -> str | None:
    """Why a call did not end well, once more and whole, and what happens next; or None.

    The head may be too narrow for a reason (it must not grow, or the rows below would move).
    """
    match call.state:
        case CallState.NOT_RUN if call.reason:
            reason = Reason(call.reason)
            return f"{REASONS[reason]}. {NEXT_STEPS[reason]}"
        case CallState.FAILED:
            return (
                f"{call.reason.rstrip('.')}. {FAILED_NEXT_STEP}"
                if call.reason
                else FAILED_NEXT_STEP
            )
        case CallState.UNKNOWN:
            return UNKNOWN_NEXT_STEP
        case _:
            return None


def duration(milliseconds: int | None) -> str | None:
    """A time that a tool took, as short as it stays honest."""
    if milliseconds is None:
        return None
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def announcement(state: CallState, label: str | None, reason: str | None) -> str:
    """One sentence for one change of a call's state."""
    said = ANNOUNCEMENTS[state].format(label=label or UNNAMED_CALL)
    if state is CallState.NOT_RUN and reason:
        return f"{said}. {REASONS[Reason(reason)]}"
    return said


def closing_announcement(last: NoticeView | None) -> str:
    """One sentence for one exchange that ended; ``last`` is the notice it ended with, if any."""
    return ANSWER_FINISHED if last is None else notice(last)


def notice(view: NoticeView) -> str:
    """The sentence of a notice."""
    words = dict(view.params)
    if "reason" in words:
        words["reason"] = REASONS[Reason(words["reason"])]
    if "failure" in words:
        words["failure"] = FAILURES[FailureKind(words["failure"])]
    return NOTICES[view.kind].format(**words)


def abandoned(reason: str) -> str:
    """The summary line of a turn that was rolled back."""
    return f"Set aside · {REASONS[Reason(reason)]}"


def work(name: str, *, finished: bool) -> str:
    """The provider's own work."""
    return (WORK_ENDED if finished else WORK_BEGUN).format(name=name)
