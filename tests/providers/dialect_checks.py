"""What every dialect's tests ask of its adapter, once for all of them."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.calls.events import Event, ProviderWork, Stop
from app.calls.exact_json import dump_exact
from app.calls.history import HistoryItem
from app.providers.connect import connect
from app.providers.provider import FailureKind, Provider, ProviderFailure, ToolOffer, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody
from tests.providers.anthropic_kinds import Kind
from tests.providers.recordings import OWN, Recording
from tests.providers.stub_server import Plan, StubServer
from tests.providers.turns import end_of, events_of, only, told

CUTS = (None, 1, pytest.param(7, marks=pytest.mark.soak), 1000)
"""Bytes per write; None is an event at a time."""
CUTS_OF_MANY = (None, *(pytest.param(size, marks=pytest.mark.soak) for size in (1, 7, 1000)))
"""The same for the collection of real recordings, which are long."""

PATHS = {"openai-chat": "/v1", "openai-responses": "/v1", "gemini": "", "ollama": ""}
"""Dialect -> what its base address ends with."""

SUFFIXES = {"openai-chat": ".sse", "openai-responses": ".sse", "gemini": "", "ollama": ".ndjson"}

NESTED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "filter": {
            "type": "object",
            "properties": {"since": {"type": "string", "format": "date"}},
            "required": ["since"],
        }
    },
    "required": ["filter"],
    "additionalProperties": False,
}
TOOLS = (ToolOffer("f", "Does it.", NESTED, streams=True), ToolOffer("g", "Too.", NESTED))


def replayed(dialect: str, body: bytes, chunk: int | None = None) -> Provider:
    kind = "application/x-ndjson" if dialect == "ollama" else "text/event-stream"
    transport = RecordedBody(body, chunk=chunk, content_type=kind)
    return connect(ProviderSpec(dialect, "m"), transport)


def live(dialect: str, server: StubServer, **spec: Any) -> Provider:
    base = server.url + PATHS[dialect]
    given: dict[str, Any] = {"base_url": base, "api_key": "k", **spec}
    return connect(ProviderSpec(dialect, "m", **given))


def path_of(dialect: str, name: str) -> Path:
    """The file of one of our own recordings; a name may bring its own ending."""
    folder = OWN / dialect
    path = folder / f"{name}{SUFFIXES[dialect]}"
    return path if path.suffix and path.is_file() else folder / f"{name}.sse"


def own_body(dialect: str, name: str) -> bytes:
    return path_of(dialect, name).read_bytes()


def assert_all_told(dialect: str, *names: Mapping[str, object]) -> None:
    """Every recording in the folder has its expectation, and every expectation its recording."""
    expected = {path_of(dialect, name) for table in names for name in table}
    assert expected == set((OWN / dialect).iterdir())


def check(events: Sequence[Event], kind: Kind) -> None:
    turn = told(events)
    end = end_of(events)
    assert (end.stop, end.provider_stop) == (kind.stop, kind.provider_stop)
    fault = turn.finished.fault
    assert (None if fault is None else fault.detail) == kind.fault
    assert turn.calls == list(kind.calls)
    assert turn.text == kind.text
    work = [f"{w.name} {'finished' if w.finished else 'begun'}" for w in only(ProviderWork, events)]
    assert work == list(kind.work)
    assert turn.turn.warnings[:1] == ([] if kind.warns is None else [kind.warns])


async def check_failure(dialect: str, body: bytes, kind: FailureKind, detail: str) -> None:
    with pytest.raises(ProviderFailure) as caught:
        await events_of(replayed(dialect, body, 7))
    assert (caught.value.kind, caught.value.detail) == (kind, detail)


async def check_recording(
    recording: Recording, chunk: int | None, expected: Sequence[Any] | None = None
) -> None:
    """Ids, names and arguments are the manifest's; of an object, its text is compact JSON."""
    events = await events_of(replayed(recording.dialect, recording.body, chunk))
    calls = [
        (identity, name, given if isinstance(given, str) else dump_exact(given))
        for identity, name, given in told(events).calls
    ]
    wanted = recording.expected if expected is None else expected
    assert calls == [(call.id, call.name, call.arguments_text) for call in wanted]
    assert end_of(events).provider_stop == recording.stop_reason


async def check_early_ends(
    dialect: str, body: bytes, harmless: Callable[[bytes], bool], steps: int = 16
) -> None:
    """Ended early, the body is no good end, unless what is cut off is ``harmless``.

    Tried at regular places and around every line end, where a cut is hardest to see.
    """
    lines = [at + 1 for at, byte in enumerate(body) if byte == 0x0A]
    near = lines[-10:] + lines[:: max(1, len(lines) // steps)]
    places = {at + off for at in near for off in (-1, 0, 1)}
    places |= {*range(0, len(body), max(1, len(body) // steps)), *range(len(body) - 15, len(body))}
    for end in sorted(place for place in places if 0 <= place < len(body)):
        try:
            turn = told(await events_of(replayed(dialect, body[:end])))
        except ProviderFailure:
            continue
        if turn.finished.stop is Stop.COMPLETE:
            assert harmless(body[end:]), f"complete after {end} of {len(body)} bytes"


@asynccontextmanager
async def serving(dialect: str, body: bytes, **plan: Any) -> AsyncGenerator[StubServer]:
    kind = "application/x-ndjson" if dialect == "ollama" else "text/event-stream"
    with StubServer([Plan(body, content_type=kind, **plan)]) as server:
        yield server


async def request_body(
    dialect: str,
    history: Sequence[HistoryItem],
    tools: Sequence[ToolOffer] = TOOLS,
    **spec: Any,
) -> dict[str, Any]:
    """The next request as it goes over the wire, numbers read exactly."""
    async with serving(dialect, own_body(dialect, "text")) as server:
        provider = live(dialect, server, **spec)
        await events_of(provider, TurnRequest(history, tools, 100, "Be brief."))
    return server.received[0].json


def floats(body: Any) -> Any:
    """What was read back exactly, as a JSON library would have it."""
    return json.loads(dump_exact(body))  # noqa: TID251 - our own request, read back
