"""JSON text of our own making, with every number exact.

The standard encoder has no way to write a ``Decimal`` as a number, and its decoder makes binary
floats; so what we store is written here and read back here. Model text does not come this way:
it has one strict parse of its own.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, NoReturn

from app.calls.json_types import JsonValue

MAX_DEPTH = 200
"""Nesting that can be written. The standard decoder takes more, so what is written can be read."""

_PLAIN_INT_CHARS = 4000
"""Python refuses to convert longer text to ``int`` directly; ``Decimal`` has no such cap."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """A value that no JSON document can hold; the message names its type, never the value."""


def dump_exact(value: JsonValue) -> str:
    """Compact JSON text, members in their given order.

    A ``Decimal`` keeps its own text (``1250.00`` stays so; an exponent is written as ``Decimal``
    writes it). The text is always encodable: NUL and lone surrogates are written as escapes.

    Raises :class:`NotJson` for a float, a non-finite ``Decimal``, a key that is no string, any
    other type, and for nesting beyond :data:`MAX_DEPTH`.
    """
    return "".join(_pieces(value, 0))


def load_exact(text: str) -> JsonValue:
    """Read what :func:`dump_exact` wrote: ``int`` for integers, ``Decimal`` for other numbers.

    Raises ``ValueError`` for text that is not JSON.
    """
    return json.loads(  # noqa: TID251 - reads text we wrote ourselves, never a model's
        text, parse_float=Decimal, parse_int=_load_int, parse_constant=_refuse_constant
    )


def digest(text: str) -> str:
    """SHA-256 of the text's UTF-8, in 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _pieces(value: Any, depth: int) -> Iterator[str]:
    # Typed Any: what a tool returned has only promised to be a JsonValue.
    if depth > MAX_DEPTH:
        raise NotJson(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        yield from _object_pieces(value, depth)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(value, list):
        yield from _array_pieces(value, depth)  # pyright: ignore[reportUnknownArgumentType]
    else:
        yield _scalar(value)


def _object_pieces(members: dict[Any, Any], depth: int) -> Iterator[str]:
    before = "{"
    for key, member in members.items():
        if not isinstance(key, str):
            raise NotJson(f"an object key of type {type(key).__name__}")
        yield f"{before}{_string(key)}:"
        yield from _pieces(member, depth + 1)
        before = ","
    yield "}" if members else "{}"


def _array_pieces(elements: list[Any], depth: int) -> Iterator[str]:
    before = "["
    for element in elements:
        yield before
        yield from _pieces(element, depth + 1)
        before = ","
    yield "]" if elements else "[]"


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case True:
            return "true"
        case False:
            return "false"
        case str():
            return _string(value)
        case int():
            return str(Decimal(value))
        case Decimal() if value.is_finite():
            return str(value)
        case _:
            raise NotJson(f"a value of type {type(value).__name__}")


def _string(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", encode_basestring(text))


def _load_int(text: str) -> int:
    return int(text) if len(text) <= _PLAIN_INT_CHARS else int(Decimal(text))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
