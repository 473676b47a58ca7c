from typing import Any

from app.display.map_check import Severity, check
from app.display.map_draft import draft
from app.tools.map_files import map_compiler

STRING: dict[str, Any] = {"type": "string"}
NESTED: dict[str, Any] = {"type": "object", "properties": {"a": STRING, "b": STRING}}


def test_a_draft_hides_everything_and_needs_no_error_mended() -> None:
    schema: dict[str, Any] = {
        "$defs": {"tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}},
        "type": "object",
        "properties": {
            "title": STRING,
            "group": NESTED,
            "lines": {"type": "array", "items": NESTED},
            "tags": {"type": "array", "items": STRING},
            "tree": {"$ref": "#/$defs/tree"},
        },
        "required": ["title"],
    }
    drafted = draft("create_ticket", schema)
    assert drafted["label"] == "Create ticket"
    assert drafted["display"]["title"] == {"hidden": True}
    assert drafted["display"]["lines"]["items"]["fields"]["a"] == {"hidden": True}
    field_map = map_compiler().compile(drafted)
    assert field_map.display.members == {}
    assert not [found for found in check(field_map) if found.severity is Severity.ERROR]
