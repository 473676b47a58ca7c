"""The parts of a turn as one JSON text, and back.

A call's place and ``extra`` are kept here, all else of it in its own row, so that nothing of a
call stands in two places.
"""

from collections.abc import Mapping
from typing import cast

from app.calls.exact_json import dump_exact, load_exact
from app.calls.history import CallPart, OpaquePart, Part, TextPart
from app.calls.json_types import JsonObject, JsonValue
from app.records.rows import CallRecord
from app.records.storable import mended_json


def dump_parts(parts: tuple[Part, ...]) -> str:
    stored, _ = mended_json([_part_json(part) for part in parts])
    return dump_exact(stored)


def load_parts(text: str, calls: Mapping[int, CallRecord]) -> tuple[Part, ...]:
    """``calls`` are the turn's, by ordinal."""
    stored = cast(list[JsonObject], load_exact(text))
    return tuple(_part(part, calls) for part in stored)


def _part_json(part: Part) -> JsonValue:
    match part:
        case TextPart(text=text, extra=extra):
            return {"text": text, "extra": extra}
        case CallPart(ordinal=ordinal, extra=extra):
            return {"call": ordinal, "extra": extra}
        case OpaquePart(dialect=dialect, data=data):
            return {"dialect": dialect, "data": data}


def _part(stored: JsonObject, calls: Mapping[int, CallRecord]) -> Part:
    extra = cast(JsonObject | None, stored.get("extra"))
    match stored:
        case {"text": str(text)}:
            return TextPart(text, extra)
        case {"call": int(ordinal)}:
            call = calls[ordinal]
            return CallPart(
                ordinal, call.wire_id, call.name, call.arguments, call.arguments_text, extra
            )
        case _:
            return OpaquePart(cast(str, stored["dialect"]), cast(JsonObject, stored["data"]))
