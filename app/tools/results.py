"""What a tool returned, as JSON that can be kept, shown and sent."""

import dataclasses
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

from app.calls.json_types import JsonValue

_MOST_DEPTH = 100


class NotAResult(Exception):
    """A returned value that no JSON stands for. The message names its type, never the value."""


def json_value(value: Any, depth: int = 0) -> JsonValue:
    """The JSON of a returned value: exact numbers, models and dataclasses as objects.

    Text that could not be stored (a NUL, half of a surrogate pair) is replaced by U+FFFD. Raises
    :class:`NotAResult` for other types, non-finite numbers and nesting beyond 100 levels.
    """
    if depth > _MOST_DEPTH:
        raise NotAResult(f"a value nested deeper than {_MOST_DEPTH} levels")
    match value:
        case None | bool():
            return value
        case Enum():
            return json_value(value.value, depth + 1)
        case str():
            return storable(value)
        case int():
            return int(value)
        case float() | Decimal():
            return _exact(value)
        case datetime() | date() | time():
            return value.isoformat()
        case UUID() | PurePath():
            return str(value)
        case _:
            return _container(value, depth)


def _container(value: Any, depth: int) -> JsonValue:
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="python")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        value = {member.name: getattr(value, member.name) for member in fields}
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {_key(key): json_value(member, depth + 1) for key, member in members.items()}
    if isinstance(value, Sequence | AbstractSet) and not isinstance(value, bytes | bytearray):
        elements = cast("Sequence[Any]", value)
        return [json_value(element, depth + 1) for element in elements]
    raise NotAResult(f"a value of type {type(value).__name__}")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise NotAResult(f"an object key of type {type(key).__name__}")
    return storable(key)


def _exact(number: float | Decimal) -> Decimal:
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    if not exact.is_finite():
        raise NotAResult("a number that is not finite")
    return exact


def storable(text: str) -> str:
    """The text with what no store or encoding takes (NUL, lone surrogates) as U+FFFD."""
    if text.isascii() and "\x00" not in text:
        return str(text)
    return "".join(
        "\ufffd" if char == "\x00" or "\ud800" <= char <= "\udfff" else char for char in text
    )
