from app.display.frame import frame
from app.display.rows import RowPut
from app.display.view import RowKind, Slot
from tests.display.forming import form
from tests.display.maps import compiled

STRING = {"type": "string"}


def test_every_shown_field_has_its_place_and_no_hidden_one_has() -> None:
    field_map = compiled(
        {
            "title": STRING,
            "hidden": STRING,
            "body": STRING,
            "unnamed": STRING,
            "source": STRING,
            "filter": {"type": "object", "properties": {"since": STRING, "x": STRING}},
            "tags": {"type": "array", "items": STRING},
            "lines": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"sku": STRING, "notes": {"type": "array", "items": STRING}},
                    "required": ["sku"],
                },
            },
            "matrix": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        },
        {
            "title": {"label": "Title"},
            "hidden": {"hidden": True, "label": "no"},
            "body": {"label": "Body", "mode": "stream"},
            "source": {"label": "Source", "format": "code"},
            "filter": {"label": "Filter", "fields": {"since": {"label": "Since"}}},
            "tags": {"label": "Tags", "format": "multiline"},
            "lines": {
                "label": "Lines",
                "items": {"fields": {"sku": {"label": "Article"}, "notes": {"label": "Notes"}}},
            },
            "matrix": {"label": "Matrix", "items": {}},
        },
        required=("title", "lines"),
    )
    line, prose, code = RowKind.LINE, RowKind.PROSE, RowKind.CODE
    assert frame(field_map) == (
        Slot(("title",), "Title", line, required=True),
        Slot(("body",), "Body", prose),
        Slot(("source",), "Source", code),
        Slot(("filter",), "Filter", members=(Slot(("filter", "since"), "Since"),)),
        Slot(("tags",), "Tags", prose, repeated=True),
        Slot(
            ("lines",),
            "Lines",
            required=True,
            repeated=True,
            members=(
                Slot(("lines", "*", "sku"), "Article", required=True),
                Slot(("lines", "*", "notes"), "Notes", repeated=True),
            ),
        ),
        Slot(
            ("matrix",),
            "Matrix",
            repeated=True,
            members=(Slot(("matrix", "*"), "Matrix", repeated=True),),
        ),
    )


def test_every_row_belongs_to_a_slot_of_its_label_and_kind() -> None:
    field_map = compiled(
        {"lines": {"type": "array", "items": {"type": "object", "properties": {"sku": STRING}}}},
        {"lines": {"label": "Lines", "items": {"fields": {"sku": {"label": "Article"}}}}},
    )
    slots = {member.path: member for slot in frame(field_map) for member in slot.members}
    rows = form(field_map, ['{"lines": [{"sku": "a"}, {"sku": "b"}]}'])[-1]
    assert len(rows) == 2
    for row in rows:
        slot = slots[tuple("*" if isinstance(step, int) else step for step in row.path)]
        assert (slot.label, slot.kind) == (row.label, row.kind)
        assert RowPut(row, 0).row.path == row.path
