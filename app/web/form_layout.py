"""The rows of a call in the places of its frame: a tree that a template can walk.

Slots know no indexes (see :mod:`app.display.frame`), so only the last step of a slot's path is
read, and the path of a row is made while walking.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from app.calls.json_types import Path
from app.display.frame import ANY_INDEX
from app.display.view import Row, Slot


class RowWithoutSlot(Exception):
    """A row that its call's frame has no place for."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """The room of one value; ``row`` is None until something of it shows."""

    slot: Slot
    path: Path
    row: Row | None


@dataclass(frozen=True, slots=True)
class Group:
    """A nested object."""

    slot: Slot
    path: Path
    places: tuple["Place", ...]


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an array: an object with places of its own, or one place at the same path."""

    path: Path
    places: tuple["Place", ...]


@dataclass(frozen=True, slots=True)
class Series:
    """An array: it starts empty and only grows."""

    slot: Slot
    path: Path
    elements: tuple[Element, ...]

    @property
    def bare(self) -> bool:
        """Whether its elements are single values, as far as can be told before there is one."""
        return not self.slot.members and all(
            isinstance(place, Leaf) and place.path == element.path
            for element in self.elements
            for place in element.places
        )


Place: TypeAlias = Leaf | Group | Series


def lay_out(frame: Sequence[Slot], rows: Mapping[Path, Row]) -> tuple[Place, ...]:
    """The frame with its rows in place; raises :class:`RowWithoutSlot`."""
    places = _Layout(rows).places(frame, ())
    homeless = set(rows).difference(_filled(places))
    if homeless:
        raise RowWithoutSlot(f"the frame has no place for {homeless}")
    return places


def arrange(rows: Sequence[Row], headings: Mapping[Path, str]) -> tuple[Place, ...]:
    """Rows that came whole, in display order, within the objects and arrays that hold them."""
    return _arranged(rows, headings, ())


def _arranged(rows: Sequence[Row], headings: Mapping[Path, str], base: Path) -> tuple[Place, ...]:
    return tuple(
        _arranged_place(path, list(held), headings)
        for path, held in groupby(rows, lambda row: row.path[: len(base) + 1])
    )


def _arranged_place(path: Path, rows: Sequence[Row], headings: Mapping[Path, str]) -> Place:
    first = rows[0]
    if first.path == path:
        return Leaf(Slot(path, first.label, first.kind), path, first)
    slot = Slot(path, headings.get(path, ""))
    if isinstance(first.path[len(path)], str):
        return Group(slot, path, _arranged(rows, headings, path))
    elements = groupby(rows, lambda row: row.path[: len(path) + 1])
    return Series(
        slot,
        path,
        tuple(_arranged_element(at, list(held), headings) for at, held in elements),
    )


def _arranged_element(path: Path, rows: Sequence[Row], headings: Mapping[Path, str]) -> Element:
    inner = rows[0].path[len(path) :]
    if inner and isinstance(inner[0], str):
        return Element(path, _arranged(rows, headings, path))
    return Element(path, (_arranged_place(path, rows, headings),))


def element_at(frame: Sequence[Slot], rows: Mapping[Path, Row], path: Path) -> Element:
    """The array element at a path that ends with its index; raises :class:`RowWithoutSlot`."""
    return _Layout(rows).element(_array_at(frame, path[:-1]), path)


def element_paths(path: Path) -> Iterator[Path]:
    """The array elements that a path leads through, outermost first."""
    for length, step in enumerate(path, start=1):
        if isinstance(step, int):
            yield path[:length]


def elements_of(rows: Iterable[Path]) -> set[Path]:
    """The array elements that have a row."""
    return {element for path in rows for element in element_paths(path)}


class _Layout:
    def __init__(self, rows: Mapping[Path, Row]) -> None:
        self._rows = rows
        self._indexes: dict[Path, list[int]] = {}
        for element in sorted(elements_of(rows), key=_index):
            self._indexes.setdefault(element[:-1], []).append(_index(element))

    def places(self, slots: Sequence[Slot], base: Path) -> tuple[Place, ...]:
        return tuple(self._place(slot, (*base, slot.path[-1])) for slot in slots)

    def element(self, slot: Slot, path: Path) -> Element:
        inner = _inner_array(slot)
        if inner is not None:
            return Element(path, (self._series(inner, path),))
        if slot.members:
            return Element(path, self.places(slot.members, path))
        return Element(path, (Leaf(slot, path, self._rows.get(path)),))

    def _place(self, slot: Slot, path: Path) -> Place:
        if slot.repeated:
            return self._series(slot, path)
        if slot.members:
            return Group(slot, path, self.places(slot.members, path))
        return Leaf(slot, path, self._rows.get(path))

    def _series(self, slot: Slot, path: Path) -> Series:
        indexes = self._indexes.get(path, ())
        return Series(slot, path, tuple(self.element(slot, (*path, at)) for at in indexes))


def _index(element: Path) -> int:
    index = element[-1]
    assert isinstance(index, int)
    return index


def _array_at(frame: Sequence[Slot], path: Path) -> Slot:
    """The repeated slot of the array that a row's path leads to."""
    members, found = frame, None
    for step in path:
        if isinstance(step, int):
            found = _inner_array(found) or found if found else None
        else:
            found = next((slot for slot in members if slot.path[-1] == step), None)
        if found is None:
            break
        members = found.members
    if found is None or not found.repeated:
        raise RowWithoutSlot(f"the frame has no place for elements of {path}")
    return found


def _inner_array(slot: Slot) -> Slot | None:
    """The slot of an element that is an array itself, or None."""
    if slot.repeated and len(slot.members) == 1:
        member = slot.members[0]
        if member.repeated and member.path == (*slot.path, ANY_INDEX):
            return member
    return None


def _filled(places: Sequence[Place]) -> Iterator[Path]:
    for place in places:
        match place:
            case Leaf(path=path, row=row):
                if row is not None:
                    yield path
            case Group(places=inner):
                yield from _filled(inner)
            case Series(elements=elements):
                for element in elements:
                    yield from _filled(element.places)
