"""Maps for tests, compiled as a file's content would be."""

from typing import Any

from app.display.field_map import FieldMap
from app.tools.map_files import map_compiler


def compiled(
    properties: dict[str, Any],
    display: dict[str, Any],
    *,
    required: tuple[str, ...] = (),
    **more: Any,
) -> FieldMap:
    """A map of a tool with these properties and display entries."""
    return map_compiler().compile(document(properties, display, required=required, **more))


def document(
    properties: dict[str, Any],
    display: dict[str, Any],
    *,
    required: tuple[str, ...] = (),
    **more: Any,
) -> dict[str, Any]:
    """The document of such a map."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "tool": "tool",
        "label": "Tool",
        "description": "A tool.",
        "parameters": {**parameters, **more.pop("parameters", {})},
        "display": display,
        **more,
    }
