"""JSON Schema (draft 2020-12) over exact numbers, with faults that quote no value.

Departures from the library's usual way, each for a reason:

- A ``Decimal`` without a fraction is an integer, and ``multipleOf`` is exact: no binary float
  ever stands for a number that a model wrote. The schema's own fractions are made exact too.
- ``$`` in a pattern is the end of the text. Python's own would let one line break follow.
- Formats are checked.
- Nothing is ever fetched: a reference out of the document is refused when the schema is read.
- A fault names the place and the rule, never the value, which may be one that nobody should see.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation, localcontext
from typing import Any, cast

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]
from referencing import Registry

from app.calls.json_types import JsonValue
from app.display.iri import is_iri, is_iri_reference
from app.display.schema_reading import Schema, leads_somewhere, references

MOST_FAULTS = 10
_MOST_RULE_CHARS = 200
_DIGITS = 2000
"""Digits for exact remainders: twice what one number may have by default."""


_PATTERN_PARTS = re.compile(r"\\.|.", re.DOTALL)


class BadSchema(Exception):
    """A JSON Schema that cannot be used. ``pointer`` leads to the place in it."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class ExactSchema:
    """A compiled schema. Raises :class:`BadSchema` when it is none, or leads out of itself."""

    def __init__(self, schema: Schema) -> None:
        _require_local(schema)
        exact = _exact(schema)
        try:
            Draft202012Validator.check_schema(exact)
        except SchemaError as fault:
            raise BadSchema(pointer_of(fault.absolute_path), _short(fault.message)) from fault
        self._validator = exact_validator()(
            exact,
            format_checker=_format_checker(),
            registry=cast("Any", Registry)(),
        )

    def faults(self, value: JsonValue) -> tuple[str, ...]:
        """How the value breaks the schema, at most :data:`MOST_FAULTS` sentences."""
        found: list[str] = []
        for error in self._errors(value):
            found.append(_sentence(error))
            if len(found) == MOST_FAULTS:
                break
        return tuple(found)

    def allows(self, value: JsonValue) -> bool:
        return next(self._errors(value), None) is None

    def _errors(self, value: JsonValue) -> Iterator[ValidationError]:
        return cast("Iterator[ValidationError]", self._validator.iter_errors(value))


def _format_checker() -> FormatChecker:
    """The draft's formats, with those of IRIs by our own check."""
    checker = FormatChecker(())
    checker.checkers = {**Draft202012Validator.FORMAT_CHECKER.checkers}
    for name, holds in (("iri", is_iri), ("iri-reference", is_iri_reference)):
        checker.checks(name)(_of_texts(holds))
    return checker


def _of_texts(holds: Callable[[str], bool]) -> Callable[[object], bool]:
    """A format says nothing of what is no text."""
    return lambda value: not isinstance(value, str) or holds(value)


def pointer_of(path: Any) -> str:
    """The JSON pointer of a sequence of keys and indexes."""
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "".join(f"/{step}" for step in steps)


def exact_validator() -> Any:
    """The library's validator class with the departures above."""
    checker = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
    keywords = {"multipleOf": _multiple_of, "pattern": _pattern}
    extended = extend(  # pyright: ignore[reportUnknownVariableType]
        Draft202012Validator, validators=keywords, type_checker=checker
    )
    return cast("Any", extended)


def _is_integer(_: Any, value: object) -> bool:
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return isinstance(exponent, int) and value == value.to_integral_value()
    return isinstance(value, int) and not isinstance(value, bool)


def _multiple_of(
    validator: Any, factor: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "number"):
        return
    try:
        with localcontext(prec=_DIGITS):
            is_multiple = Decimal(instance) % Decimal(factor) == 0
    except InvalidOperation:  # the quotient has more digits than we would work with
        is_multiple = False
    if not is_multiple:
        yield ValidationError("not a multiple")


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not re.search(_to_the_end(pattern), instance):
        yield ValidationError("does not match")


def _to_the_end(pattern: str) -> str:
    """The pattern with each ``$`` outside of brackets as the very end of the text."""
    parts: list[str] = []
    in_brackets = False
    for part in _PATTERN_PARTS.findall(pattern):
        in_brackets = part == "[" or (in_brackets and part != "]")
        parts.append(r"\Z" if part == "$" and not in_brackets else part)
    return "".join(parts)


def _require_local(schema: Schema) -> None:
    for reference in references(schema):
        if not leads_somewhere(reference, schema):
            raise BadSchema("", f"the reference {reference!r} leads to nothing in this document")


def _exact(part: Any) -> Any:
    """A copy in which every fraction is a ``Decimal``."""
    if isinstance(part, float):
        return Decimal(repr(part))
    if isinstance(part, Mapping):
        return {name: _exact(inner) for name, inner in part.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(part, list):
        return [_exact(inner) for inner in part]  # pyright: ignore[reportUnknownVariableType]
    return part


def _sentence(error: ValidationError) -> str:
    where = pointer_of(error.absolute_path).removeprefix("/").replace("/", ".") or "arguments"
    return f"{where}: {_rule(error)}"


def _rule(error: ValidationError) -> str:
    word = cast("str", error.validator)
    rule: Any = error.validator_value
    match word:
        case "required":
            missing = [name for name in rule if name not in cast("Any", error.instance)]
            return f"needs {_listed(missing)}"
        case "additionalProperties" if rule is False:
            known = cast("Any", error.schema).get("properties", {})
            return f"takes nothing but {_listed(known)}"
        case "enum":
            return f"must be one of {_listed(rule)}"
        case "type":
            return f"must be of type {_listed([rule] if isinstance(rule, str) else rule)}"
        case "anyOf" | "oneOf":
            return "fits none or several of its alternatives"
        case _:
            return f"must fit {word} {_short(str(rule))}"


def _listed(names: Any) -> str:
    return _short(", ".join(str(name) for name in names) or "nothing")


def _short(text: str) -> str:
    return text if len(text) <= _MOST_RULE_CHARS else f"{text[:_MOST_RULE_CHARS]}…"
