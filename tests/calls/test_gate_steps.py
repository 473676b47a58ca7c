"""The gate step by step says what the gate says, whatever goes wrong where."""

from dataclasses import replace
from itertools import product

import pytest

from app.calls.events import Event, Stop, TurnEnded, Usage
from app.calls.gate import CHECKS, Judgement, Terms, Verdict, judge
from app.calls.gate_steps import Answer, Step, steps
from app.calls.turn import FinishedTurn, Turn
from tests.calls.test_gate import Rules, call

ENDS = (Stop.COMPLETE, Stop.TRUNCATED, Stop.INCOMPLETE)
CALLS: tuple[list[Event], ...] = (
    call(0, "f", "{}"),
    call(0, "f", '{"a":'),
    call(0, None, "{}"),
    call(0, "f", "{}", None),
    call(0, "unheard_of", "{}"),
)
RULES = (
    Rules(),
    Rules(misfits=frozenset("f")),
    Rules(outside=frozenset("f")),
    Rules(forbidden=frozenset("fg")),
    Rules(denied=frozenset("f")),
    Rules(asking=frozenset("g")),
)


def finished(*events: Event, stop: Stop = Stop.COMPLETE) -> FinishedTurn:
    turn = Turn()
    for event in (*events, TurnEnded(stop, "x")):
        turn.receive(event)
    return turn.finish()


@pytest.mark.parametrize("stop", ENDS)
@pytest.mark.parametrize("rules", RULES)
def test_the_last_answer_is_the_verdict(stop: Stop, rules: Rules) -> None:
    for first, second in product(CALLS, [[], call(1, "g", '{"b":1}'), call(1, "g", "nope")]):
        turn = finished(*first, *second, stop=stop)
        told = steps(turn, rules, Terms())
        assert_same(turn, told, judge(turn, rules, Terms()))


def test_a_turn_without_calls_has_its_end_alone() -> None:
    assert [step.name for step in steps(finished(), Rules(), Terms())] == ["end of the turn"]


def test_a_turn_at_its_token_limit_is_refused_at_its_end() -> None:
    turn = finished(Usage(10), *CALLS[0])
    [end, *rest] = steps(turn, Rules(), replace(Terms(), max_tokens=10))
    assert (end.answer, end.reason) == (Answer.REFUSED, "truncated")
    assert {step.answer for step in rest} == {Answer.NOT_REACHED}


def assert_same(turn: FinishedTurn, told: list[Step], judgement: Judgement) -> None:
    refused = [step for step in told if step.answer is Answer.REFUSED]
    of_turn = [step for step in refused if step.name not in CHECKS]
    assert judgement.usable is (not of_turn)
    if of_turn:
        assert (of_turn[0].reason, of_turn[0].detail) == (judgement.reason, judgement.detail)
    for judged in judgement.calls:
        own = [step for step in told if step.call == judged.ordinal]
        assert [step.name for step in own][-6:] == [*CHECKS, "policy"]
        if not judgement.usable:
            continue
        last = [step for step in own if step.answer is not Answer.NOT_REACHED][-1]
        if judged.verdict is Verdict.REFUSE:
            assert (last.reason, last.detail) == (judged.reason, judged.detail)
        else:
            assert (last.name, last.detail) == ("policy", judged.verdict.value)
    assert len({(step.name, step.call) for step in told}) == len(told)
    assert len(turn.calls) == len(judgement.calls)
