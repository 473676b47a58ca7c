"""The table of states: what design section 3 allows, and nothing else."""

from itertools import product

import pytest

from app.calls.states import (
    FINAL_STATES,
    INITIAL_STATES,
    TRANSITIONS,
    CallEvent,
    CallState,
    ForbiddenTransition,
    after,
)


def test_every_pair_is_in_the_table_or_is_refused() -> None:
    for state, event in product(CallState, CallEvent):
        if (state, event) in TRANSITIONS:
            assert after(state, event) is TRANSITIONS[state, event]
        else:
            with pytest.raises(ForbiddenTransition, match=str(state)):
                after(state, event)


def test_final_states_are_those_that_nothing_leaves() -> None:
    assert {
        CallState.DONE,
        CallState.FAILED,
        CallState.NOT_RUN,
        CallState.UNKNOWN,
    } == FINAL_STATES


def test_every_state_can_be_reached() -> None:
    reached = set(INITIAL_STATES)
    while (
        more := {after for (before, _), after in TRANSITIONS.items() if before in reached} - reached
    ):
        reached |= more
    assert reached == set(CallState)


def test_nothing_runs_before_it_was_ready() -> None:
    """Only ``ready`` and ``awaiting_approval`` lead to ``running``, and only a dispatch does."""
    into_running = {pair for pair, state in TRANSITIONS.items() if state is CallState.RUNNING}
    assert into_running == {
        (CallState.READY, CallEvent.DISPATCHED),
        (CallState.AWAITING_APPROVAL, CallEvent.DISPATCHED),
    }


def test_what_ran_is_never_called_not_run() -> None:
    into_not_run = {before for (before, _), state in TRANSITIONS.items() if state == "not_run"}
    assert CallState.RUNNING not in into_not_run
    assert not into_not_run & FINAL_STATES
