"""JSON as it stands on a provider's wire, in and out, with exact numbers.

What a model wrote inside a string of argument text is not read here; that is
:mod:`app.calls.strict`'s alone. Here are envelopes, and arguments that a dialect sends as objects.
"""

import json
import sys
from decimal import Decimal
from typing import Any, cast

from app.calls.json_types import JsonValue
from app.calls.surrogates import join_pairs

MAX_INTEGER_DIGITS = 1000
"""Beyond it an integral number is sent as the nearest float: no schema means more."""


class UnreadableJson(ValueError):
    """Text on the wire that is no JSON document, or one with NaN or Infinity."""


def read(text: str | bytes, *, unique_keys: bool = False) -> JsonValue:
    """A document of the wire; integers are ``int``, other numbers ``Decimal``.

    ``unique_keys`` refuses an object with a key twice: for a dialect whose payload holds the
    model's arguments as an object, of two values for one key neither can be called the model's.
    Raises :class:`UnreadableJson`.
    """
    try:
        return cast(
            JsonValue,
            json.loads(  # noqa: TID251 - an envelope, not model text
                text,
                parse_float=Decimal,
                parse_constant=_refuse,
                object_pairs_hook=_unique if unique_keys else None,
            ),
        )
    except UnreadableJson:
        raise
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise UnreadableJson(f"not a JSON document: {type(error).__name__}") from error


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableJson("a key stands twice in one object")
    return members


def _refuse(name: str) -> None:
    raise UnreadableJson(f"{name} is no JSON value")


def plain(value: JsonValue) -> Any:
    """The same value for an SDK's encoder: no ``Decimal``, and never infinity.

    An integral ``Decimal`` that a float cannot hold exactly becomes an ``int``; any other the
    nearest float, at most the largest one.
    """
    if isinstance(value, Decimal):
        return _plain_number(value)
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def _plain_number(value: Decimal) -> int | float:
    if value.is_zero():
        return 0.0
    digits = value.adjusted() + 1
    if digits <= 0:
        return float(value)
    if digits <= MAX_INTEGER_DIGITS and value == value.to_integral_value() and _inexact(value):
        return int(value)
    return max(-sys.float_info.max, min(sys.float_info.max, float(value)))


def _inexact(value: Decimal) -> bool:
    as_float = float(value)
    return as_float in (float("inf"), float("-inf")) or Decimal(as_float) != value


class SurrogateJoiner:
    """Joins surrogate pairs that a provider split over two pieces of text.

    A high surrogate at the end of a piece waits for the next one. What ``feed`` gives holds no
    split pair; a surrogate that stays alone passes as it is.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held = text[-1]
            text = text[:-1]
        return join_pairs(text)

    def finish(self) -> str:
        held, self._held = self._held, ""
        return held


def readable(text: str) -> str:
    """Text that can be shown and stored: a lone surrogate becomes U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
