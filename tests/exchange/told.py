"""Telemetry that a test can read: every span that began, every one that ended, every count."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider  # noqa: TID251 - reads what was told
from opentelemetry.sdk.metrics.export import (  # noqa: TID251
    InMemoryMetricReader,
    NumberDataPoint,
)
from opentelemetry.sdk.trace import (  # noqa: TID251
    ReadableSpan,
    Span,
    SpanProcessor,
    TracerProvider,
)
from opentelemetry.trace import SpanContext

from app.exchange.telemetry import SCOPE, Telemetry

PARENTS = {
    "exchange": {None},
    "turn": {"exchange"},
    "call": {"turn", "exchange"},
    "approval": {"call"},
    "dispatch": {"call"},
}


class _Kept(SpanProcessor):
    def __init__(self) -> None:
        self.began: list[Span] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        del parent_context
        self.began.append(span)


@dataclass
class Told:
    telemetry: Telemetry
    reader: InMemoryMetricReader
    tracers: TracerProvider
    _kept: _Kept = field(default_factory=_Kept)

    def __post_init__(self) -> None:
        self.tracers.add_span_processor(self._kept)

    @property
    def spans(self) -> list[Span]:
        """All that began, in that order."""
        return self._kept.began

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def parent(self, span: ReadableSpan) -> ReadableSpan | None:
        wanted = span.parent
        if wanted is None:
            return None
        [found] = [one for one in self.spans if identity(one) == wanted.span_id]
        return found

    def counts(self, metric: str) -> dict[tuple[str, ...], int | float]:
        """Label values, in alphabetical order of the labels, to what was counted."""
        return {
            tuple(str(value) for _, value in sorted((point.attributes or {}).items())): point.value
            for name, point in self._points()
            if name == f"formwork.{metric}"
        }

    def words(self) -> str:
        """All that any exporter would be given, as one text."""
        spans = [span.to_json() for span in self.spans]
        metrics = self.reader.get_metrics_data()
        return "\n".join([*spans, "" if metrics is None else metrics.to_json()])

    def _points(self) -> Iterator[tuple[str, NumberDataPoint]]:
        data = self.reader.get_metrics_data()
        if data is None:
            return
        for resource in data.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.data.data_points:
                        assert isinstance(point, NumberDataPoint)
                        yield metric.name, point

    def assert_nested(self) -> None:
        """Every span has ended, once, within the time of the span it is a part of."""
        assert self.spans
        for span in self.spans:
            assert span.end_time is not None, f"{span.name} is open"
            parent = self.parent(span)
            assert (None if parent is None else parent.name) in PARENTS[span.name]
            if parent is not None:
                assert parent.start_time is not None
                assert span.start_time is not None
                assert parent.end_time is not None
                assert span.parent is not None
                assert span.parent.trace_id == _context(parent).trace_id
                assert parent.start_time <= span.start_time
                assert span.end_time <= parent.end_time, (span.name, parent.name)


def told(*tools: str) -> Told:
    """Telemetry that may tell the names of these tools."""
    reader, tracers = InMemoryMetricReader(), TracerProvider(shutdown_on_exit=False)
    meters = MeterProvider([reader], shutdown_on_exit=False)
    telemetry = Telemetry(tracers.get_tracer(SCOPE), meters.get_meter(SCOPE), tools)
    return Told(telemetry, reader, tracers)


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """Those of our own, without their prefix and without ids."""
    return {
        key.removeprefix("formwork."): value
        for key, value in (span.attributes or {}).items()
        if key not in {f"formwork.{name}" for name in ("conversation", "exchange", "turn", "call")}
    }


def identity(span: ReadableSpan) -> int:
    """What names a span within its trace."""
    return _context(span).span_id


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context
