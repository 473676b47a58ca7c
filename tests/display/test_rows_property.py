"""Rows of random schemas, maps, documents and fragmentations, against what a walk would show."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.calls.json_types import Path
from app.display.view import Row, RowStatus
from app.display.visible import visible
from tests.display.forming import form
from tests.display.maps import compiled

CANARY = "CANARY"

_text = st.text(
    st.one_of(
        st.sampled_from('abc "\\\n\té\u0301\u200d\u202e\U0001f600\U0001f3fd\U0001f1e9'),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)
_canaries = st.recursive(
    st.integers(0, 99).map(lambda number: f"{CANARY}{number}"),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.dictionaries(st.sampled_from("abcd"), inner, min_size=1, max_size=3),
    ),
    max_leaves=4,
)


@dataclass
class Shape:
    """A field as the schema and the map have it; ``entry`` None leaves it unnamed."""

    kind: str
    shown: bool
    named: bool
    order: int | None
    members: dict[str, "Shape"] = field(default_factory=dict[str, "Shape"])
    element: "Shape | None" = None

    def schema(self) -> dict[str, Any]:
        match self.kind:
            case "object":
                properties = {name: member.schema() for name, member in self.members.items()}
                return {"type": "object", "properties": properties}
            case "array":
                assert self.element is not None
                return {"type": "array", "items": self.element.schema()}
            case "string" | "stream":
                return {"type": "string"}
            case _:
                return {}

    def entry(self, label: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"label": label} if label else {}
        if label and not self.shown:
            entry["hidden"] = True
        if label and self.order is not None:
            entry["order"] = self.order
        if self.kind == "object":
            entry["fields"] = self.entries()
        if self.kind == "array":
            assert self.element is not None
            entry["items"] = self.element.entry("")
        if self.kind == "stream":
            entry["mode"] = "stream"
        return entry

    def entries(self) -> dict[str, Any]:
        return {
            name: inner.entry(f"L{name}") for name, inner in self.members.items() if inner.named
        }

    def in_order(self) -> list[str]:
        placed = [
            (index if member.order is None else member.order, index, name)
            for index, (name, member) in enumerate(self.members.items(), 1)
        ]
        return [name for _, _, name in sorted(placed)]


@st.composite
def shapes(draw: st.DrawFn, depth: int = 3) -> Shape:
    kinds = ["string", "stream", "any"] + (["object", "array"] * 2 if depth else [])
    shape = Shape(
        draw(st.sampled_from(kinds)),
        draw(st.integers(0, 3)) > 0,
        draw(st.integers(0, 4)) > 0,
        draw(st.none() | st.integers(0, 5)),
    )
    if shape.kind == "object":
        shape.members = draw(objects(depth - 1))
    if shape.kind == "array":
        shape.element = draw(shapes(depth - 1))
    return shape


@st.composite
def objects(draw: st.DrawFn, depth: int) -> dict[str, Shape]:
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "ä", "x y"]), unique=True, max_size=4))
    return {name: draw(shapes(depth)) for name in names}


@st.composite
def values(draw: st.DrawFn, shape: Shape, *, shown: bool) -> Any:
    """A value for a field: mostly of its shape, and with a canary wherever nothing may show."""
    if not shown:
        return draw(_canaries)
    mismatched = draw(st.integers(0, 9)) == 0
    match shape.kind:
        case "object" if not mismatched:
            return draw(members(shape))
        case "array" if not mismatched:
            assert shape.element is not None
            return draw(st.lists(values(shape.element, shown=True), max_size=3))
        case "object":
            return draw(st.one_of(_canaries.filter(lambda value: not isinstance(value, dict))))
        case "array":
            return draw(st.one_of(_canaries.filter(lambda value: not isinstance(value, list))))
        case _ if mismatched:
            return draw(_canaries.filter(lambda value: not isinstance(value, str)))
        case _:
            return draw(_text | st.booleans() | st.none() | st.integers())


@st.composite
def members(draw: st.DrawFn, shape: Shape) -> dict[str, Any]:
    names = draw(st.permutations([*shape.members, "extra"]))
    chosen = [name for name in names if draw(st.integers(0, 4)) > 0]
    document: dict[str, Any] = {}
    for name in chosen:
        member = shape.members.get(name)
        if member is None:
            document[name] = draw(_canaries)
        else:
            document[name] = draw(values(member, shown=member.shown and member.named))
    return document


def expected(shape: Shape, value: Any, path: Path, label: str) -> Iterator[tuple[Path, str, str]]:
    """What must show of a value in the end: path, label and text, in display order."""
    if shape.kind == "object":
        if isinstance(value, dict):
            for name in shape.in_order():
                inner = shape.members[name]
                if name in value and inner.shown and inner.named:
                    yield from expected(inner, value[name], (*path, name), f"L{name}")
    elif shape.kind == "array":
        assert shape.element is not None
        if isinstance(value, list):
            for index, item in enumerate(value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
                yield from expected(shape.element, item, (*path, index), label)
    elif not isinstance(value, dict | list):
        yield path, label, visible(value if isinstance(value, str) else json.dumps(value))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Shape, Any, list[str]]:
    root = Shape("object", True, True, None, draw(objects(3)))
    document = draw(members(root))
    text = json.dumps(
        document, ensure_ascii=draw(st.booleans()), indent=draw(st.none() | st.just(1))
    )
    cuts = draw(st.lists(st.integers(0, len(text)), max_size=30))
    every = draw(st.booleans())
    ends = list(range(len(text) + 1)) if every else sorted({0, *cuts, len(text)})
    fragments = [text[start:end] for start, end in pairwise(ends)]
    return root, document, fragments


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_rows_show_what_settled_and_nothing_else(case: tuple[Shape, Any, list[str]]) -> None:
    root, document, fragments = case
    field_map = compiled(root.schema()["properties"], root.entries())
    seen = form(field_map, fragments)
    final = list(expected(root, document, (), ""))

    assert [(row.path, row.label, row.text) for row in seen[-1]] == final
    assert all(row.status is RowStatus.SETTLED for row in seen[-1])
    texts = {path: text for path, _, text in final}
    for rows in seen:
        for row in rows:
            _hold(row, texts)


def _hold(row: Row, texts: dict[Path, str]) -> None:
    assert CANARY not in row.text
    match row.status:
        case RowStatus.WRITING:
            assert row.text == ""
        case RowStatus.STREAMING:
            assert row.text
            assert texts[row.path].startswith(row.text)
        case RowStatus.SETTLED:
            assert texts[row.path] == row.text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.sampled_from('{}[]",:\\ntf0-e \n\ud83d'), st.integers(0, 400))
def test_text_that_breaks_shows_nothing_that_was_hidden(
    case: tuple[Shape, Any, list[str]], noise: str, where: int
) -> None:
    # One character cannot move a hidden value to a shown place; more could make another document.
    root, _, fragments = case
    field_map = compiled(root.schema()["properties"], root.entries())
    text = "".join(fragments)
    spoiled = text[:where] + noise + text[where:]
    for rows in form(field_map, spoiled):
        assert not any(CANARY in row.text for row in rows)
