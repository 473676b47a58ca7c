"""Arguments shown whole, for a person who approves them: every value, exact, in a fixed order.

What stands in the rows is the value that the strict parse gave, and so what will run: a number has
its literal text, a string is all there, and nothing in it is unseen (:mod:`app.display.marks`).
Where the map's format says a value differently, that stands beside it and never in its place.

- Mapped values come first, in display order, under their labels; then the values that the customer
  does not see, in the schema's order, under their names. An operator sees both.
- A person who is asked in the chat sees the first, and how many fields there are of the second.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from app.calls.argument_changes import NumberText
from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject, JsonValue, Path
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.look_alikes import holds_punycode
from app.display.marks import MOST_DRAWN, Mark, Segment, marked
from app.display.places import Keys, place_keys
from app.display.schema_reading import Schema, SchemaReader
from app.display.tree import Array, Group, Leaf, Node, nodes_along
from app.display.whole_rows import Caution, ValueKind, Whole, WholeRow


def whole_for_operator(
    field_map: FieldMap | None, arguments: JsonObject, formats: Formats
) -> Whole:
    """Every value there is. Those that the customer does not see come last, marked as hidden."""
    shown, hidden = _parted(field_map, arguments, formats)
    return Whole((*shown, *hidden))


def whole_for_person(field_map: FieldMap, arguments: JsonObject, formats: Formats) -> Whole:
    """The values that the map shows; of the others, how many fields they are in."""
    shown, hidden = _parted(field_map, arguments, formats)
    return Whole(tuple(shown), len({_without_indexes(row.path) for row in hidden}))


def _parted(
    field_map: FieldMap | None, arguments: JsonObject, formats: Formats
) -> tuple[list[WholeRow], list[WholeRow]]:
    """The rows that the map shows, in display order, and the others, in the schema's."""
    schema: Schema = {} if field_map is None else field_map.parameters
    shown: list[tuple[Keys, WholeRow]] = []
    hidden: list[WholeRow] = []
    for path, value in _values(arguments, schema, SchemaReader(schema), ()):
        nodes = None if field_map is None else nodes_along(field_map.display, path)
        if nodes and _fits(nodes[-1], value):
            shown.append((place_keys(path, nodes), _shown_row(path, nodes, value, formats)))
        else:
            hidden.append(_row(path, _key_name(path), value, hidden=True))
    shown.sort(key=lambda placed: placed[0])
    return [row for _, row in shown], hidden


def _values(
    value: JsonValue, schema: Schema, reader: SchemaReader, path: Path
) -> Iterator[tuple[Path, JsonValue]]:
    """Every value without parts, members in the schema's order and then in their own."""
    if isinstance(value, dict) and value:
        members = reader.members(schema)
        for name in (*(name for name in members if name in value), *_without(value, members)):
            yield from _values(value[name], members.get(name, {}), reader, (*path, name))
    elif isinstance(value, list) and value:
        element = reader.element(schema)
        for index, inner in enumerate(value):
            yield from _values(inner, element, reader, (*path, index))
    elif path:
        yield path, value


def _without(members: JsonObject, known: dict[str, Schema]) -> Iterator[str]:
    return (name for name in members if name not in known)


def _fits(node: Node, value: JsonValue) -> bool:
    """Whether the chat shows such a value there, or would if it had anything in it."""
    match node:
        case Leaf():
            return not isinstance(value, dict | list)
        case Group():
            return value == {}
        case Array():
            return value == []


def _shown_row(path: Path, nodes: list[Node], value: JsonValue, formats: Formats) -> WholeRow:
    row = _row(path, _labels(path, nodes), value, hidden=False)
    leaf = nodes[-1]
    if not isinstance(leaf, Leaf):
        return row
    return replace(row, formatted=_formatted(row, leaf, value, formats), editable=leaf.editable)


def _formatted(row: WholeRow, leaf: Leaf, value: JsonValue, formats: Formats) -> str | None:
    """How the format says the value; nothing for one that it would only smooth over."""
    if any(segment.kind for segment in row.segments):
        return None
    scalar = NumberText(row.exact) if row.kind is ValueKind.NUMBER else value
    assert not isinstance(scalar, dict | list)
    said = formats.shown(scalar, leaf.format, leaf.currency)
    return None if said == row.exact else said


def _row(path: Path, label: str, value: JsonValue, *, hidden: bool) -> WholeRow:
    kind = _kind(value)
    exact = value if isinstance(value, str) else dump_exact(value)
    segments = marked(exact)
    return WholeRow(
        path,
        label,
        segments,
        kind,
        hidden=hidden,
        cautions=tuple(_cautions(path, exact, segments)),
        length=len(exact),
    )


def _kind(value: JsonValue) -> ValueKind:
    match value:
        case str():
            return ValueKind.TEXT
        case bool():
            return ValueKind.BOOLEAN
        case None:
            return ValueKind.NULL
        case dict():
            return ValueKind.EMPTY_OBJECT
        case list():
            return ValueKind.EMPTY_ARRAY
        case _:
            return ValueKind.NUMBER


_BY_MARK = {
    Mark.INVISIBLE: Caution.INVISIBLE,
    Mark.BIDI: Caution.BIDI,
    Mark.MIXED: Caution.MIXED,
    Mark.RIDDLED: Caution.RIDDLED,
}
_GAP = re.compile(rf"(?<=\S)[^\S\n]{{2,}}(?=\S)|\n{{{MOST_DRAWN + 1}}}| {{17}}")


def _cautions(path: Path, exact: str, segments: tuple[Segment, ...]) -> Iterator[Caution]:
    kinds = {segment.kind for segment in segments}
    yield from (caution for kind, caution in _BY_MARK.items() if kind in kinds)
    if exact != exact.strip():
        yield Caution.EDGES
    if _has_gaps(segments):
        yield Caution.GAPS
    if not exact.isascii() and _turns(exact):
        yield Caution.RIGHT_TO_LEFT
    if holds_punycode(exact):
        yield Caution.PUNYCODE
    if any(_is_odd(step) for step in path if isinstance(step, str)):
        yield Caution.NAME


@lru_cache(1024)
def _is_odd(name: str) -> bool:
    return any(segment.kind for segment in marked(name))


def _has_gaps(segments: tuple[Segment, ...]) -> bool:
    """Whether room inside pushes text away; the last piece may be the rest of a riddled value."""
    if any(_is_gap(segment) for segment in segments[1:-1]):
        return True
    return bool(segments) and _GAP.search(segments[-1].source.strip()) is not None


def _is_gap(segment: Segment) -> bool:
    if segment.kind is not Mark.SPACE:
        return False
    return len(segment.source) > (MOST_DRAWN if segment.source[0] == "\n" else 1)


def _turns(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def _labels(path: Path, nodes: list[Node]) -> str:
    return _trail(path, [node.label for node in nodes])


def _key_name(path: Path) -> str:
    return _trail(path, [str(step) for step in path])


def _trail(path: Path, names: Sequence[str]) -> str:
    """The names on the way to a value. An element has its array's, and its number from 1."""
    words: list[str] = []
    for step, name in zip(path, names, strict=True):
        if isinstance(step, int):
            words[-1] += f" {step + 1}"
        else:
            words.append(_seen(name))
    return " \u203a ".join(words)


@lru_cache(1024)
def _seen(name: str) -> str:
    """A name with nothing in it unseen. An array of many elements asks for the same one again."""
    return "".join(segment.text for segment in marked(name))


def _without_indexes(path: Path) -> Path:
    return tuple(step for step in path if isinstance(step, str))
