"""What a result may show: rows by its own map, and a summary line.

A result comes whole and has no schema, so its map's entries are taken at their word, and a bare
entry also stands for an array of bare values.
"""

import re
from collections.abc import Iterable, Iterator

from app.calls.json_types import JsonValue, Path
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.tree import Array, Group, Leaf, Node, nodes_along
from app.display.view import Row, RowStatus

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
"""A dotted path to a result field, in a summary."""


def result_rows(field_map: FieldMap, result: JsonValue, formats: Formats) -> tuple[Row, ...]:
    """The rows of a result's shown leaves that it has, in display order."""
    return tuple(_rows(field_map.result, result, (), formats))


def result_headings(field_map: FieldMap, rows: Iterable[Row]) -> tuple[tuple[Path, str], ...]:
    """The labels of the objects and arrays that hold the rows, by path, outermost first."""
    found: dict[Path, str] = {}
    for row in rows:
        for length in range(1, len(row.path)):
            path = row.path[:length]
            if isinstance(path[-1], str) and path not in found:
                nodes = nodes_along(field_map.result, path)
                found[path] = nodes[-1].label if nodes else ""
    return tuple(found.items())


def summary(field_map: FieldMap, result: JsonValue, formats: Formats) -> str | None:
    """The summary line, or None where the map has none or nothing of it could be filled in.

    A place that names no shown leaf, or one that the result does not have, stays empty.
    """
    template = field_map.summary
    if template is None:
        return None
    filled = [_filled(found[1], field_map, result, formats) for found in placeholders(template)]
    if filled and not any(filled):
        return None
    texts = iter(filled)
    return PLACEHOLDER.sub(lambda _: next(texts), template).strip() or None


def placeholders(template: str) -> list[re.Match[str]]:
    """The places of a summary that are filled in."""
    return list(PLACEHOLDER.finditer(template))


def summarised(field_map: FieldMap, name: str) -> Leaf | None:
    """The shown leaf that a placeholder names, or None."""
    node: Node = field_map.result
    for step in name.split("."):
        if not isinstance(node, Group) or step not in node.members:
            return None
        node = node.members[step]
    return node if isinstance(node, Leaf) else None


def _filled(name: str, field_map: FieldMap, result: JsonValue, formats: Formats) -> str:
    leaf = summarised(field_map, name)
    value: JsonValue = result
    for step in name.split("."):
        if not isinstance(value, dict):
            return ""
        value = value.get(step)
    if leaf is None or value is None or isinstance(value, dict | list):
        return ""
    return formats.shown(value, leaf.format, leaf.currency)


def _rows(node: Node, value: JsonValue, path: Path, formats: Formats) -> Iterator[Row]:
    match node:
        case Group(members=members) if isinstance(value, dict):
            for name, member in members.items():
                if name in value:
                    yield from _rows(member, value[name], (*path, name), formats)
        case Array(element=element) if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _rows(element, item, (*path, index), formats)
        case Leaf() if isinstance(value, list):
            for index, item in enumerate(value):
                if not isinstance(item, list):
                    yield from _rows(node, item, (*path, index), formats)
        case Leaf() if not isinstance(value, dict | list):
            text = formats.shown(value, node.format, node.currency)
            yield Row(path, node.label, text, RowStatus.SETTLED, node.kind)
        case _:
            return
