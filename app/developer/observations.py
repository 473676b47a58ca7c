"""What is observed of an exchange, as lines that can be kept and read again.

A line is a JSON array: its kind, its time, and what that kind says. Times are whole microseconds
since the segment's ``begin``, which alone has the time of day; an exchange has one segment in
each process that carried it on. A run of fragments of one block is one line with two columns,
which is what makes a quarter of a million of them readable in a second.

========== =============================================================================
kind       what follows the time
========== =============================================================================
begin      microseconds since 1970
request    turn, dialect, model
took       the name of the event's class, its fields
fragments  block, the fragments' times, the fragments' texts
cut        the bound in bytes past which nothing more of this turn is kept
streamed   how the stream ended, a sentence or ""
judged     turn, whether usable, reason, detail, the gate's steps, the verdicts
shown      updates, as their class' name and their fields
========== =============================================================================
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, cast

from app.calls import events
from app.calls.argument_changes import NumberText
from app.calls.events import Event
from app.calls.exact_json import dump_exact, load_exact
from app.display.updates import Update

Line: TypeAlias = list[Any]

_EVENTS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        events.TextDelta,
        events.CallAnnounced,
        events.CallIdentified,
        events.ArgumentFragment,
        events.ArgumentSnapshot,
        events.ArgumentObject,
        events.ArgumentPatch,
        events.CallCompleted,
        events.ProviderWork,
        events.Retained,
        events.Usage,
        events.ProtocolWarning,
        events.ProtocolFault,
        events.TurnEnded,
    )
}
_OPAQUE = frozenset({"Retained"})
"""Kept for the provider alone; of it, a developer is told that it came."""


def event_line(at: int, event: Event) -> Line:
    """A line for any event; runs of fragments have a line of their own."""
    name = type(event).__name__
    said = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    if name in _OPAQUE:
        said["data"] = {"bytes": len(dump_exact(said["data"]))}
    return ["took", at, name, said]


def event_of(line: Line) -> Event:
    """The event of a ``took`` line."""
    said = dict(line[3])
    if "path" in said:
        said["path"] = tuple(said["path"])
    if "stop" in said:
        said["stop"] = events.Stop(said["stop"])
    return cast("Event", _EVENTS[line[2]](**said))


def update_line(at: int, updates: Iterable[Update]) -> Line:
    """What one flush sent. The frame is left out: it is the map's, and says nothing that came."""
    return ["shown", at, [_update(update) for update in updates]]


def _update(update: Update) -> Line:
    said = {
        field.name: _plain(getattr(update, field.name))
        for field in fields(update)
        if field.name != "frame"
    }
    return [type(update).__name__, said]


def _plain(value: Any) -> Any:
    """A value as JSON has it: enums and number texts as text, dataclasses as objects."""
    if isinstance(value, NumberText | str):
        return str(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value


def pack(lines: Iterable[Line]) -> bytes:
    """Lines as compressed bytes."""
    return zlib.compress("\n".join(map(_text, lines)).encode(), 3)


def _text(line: Line) -> str:
    # The standard encoder is ten times as quick, and right for a line without exact numbers.
    return json.dumps(line) if line[0] == "fragments" else dump_exact(line)


def unpack(data: bytes) -> Iterator[Line]:
    """The lines of :func:`pack`."""
    for text in zlib.decompress(data).decode().split("\n"):
        if text.startswith('["fragments"'):
            yield json.loads(text)  # noqa: TID251 - our own line, of small integers and texts
        else:
            yield cast("Line", load_exact(text))
