"""What an operator may know: counts of what happened, and a trace of each exchange.

Nothing that a person or a model wrote is in any of it: no message, argument, result or sentence of
an error. What is: our own ids (in traces alone), names of tools that exist, states, codes, numbers.
"""

from collections.abc import Collection
from datetime import datetime

from opentelemetry.context import Context
from opentelemetry.metrics import Meter, NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider, Tracer

from app.calls.states import CallState
from app.exchange.counts import Counts
from app.exchange.exchange_trace import ExchangeTrace
from app.records.rows import ApprovalRecord

SCOPE = "formwork"
"""The instrumentation scope of the tracer and the meter."""


class Telemetry:
    """Of one process; ``tools`` are the names that may be told."""

    def __init__(self, tracer: Tracer, meter: Meter, tools: Collection[str]) -> None:
        self.counts = Counts(meter, tools)
        self._tracer = tracer

    @classmethod
    def off(cls) -> "Telemetry":
        """Telemetry that goes nowhere, whatever OpenTelemetry providers the process has."""
        tracer = NoOpTracerProvider().get_tracer(SCOPE)
        return cls(tracer, NoOpMeterProvider().get_meter(SCOPE), ())

    def waited(self, asked: ApprovalRecord) -> None:
        """A request is over, in whichever way: told once, by the process that put that on record.

        The wait is a span of its own trace, since what waits is held by no process.
        """
        assert asked.decided_at is not None
        span = self._tracer.start_span(
            "approval",
            Context(),
            start_time=_nanoseconds(asked.asked_at),
            attributes={
                "formwork.conversation": asked.conversation_id,
                "formwork.exchange": asked.exchange_id,
                "formwork.call": asked.call_id,
                "formwork.tool": self.counts.tool(asked.tool),
                "formwork.decision": asked.state.value,
                "formwork.by": asked.by,
            },
        )
        span.end(_nanoseconds(asked.decided_at))
        if asked.call_state is CallState.NOT_RUN:
            self.counts.call_ended(asked.tool, asked.call_state, asked.call_reason)

    def exchange(self, conversation: str, exchange: str) -> ExchangeTrace:
        """Begin the trace of an exchange."""
        return ExchangeTrace(self.counts, self._tracer, conversation, exchange)


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000_000)
