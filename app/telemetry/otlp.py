"""Traces and metrics for a collector, by OTLP over HTTP.

Where it is, and how often it is sent to, is told by OpenTelemetry's own variables
(``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_SERVICE_NAME`` and their like).
"""

import logging
from collections.abc import Callable
from threading import Thread

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from app.telemetry.outlet import Outlet

CLOSE_S = 4.0
"""A collector that is away is tried for so long at the end; the libraries would take 30 s each."""

log = logging.getLogger(__name__)


def make(scope: str) -> Outlet:
    """The outlet; nothing is sent yet."""
    resource = _resource(scope)
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter())
    metrics = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    return Outlet(
        tracer=traces.get_tracer(scope),
        meter=metrics.get_meter(scope),
        close=lambda: _close(traces.shutdown, metrics.shutdown),
    )


def _resource(name: str) -> Resource:
    """Who sends: the name of the program, unless the environment gives another."""
    return Resource.create({"service.name": name, **OTELResourceDetector().detect().attributes})


def _close(*shutdowns: Callable[[], None]) -> None:
    """Shut down side by side, on threads that do not hold the program up when time is over."""
    threads = [Thread(target=_logged, args=(shutdown,), daemon=True) for shutdown in shutdowns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(CLOSE_S / len(threads))
    if any(thread.is_alive() for thread in threads):
        log.warning("the last traces or metrics could not be sent within %g s", CLOSE_S)


def _logged(shutdown: Callable[[], None]) -> None:
    try:
        shutdown()
    except Exception:
        log.exception("telemetry was not shut down")
