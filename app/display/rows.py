"""Rows of one call: what a parser reports and a field map lets through.

- Only what the map's tree names is ever read; a value whose kind is not the tree's (an object
  where a leaf is declared, a scalar where a group is) shows nothing.
- A declared leaf shows its label as soon as its key is whole, and its value once that has
  settled. An element that is a bare value has no key, so it joins when it settles.
- A streamed string grows by what is certain, and ends as exactly the text that it grew to.
- A change costs the depth of its path and one search for its place, however many rows there are.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from app.calls.argument_changes import Change, Grew, Opened, Settled, SettledValue
from app.calls.json_types import Path
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.graphemes import Held
from app.display.places import Places, place_keys
from app.display.tree import Leaf, Node, nodes_along
from app.display.view import Row, RowStatus
from app.display.visible import visible


@dataclass(frozen=True, slots=True)
class RowPut:
    """A row that is new or has a new status; ``place`` is its index in display order now."""

    row: Row
    place: int


@dataclass(frozen=True, slots=True)
class RowExtended:
    """Text to append to a streaming row."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class RowTaken:
    """A writing mark is taken back: its value turned out to be nothing that is shown."""

    path: Path


RowEdit: TypeAlias = RowPut | RowExtended | RowTaken


class _OpenLeaf:
    """A shown leaf that is being written."""

    def __init__(self, path: Path, leaf: Leaf, nodes: list[Node]) -> None:
        self.path = path
        self.leaf = leaf
        self.keys = place_keys(path, nodes)
        self.held = Held()
        self.pieces: list[str] = []
        self.length = 0

    def grow(self, text: str) -> str:
        """Take streamed text; return what of it may show now."""
        fresh = visible(self.held.add(text))
        if fresh:
            self.pieces.append(fresh)
            self.length += len(fresh)
        return fresh


class CallRows:
    """Turns the changes of one call's arguments into edits of its rows.

    Without a map nothing is ever shown. ``formats`` are those of the viewer's locale.
    """

    def __init__(self, field_map: FieldMap | None, formats: Formats) -> None:
        self._root = None if field_map is None else field_map.display
        self._formats = formats
        self._rows: dict[Path, Row] = {}
        self._places = Places()
        self._open: dict[Path, _OpenLeaf] = {}
        """One in a text; a dialect that sends values by pieces may have several."""

    @property
    def rows(self) -> list[Row]:
        """All rows in display order, a streaming one with its text so far."""
        self._gather()
        return [self._rows[path] for path in self._places]

    def take(self, changes: Iterable[Change]) -> list[RowEdit]:
        """The edits that follow from changes, in order."""
        if self._root is None:
            return []
        return [edit for change in changes for edit in self._take_one(change)]

    def _take_one(self, change: Change) -> Iterator[RowEdit]:
        match change:
            case Opened(path=path):
                yield from self._opened(path)
            case Grew(path=path, text=text):
                if opened := self._open.get(path):
                    yield from self._grew(opened, text)
            case Settled(path=path, value=value):
                if opened := self._open.pop(path, None):
                    yield from self._settled(opened, value)

    def _opened(self, path: Path) -> Iterator[RowEdit]:
        if around := self._open.pop(path[:-1], None):
            # Something opened within it, so it is a container and no leaf.
            yield from self._take_back(around)
        assert self._root is not None
        nodes = nodes_along(self._root, path)
        if not nodes or not isinstance(nodes[-1], Leaf):
            return
        self._open[path] = opened = _OpenLeaf(path, nodes[-1], nodes)
        if isinstance(path[-1], str):
            yield self._put(opened, "", RowStatus.WRITING)

    def _grew(self, opened: _OpenLeaf, text: str) -> Iterator[RowEdit]:
        if not opened.leaf.streams:
            return
        is_first = not opened.length
        fresh = opened.grow(text)
        if not fresh:
            return
        if is_first:
            yield self._put(opened, fresh, RowStatus.STREAMING)
        else:
            yield RowExtended(opened.path, fresh)

    def _settled(self, opened: _OpenLeaf, value: SettledValue) -> Iterator[RowEdit]:
        if isinstance(value, dict | list):
            yield from self._take_back(opened)
            return
        text = self._formats.shown(value, opened.leaf.format, opened.leaf.currency)
        if opened.length and len(text) > opened.length:
            yield RowExtended(opened.path, text[opened.length :])
        yield self._put(opened, text, RowStatus.SETTLED)

    def _put(self, opened: _OpenLeaf, text: str, status: RowStatus) -> RowPut:
        path = opened.path
        known = self._rows.get(path)
        if known is None:
            place = self._places.add(opened.keys, path)
            confined = place < len(self._rows)
            row = Row(path, opened.leaf.label, text, status, opened.leaf.kind, confined)
        else:
            place = self._places.of(opened.keys)
            row = replace(known, text=text, status=status)
        self._rows[path] = row
        return RowPut(row, place)

    def _take_back(self, opened: _OpenLeaf) -> Iterator[RowEdit]:
        if self._rows.pop(opened.path, None) is not None:
            self._places.remove(opened.keys)
            yield RowTaken(opened.path)

    def _gather(self) -> None:
        """Join the text of what streams; only when somebody asks for it whole."""
        for path, opened in self._open.items():
            if opened.length:
                text = "".join(opened.pieces)
                opened.pieces = [text]
                self._rows[path] = replace(self._rows[path], text=text)
