"""What an operator may know: counts of what happened, and a trace of each exchange.

Nothing that a person or a model wrote is in any of it: no message, argument, result or sentence of
an error. What is: our own ids (in traces alone), names of tools that exist, states, codes, numbers.
"""

from collections.abc import Collection

from opentelemetry.metrics import Meter, NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider, Tracer

from app.exchange.counts import Counts
from app.exchange.exchange_trace import ExchangeTrace

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

    def exchange(self, conversation: str, exchange: str) -> ExchangeTrace:
        """Begin the trace of an exchange."""
        return ExchangeTrace(self.counts, self._tracer, conversation, exchange)
