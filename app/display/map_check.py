"""What ``formwork check`` says of a map beside whether it can be used at all.

An error is something that would show nothing, or something untrue; a review task is a decision
that nobody has taken yet: a field that the schema has and the map does not name stays hidden.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.display.exact_schema import pointer_of
from app.display.field_map import Approver, FieldMap
from app.display.labels import untrue
from app.display.marks import Mark, marked
from app.display.results import placeholders, summarised
from app.display.schema_cycles import endless, recursive
from app.display.schema_reading import Schema, SchemaReader


class Severity(StrEnum):
    ERROR = "error"
    REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a map. ``pointer`` is a JSON pointer into its document."""

    severity: Severity
    pointer: str
    text: str


def check(field_map: FieldMap, accepted: Schema | None = None) -> list[Finding]:
    """Everything that is wrong with a map or waits for a decision, errors first.

    ``accepted`` is the JSON Schema of what the tool itself takes, where it is known: the map's
    own schema is compared with it.
    """
    findings = [
        *(Finding(Severity.ERROR, each.pointer, each.text) for each in field_map.problems),
        *_labels(field_map),
        *_orders(field_map),
        *_cycles(field_map),
        *_streams(field_map),
        *_summary(field_map),
        *_consent(field_map),
        *(_agreement(field_map, accepted) if accepted is not None else ()),
        *_unmapped(field_map),
    ]
    return sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR)


def _labels(field_map: FieldMap) -> Iterator[Finding]:
    """A label stands beside every state, so it may claim none."""
    labels = [("/label", field_map.label)]
    for pointer, _, entry in _entries(field_map):
        if "label" in entry and not entry.get("hidden", False):
            labels.append((f"{pointer}/label", entry["label"]))
    for pointer, label in labels:
        if why := untrue(label):
            yield Finding(Severity.ERROR, pointer, f"{label!r} {why}")
        unseen = "".join(each.source for each in marked(label) if each.kind in _UNSEEN)
        if unseen:
            codes = " ".join(dict.fromkeys(f"U+{ord(character):04X}" for character in unseen))
            text = f"the label holds what cannot be seen, or reorders it: {codes}"
            yield Finding(Severity.ERROR, pointer, text)


def _orders(field_map: FieldMap) -> Iterator[Finding]:
    """Two fields of one place would stand in an order that nobody chose."""
    for entries, pointer in _groups(field_map):
        taken: dict[Any, str] = {}
        for name, entry in entries.items():
            order = entry.get("order")
            if order is None or entry.get("hidden", False):
                continue
            if order in taken:
                text = f"{name!r} has the order of {taken[order]!r}, {order}"
                yield Finding(Severity.ERROR, f"{pointer}{pointer_of([name])}/order", text)
            taken.setdefault(order, name)


def _cycles(field_map: FieldMap) -> Iterator[Finding]:
    for pointer, target in endless(field_map.parameters):
        text = f"{target!r} leads back here: no value can be held against it"
        yield Finding(Severity.ERROR, f"/parameters{pointer}", text)
    for pointer, target in recursive(field_map.parameters):
        text = f"{target!r} leads to what it is a part of: a map shows the levels it names, no more"
        yield Finding(Severity.REVIEW, f"/parameters{pointer}", text)


_UNSEEN = frozenset({Mark.INVISIBLE, Mark.BIDI})

