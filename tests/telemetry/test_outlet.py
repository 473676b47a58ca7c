"""Where telemetry is led: a page to ask for, or a collector; a clear line when it cannot be."""

import logging
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: TID251
    OTLPSpanExporter,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.bootstrap import StartRefused, assemble
from app.exchange.telemetry import SCOPE, Telemetry
from app.records.rows import Outcome
from app.settings import Settings
from app.telemetry.outlet import MissingExtra, open_outlet


@contextmanager
def collector() -> Generator[tuple[str, dict[str, list[bytes]]], None, None]:
    """A collector on this machine, and what it was sent, by path."""
    bodies: dict[str, list[bytes]] = {}

    class Receives(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            bodies.setdefault(self.path, []).append(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receives)
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def one_exchange(telemetry: Telemetry) -> None:
    trace = telemetry.exchange("c-1", "x-1")
    with trace.streaming("t-1"):
        pass
    trace.observe([])
    trace.kept()
    trace.ended(Outcome.ANSWERED)
    trace.close()


@pytest.mark.parametrize("service", [None, "desk"])
def test_a_collector_is_sent_traces_and_metrics(
    monkeypatch: pytest.MonkeyPatch, service: str | None
) -> None:
    with collector() as (address, bodies):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        if service is not None:
            monkeypatch.setenv("OTEL_SERVICE_NAME", service)
        outlet = open_outlet("otlp", SCOPE)
        one_exchange(Telemetry(outlet.tracer, outlet.meter, ()))
        outlet.close()
    assert outlet.page is None
    [traces] = [ExportTraceServiceRequest.FromString(body) for body in bodies["/v1/traces"]]
    [of_process] = traces.resource_spans
    assert [span.name for span in of_process.scope_spans[0].spans] == ["turn", "exchange"]
    told = {one.key: one.value.string_value for one in of_process.resource.attributes}
    assert told["service.name"] == (service or "formwork")
    metrics = ExportMetricsServiceRequest.FromString(bodies["/v1/metrics"][-1])
    names = {metric.name for metric in metrics.resource_metrics[0].scope_metrics[0].metrics}
    assert {"formwork.exchanges", "formwork.turns", "formwork.flushes"} <= names


def test_a_collector_that_is_away_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Were the libraries waited for, this test would run into its limit of 120 s or near it."""
    with collector() as (address, _):
        pass
    released = threading.Event()

    def held(self: OTLPSpanExporter, spans: object) -> None:
        released.wait(30)

    monkeypatch.setattr(OTLPSpanExporter, "export", held)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    outlet = open_outlet("otlp", SCOPE)
    one_exchange(Telemetry(outlet.tracer, outlet.meter, ()))
    with caplog.at_level(logging.WARNING, "app.telemetry.otlp"):
        outlet.close()
    assert not released.is_set()
    assert "could not be sent" in caplog.text
    released.set()


def test_what_prometheus_asks_for_has_no_traces() -> None:
    outlet = open_outlet("prometheus", SCOPE)
    telemetry = Telemetry(outlet.tracer, outlet.meter, ())
    with telemetry.exchange("c", "x").streaming("t") as span:
        assert not span.is_recording()
    assert outlet.page is not None
    assert b"formwork_flushes_total 0.0" in outlet.page()
    outlet.close()
    assert outlet.page() == b""


MISSING = [
    ("prometheus", "prometheus_client", "app.telemetry.prometheus"),
    ("prometheus", "opentelemetry.exporter.prometheus", "app.telemetry.prometheus"),
    ("otlp", "opentelemetry.exporter.otlp.proto.http.trace_exporter", "app.telemetry.otlp"),
    ("otlp", "opentelemetry.sdk.trace", "app.telemetry.otlp"),
]


@pytest.mark.parametrize(("kind", "library", "module"), MISSING)
async def test_without_the_extra_the_start_is_refused_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, library: str, module: str
) -> None:
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    settings = Settings.model_validate({"data": tmp_path, "telemetry": kind})
    with pytest.raises(StartRefused) as refused:
        async with assemble(settings):
            pass
    line = str(refused.value)
    assert line.startswith(f"FORMWORK_TELEMETRY: {kind} needs the library ")
    assert library.split(".")[0] in line
    assert 'pip install "formwork[telemetry]"' in line
    assert "\n" not in line


def test_a_fault_of_our_own_is_not_taken_for_a_missing_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "app.telemetry.prometheus", raising=False)
    monkeypatch.setitem(sys.modules, "app.telemetry.prometheus", None)
    with pytest.raises(ModuleNotFoundError) as raised:
        open_outlet("prometheus", SCOPE)
    assert not isinstance(raised.value, MissingExtra)
