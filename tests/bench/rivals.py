"""The parsers that a Python team could take, each asked for an up-to-date view at each fragment.

A rival takes fragments from an iterator and touches its view after each one. Those that build
something new are asked for it; those that change a tree in place, or report what they found, are
asked for nothing more than that: a reader would follow along.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from app.calls.argument_faults import Status
from app.calls.arguments import ArgumentParser

Rival: TypeAlias = Callable[[Iterable[str]], object]

FRAGMENT_GAP_MS = 11
SCREEN_GAP_MS = 60


def ours(fragments: Iterable[str]) -> object:
    parser = ArgumentParser()
    feed, changes = parser.feed, parser.changes
    for fragment in fragments:
        feed(fragment)
        changes()
    assert parser.status is Status.COMPLETE, parser.fault
    return parser.settled


def jiter_each_fragment(fragments: Iterable[str]) -> object:
    return _reparse(fragments, every_ms=0)


def jiter_each_screen(fragments: Iterable[str]) -> object:
    return _reparse(fragments, every_ms=SCREEN_GAP_MS)


def _reparse(fragments: Iterable[str], every_ms: int) -> object:
    from_json: Callable[..., object] = import_module("jiter").from_json
    buffer = bytearray()
    now = due = 0
    value: object = None
    for fragment in fragments:
        buffer += fragment.encode()
        now += FRAGMENT_GAP_MS
        if now >= due:
            value = from_json(bytes(buffer), partial_mode="trailing-strings")
            due = now + every_ms
    return from_json(bytes(buffer)) if every_ms else value


def jsonriver(fragments: Iterable[str]) -> object:
    parse: Callable[..., AsyncIterator[object]] = import_module("jsonriver").parse

    async def stream() -> AsyncIterator[str]:
        for fragment in fragments:
            yield fragment

    async def follow() -> object:
        view: object = None
        async for value in parse(stream()):
            view = value
        return view

    return asyncio.run(follow())


def partial_json_stream(fragments: Iterable[str]) -> object:
    parser: Any = import_module("partial_json_stream").JsonStreamParser(lenient=False)
    fields: list[object] = []

    def on_field(path: object, value: object) -> None:
        fields.append((path, value))

    parser.on("field", on_field)
    for fragment in fragments:
        parser.push(fragment)
        fields.clear()
    parser.end()
    return parser.snapshot().value


def json_stream_pulling(fragments: Iterable[str]) -> object:
    """Only for a program that blocks on its wire: the parser pulls each fragment by itself."""
    visit: Callable[..., None] = import_module("json_stream").visit
    fields: list[object] = []

    def stream() -> Iterator[bytes]:
        for fragment in fragments:
            fields.clear()
            yield fragment.encode()

    _visit_json_stream(visit, stream(), fields)
    return None


def json_stream_fed(fragments: Iterable[str]) -> object:
    """For a program that is handed its fragments: the parser pulls them in a thread of its own."""
    visit: Callable[..., None] = import_module("json_stream").visit
    fields: list[object] = []
    fed: SimpleQueue[bytes | None] = SimpleQueue()
    asks: SimpleQueue[None] = SimpleQueue()

    def stream() -> Iterator[bytes]:
        asks.put(None)
        while (fragment := fed.get()) is not None:
            yield fragment
            asks.put(None)

    def follow() -> None:
        # A document that is not waited for to its end is an unfinished one to the parser.
        with suppress(ValueError):
            _visit_json_stream(visit, stream(), fields)
        asks.put(None)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    asks.get()
    try:
        for fragment in fragments:
            fed.put(fragment.encode())
            asks.get()
            fields.clear()
    finally:
        fed.put(None)
        thread.join()
    return None


def _visit_json_stream(
    visit: Callable[..., None], stream: Iterator[bytes], fields: list[object]
) -> None:
    def on_value(value: object, path: object) -> None:
        fields.append((path, value))

    visit(stream, on_value)


def ijson_push(fragments: Iterable[str]) -> object:
    ijson: Any = import_module("ijson")
    backend: Any = ijson.get_backend("yajl2_c")
    events: list[object] = ijson.sendable_list()
    parser: Any = backend.parse_coro(events)
    for fragment in fragments:
        parser.send(fragment.encode())
        events.clear()
    parser.close()
    return None


RIVALS: dict[str, Rival] = {
    "Formwork (pure Python)": ours,
    "jiter, re-parse at each fragment": jiter_each_fragment,
    "jiter, re-parse each 60 ms": jiter_each_screen,
    "jsonriver": jsonriver,
    "partial-json-stream, field events": partial_json_stream,
    "json-stream, in a thread": json_stream_fed,
    "json-stream, blocking on the wire": json_stream_pulling,
    "ijson push (C)": ijson_push,
}

BUILDERS = frozenset({ours, jiter_each_fragment, jiter_each_screen, jsonriver, partial_json_stream})
"""Those that end with the whole value, so that the table can see that they read the same text."""
