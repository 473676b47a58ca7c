"""What the model is told of a call: its result, its error, or why it was not run."""

from app.calls.exact_json import dump_exact
from app.calls.gate import Judged
from app.calls.json_types import JsonObject, JsonValue
from app.calls.reasons import Reason

_CUT_NOTE = "\n[Cut here: {kept} of {whole} characters. The whole result is on record.]"

_NOT_RUN = {
    Reason.UNKNOWN_TOOL: "Not run: unknown tool. {detail}",
    Reason.INVALID_ARGUMENTS: "Not run: the arguments do not fit the tool's schema. {detail}",
    Reason.OUT_OF_SCOPE: "Not run: out of scope. {detail}",
    Reason.NOT_AUTHORISED: "Not run: not authorised. {detail}",
    Reason.DENIED: "Not run: a person denied this call. {detail}",
    Reason.EXPIRED: "Not run: the request for approval expired before anyone decided.",
    Reason.SUPERSEDED: "Not run: the person went on with a new message instead of deciding.",
    Reason.INCOMPLETE: "Not run: the work was interrupted before this call was started.",
    Reason.PROTOCOL_ERROR: "Not run: the call on record is not the one that was judged.",
    Reason.STOPPED: "Not run: the work was stopped before this call was started.",
}

UNKNOWN_OUTCOME = (
    "Outcome unknown: the work was interrupted while this call ran. It may or may not have "
    "happened. Do not repeat it without checking."
)


def not_run(reason: Reason, detail: str = "") -> str:
    """The error result of a call that was refused, denied, superseded or stopped."""
    return _NOT_RUN[reason].format(detail=detail).strip()


def refusal(judged: Judged) -> str:
    """The error result of a call that the gate refused."""
    assert judged.reason is not None
    return not_run(judged.reason, judged.detail)


def approved_with_changes(arguments: JsonObject) -> str:
    """What stands before the result of a call whose arguments a person changed."""
    return f"A person changed the arguments before approving. What ran: {dump_exact(arguments)}\n\n"


def result_text(result: JsonValue) -> str:
    """A result as the model reads it: a text as it is, anything else as JSON."""
    return result if isinstance(result, str) else dump_exact(result)


def bounded(text: str, limit: int) -> str:
    """At most ``limit`` characters for the model, with a note where it was cut."""
    if len(text) <= limit:
        return text
    return text[:limit] + _CUT_NOTE.format(kept=limit, whole=len(text))
