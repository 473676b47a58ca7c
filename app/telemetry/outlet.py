"""The outlet that the setting names; its libraries are imported only when it is asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from opentelemetry.metrics import Meter
from opentelemetry.trace import Tracer

_MODULES = {"prometheus": "app.telemetry.prometheus", "otlp": "app.telemetry.otlp"}
_LIBRARIES = frozenset({"opentelemetry", "prometheus_client"})


class MissingExtra(Exception):
    """An outlet was asked for whose libraries are not installed; the message says how to."""


@dataclass(frozen=True, slots=True)
class Outlet:
    """A tracer and a meter that lead somewhere.

    ``page`` gives the metrics in Prometheus' text format, where they are asked for and not sent.
    ``close`` sends what waits, and takes a few seconds at most.
    """

    tracer: Tracer
    meter: Meter
    close: Callable[[], None]
    page: Callable[[], bytes] | None = None


class _Module(Protocol):
    def make(self, scope: str) -> Outlet: ...


def open_outlet(kind: str, scope: str) -> Outlet:
    """The outlet ``prometheus`` or ``otlp``; ``scope`` names who measures.

    Raises :class:`MissingExtra`.
    """
    try:
        module = cast(_Module, import_module(_MODULES[kind]))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _LIBRARIES:
            raise
        raise MissingExtra(
            f"{kind} needs the library {error.name!r}: "
            'install it with  pip install "formwork[telemetry]"'
        ) from error
    return module.make(scope)
