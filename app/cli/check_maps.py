"""``formwork check``: field maps read against their schemas and their tools."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from app.bootstrap import StartRefused, tools_of
from app.calls.exact_json import dump_exact
from app.cli.errors import cannot
from app.display.field_map import MapCompiler
from app.display.map_check import Severity, check
from app.settings import BadSetting, read_settings
from app.tools.map_files import (
    MapFileFault,
    line_of,
    load_field_map,
    map_compiler,
    map_files,
    shipped_maps,
)
from app.tools.registry import Registry

SUMMARY = "read field maps against their schemas"
DESCRIPTION = """Reads every field map against its schema and its tool. Exit status 0 when there is
no error (review tasks are none), 1 when there is one, 2 when the maps cannot be read."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", help="folder of field maps (default: FORMWORK_FIELD_MAPS)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per finding")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        settings = read_settings()
        folder = arguments.folder or settings.field_maps or shipped_maps()
        registry = tools_of(settings)
    except (BadSetting, StartRefused) as error:
        return cannot(error)
    if not folder.is_dir():
        return cannot(f"there is no folder {folder}")
    files, compiler = map_files(folder), map_compiler()
    found = [each for file in files for each in _findings(file, compiler, registry)]
    errors = sum(each.severity is Severity.ERROR for each in found)
    if arguments.json:
        _print_json(found)
    else:
        _print_table(found)
        maps, faults = _number(len(files), "map"), _number(errors, "error")
        print(f"{maps}: {faults}, {len(found) - errors} to review")
    return 1 if errors else 0


@dataclass(frozen=True, slots=True)
class _Located:
    """A finding in a file, at a line where there is one."""

    file: Path
    line: int | None
    severity: Severity
    pointer: str
    text: str


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _findings(file: Path, compiler: MapCompiler, registry: Registry) -> list[_Located]:
    try:
        field_map = load_field_map(file, compiler)
    except MapFileFault as fault:
        return [_Located(file, fault.line, Severity.ERROR, fault.pointer, fault.reason)]
    name = field_map.tool
    accepted = registry[name].signature.schema() if name in registry else None
    text = file.read_text("utf-8")
    located = [
        _Located(file, line_of(text, found.pointer), found.severity, found.pointer, found.text)
        for found in check(field_map, accepted)
    ]
    if accepted is None:
        why = f"there is no tool {name!r}; a map without one shows nothing"
        located.insert(0, _Located(file, line_of(text, "/tool"), Severity.ERROR, "/tool", why))
    return located


def _print_json(found: list[_Located]) -> None:
    for each in found:
        print(
            dump_exact(
                {
                    "file": str(each.file),
                    "line": each.line,
                    "severity": each.severity.value,
                    "pointer": each.pointer,
                    "text": each.text,
                }
            )
        )


def _print_table(found: list[_Located]) -> None:
    rows = [
        (each.severity.value, f"{each.file.name}:{each.line or ''}", each.pointer, each.text)
        for each in found
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        print("  ".join(cells) + "  " + row[3])
