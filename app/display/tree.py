"""The shown part of a document, as a tree: what is not in it is hidden.

The tree is compiled once from a map's display entries and the schema they speak of. An entry that
cannot be shown (hidden, unnamed in the schema, without a label, an object without ``fields``) gets
no node, so there is nothing by which its value could come out; all but the first are problems that
``formwork check`` lists.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.calls.json_types import Path
from app.display.formats import Format
from app.display.schema_reading import Schema, SchemaReader
from app.display.view import RowKind


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field whose scalar value shows. ``place`` is its index among its parent's members."""

    label: str
    place: int
    required: bool
    format: Format | None = None
    currency: str | None = None
    streams: bool = False
    editable: bool = False

    @property
    def kind(self) -> RowKind:
        """How much room its value asks for."""
        if self.format is Format.CODE:
            return RowKind.CODE
        if self.streams or self.format is Format.MULTILINE:
            return RowKind.PROSE
        return RowKind.LINE


@dataclass(frozen=True, slots=True)
class Group:
    """A nested object with its shown members, in display order."""

    label: str
    place: int
    required: bool
    members: Mapping[str, "Node"]


@dataclass(frozen=True, slots=True)
class Array:
    """An array; ``element`` is the shape of each of its elements."""

    label: str
    place: int
    required: bool
    element: "Node"


Node: TypeAlias = Leaf | Group | Array


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a map that cannot work. ``pointer`` is a JSON pointer into the map's document.

    A ``refused`` one stops the map from being used: it would show what must not be shown.
    """

    pointer: str
    text: str
    refused: bool = False


NOT_STREAMED = frozenset({"enum", "const", "format", "pattern"})
"""Keywords of a value that means something only when whole (design, section 5)."""

_STRING, _ARRAY, _OBJECT = frozenset({"string"}), frozenset({"array"}), frozenset({"object"})

_CONTAINERS = _ARRAY | _OBJECT

_STREAMED_FORMATS = (None, Format.CODE, Format.MULTILINE)


class TreeCompiler:
    """Compiles display entries into a tree, and collects what is wrong with them.

    ``document`` is the JSON Schema of the whole; None for results, which have no schema, so that
    any entry is taken at its word and a bare entry also stands for an array of bare values.
    """

    def __init__(self, document: Schema | None) -> None:
        self._reader = SchemaReader(document or {})
        self._knows = document is not None
        self.problems: list[Problem] = []

    def group(
        self, entries: Mapping[str, Any], schema: Schema, pointer: str, label: str = ""
    ) -> Group:
        """The group of an object's entries; ``pointer`` leads to ``entries``."""
        members = self._reader.members(schema)
        required = self._reader.required(schema)
        order = {name: index for index, name in enumerate(members if self._knows else entries, 1)}
        known: list[tuple[str, Any]] = []
        for name, entry in entries.items():
            if name in order:
                known.append((name, entry))
            else:
                self._complain(_child(pointer, name), f"there is no field {name!r}")
        known.sort(key=lambda named: (named[1].get("order", order[named[0]]), order[named[0]]))
        nodes: dict[str, Node] = {}
        for name, entry in known:
            where = _child(pointer, name)
            if self._is_shown(entry, where):
                slot = _Slot(entry["label"], len(nodes), name in required)
                node = self._node(entry, members.get(name, {}), where, slot)
                if node is not None:
                    nodes[name] = node
        return Group(label, 0, False, nodes)

    def _is_shown(self, entry: Mapping[str, Any], pointer: str) -> bool:
        if entry.get("hidden", False):
            if entry.get("editable", False):
                self._complain(pointer, "is editable, but hidden: nobody edits what is not shown")
            return False
        if "label" not in entry:
            self._complain(pointer, "a field that is shown needs a label; hidden until it has one")
            return False
        return True

    def _node(
        self, entry: Mapping[str, Any], schema: Schema, pointer: str, slot: "_Slot"
    ) -> Node | None:
        kinds = self._reader.kinds(schema)
        if entry.get("editable", False):
            self._check_editable(entry, kinds, pointer)
        if "fields" in entry:
            if kinds and "object" not in kinds:
                return self._complain(pointer, "has fields, but the schema says it is no object")
            inner = self.group(entry["fields"], schema, f"{pointer}/fields", slot.label)
            return Group(slot.label, slot.place, slot.required, inner.members)
        if "items" in entry or kinds == _ARRAY:
            return self._array(entry, schema, pointer, slot)
        if kinds == _OBJECT:
            return self._complain(pointer, "is an object: name what is shown of it in fields")
        return self._leaf(entry, schema, pointer, slot)

    def _check_editable(
        self, entry: Mapping[str, Any], kinds: frozenset[str], pointer: str
    ) -> None:
        if not self._knows:
            self._complain(pointer, "is editable, but part of a result: that has happened")
        elif "fields" in entry or "items" in entry or kinds & _CONTAINERS:
            self._complain(pointer, "is editable, but no single value: say it of its fields")

    def _array(
        self, entry: Mapping[str, Any], schema: Schema, pointer: str, slot: "_Slot"
    ) -> Node | None:
        kinds = self._reader.kinds(schema)
        if kinds and "array" not in kinds:
            return self._complain(pointer, "has items, but the schema says it is no array")
        where = f"{pointer}/items" if "items" in entry else pointer
        inner = _Slot(slot.label, 0, False)
        element = self._node(
            entry.get("items", _bare(entry)), self._reader.element(schema), where, inner
        )
        return element and Array(slot.label, slot.place, slot.required, element)

    def _leaf(
        self, entry: Mapping[str, Any], schema: Schema, pointer: str, slot: "_Slot"
    ) -> Leaf | None:
        streams = entry.get("mode") == "stream"
        form = Format(entry["format"]) if "format" in entry else None
        if streams and (why := self._why_not_streamed(schema, form)):
            return self._complain(pointer, why, refused=True)
        if form is not None and (why := _why_not_formatted(form, self._reader.kinds(schema))):
            self._complain(pointer, why)
        return Leaf(
            slot.label,
            slot.place,
            slot.required,
            form,
            entry.get("currency"),
            streams,
            entry.get("editable", False),
        )

    def _why_not_streamed(self, schema: Schema, form: Format | None) -> str | None:
        if not self._knows:
            return "mode stream: a result comes whole"
        if self._reader.kinds(schema) != _STRING:
            return "mode stream is for strings alone"
        if word := self._reader.has(schema, NOT_STREAMED):
            return f"mode stream: a value with {word!r} means something only when it is whole"
        if form not in _STREAMED_FORMATS:
            return f"mode stream: the format {form} needs the whole value"
        return None

    def _complain(self, pointer: str, text: str, *, refused: bool = False) -> None:
        self.problems.append(Problem(pointer, text, refused))


