"""The concrete parts and bounds that exchanges run on, handed in by the composition root."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.calls.limits import DEFAULT_LIMITS, Limits
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.exchange.event import Event
from app.exchange.observer import Observe, unobserved
from app.exchange.telemetry import Telemetry
from app.feed.feed import Feed
from app.providers.provider import Provider
from app.records.store import Records
from app.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long, how often and how much; each is a setting. Times in seconds."""

    calls: Limits = DEFAULT_LIMITS
    max_tokens: int = 4096
    regenerations: int = 2
    api_retries: int = 3
    retry_wait_s: float = 60.0
    exchange_turns: int = 24
    parallel_calls: int = 4
    result_chars: int = 50_000
    stop_grace_s: float = 5.0
    flush_s: float = 0.100


@dataclass(frozen=True, slots=True)
class Parts:
    provider: Provider
    records: Records
    feed: Feed
    registry: Registry
    maps: Mapping[str, FieldMap]
    formats: Formats
    worker: str
    """Names this process in the record's claims."""
    running: asyncio.Semaphore
    """Bounds the calls that run side by side in this process."""
    model: str = "demo"
    system: str | None = None
    assign_missing_ids: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    observe: Observe = unobserved
    asked: Event = field(default_factory=Event)
    """Heard when a request for a decision was made, is over, or something came of it."""
