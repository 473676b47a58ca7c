"""Sentences about error results: what did not happen, and only as much as the result itself says.

A call that was not run did nothing, and the sentence says so. A call that failed, or whose outcome
is unknown, may have done something: of those no sentence says that nothing happened.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.providers.demo_reply import Answered

_NOT_RUN = "Not run: "
_FAILED = "Failed: "
_UNKNOWN = "Outcome unknown"
_QUOTED_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Deed:
    """What a tool does, as the subject of three kinds of sentences."""

    not_done: str
    failed: str
    whether: str


_DEEDS: Mapping[str, _Deed] = {
    "create_ticket": _Deed(
        "The ticket was not opened", "Opening the ticket", "the ticket was opened"
    ),
    "look_up_invoice": _Deed(
        "The invoice was not looked up", "The look-up", "the invoice was looked up"
    ),
    "send_email": _Deed("The e-mail was not sent", "Sending the e-mail", "the e-mail was sent"),
    "refund": _Deed("The refund was not made", "The refund", "the refund was made"),
    "write_file": _Deed("The file was not written", "Writing the file", "the file was written"),
    "search_tickets": _Deed(
        "The tickets were not searched", "The search", "the tickets were searched"
    ),
}

_WHY: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), why)
    for pattern, why in (
        (r"not authorised.*\bapprove", "it needs an approval that nobody can give here"),
        (r"not authorised", "it needs a permission that was not given"),
        (r"unknown tool", "there is no such tool here"),
        (r"the arguments do not fit", "the details that I gave do not fit the tool"),
        (r"out of scope", "it leads outside of what the tool may touch"),
        (r"a person denied", "a person denied it"),
        (r".*\bexpired\b", "nobody decided in time"),
        (r"the person went on", "you went on without a decision"),
        (r"the work was interrupted", "the work was interrupted before it was started"),
        (r".*\bstopped the work|the work was stopped", "the work was stopped before it started"),
        (r"the call on record", "the call on record is not the one that was judged"),
    )
)
"""The host's reasons (``app/exchange/answers.py``; a test compares), in words for a person."""


def tell_error(answered: Answered) -> str:
    """One or two sentences about a result that is an error."""
    deed = _DEEDS.get(answered.name) or _unheard_of(answered.name)
    content = _clip(answered.content)
    if content.startswith(_NOT_RUN):
        return f"{deed.not_done}: {_why(content.removeprefix(_NOT_RUN))}."
    if content.startswith(_UNKNOWN):
        return (
            f"Nobody can tell whether {deed.whether}: it may or may not have happened. "
            "Please check before you ask for it again."
        )
    told = _sentence(content.removeprefix(_FAILED))
    return f"{deed.failed} failed. {told}".rstrip()


def _unheard_of(name: str) -> _Deed:
    return _Deed(f"The tool {name} was not run", f"The tool {name}", f"{name} did its work")


def _why(reason: str) -> str:
    known = next((why for pattern, why in _WHY if pattern.match(reason)), None)
    return known or f"“{reason}”"


def _sentence(text: str) -> str:
    """With a capital letter and an end, as a sentence has them."""
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?…" else text + "."


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED_CHARS else text[: _QUOTED_CHARS - 1] + "…"
