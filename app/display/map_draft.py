"""A first field map for a tool: everything hidden, until somebody gives it a label."""

from typing import Any

from app.display.schema_reading import Schema, SchemaReader

_DEEPEST = 8
"""Levels that are spelled out; a schema may contain itself."""


def draft(tool: str, schema: Schema, description: str = "") -> dict[str, Any]:
    """The document of a map that hides every field of ``schema``, the tool's arguments.

    To show a field, replace its ``"hidden": true`` by a label.
    """
    reader = SchemaReader(schema)
    label = _words(tool)
    return {
        "$schema": "field-map.schema.json",
        "tool": tool,
        "label": label,
        "description": description or f"{label}.",
        "parameters": {"type": "object", **schema},
        "display": _hidden_members(reader, schema, _DEEPEST),
        "result": {"display": {}},
    }


def _hidden_members(reader: SchemaReader, schema: Schema, levels: int) -> dict[str, Any]:
    return {
        name: {"hidden": True, **_below(reader, member, levels)}
        for name, member in reader.members(schema).items()
    }


def _below(reader: SchemaReader, schema: Schema, levels: int) -> dict[str, Any]:
    kinds = reader.kinds(schema)
    if not levels:
        return {}
    if "object" in kinds and (members := _hidden_members(reader, schema, levels - 1)):
        return {"fields": members}
    if "array" in kinds and (below := _below(reader, reader.element(schema), levels - 1)):
        return {"items": below}
    return {}


def _words(tool: str) -> str:
    words = tool.replace("_", " ").replace("-", " ").strip() or tool
    return words[:1].upper() + words[1:]
