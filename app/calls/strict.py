"""The one strict parse of a call's arguments, and the same rules for a dialect's objects.

Stricter than the standard parser (design, section 4): one object; no key twice; no ``NaN`` or
``Infinity``; nothing behind it; no unpaired surrogate and no NUL, which no database keeps and
which would spoil the stored history; nothing past the limits. Text that is empty or only white
space is ``{}``. Integers are exact, other numbers are ``Decimal``.

A fault's detail never quotes the text: it may hold what the log must not.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from json import JSONDecodeError, JSONDecoder
from typing import NoReturn

from app.calls.json_types import JsonObject, JsonValue
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.reasons import Reason
from app.calls.surrogates import find_half, join_pairs, utf8_length


class StrictFault(Exception):
    """The arguments cannot be used: ``too_large``, or else ``invalid_json``."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def parse_strict(text: str, limits: Limits = DEFAULT_LIMITS) -> JsonObject:
    """The object that the text is; raises :class:`StrictFault`."""
    _check_size(utf8_length(text), limits)
    if not text.strip(" \t\n\r"):
        return {}
    try:
        value = _decoder(limits).decode(join_pairs(text))
    except JSONDecodeError as fault:
        detail = f"{fault.msg} at character {fault.pos}"
        raise StrictFault(Reason.INVALID_JSON, detail) from None
    except RecursionError:
        _refuse_depth(limits)
    return _checked_object(value, limits)


def check_object(value: JsonValue, limits: Limits = DEFAULT_LIMITS) -> JsonObject:
    """The value, if it is an object that :func:`parse_strict` could have given.

    Raises :class:`StrictFault`; and TypeError for what stands for no JSON at all (a float, say),
    which an adapter must not let through.
    """
    measure(value, limits)
    return _checked_object(value, limits)


def measure(value: JsonValue, limits: Limits = DEFAULT_LIMITS, depth: int = 0) -> int:
    """UTF-8 bytes of the value as JSON without white space and without escapes.

    ``depth`` is the number of containers around it. Raises :class:`StrictFault` past a limit.
    """
    size = 0
    for node, level in _nodes(value, depth):
        size += _own_size(node, limits)
        if level > limits.depth:
            _refuse_depth(limits)
        _check_size(size, limits)
    return size


def _decoder(limits: Limits) -> JSONDecoder:
    def integer(text: str) -> int:
        _check_number(len(text), limits)
        try:
            return int(text)
        except ValueError:  # the interpreter's own bound on digits, where the limit is above it
            raise StrictFault(Reason.TOO_LARGE, "a number has too many digits") from None

    def fraction(text: str) -> Decimal:
        _check_number(len(text), limits)
        try:
            number = Decimal(text)
        except InvalidOperation:
            raise StrictFault(Reason.TOO_LARGE, "a number's exponent is out of range") from None
        _check_number(_plain_length(number), limits)
        return number

    return JSONDecoder(
        object_pairs_hook=_without_repeats,
        parse_int=integer,
        parse_float=fraction,
        parse_constant=_refuse_constant,
    )


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise StrictFault(Reason.INVALID_JSON, "a key occurs twice in one object")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise StrictFault(Reason.INVALID_JSON, f"{name} is not JSON")


def _checked_object(value: JsonValue, limits: Limits) -> JsonObject:
    if not isinstance(value, dict):
        raise StrictFault(Reason.INVALID_JSON, "the arguments are not an object")
    for node, level in _nodes(value, 0):
        if level > limits.depth:
            _refuse_depth(limits)
        if isinstance(node, str):
            _check_text(node)
        elif isinstance(node, dict):
            for key in node:
                _check_text(key)
    return value


def _check_text(text: str) -> None:
    if "\0" in text:
        raise StrictFault(Reason.INVALID_JSON, "a NUL character in a text")
    if not text.isascii() and find_half(text):
        raise StrictFault(Reason.INVALID_JSON, "an unpaired surrogate in a text")


def _nodes(value: JsonValue, depth: int) -> Iterator[tuple[JsonValue, int]]:
    """Every value with the number of containers that it makes deep; members after their owner."""
    left = [(value, depth)]
    while left:
        node, level = left.pop()
        if isinstance(node, dict):
            level += 1
            left.extend((member, level) for member in node.values())
        elif isinstance(node, list):
            level += 1
            left.extend((element, level) for element in node)
        yield node, level


def _own_size(node: JsonValue, limits: Limits) -> int:
    """Bytes of a scalar; of a container without its members, but with its keys."""
    match node:
        case str():
            return _text_size(node)
        case True | False | None:
            return len("null")
        case int():
            # A lower bound on the digits (log10 of 2 is 0.30103): turning a huge one to text,
            # to count them, is what the limit is there to prevent.
            length = max(1, node.bit_length() * 1233 >> 12)
            _check_number(length, limits)
            return length
        case Decimal():
            if not node.is_finite():
                raise StrictFault(Reason.INVALID_JSON, f"{node} is not JSON")
            _check_number(_plain_length(node), limits)
            return len(str(node))
        case list():
            return len("[]") + len(node)
        case dict():
            return len("{}") + sum(_text_size(key) + len(":,") for key in node)
        case _:
            raise TypeError(f"{type(node).__name__} stands for no JSON value")


def _text_size(text: str) -> int:
    return utf8_length(text) + len('""')


def _plain_length(number: Decimal) -> int:
    """About how many digits the number has when it is written without an exponent."""
    return max(len(number.as_tuple().digits), abs(number.adjusted()))


def _check_number(length: int, limits: Limits) -> None:
    if length > limits.number_chars:
        detail = f"a number is longer than {limits.number_chars} characters: {length}"
        raise StrictFault(Reason.TOO_LARGE, detail)


def _check_size(size: int, limits: Limits) -> None:
    if size > limits.call_bytes:
        detail = f"the arguments are longer than {limits.call_bytes} bytes: {size}"
        raise StrictFault(Reason.TOO_LARGE, detail)


def _refuse_depth(limits: Limits) -> NoReturn:
    detail = f"containers are nested deeper than {limits.depth}: at least {limits.depth + 1}"
    raise StrictFault(Reason.TOO_LARGE, detail)
