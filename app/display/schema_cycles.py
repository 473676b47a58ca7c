"""Where a schema leads back to itself.

Two kinds: one that describes the same value without end (a ``$ref`` to itself, which no validator
can follow), and one that goes through a member or an element, as a tree does. The second is a
good schema; a map can only ever show so many levels of it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from app.display.exact_schema import pointer_of
from app.display.schema_reading import Schema, resolve

_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")


def endless(document: Schema) -> Iterator[tuple[str, str]]:
    """Pointer and target of each ``$ref`` that leads back to where it stands, value unchanged."""
    for pointer, schema in _schemas(document, ""):
        reference = schema.get("$ref")
        if isinstance(reference, str) and _reaches(reference, schema, document):
            yield f"{pointer}/$ref", reference


def recursive(document: Schema) -> Iterator[tuple[str, str]]:
    """Pointer and target of each ``$ref`` that leads to a schema which it is a part of."""
    for pointer, schema in _schemas(document, ""):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or _reaches(reference, schema, document):
            continue
        if _holds(resolve(reference, document), schema, document):
            yield f"{pointer}/$ref", reference


def _schemas(part: Any, pointer: str) -> Iterator[tuple[str, Schema]]:
    """Every object of the document, with its pointer."""
    if isinstance(part, Mapping):
        members = cast(Mapping[str, Any], part)
        yield pointer, members
        for name, inner in members.items():
            yield from _schemas(inner, pointer + pointer_of([name]))
    elif isinstance(part, list):
        for number, inner in enumerate(cast(list[Any], part)):
            yield from _schemas(inner, f"{pointer}/{number}")


def _reaches(reference: str, goal: Schema, document: Schema) -> bool:
    """Whether a reference leads to the goal without going into a value."""
    return _search(resolve(reference, document), goal, document, into_values=False)


def _holds(start: Any, goal: Schema, document: Schema) -> bool:
    return _search(start, goal, document, into_values=True)


def _search(start: Any, goal: Schema, document: Schema, *, into_values: bool) -> bool:
    waiting, seen = [start], set[int]()
    while waiting:
        part = waiting.pop()
        if part is goal:
            return True
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, list):
            waiting.extend(cast(list[Any], part))
        elif isinstance(part, Mapping):
            schema = cast(Mapping[str, Any], part)
            if isinstance(schema.get("$ref"), str):
                waiting.append(resolve(schema["$ref"], document))
            waiting.extend(
                inner for name, inner in schema.items() if into_values or name in _SAME_VALUE
            )
    return False