_IDENTIFIERS = re.compile(
    r"(?:^|_)(?:ids?|uuid|guid|key|number|no|code|ref|reference|sku|iban|account|token|e?mail|phone"
    r"|url|uri|link|path|file|filename|recipients?|to|cc|bcc|address|date|time)$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def _streams(field_map: FieldMap) -> Iterator[Finding]:
    for pointer, name, entry in _entries(field_map):
        snake = _HUMP.sub("_", name).lower().replace("-", "_")
        if entry.get("mode") == "stream" and _IDENTIFIERS.search(snake):
            text = f"{name!r} names a thing: half of it names another, so it cannot stream"
            yield Finding(Severity.ERROR, f"{pointer}/mode", text)


def _summary(field_map: FieldMap) -> Iterator[Finding]:
    for place in placeholders(field_map.summary or ""):
        if summarised(field_map, place[1]) is None:
            text = f"{place[0]} is no shown field of the result; it stays empty"
            yield Finding(Severity.ERROR, "/result/summary", text)


def _consent(field_map: FieldMap) -> Iterator[Finding]:
    """A person who approves must see what they approve, and only who approves can edit."""
    approval = field_map.approval
    if approval is None:
        for pointer, name, entry in _entries(field_map):
            if entry.get("editable", False):
                text = f"{name!r} is editable, but no approval is asked, so nobody can edit it"
                yield Finding(Severity.ERROR, f"{pointer}/editable", text)
    if approval is None or approval.by is not Approver.USER:
        return
    reader = SchemaReader(field_map.parameters)
    shown = field_map.document["display"]
    yield from _unseen(reader, field_map.parameters, shown, "/display")


def _unseen(
    reader: SchemaReader, schema: Schema, entries: Mapping[str, Any], pointer: str
) -> Iterator[Finding]:
    members = reader.members(schema)
    for name in sorted(reader.required(schema)):
        entry = entries.get(name, {"hidden": True})
        where = pointer + pointer_of([name])
        if entry.get("hidden", False) or "label" not in entry:
            text = f"{name!r} is required and hidden, yet the user is asked to approve it"
            yield Finding(Severity.ERROR, where, text)
            continue
        inner = members.get(name, {})
        while "items" in entry:
            entry, inner, where = entry["items"], reader.element(inner), f"{where}/items"
        if "fields" in entry:
            yield from _unseen(reader, inner, entry["fields"], f"{where}/fields")


def _agreement(field_map: FieldMap, accepted: Schema) -> Iterator[Finding]:
    ours, theirs = SchemaReader(field_map.parameters), SchemaReader(accepted)
    told, taken = ours.members(field_map.parameters), theirs.members(accepted)
    for name in told:
        if name not in taken and accepted.get("additionalProperties") is False:
            text = f"the tool takes no {name!r}"
            yield Finding(Severity.ERROR, f"/parameters/properties{pointer_of([name])}", text)
    for name in sorted(theirs.required(accepted) - ours.required(field_map.parameters)):
        text = f"the tool needs {name!r}, which the schema does not require"
        yield Finding(Severity.ERROR, "/parameters/required", text)
    for name in taken:
        if name not in told:
            text = f"the tool takes {name!r}, which the model is not told of"
            yield Finding(Severity.REVIEW, "/parameters/properties", text)


def _unmapped(field_map: FieldMap) -> Iterator[Finding]:
    reader = SchemaReader(field_map.parameters)
    shown = field_map.document["display"]
    yield from _undecided(reader, field_map.parameters, shown, "/display")


def _undecided(
    reader: SchemaReader, schema: Schema, entries: Mapping[str, Any], pointer: str
) -> Iterator[Finding]:
    for name, member in reader.members(schema).items():
        where = pointer + pointer_of([name])
        entry = entries.get(name)
        if entry is None:
            yield Finding(Severity.REVIEW, where, f"{name!r} is not named, and so hidden")
            continue
        while "items" in entry:
            entry, member, where = entry["items"], reader.element(member), f"{where}/items"
        if "fields" in entry:
            yield from _undecided(reader, member, entry["fields"], f"{where}/fields")


def _entries(field_map: FieldMap) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every display entry: its pointer, its field's name and itself. Elements have the array's."""
    document = field_map.document
    yield from _below(document["display"], "/display")
    yield from _below(document.get("result", {}).get("display", {}), "/result/display")


def _below(
    entries: Mapping[str, Any], pointer: str
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for name, entry in entries.items():
        where = pointer + pointer_of([name])
        yield where, name, entry
        while "items" in entry:
            entry, where = entry["items"], f"{where}/items"
            yield where, name, entry
        if "fields" in entry:
            yield from _below(entry["fields"], f"{where}/fields")


def _groups(field_map: FieldMap) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Entries that stand side by side, and their pointer."""
    document = field_map.document
    yield document["display"], "/display"
    result = document.get("result", {}).get("display", {})
    yield result, "/result/display"
    for pointer, _, entry in _entries(field_map):
        if "fields" in entry:
            yield entry["fields"], f"{pointer}/fields"
