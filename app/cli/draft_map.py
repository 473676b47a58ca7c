"""``formwork map draft``: a field map to start from, in which everything is hidden."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from app.bootstrap import StartRefused, tools_of
from app.cli.errors import cannot
from app.display.map_draft import draft
from app.settings import BadSetting, read_settings
from app.tools.registry import RegistryFault, load_registry

SUMMARY = "draft a field map"
DESCRIPTION = "Field maps for people who write them."


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    drafting = actions.add_parser(
        "draft",
        help="print a map in which everything is hidden until it is labelled",
        description=(
            "Prints a map of a tool in which everything is hidden until it is labelled. The "
            "parameters come from a file with a JSON Schema, or from the Python signature of the "
            "tool as it is registered."
        ),
    )
    drafting.add_argument("tool", help="the tool's name")
    source = drafting.add_mutually_exclusive_group()
    source.add_argument("--schema", type=Path, help="file with the JSON Schema of the parameters")
    source.add_argument("--tools", metavar="MODULE:ATTRIBUTE", help="registry that has the tool")
    drafting.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        schema, description = _source(arguments)
    except (BadSetting, StartRefused, RegistryFault, _NoSource) as error:
        return cannot(error)
    drafted = draft(arguments.tool, schema, description)
    json.dump(drafted, sys.stdout, indent=2, ensure_ascii=False)
    print()
    return 0


class _NoSource(Exception):
    """Nothing to draft from; the message is one line."""


def _source(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if arguments.schema is not None:
        return _schema_in(arguments.schema), ""
    if arguments.tools is not None:
        registry = load_registry(arguments.tools)
    else:
        registry = tools_of(read_settings())
    if arguments.tool not in registry:
        known = ", ".join(registry.names) or "none"
        raise _NoSource(f"there is no tool {arguments.tool!r}; the tools: {known}")
    tool = registry[arguments.tool]
    return tool.signature.schema(), tool.description


def _schema_in(file: Path) -> dict[str, Any]:
    try:
        schema: Any = json.loads(file.read_text("utf-8"))  # noqa: TID251 - a file of the team's own
    except (OSError, ValueError) as error:
        raise _NoSource(f"cannot read {file}: {error}") from error
    if not isinstance(schema, dict):
        raise _NoSource(f"{file} holds no JSON Schema of an object")
    return schema  # pyright: ignore[reportUnknownVariableType] - checked by the map's own schema
