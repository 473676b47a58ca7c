"""The gate: a finished turn in, one verdict per call out.

In the order of design section 4, and only after the stream has ended:

1. the turn ended, and ended well;
2. every call has what its protocol must give it, and its text parses strictly;
3. tool, schema, scope, authorisation;
4. policy: run or ask.

A failure of 1 or 2 makes the whole turn unusable: no call of it runs, it is not persisted. A
failure of 3 refuses that call alone, which is answered with an error; its siblings go on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from app.calls.blocks import Call
from app.calls.events import Stop
from app.calls.json_types import JsonObject
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.reasons import Reason
from app.calls.strict import StrictFault, check_object, parse_strict
from app.calls.turn import FinishedTurn


class Verdict(StrEnum):
    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


class Rules(Protocol):
    """What the gate must know of tools, and of the person on whose behalf a call would run."""

    def tool_names(self) -> Sequence[str]:
        """The known tools."""
        ...

    def schema_faults(self, name: str, arguments: JsonObject) -> Sequence[str]:
        """How the arguments break the tool's schema; empty when they do not."""
        ...

    def out_of_scope(self, name: str, arguments: JsonObject) -> str | None:
        """Why the arguments reach outside what the tool may touch, or None."""
        ...

    def authorised(self, name: str) -> bool:
        """Whether this person may use this tool."""
        ...

    def denied_before(self, name: str, arguments: JsonObject) -> bool:
        """Whether a person has denied this very call in this exchange."""
        ...

    def asks(self, name: str, arguments: JsonObject) -> bool:
        """Whether a person must approve this call."""
        ...


@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed with the provider for this turn."""

    max_tokens: int | None = None
    needs_call_ids: bool = True
    assign_missing_ids: bool = False
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one call. ``detail`` is for the developer; ``arguments`` None if unparsed."""

    ordinal: int
    verdict: Verdict
    reason: Reason | None = None
    detail: str = ""
    arguments: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's answer. When not ``usable``, ``reason`` and ``detail`` say why for the turn."""

    usable: bool
    calls: tuple[Judged, ...]
    reason: Reason | None = None
    detail: str = ""


_BAD_ENDS = {
    Stop.TRUNCATED: Reason.TRUNCATED,
    Stop.REFUSED: Reason.REFUSED_BY_MODEL,
    Stop.INCOMPLETE: Reason.INCOMPLETE,
    Stop.ERROR: Reason.PROTOCOL_ERROR,
}


@dataclass(frozen=True, slots=True)
class Unusable:
    """What makes a whole turn unusable."""

    reason: Reason
    detail: str
    ordinal: int | None = None
    """The call at fault, where it is one."""


def judge(turn: FinishedTurn, rules: Rules, terms: Terms) -> Judgement:
    """One pass over a finished turn. Pure: the same turn and rules give the same answer."""
    arguments: dict[int, JsonObject] = {}
    bad = ended_badly(turn, terms) or _unparsed(turn, terms, arguments)
    if bad is not None:
        calls = tuple(_refuse_all(turn, bad, arguments))
        return Judgement(False, calls, bad.reason, bad.detail)
    return Judgement(
        True, tuple(_judge_call(call, arguments[call.ordinal], rules) for call in turn.calls)
    )


def ended_badly(turn: FinishedTurn, terms: Terms) -> Unusable | None:
    """Step 1: what makes a turn unusable by its end, or None.

    A fault found on the way is judged here too: nothing after it can be trusted.
    """
    if turn.fault is not None:
        return Unusable(turn.fault.reason, turn.fault.detail, turn.fault.call)
    if turn.stop is not Stop.COMPLETE:
        detail = turn.detail or f"the turn ended as {turn.provider_stop!r}"
        return Unusable(_BAD_ENDS[turn.stop], detail)
    limit = terms.max_tokens
    if limit is not None and turn.calls and turn.output_tokens >= limit:
        detail = (
            f"the output reached its limit ({turn.output_tokens} of {limit} tokens), "
            f"although the provider called it {turn.provider_stop!r}"
        )
        return Unusable(Reason.TRUNCATED, detail)
    return None


