"""Field maps on disk: one JSON file per tool, each fault told with file, line and reason."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.calls.argument_changes import Opened
from app.calls.arguments import ArgumentParser
from app.calls.limits import Limits
from app.display.field_map import FieldMap, FieldMapFault, MapCompiler

SCHEMA_NAME = "field-map.schema.json"

_SHIPPED = (
    Path(__file__).parents[1] / "_data" / "field_maps",  # in an installed package
    Path(__file__).parents[2] / "field_maps",  # in a checkout
)
_MOST_BYTES = 4 * 1024 * 1024


class MapFileFault(Exception):
    """A map file that cannot be used. The message is one line: file, line, place and reason."""

    def __init__(self, file: Path, reason: str, line: int | None = None, pointer: str = "") -> None:
        where = str(file) if line is None else f"{file}:{line}"
        super().__init__(": ".join(part for part in (where, pointer, reason) if part))
        self.file = file
        self.line = line
        self.pointer = pointer
        self.reason = reason


def shipped_maps() -> Path:
    """The folder of the maps that come with the program."""
    return next((folder for folder in _SHIPPED if folder.is_dir()), _SHIPPED[-1])


def load_field_maps(folder: Path) -> dict[str, FieldMap]:
    """All maps of a folder by tool name; every ``*.json`` but schemas is one.

    Raises :class:`MapFileFault` for the first file that is none, for two files of one tool, and
    for a folder that is not there.
    """
    if not folder.is_dir():
        raise MapFileFault(folder, "there is no such folder of field maps")
    compiler = map_compiler()
    maps: dict[str, FieldMap] = {}
    for file in map_files(folder):
        field_map = load_field_map(file, compiler)
        if field_map.tool in maps:
            reason = f"another file of this folder maps the tool {field_map.tool!r} too"
            raise MapFileFault(file, reason, 1, "/tool")
        maps[field_map.tool] = field_map
    return maps


def map_files(folder: Path) -> list[Path]:
    """The map files of a folder, by name."""
    files = sorted(folder.glob("*.json"))
    return [file for file in files if not file.name.endswith(".schema.json")]


def map_compiler() -> MapCompiler:
    """A compiler for the form of map that this program knows."""
    return MapCompiler(_read(shipped_maps() / SCHEMA_NAME)[1])


def load_field_map(file: Path, compiler: MapCompiler) -> FieldMap:
    """One map. Raises :class:`MapFileFault`."""
    text, document = _read(file)
    try:
        return compiler.compile(document)
    except FieldMapFault as fault:
        line = line_of(text, fault.pointer)
        raise MapFileFault(file, fault.reason, line, fault.pointer) from fault


def line_of(text: str, pointer: str) -> int:
    """The line, from 1, on which the member that a JSON pointer names begins.

    Where there is none, that of the nearest one around it.
    """
    wanted = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    lines = _lines(text)
    while wanted and tuple(wanted) not in lines:
        wanted.pop()
    return lines.get(tuple(wanted), 1)


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line on which each member's key, or element's beginning, stands."""
    parser = ArgumentParser(Limits(call_bytes=_MOST_BYTES, depth=200))
    lines: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        parser.feed(line)
        for change in parser.changes():
            if isinstance(change, Opened):
                lines.setdefault(tuple(str(step) for step in change.path), number)
    return lines


def _read(file: Path) -> tuple[str, Mapping[str, Any]]:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeError) as fault:
        raise MapFileFault(file, f"cannot be read: {fault}") from fault
    try:
        document: Any = json.loads(  # noqa: TID251 - a file that the team wrote, no model's text
            text, object_pairs_hook=_without_doubles, parse_constant=_no_constant
        )
    except json.JSONDecodeError as fault:
        raise MapFileFault(file, f"is not JSON: {fault.msg}", fault.lineno) from fault
    except (_DoubledKey, ValueError, RecursionError) as fault:
        raise MapFileFault(file, f"is not JSON: {fault}", _fault_line(text)) from fault
    if not isinstance(document, dict):
        raise MapFileFault(file, "is no JSON object", 1)
    return text, document  # pyright: ignore[reportUnknownVariableType]


class _DoubledKey(Exception):
    pass


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise _DoubledKey(f"the key {key!r} occurs twice in one object")
        members[key] = value
    return members


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _fault_line(text: str) -> int:
    """The line of the first character that no JSON document has at its place."""
    parser = ArgumentParser(Limits(call_bytes=_MOST_BYTES, depth=200))
    parser.feed(text)
    offset = parser.fault.offset if parser.fault else len(text)
    return text.count("\n", 0, offset) + 1
