"""The gate's way to its verdicts, step by step, for a developer.

It asks the same questions in the same order as :func:`~app.calls.gate.judge`, of the same
functions, and keeps every answer instead of the last one alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from app.calls.blocks import Call
from app.calls.gate import CHECKS, Rules, Terms, arguments_of, ended_badly, require_identity
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.calls.strict import StrictFault
from app.calls.turn import FinishedTurn


class Answer(StrEnum):
    PASSED = "passed"
    REFUSED = "refused"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Step:
    """One question. ``call`` is the ordinal of the call it is about, or None for the turn."""

    name: str
    call: int | None
    answer: Answer
    reason: Reason | None = None
    detail: str = ""


def steps(turn: FinishedTurn, rules: Rules, terms: Terms) -> list[Step]:
    """Every step of the gate on a finished turn, in order; pure, as the gate is."""
    return list(_steps(turn, rules, terms))


def _steps(turn: FinishedTurn, rules: Rules, terms: Terms) -> Iterator[Step]:
    bad = ended_badly(turn, terms)
    if bad is not None:
        yield Step("end of the turn", bad.ordinal, Answer.REFUSED, bad.reason, bad.detail)
    else:
        detail = f"{turn.stop} ({turn.provider_stop}), {turn.output_tokens} output tokens"
        yield Step("end of the turn", None, Answer.PASSED, None, detail)
    arguments: dict[int, JsonObject] = {}
    usable = bad is None
    for call in turn.calls:
        if bad is not None:
            yield Step("id and name", call.ordinal, Answer.NOT_REACHED)
            yield Step("strict parse", call.ordinal, Answer.NOT_REACHED)
            continue
        named = _identity(call, terms)
        parsed = _parse(call, terms, arguments) if named.answer is Answer.PASSED else None
        yield named
        yield parsed or Step("strict parse", call.ordinal, Answer.NOT_REACHED)
        usable = usable and parsed is not None and parsed.answer is Answer.PASSED
    for call in turn.calls:
        yield from _call_steps(call, arguments[call.ordinal] if usable else None, rules)


def _identity(call: Call, terms: Terms) -> Step:
    try:
        require_identity(call, terms)
    except StrictFault as fault:
        return Step("id and name", call.ordinal, Answer.REFUSED, fault.reason, fault.detail)
    return Step("id and name", call.ordinal, Answer.PASSED, None, f"{call.name}")


def _parse(call: Call, terms: Terms, arguments: dict[int, JsonObject]) -> Step:
    try:
        parsed = arguments_of(call, terms.limits)
    except StrictFault as fault:
        return Step("strict parse", call.ordinal, Answer.REFUSED, fault.reason, fault.detail)
    arguments[call.ordinal] = parsed
    return Step("strict parse", call.ordinal, Answer.PASSED, None, f"{len(parsed)} members")


def _call_steps(call: Call, arguments: JsonObject | None, rules: Rules) -> Iterator[Step]:
    refused = False
    for name, check in CHECKS.items():
        if refused or arguments is None:
            yield Step(name, call.ordinal, Answer.NOT_REACHED)
            continue
        assert call.name is not None, "the turn was usable"
        refusal = check(call.name, arguments, rules)
        if refusal is None:
            yield Step(name, call.ordinal, Answer.PASSED)
        else:
            refused = True
            yield Step(name, call.ordinal, Answer.REFUSED, *refusal)
    if refused or arguments is None:
        yield Step("policy", call.ordinal, Answer.NOT_REACHED)
        return
    assert call.name is not None
    asks = rules.asks(call.name, arguments)
    yield Step("policy", call.ordinal, Answer.PASSED, None, "ask" if asks else "run")
