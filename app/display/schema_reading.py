"""What a field map needs to know of a JSON Schema: members, elements, kinds of value.

A schema may say them through a local ``$ref`` and through ``allOf``, ``anyOf`` and ``oneOf`` (the
way pydantic writes ``X | None``); all of these are looked through, one level of values at a time.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = Mapping[str, Any]

_COMBINERS = ("allOf", "anyOf", "oneOf")
_MOST_PARTS = 200
"""Parts of one schema that are looked at: a `$ref` may lead back to where it came from."""

_KINDS_BY_KEYWORD = {"properties": "object", "items": "array", "prefixItems": "array"}


class SchemaReader:
    """Reads schemas that belong to one document, where their ``$ref`` leads."""

    def __init__(self, document: Schema) -> None:
        self._document = document

    def members(self, schema: Schema) -> dict[str, Schema]:
        """The properties of an object, in the schema's own order."""
        found: dict[str, Schema] = {}
        for part in self._parts(schema):
            for name, member in _mapping(part.get("properties")).items():
                found.setdefault(name, _mapping(member))
        return found

    def required(self, schema: Schema) -> frozenset[str]:
        """The members that an object must have. An alternative requires nothing by itself."""
        names: set[str] = set()
        for part in self._parts(schema, ("allOf",)):
            names.update(part.get("required", ()))
        return frozenset(names)

    def element(self, schema: Schema) -> Schema:
        """The schema of an array's elements; empty (anything) where there is none."""
        for part in self._parts(schema):
            if isinstance(part.get("items"), Mapping):
                return part["items"]
        return {}

    def kinds(self, schema: Schema) -> frozenset[str]:
        """The JSON types that a value may have, ``null`` left out; empty when nothing says."""
        kinds: set[str] = set()
        for part in self._parts(schema):
            declared = part.get("type", ())
            kinds.update([declared] if isinstance(declared, str) else declared)
            kinds.update(kind for word, kind in _KINDS_BY_KEYWORD.items() if word in part)
            if "enum" in part:
                kinds.update(_kind(value) for value in part["enum"])
        return frozenset(kinds - {"null"})

    def has(self, schema: Schema, keywords: frozenset[str]) -> str | None:
        """The first of the keywords that the schema uses, or None."""
        for part in self._parts(schema):
            for word in part:
                if word in keywords:
                    return word
        return None

    def _parts(self, schema: Schema, combiners: tuple[str, ...] = _COMBINERS) -> Iterator[Schema]:
        """The schema and all that describe the same value, nearest first."""
        waiting = [schema]
        for _ in range(_MOST_PARTS):
            if not waiting:
                return
            part = waiting.pop(0)
            yield part
            if isinstance(part.get("$ref"), str):
                waiting.append(self._target(part["$ref"]))
            for combiner in combiners:
                waiting.extend(_mapping(option) for option in part.get(combiner, ()))

    def _target(self, reference: str) -> Schema:
        """What a local reference leads to; empty where it leads nowhere."""
        return _mapping(resolve(reference, self._document))


def leads_somewhere(reference: str, document: Schema) -> bool:
    """Whether a reference is a JSON pointer to a schema of the document itself."""
    return isinstance(resolve(reference, document), Mapping | bool)


def resolve(reference: str, document: Schema) -> Any:
    """What a local reference leads to; None where it leads nowhere."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    place: Any = document
    for step in unquote(reference[1:]).split("/")[1:]:
        place = _mapping(place).get(step.replace("~1", "/").replace("~0", "~"))
    return place


def references(schema: Any) -> Iterator[str]:
    """Every ``$ref`` and ``$dynamicRef`` in a schema, at any depth."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            for word in ("$ref", "$dynamicRef"):
                reference = part.get(word)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                if isinstance(reference, str):
                    yield reference
            waiting.extend(part.values())  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        elif isinstance(part, list):
            waiting.extend(part)  # pyright: ignore[reportUnknownArgumentType]


def _mapping(value: Any) -> Schema:
    return value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case None:
            return "null"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "number"
