"""Maps and tools for whatever a recording calls: everything shown, and a tool that says it ran."""

import inspect
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject, JsonValue
from app.calls.strict import parse_strict
from app.tools.map_files import load_field_maps
from app.tools.registry import CallContext, Registry
from app.tools.shipped import shipped_tools

PROSE_CHARS = 20
"""A longer string is shown as it is written."""


def write_maps(called: Iterable[tuple[str, str]], folder: Path) -> None:
    """A map for each tool that is called, by name and argument text, made of its arguments."""
    given: dict[str, JsonObject] = {}
    for name, text in called:
        given.setdefault(name, {}).update(parse_strict(text))
    for number, (name, arguments) in enumerate(given.items()):
        document: JsonObject = {
            "tool": name,
            "label": name.strip("_").replace("_", " ").capitalize(),
            "description": "A tool of a recording.",
            "parameters": _schema(arguments),
            "display": _members(arguments),
            "result": {"summary": "{answer}", "display": {"answer": {"label": "Answer"}}},
        }
        (folder / f"{number}.json").write_text(dump_exact(document))


def _schema(value: JsonValue) -> JsonObject:
    match value:
        case dict():
            members: JsonObject = {name: _schema(member) for name, member in value.items()}
            return {"type": "object", "properties": members}
        case list():
            return {"type": "array", "items": _schema(value[0])} if value else {"type": "array"}
        case str():
            return {"type": "string"}
        case _:
            return {}


def _members(value: JsonObject) -> JsonObject:
    return {
        name: {"label": name.replace("_", " ").capitalize(), **_shown(member)}
        for name, member in value.items()
    }


def _shown(value: JsonValue) -> JsonObject:
    match value:
        case dict():
            return {"fields": _members(value)}
        case [dict() as first, *_]:
            return {"items": {"fields": _members(first)}}
        case str() if len(value) > PROSE_CHARS:
            return {"mode": "stream"}
        case _:
            return {}


def tools() -> Registry:
    """``FORMWORK_TOOLS=tests.browser.recorded:tools``: the shipped ones, and one for each map."""
    data = Path(os.environ["FORMWORK_DATA"])
    registry = shipped_tools(data, data / "files")
    for name, field_map in load_field_maps(Path(os.environ["FORMWORK_FIELD_MAPS"])).items():
        if name not in registry:
            registry.tool(name)(_tool(field_map.parameters.get("properties", {})))
    return registry


def _tool(names: Iterable[str]) -> Any:
    def run(context: CallContext, **arguments: Any) -> JsonObject:
        """Do nothing, and say so."""
        return {"answer": f"{len(arguments)} given", "call_id": context.call_id}

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Any) for name in names
    ]
    run.__signature__ = inspect.Signature([context, *keywords])  # pyright: ignore[reportFunctionMemberAccess]
    return run