@dataclass(frozen=True, slots=True)
class _Slot:
    label: str
    place: int
    required: bool


_FORMAT_KINDS: Mapping[Format, frozenset[str]] = {
    Format.TITLE_CASE: frozenset({"string"}),
    Format.NUMBER: frozenset({"number", "integer", "string"}),
    Format.CURRENCY: frozenset({"number", "integer", "string"}),
    Format.DATE: frozenset({"string"}),
    Format.DATETIME: frozenset({"string"}),
    Format.YES_NO: frozenset({"boolean"}),
}


def _why_not_formatted(form: Format, kinds: frozenset[str]) -> str | None:
    meant = _FORMAT_KINDS.get(form, kinds)
    if kinds and not kinds & meant:
        return f"the format {form} never fits a value of type {', '.join(sorted(kinds))}"
    return None


def _bare(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a bare array's elements: what the array's own says of its values."""
    return {word: entry[word] for word in ("mode", "format", "currency") if word in entry}


def _child(pointer: str, name: str) -> str:
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"


def nodes_along(root: Group, path: Path) -> list[Node] | None:
    """The nodes that a path passes, its own last; None where the path is not shown."""
    node: Node = root
    passed: list[Node] = []
    for step in path:
        below = _below(node, step)
        if below is None:
            return None
        passed.append(below)
        node = below
    return passed


def _below(node: Node, step: str | int) -> Node | None:
    match node:
        case Group(members=members) if isinstance(step, str):
            return members.get(step)
        case Array(element=element) if isinstance(step, int):
            return element
        case _:
            return None


def leaves(node: Node) -> Iterator[Leaf]:
    """Every leaf below a node."""
    match node:
        case Leaf():
            yield node
        case Array(element=element):
            yield from leaves(element)
        case Group(members=members):
            for member in members.values():
                yield from leaves(member)