def _unparsed(
    turn: FinishedTurn, terms: Terms, arguments: dict[int, JsonObject]
) -> Unusable | None:
    """Step 2. Fills ``arguments`` with what parsed."""
    first: Unusable | None = None
    for call in turn.calls:
        try:
            require_identity(call, terms)
            arguments[call.ordinal] = arguments_of(call, terms.limits)
        except StrictFault as fault:
            first = first or Unusable(fault.reason, fault.detail, call.ordinal)
    return first


def require_identity(call: Call, terms: Terms) -> None:
    """Step 2, its first half. Raises :class:`~app.calls.strict.StrictFault`."""
    if not call.name:
        raise StrictFault(Reason.PROTOCOL_ERROR, "the call has no tool name")
    if terms.needs_call_ids and not call.provider_id and not terms.assign_missing_ids:
        raise StrictFault(
            Reason.PROTOCOL_ERROR,
            "the call has no id, and this dialect needs one to answer it "
            "(FORMWORK_MISSING_IDS=assign lets Formwork give ids of its own)",
        )


def arguments_of(call: Call, limits: Limits) -> JsonObject:
    """Step 2, its second half. Raises :class:`~app.calls.strict.StrictFault`."""
    if call.value is not None:
        return check_object(call.value, limits)
    return parse_strict(call.text, limits)


def _refuse_all(
    turn: FinishedTurn, bad: Unusable, arguments: dict[int, JsonObject]
) -> Iterator[Judged]:
    for call in turn.calls:
        at_fault = bad.ordinal is None or bad.ordinal == call.ordinal
        detail = bad.detail if at_fault else f"call {bad.ordinal} made the turn unusable"
        yield Judged(call.ordinal, Verdict.REFUSE, bad.reason, detail, arguments.get(call.ordinal))


def _judge_call(call: Call, arguments: JsonObject, rules: Rules) -> Judged:
    """Steps 3 and 4."""
    assert call.name is not None
    refused = refusal(call.name, arguments, rules)
    if refused is not None:
        return Judged(call.ordinal, Verdict.REFUSE, *refused, arguments)
    asks = rules.asks(call.name, arguments)
    return Judged(call.ordinal, Verdict.ASK if asks else Verdict.RUN, arguments=arguments)


def refusal(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    """Step 3 on arguments that have parsed: why the call is refused, or None."""
    for check in CHECKS.values():
        if (refused := check(name, arguments, rules)) is not None:
            return refused
    return None


def _known(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    if name in rules.tool_names():
        return None
    known = ", ".join(sorted(rules.tool_names())) or "none"
    return Reason.UNKNOWN_TOOL, f"there is no tool of that name; the known tools: {known}"


def _fitting(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    faults = rules.schema_faults(name, arguments)
    return (Reason.INVALID_ARGUMENTS, "; ".join(faults)) if faults else None


def _in_scope(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    why = rules.out_of_scope(name, arguments)
    return None if why is None else (Reason.OUT_OF_SCOPE, why)


def _authorised(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    if rules.authorised(name):
        return None
    return Reason.NOT_AUTHORISED, f"this user may not use {name}"


def _not_denied(name: str, arguments: JsonObject, rules: Rules) -> tuple[Reason, str] | None:
    if not rules.denied_before(name, arguments):
        return None
    return Reason.DENIED, "a person denied this very call in this exchange"


Check: TypeAlias = Callable[[str, JsonObject, Rules], tuple[Reason, str] | None]

CHECKS: Mapping[str, Check] = {
    "tool": _known,
    "schema": _fitting,
    "scope": _in_scope,
    "authorisation": _authorised,
    "denied before": _not_denied,
}
"""Step 3, in its order. A check gives why it refuses a call, or None."""
