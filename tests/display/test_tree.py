from typing import Any

import pytest

from app.calls.json_types import Path
from app.display.field_map import FieldMap
from app.display.formats import Format
from app.display.tree import Array, Group, Leaf, leaves, nodes_along
from tests.display.maps import compiled

STRING: dict[str, Any] = {"type": "string"}
NESTED: dict[str, Any] = {"type": "object", "properties": {"a": STRING, "b": STRING}}


@pytest.fixture
def nested() -> FieldMap:
    return compiled(
        {"group": NESTED, "lines": {"type": "array", "items": NESTED}, "hidden": NESTED},
        {
            "group": {"label": "Group", "fields": {"a": {"label": "A", "editable": True}}},
            "lines": {
                "label": "Lines",
                "order": 0,
                "items": {"fields": {"b": {"label": "B", "format": "code"}}},
            },
            "hidden": {"hidden": True, "fields": {"a": {"label": "A"}}},
        },
        required=("group",),
    )


def test_the_tree_holds_what_is_shown_and_nothing_else(nested: FieldMap) -> None:
    assert nested.display.members == {
        "lines": Array(
            "Lines",
            0,
            False,
            Group("Lines", 0, False, {"b": Leaf("B", 0, False, Format.CODE)}),
        ),
        "group": Group("Group", 1, True, {"a": Leaf("A", 0, False, editable=True)}),
    }
    assert [leaf.label for leaf in leaves(nested.display)] == ["B", "A"]


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ((), []),
        (("group",), ["Group"]),
        (("group", "a"), ["Group", "A"]),
        (("lines", 7, "b"), ["Lines", "Lines", "B"]),
        (("group", "b"), None),
        (("group", 0), None),
        (("lines", "b"), None),
        (("lines", "0", "b"), None),
        (("lines", 0, "a"), None),
        (("group", "a", "x"), None),
        (("hidden",), None),
        (("hidden", "a"), None),
        ((0,), None),
    ],
)
def test_a_path_leads_to_its_nodes_or_nowhere(
    nested: FieldMap, path: Path, labels: list[str] | None
) -> None:
    nodes = nodes_along(nested.display, path)
    assert (None if nodes is None else [node.label for node in nodes]) == labels
