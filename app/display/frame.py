"""The frame of a call's block: every place a value may take, known before any value.

Paths are those of the rows, with ``"*"`` where a row has an array's index: the rows
``("lines", 0, "sku")`` and ``("lines", 1, "sku")`` belong to the slot ``("lines", "*", "sku")``,
which is a member of the repeated slot ``("lines",)``. The elements of a repeated slot without
members are bare values, with rows such as ``("tags", 0)``. Where an array's elements are arrays
themselves, its one member is the inner repeated slot, ``("matrix", "*")``.
"""

from app.calls.json_types import Path
from app.display.field_map import FieldMap
from app.display.tree import Array, Group, Leaf, Node
from app.display.view import RowKind, Slot

ANY_INDEX = "*"


def frame(field_map: FieldMap) -> tuple[Slot, ...]:
    """The slots of every declared and shown field, in display order; hidden ones have none."""
    return _members(field_map.display, ())


def _members(group: Group, path: Path) -> tuple[Slot, ...]:
    return tuple(_slot(node, (*path, name)) for name, node in group.members.items())


def _slot(node: Node, path: Path) -> Slot:
    match node:
        case Leaf():
            return Slot(path, node.label, node.kind, node.required)
        case Group():
            return Slot(path, node.label, required=node.required, members=_members(node, path))
        case Array():
            kind, members = _element(node.element, (*path, ANY_INDEX))
            return Slot(path, node.label, kind, node.required, True, members)


def _element(element: Node, path: Path) -> tuple[RowKind, tuple[Slot, ...]]:
    match element:
        case Leaf():
            return element.kind, ()
        case Group():
            return RowKind.LINE, _members(element, path)
        case Array():
            return RowKind.LINE, (_slot(element, path),)
