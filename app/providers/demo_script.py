"""The script of the demo model: scenarios that show every way a call can go.

A scenario is chosen by what the person said last, and plays on by what came back since; it looks
at nothing else. So a turn that is asked for again (after it broke, or was cut off) goes wrong the
same way again, and the next message starts afresh.
"""

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from app.providers.demo_reply import Call, Reply, Say, Situation, call, say
from app.providers.demo_results import tell
from app.providers.demo_texts import (
    CUT_OFF_TICKET,
    DYING_TICKET,
    EMAIL,
    INVOICE_TICKET,
    MARCH_TICKET,
    NOTES,
    SEARCH,
    refund_of,
    urgent_ticket,
)

DEFAULT_INVOICE = "INV-2026-0312"

TICKET_FRAGMENTS = 47
EMAIL_FRAGMENTS = 180
"""At a mean gap of 16 ms (the median is 11) the e-mail takes about three seconds."""

_SCHEMA_FAULT = re.compile(r"schema|argument|priority|urgent", re.IGNORECASE)
_INVOICE_NUMBER = re.compile(r"\bINV-\d{4}-\d{4}\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?:€|\bEUR)\s?(\d{1,3}(?:,\d{3})+|\d+)(\.\d\d)?(?!\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """``suggestion`` is offered as a chip, and is among what ``pattern`` matches.

    ``needs`` names the tools without which the scenario cannot be played.
    """

    key: str
    suggestion: str
    pattern: re.Pattern[str]
    needs: Sequence[str]
    play: Callable[[Situation], Reply]

    def matches(self, message: str) -> bool:
        return self.pattern.search(message) is not None


def answer(situation: Situation) -> Reply:
    """The demo model's next turn."""
    scenario = chosen(situation.message)
    if scenario is None:
        return say(
            "I am the demo model: a script and no language model, so this is all I can do.",
            *(f"“{one.suggestion}”." for one in playable(situation.tools)),
            "Ask for one of these in your own words, or take a suggestion.",
        )
    missing = [tool for tool in scenario.needs if tool not in situation.tools]
    if missing:
        return say(f"That needs the tool {missing[0]}, which I have not been given here.")
    return scenario.play(situation)


def playable(tools: Container[str]) -> list[Scenario]:
    """The scenarios that need no other tools, in the order of the chips."""
    return [one for one in SCENARIOS if all(tool in tools for tool in one.needs)]


def chosen(message: str) -> Scenario | None:
    """The scenario that a message asks for; None where it asks for nothing of the kind."""
    return next((one for one in _BY_PRECEDENCE if one.matches(message)), None)


def _once(first: Callable[[Situation], Reply]) -> Callable[[Situation], Reply]:
    """Makes its calls, then tells what came back."""

    def play(situation: Situation) -> Reply:
        return say(tell(situation.rounds[-1])) if situation.rounds else first(situation)

    return play


def _ticket(_: Situation) -> Reply:
    return call(
        "I'll prepare a ticket for the billing team.",
        Call("create_ticket", MARCH_TICKET, TICKET_FRAGMENTS),
    )


def _invoice(situation: Situation) -> Reply:
    return call("I'll look that up.", _look_up(situation))


def _both(situation: Situation) -> Reply:
    return call(
        "A ticket and the invoice, both at once.",
        Call("create_ticket", INVOICE_TICKET),
        _look_up(situation),
    )


def _email(_: Situation) -> Reply:
    return call("I'll prepare the e-mail.", Call("send_email", EMAIL, EMAIL_FRAGMENTS))


def _refund(situation: Situation) -> Reply:
    found = _AMOUNT.search(situation.message)
    amount = found[1].replace(",", "") + (found[2] or ".00") if found else "1250.00"
    arguments = refund_of(_invoice_number(situation), amount)
    return call("I'll prepare the refund.", Call("refund", arguments))


def _notes(_: Situation) -> Reply:
    return call("I'll put the notes into a file.", Call("write_file", NOTES))


def _search(_: Situation) -> Reply:
    return call("I'll search the tracker.", Call("search_tickets", SEARCH))


def _dies(_: Situation) -> Reply:
    blocks = [Say("I'll prepare a ticket."), Call("create_ticket", DYING_TICKET)]
    return Reply(blocks, "tool_use", dies=True)


def _cut_off(_: Situation) -> Reply:
    blocks = [Say("I'll prepare a ticket."), Call("create_ticket", CUT_OFF_TICKET)]
    return Reply(blocks, "max_tokens")


def _refuses(_: Situation) -> Reply:
    return Reply([Say("I can't")], "refusal")


def _urgent(situation: Situation) -> Reply:
    rounds = situation.rounds
    if not rounds:
        return call(
            "I'll prepare an urgent ticket.", Call("create_ticket", urgent_ticket("urgent"))
        )
    refused = rounds[-1][0]
    if len(rounds) == 1 and refused.is_error and _SCHEMA_FAULT.search(refused.content):
        return call(
            "The tool did not take those arguments. I'll use the priority “high”.",
            Call("create_ticket", urgent_ticket("high")),
        )
    return say(tell(rounds[-1]))


def _look_up(situation: Situation) -> Call:
    number = _invoice_number(situation)
    return Call("look_up_invoice", f'{{"invoice_number":"{number}"}}')


def _invoice_number(situation: Situation) -> str:
    found = _INVOICE_NUMBER.search(situation.message)
    return found[0].upper() if found else DEFAULT_INVOICE


def _scenario(
    key: str,
    suggestion: str,
    pattern: str,
    needs: Sequence[str],
    play: Callable[[Situation], Reply],
) -> Scenario:
    return Scenario(key, suggestion, re.compile(pattern, re.IGNORECASE), needs, play)


SCENARIOS: tuple[Scenario, ...] = (
    _scenario(
        "ticket",
        "Open a ticket: the March invoice run failed",
        r"\bticket|störung",
        ["create_ticket"],
        _once(_ticket),
    ),
    _scenario(
        "invoice",
        f"Look up invoice {DEFAULT_INVOICE}",
        r"\binvoice|\brechnung|\bINV-\d",
        ["look_up_invoice"],
        _once(_invoice),
    ),
    _scenario(
        "both",
        f"Open a ticket and look up invoice {DEFAULT_INVOICE}",
        r"(?=.*\bticket)(?=.*(?:\blook\b.*\bup\b|\bINV-\d|\bnachschlag|\bprüf))",
        ["create_ticket", "look_up_invoice"],
        _once(_both),
    ),
    _scenario(
        "email",
        "Send an e-mail to the finance team",
        r"\be-?mail|\bmail\b",
        ["send_email"],
        _once(_email),
    ),
    _scenario(
        "refund",
        f"Refund €1,250 on invoice {DEFAULT_INVOICE}",
        r"\brefund|\berstatt",
        ["refund"],
        _once(_refund),
    ),
    _scenario(
        "notes",
        "Write notes.txt",
        r"\bnotes?\.txt|\bwrite\b.*\b(?:file|notes?)\b|\bnotiz|\bdatei\b",
        ["write_file"],
        _once(_notes),
    ),
    _scenario(
        "search",
        "Search the open tickets",
        r"\b(?:search|find|list|such\w*)\b.*\btickets?\b",
        ["search_tickets"],
        _once(_search),
    ),
    _scenario(
        "urgent",
        "Open an urgent ticket",
        r"\burgent|\bdringend",
        ["create_ticket"],
        _urgent,
    ),
    _scenario(
        "dies",
        "Let the connection break in mid-call",
        r"\bconnection\b|\bverbindung",
        ["create_ticket"],
        _dies,
    ),
    _scenario(
        "cut_off",
        "Run into the output limit",
        r"\boutput limit\b|\bcut off\b|\babgeschnitten",
        ["create_ticket"],
        _cut_off,
    ),
    _scenario(
        "refusal",
        "Refuse to answer this",
        r"\brefus(?:e|al)|\bverweiger|\bablehn",
        [],
        _refuses,
    ),
)
"""In the order of the chips."""

_PRECEDENCE = (
    "dies",
    "cut_off",
    "refusal",
    "urgent",
    "refund",
    "email",
    "notes",
    "search",
    "both",
    "ticket",
    "invoice",
)
"""A message that names several things means the more particular one."""

_BY_PRECEDENCE = sorted(SCENARIOS, key=lambda one: _PRECEDENCE.index(one.key))
