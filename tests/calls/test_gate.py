"""The gate as a table: each step alone, their order, and what a failure does to siblings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import pytest

from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    CallAnnounced,
    CallCompleted,
    Event,
    Stop,
    TurnEnded,
    Usage,
)
from app.calls.gate import Judgement, Terms, Verdict, judge
from app.calls.json_types import JsonObject
from app.calls.reasons import Reason
from app.calls.turn import Turn


@dataclass
class Rules:
    """Rules as data: a set per step."""

    tools: Sequence[str] = ("f", "g")
    misfits: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list[str])

    def tool_names(self) -> Sequence[str]:
        return self.tools

    def schema_faults(self, name: str, arguments: JsonObject) -> Sequence[str]:
        self.asked.append("schema")
        return ["x is missing"] if name in self.misfits else []

    def out_of_scope(self, name: str, arguments: JsonObject) -> str | None:
        self.asked.append("scope")
        return "outside" if name in self.outside else None

    def authorised(self, name: str) -> bool:
        self.asked.append("authorisation")
        return name not in self.forbidden

    def denied_before(self, name: str, arguments: JsonObject) -> bool:
        self.asked.append("denied")
        return name in self.denied

    def asks(self, name: str, arguments: JsonObject) -> bool:
        self.asked.append("policy")
        return name in self.asking


def call(block: int, name: str | None, text: str, provider_id: str | None = "id") -> list[Event]:
    return [
        CallAnnounced(block, provider_id, name),
        ArgumentFragment(block, text),
        CallCompleted(block),
    ]


def judged(
    *events: Event,
    stop: Stop = Stop.COMPLETE,
    rules: Rules | None = None,
    terms: Terms | None = None,
) -> Judgement:
    turn = Turn()
    for event in (*events, TurnEnded(stop, "x")):
        turn.receive(event)
    return judge(turn.finish(), rules or Rules(), terms or Terms())


STOPS = {
    Stop.COMPLETE: None,
    Stop.TRUNCATED: Reason.TRUNCATED,
    Stop.REFUSED: Reason.REFUSED_BY_MODEL,
    Stop.INCOMPLETE: Reason.INCOMPLETE,
    Stop.ERROR: Reason.PROTOCOL_ERROR,
}
TEXTS: dict[str, Reason | None] = {
    '{"x":1}': None,
    "": None,
    " \n": None,
    '{"x":': Reason.INVALID_JSON,
    "[1]": Reason.INVALID_JSON,
    '{"x":1}}': Reason.INVALID_JSON,
    '{"x":1,"x":1}': Reason.INVALID_JSON,
    '{"x":NaN}': Reason.INVALID_JSON,
    '{"x":"\\ud83d"}': Reason.INVALID_JSON,
    '{"x":' + "[" * 80 + "]" * 80 + "}": Reason.TOO_LARGE,
}
STEP_3: dict[str, tuple[Rules, str, Reason | None]] = {
    "known": (Rules(), "f", None),
    "unknown": (Rules(), "nope", Reason.UNKNOWN_TOOL),
    "schema": (Rules(misfits=frozenset({"f"})), "f", Reason.INVALID_ARGUMENTS),
    "scope": (Rules(outside=frozenset({"f"})), "f", Reason.OUT_OF_SCOPE),
    "authorisation": (Rules(forbidden=frozenset({"f"})), "f", Reason.NOT_AUTHORISED),
    "denied": (Rules(denied=frozenset({"f"})), "f", Reason.DENIED),
    "asks": (Rules(asking=frozenset({"f"})), "f", None),
}


@pytest.mark.parametrize(
    ("stop", "text", "step_3"),
    list(product(STOPS, TEXTS, STEP_3)),
    ids=lambda value: repr(value)[:24],
)
def test_the_whole_table(stop: Stop, text: str, step_3: str) -> None:
    """The first step that fails gives the reason; a sibling shares it exactly for 1 and 2."""
    rules, name, third = STEP_3[step_3]
    judgement = judged(*call(0, name, text), *call(1, "g", "{}"), stop=stop, rules=rules)
    unusable = STOPS[stop] or TEXTS[text]
    first, sibling = judgement.calls
    assert judgement.usable == (unusable is None)
    assert judgement.reason == unusable
    if unusable is not None:
        assert (first.verdict, first.reason) == (Verdict.REFUSE, unusable)
        assert (sibling.verdict, sibling.reason) == (Verdict.REFUSE, unusable)
    else:
        expected = Verdict.REFUSE if third else Verdict.ASK if step_3 == "asks" else Verdict.RUN
        assert (first.verdict, first.reason) == (expected, third)
        assert sibling.verdict is Verdict.RUN


def test_the_steps_are_asked_in_order_and_no_further_than_needed() -> None:
    everything = Rules()
    judged(*call(0, "f", "{}"), rules=everything)
    assert everything.asked == ["schema", "scope", "authorisation", "denied", "policy"]
    refused = Rules(outside=frozenset({"f"}))
    judged(*call(0, "f", "{}"), rules=refused)
    assert refused.asked == ["schema", "scope"]
    truncated = Rules()
    judged(*call(0, "f", "{}"), stop=Stop.TRUNCATED, rules=truncated)
    assert truncated.asked == []


def test_output_at_the_token_limit_is_truncated_whatever_the_provider_calls_it() -> None:
    terms = Terms(max_tokens=100)
    at_limit = judged(*call(0, "f", "{}"), Usage(100), terms=terms)
    assert (at_limit.usable, at_limit.reason) == (False, Reason.TRUNCATED)
    assert judged(*call(0, "f", "{}"), Usage(99), terms=terms).usable


def test_a_call_without_an_id_is_a_protocol_error_where_the_dialect_needs_one() -> None:
    refused = judged(*call(0, "f", "{}", None))
    assert (refused.usable, refused.reason) == (False, Reason.PROTOCOL_ERROR)
    assert "FORMWORK_MISSING_IDS=assign" in refused.detail
    assert judged(*call(0, "f", "{}", None), terms=Terms(needs_call_ids=False)).usable
    assert judged(*call(0, "f", "{}", None), terms=Terms(assign_missing_ids=True)).usable


def test_a_call_without_a_name_is_a_protocol_error() -> None:
    assert judged(*call(0, None, "{}")).reason is Reason.PROTOCOL_ERROR


@pytest.mark.parametrize("name", ["constructor", "__proto__", "f<|channel|>commentary", "F", "f "])
def test_a_name_is_looked_up_exactly(name: str) -> None:
    judgement = judged(*call(0, name, '{"__proto__":{"x":1}}'))
    assert judgement.calls[0].reason is Reason.UNKNOWN_TOOL
    fixed_text = "there is no tool of that name; the known tools: f, g"
    assert judgement.calls[0].detail == fixed_text


def test_an_object_is_judged_as_that_object() -> None:
    events = [
        CallAnnounced(0, None, "f"),
        ArgumentObject(0, {"x": 12345678901234567890}),
        CallCompleted(0),
    ]
    judgement = judged(*events, terms=Terms(needs_call_ids=False))
    assert judgement.calls[0].arguments == {"x": 12345678901234567890}


def test_a_fault_found_on_the_way_is_the_reason_whatever_the_end_was() -> None:
    judgement = judged(*call(0, "f", "{}"), ArgumentFragment(0, "}"))
    assert (judgement.usable, judgement.reason) == (False, Reason.PROTOCOL_ERROR)


def test_the_same_turn_is_judged_the_same_twice() -> None:
    turn = Turn()
    for event in (*call(0, "f", '{"x":1.50}'), TurnEnded(Stop.COMPLETE, "tool_use")):
        turn.receive(event)
    assert judge(turn.finish(), Rules(), Terms()) == judge(turn.finish(), Rules(), Terms())
