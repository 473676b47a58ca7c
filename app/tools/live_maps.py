"""Field maps that follow their files, for development.

A changed map takes the place of the old one at once. One that cannot be used keeps the old one in
force, and says why in the log: once, until its file changes again.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from app.display.field_map import FieldMap
from app.tools.map_files import MapFileFault, load_field_map, map_compiler, map_files

log = logging.getLogger(__name__)

_Stamp = tuple[int, int]


class LiveMaps(Mapping[str, FieldMap]):
    """The maps of a folder by tool. ``refresh`` reads what has changed since it was last called."""

    def __init__(self, folder: Path, maps: Mapping[str, FieldMap], tools: Iterable[str]) -> None:
        self._folder = folder
        self._tools = frozenset(tools)
        self._compiler = map_compiler()
        self._stamps = _stamps(folder)
        self._files = {file: load_field_map(file, self._compiler) for file in self._stamps}
        self._maps = dict(maps)

    def __getitem__(self, tool: str) -> FieldMap:
        return self._maps[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)

    def refresh(self) -> None:
        """Heed files that are new, changed or gone."""
        stamps = _stamps(self._folder)
        if stamps == self._stamps:
            return
        for file, stamp in stamps.items():
            if self._stamps.get(file) != stamp:
                self._read(file)
        for file in set(self._files) - set(stamps):
            del self._files[file]
            log.info("field map %s is gone", file)
        self._stamps = stamps
        self._maps = {each.tool: each for each in self._files.values()}

    def _read(self, file: Path) -> None:
        try:
            read = load_field_map(file, self._compiler)
            self._refuse_misfit(file, read)
        except MapFileFault as fault:
            log.warning("the field map in force stays: %s", fault)
        else:
            self._files[file] = read
            log.info("field map %s was read again", file)

    def _refuse_misfit(self, file: Path, read: FieldMap) -> None:
        if read.tool not in self._tools:
            raise MapFileFault(file, f"there is no tool {read.tool!r}", 1, "/tool")
        if any(other != file and each.tool == read.tool for other, each in self._files.items()):
            reason = f"another file of this folder maps the tool {read.tool!r} too"
            raise MapFileFault(file, reason, 1, "/tool")


def _stamps(folder: Path) -> dict[Path, _Stamp]:
    """When each file was last written, and its size; one that goes meanwhile is left out."""
    stamps: dict[Path, _Stamp] = {}
    for file in map_files(folder):
        try:
            found = file.stat()
        except FileNotFoundError:
            continue
        stamps[file] = found.st_mtime_ns, found.st_size
    return stamps
