"""What happened in this process, as metrics.

Every label has few values: states, codes and the names of tools that exist. A name that a model
made up could be anything, and as many; it is counted as ``unknown``.
"""

from collections.abc import Collection

from opentelemetry.metrics import Meter

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.records.rows import Outcome

UNKNOWN_TOOL = "unknown"
NO_REASON = "none"
_REASON_CODES = frozenset(reason.value for reason in Reason)


class Counts:
    """``tools`` are the names that may be told.

    A metric without labels is there from the start, as 0; another appears with its first count.
    """

    def __init__(self, meter: Meter, tools: Collection[str]) -> None:
        self._tools = frozenset(tools)
        self._exchanges = meter.create_counter(
            "formwork.exchanges", "{exchange}", "Exchanges that ended, by outcome."
        )
        self._turns = meter.create_counter(
            "formwork.turns", "{turn}", "Turns that ended, by stop and by what became of them."
        )
        self._calls = meter.create_counter(
            "formwork.calls", "{call}", "Calls that ended, by tool, final state and reason."
        )
        self._retries = meter.create_counter(
            "formwork.retries", "{retry}", "Requests that were made again, by kind and cause."
        )
        self._fragments = meter.create_counter(
            "formwork.fragments", "{fragment}", "Pieces of argument text that arrived."
        )
        self._flushes = meter.create_counter(
            "formwork.flushes", "{flush}", "Entries that exchanges wrote to the event log."
        )
        self._streams = meter.create_up_down_counter(
            "formwork.streams.open", "{stream}", "Viewers that follow a conversation now."
        )
        self._fragments.add(0)
        self._flushes.add(0)
        self._streams.add(0)

    def tool(self, name: str | None) -> str:
        """The name of a tool as it may be told."""
        return name if name is not None and name in self._tools else UNKNOWN_TOOL

    def exchange_ended(self, outcome: Outcome) -> None:
        self._exchanges.add(1, {"outcome": outcome.value})

    def turn_ended(self, stop: str, outcome: str) -> None:
        self._turns.add(1, {"stop": stop, "outcome": outcome})

    def call_ended(self, name: str | None, state: CallState, reason: str | None) -> None:
        labels = {
            "tool": self.tool(name),
            "state": state.value,
            "reason": reason_code(state, reason),
        }
        self._calls.add(1, labels)

    def retried(self, kind: str, cause: str) -> None:
        self._retries.add(1, {"kind": kind, "cause": cause})

    def flushed(self) -> None:
        self._flushes.add(1)

    def received(self, fragments: int) -> None:
        if fragments:
            self._fragments.add(fragments)

    def viewer_came(self) -> None:
        self._streams.add(1)

    def viewer_left(self) -> None:
        self._streams.add(-1)


def reason_code(state: CallState, reason: str | None) -> str:
    """Why a call was not run. What a failed one gives as its reason is a sentence: never told."""
    told = state is CallState.NOT_RUN and reason in _REASON_CODES
    return str(reason) if told else NO_REASON
