"""Arguments as a person changed them before they approved.

Only what the map calls editable can be changed, each value by the text of a form's field, and each
stays of a type that its schema takes. Whether the whole still fits its schema is not asked here:
edited arguments go through the gate like any others.

A form sends line ends of its own. A text that is the old one but for those is the old one.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject, JsonValue, Path, dotted
from app.calls.strict import StrictFault, parse_strict
from app.display.field_map import FieldMap
from app.display.schema_reading import Schema, SchemaReader
from app.display.tree import Leaf, nodes_along

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS: Mapping[str, bool] = {"true": True, "false": False}


class EditRefused(Exception):
    """An edit that cannot be made; the message is one sentence, and quotes no value."""


def edited(field_map: FieldMap, arguments: JsonObject, edits: Mapping[str, str]) -> JsonObject:
    """A copy of the arguments with the edits made; ``edits`` is text by dotted path.

    Edits that change nothing give arguments that are equal. Raises :class:`EditRefused`.
    """
    places = dict(editable_places(field_map, arguments))
    changed = copy.deepcopy(arguments)
    for name, text in edits.items():
        place = places.get(name)
        if place is None:
            raise EditRefused("A field was sent that cannot be changed.")
        path, leaf = place
        old = _at(arguments, path)
        if _plain_lines(text) != _plain_lines(old if isinstance(old, str) else dump_exact(old)):
            kinds = _kinds(field_map.parameters, path)
            value = _value(leaf.label, old, _plain_lines(text), kinds)
            _at(changed, path[:-1])[path[-1]] = value
    return changed


def changes(before: JsonObject, after: JsonObject) -> Iterator[Path]:
    """The paths of values that an edit changed."""
    for path, value in _scalars(after, ()):
        old = _at(before, path)
        if type(old) is not type(value) or str(old) != str(value):
            yield path


def editable_places(
    field_map: FieldMap, arguments: JsonObject
) -> Iterator[tuple[str, tuple[Path, Leaf]]]:
    """Values that can be edited, by dotted path; where two values share one, neither can."""
    found: dict[str, tuple[Path, Leaf] | None] = {}
    for path, _ in _scalars(arguments, ()):
        nodes = nodes_along(field_map.display, path)
        leaf = nodes[-1] if nodes else None
        usable = (path, leaf) if isinstance(leaf, Leaf) and leaf.editable else None
        found[dotted(path)] = None if dotted(path) in found else usable
    return ((name, place) for name, place in found.items() if place is not None)


def _value(label: str, old: JsonValue, text: str, kinds: frozenset[str]) -> JsonValue:
    """The text as a value: of the kind that the old one has, else of one that the schema takes."""
    match old:
        case bool():
            return _boolean(label, text)
        case str():
            return _text(label, text)
        case int() | Decimal():
            return _number(label, text)
        case _:
            pass
    if not kinds or "string" in kinds:
        return _text(label, text)
    return _boolean(label, text) if "boolean" in kinds else _number(label, text)


def _text(label: str, text: str) -> str:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise EditRefused(f"{label} holds a character that no text may hold.")
    return text


def _boolean(label: str, text: str) -> bool:
    value = _BOOLEANS.get(text.strip())
    if value is None:
        raise EditRefused(f"{label} must be true or false.")
    return value


def _number(label: str, text: str) -> JsonValue:
    if not _NUMBER.fullmatch(text.strip()):
        raise EditRefused(f"{label} must be a number, written such as 1250 or 1250.00.")
    try:
        return parse_strict(f'{{"n":{text.strip()}}}')["n"]
    except StrictFault as fault:
        raise EditRefused(f"{label} is no number that can be kept.") from fault


def _kinds(schema: Schema, path: Path) -> frozenset[str]:
    reader = SchemaReader(schema)
    for step in path:
        if isinstance(step, int):
            schema = reader.element(schema)
        else:
            schema = reader.members(schema).get(step, {})
    return reader.kinds(schema)


def _scalars(value: JsonValue, path: Path) -> Iterator[tuple[Path, JsonValue]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _scalars(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _scalars(inner, (*path, index))
    else:
        yield path, value


def _at(arguments: JsonObject, path: Path) -> Any:
    """The value at a path that is there."""
    value: Any = arguments
    for step in path:
        value = value[step]
    return value


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
