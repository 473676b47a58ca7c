"""Metrics for a Prometheus server that comes and asks. Traces go nowhere."""

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.trace import NoOpTracerProvider
from prometheus_client import CollectorRegistry, generate_latest

from app.telemetry.outlet import Outlet


def make(scope: str) -> Outlet:
    """The outlet. Its registry is its own: the library's common one would show others' metrics."""
    registry = CollectorRegistry()
    reader = PrometheusMetricReader(
        disable_target_info=True, scope_info_enabled=False, registry=registry
    )
    provider = MeterProvider([reader], shutdown_on_exit=False)
    return Outlet(
        tracer=NoOpTracerProvider().get_tracer(scope),
        meter=provider.get_meter(scope),
        close=provider.shutdown,
        page=lambda: generate_latest(registry),
    )
