"""The life of a call: one table, from which the documentation's picture is printed.

A state reports an event that has occurred (design, section 3). A pair that is not in the table
raises and changes nothing.
"""

from enum import StrEnum


class CallState(StrEnum):
    QUEUED = "queued"
    PREPARING = "preparing"
    READY = "ready"
    AWAITING_APPROVAL = "awaiting_approval"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    NOT_RUN = "not_run"
    UNKNOWN = "unknown"


class CallEvent(StrEnum):
    """What can happen to a call after it was announced."""

    FRAGMENT_ARRIVED = "fragment_arrived"
    COMPLETED = "completed"
    ASKED = "asked"
    DISPATCHED = "dispatched"
    RETURNED = "returned"
    RAISED = "raised"
    REFUSED = "refused"
    OUTCOME_LOST = "outcome_lost"
    """The process was lost, or a stop gave up waiting, while the tool was at work."""


INITIAL_STATES = frozenset({CallState.QUEUED, CallState.PREPARING})

TRANSITIONS: dict[tuple[CallState, CallEvent], CallState] = {
    (CallState.QUEUED, CallEvent.FRAGMENT_ARRIVED): CallState.PREPARING,
    (CallState.QUEUED, CallEvent.COMPLETED): CallState.READY,
    (CallState.QUEUED, CallEvent.REFUSED): CallState.NOT_RUN,
    (CallState.PREPARING, CallEvent.FRAGMENT_ARRIVED): CallState.PREPARING,
    (CallState.PREPARING, CallEvent.COMPLETED): CallState.READY,
    (CallState.PREPARING, CallEvent.REFUSED): CallState.NOT_RUN,
    (CallState.READY, CallEvent.ASKED): CallState.AWAITING_APPROVAL,
    (CallState.READY, CallEvent.DISPATCHED): CallState.RUNNING,
    (CallState.READY, CallEvent.REFUSED): CallState.NOT_RUN,
    (CallState.AWAITING_APPROVAL, CallEvent.DISPATCHED): CallState.RUNNING,
    (CallState.AWAITING_APPROVAL, CallEvent.REFUSED): CallState.NOT_RUN,
    (CallState.RUNNING, CallEvent.RETURNED): CallState.DONE,
    (CallState.RUNNING, CallEvent.RAISED): CallState.FAILED,
    (CallState.RUNNING, CallEvent.OUTCOME_LOST): CallState.UNKNOWN,
}

FINAL_STATES = frozenset(CallState) - {before for before, _ in TRANSITIONS}


class ForbiddenTransition(Exception):
    """An event that the state does not allow. Nothing was changed."""

    def __init__(self, state: CallState, event: CallEvent) -> None:
        super().__init__(f"a call that is {state} cannot take the event {event}")
        self.state = state
        self.event = event


def after(state: CallState, event: CallEvent) -> CallState:
    """The state that follows; raises :class:`ForbiddenTransition` for a pair not in the table."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise ForbiddenTransition(state, event) from None
