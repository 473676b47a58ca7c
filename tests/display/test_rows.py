"""Rows, by example: what shows after which prefix."""

import pytest

from app.calls.arguments import ArgumentParser
from app.calls.json_types import JsonObject, JsonValue, Path
from app.calls.object_arguments import ObjectArguments
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.rows import CallRows, RowPut
from app.display.view import Row, RowKind, RowStatus
from tests.display.forming import Screen, form, pieces
from tests.display.maps import compiled

STRING = {"type": "string"}
SETTLED, WRITING = RowStatus.SETTLED, RowStatus.WRITING


def shown(rows: list[Row]) -> list[tuple[str, str, str]]:
    return [(".".join(map(str, row.path)), row.text, row.status.value) for row in rows]


def after(field_map: FieldMap | None, text: str) -> list[tuple[str, str, str]]:
    """What shows after the text, which must not depend on how it is cut."""
    whole = shown(form(field_map, [text])[-1])
    for size in (1, 2, 3, 7):
        assert shown(form(field_map, pieces(text, size))[-1]) == whole
    return whole


@pytest.fixture
def ticket() -> FieldMap:
    return compiled(
        {
            "project": STRING,
            "title": STRING,
            "priority": STRING,
            "description": STRING,
            "secret": STRING,
            "unnamed": STRING,
        },
        {
            "project": {"label": "Project"},
            "title": {"label": "Title"},
            "priority": {"label": "Priority", "format": "title_case"},
            "description": {"label": "Description", "mode": "stream"},
            "secret": {"hidden": True},
        },
        required=("project",),
    )


@pytest.fixture
def search() -> FieldMap:
    return compiled(
        {
            "filter": {
                "type": "object",
                "properties": {"status": STRING, "since": STRING, "token": STRING},
            },
            "tags": {"type": "array", "items": STRING},
            "lines": {
                "type": "array",
                "items": {"type": "object", "properties": {"sku": STRING, "cost": STRING}},
            },
            "limit": {"type": "integer"},
            "dry_run": {"type": "boolean"},
        },
        {
            "filter": {
                "label": "Filter",
                "fields": {"status": {"label": "Status"}, "since": {"label": "Since"}},
            },
            "tags": {"label": "Tags"},
            "lines": {"label": "Lines", "items": {"fields": {"sku": {"label": "Article"}}}},
            "limit": {"label": "Limit"},
            "dry_run": {"label": "Dry run"},
        },
    )


def test_settled_rows_show_and_a_key_half_written_does_not(ticket: FieldMap) -> None:
    text = '{"project": "BILLING", "title": "March invoice run failed", "prior'
    assert after(ticket, text) == [
        ("project", "BILLING", "settled"),
        ("title", "March invoice run failed", "settled"),
    ]


def test_a_whole_key_shows_its_label_alone(ticket: FieldMap) -> None:
    (row,) = form(ticket, ['{"priority"'])[-1]
    assert row == Row(("priority",), "Priority", "", WRITING)
    assert after(ticket, '{"priority": "hi') == [("priority", "", "writing")]
    assert after(ticket, '{"priority": "high"') == [("priority", "High", "settled")]


@pytest.mark.parametrize("tail", ['"prior', '"priority":"hig', ""])
def test_pruning_is_by_exact_path(search: FieldMap, tail: str) -> None:
    text = '{"filter": {"status": "open", "since": "2026-0'
    assert after(search, text) == [
        ("filter.status", "open", "settled"),
        ("filter.since", "", "writing"),
    ]
    assert after(search, '{"x": {' + tail) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"limit": 1', ("limit", "", "writing")),
        ('{"limit": 100,', ("limit", "100", "settled")),
        ('{"limit": 1250.00}', ("limit", "1250.00", "settled")),
        ('{"limit": 12345678901234567890 ', ("limit", "12345678901234567890", "settled")),
        ('{"limit": 1e400}', ("limit", "1e400", "settled")),
        ('{"dry_run": t', ("dry_run", "", "writing")),
        ('{"dry_run": true', ("dry_run", "true", "settled")),
        ('{"dry_run": null', ("dry_run", "null", "settled")),
    ],
)
def test_scalars_settle_by_their_literal(
    search: FieldMap, text: str, expected: tuple[str, str, str]
) -> None:
    assert after(search, text) == [expected]


def test_an_element_that_is_a_bare_value_joins_when_it_settles(search: FieldMap) -> None:
    assert after(search, '{"tags": ["a", "b') == [("tags.0", "a", "settled")]
    (row,) = form(search, ['{"tags": ["a"'])[-1]
    assert row.label == "Tags"


def test_an_object_in_an_array_fills_in_by_its_members(search: FieldMap) -> None:
    text = '{"lines": [{"sku": "A-1", "cost": "canary"}, {"cost": "canary", "sku": "B'
    assert after(search, text) == [
        ("lines.0.sku", "A-1", "settled"),
        ("lines.1.sku", "", "writing"),
    ]


def test_hidden_and_unnamed_fields_and_tools_without_a_map_show_nothing(ticket: FieldMap) -> None:
    text = '{"secret": "canary", "unnamed": "canary", "other": {"project": "canary"}}'
    assert after(ticket, text) == []
    assert after(None, '{"project": "canary"}') == []


@pytest.mark.parametrize(
    "value",
    ['{"a": "canary"}', '[{"b": "canary"}]', '["canary"]', "{}", "[]", '[["canary"]]'],
)
def test_a_container_where_a_leaf_is_declared_shows_nothing(ticket: FieldMap, value: str) -> None:
    after_it = f'{{"title": {value}, "priority": "low"}}'
    assert after(ticket, after_it) == [("priority", "Low", "settled")]
    assert after(ticket, f'{{"description": {value}, "priority": "low"}}') == [
        ("priority", "Low", "settled")
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"filter": "canary"}',
        '{"filter": ["canary", {"status": "canary"}]}',
        '{"tags": {"0": "canary"}}',
        '{"tags": "canary"}',
        '{"lines": ["canary"]}',
        '{"lines": {"sku": "canary"}}',
        '[{"limit": 5}]',
        '"limit"',
    ],
)
def test_a_value_of_another_kind_than_the_map_says_shows_nothing(
    search: FieldMap, text: str
) -> None:
    assert after(search, text) == []


def test_rows_stand_in_map_order_whatever_the_order_of_arrival(ticket: FieldMap) -> None:
    text = '{"priority": "low", "project": "WEB", "title": "x"}'
    rows = form(ticket, [text])[-1]
    assert [(row.path[0], row.confined) for row in rows] == [
        ("project", True),
        ("title", True),
        ("priority", False),
    ]


def test_a_row_that_opens_after_all_others_is_not_confined(ticket: FieldMap) -> None:
    rows = form(ticket, ['{"project": "WEB", "title": "x", "priority": "low"}'])[-1]
    assert not any(row.confined for row in rows)


def test_streamed_prose_is_a_prefix_and_ends_as_what_it_grew_to(ticket: FieldMap) -> None:
    final = 'A "line"\n\u00e4\U0001f600\ttab \u202eeslaf\u202c e\u0301 \U0001f1e9\U0001f1ea.'
    text = (
        '{"description": "A \\"line\\"\\n\\u00e4\\ud83d\\ude00\\ttab '
        '\\u202eeslaf\\u202c e\\u0301 \\ud83c\\udde9\\ud83c\\uddea."}'
    )
    told = final.replace("\u202e", "[U+202E]").replace("\u202c", "[U+202C]")
    texts = [rows[0].text for rows in form(ticket, pieces(text, 1)) if rows]
    assert texts[-1] == told
    assert all(told.startswith(part) for part in texts)
    assert not any("\\" in part or "\ud83d" in part for part in texts)
    assert not any(part.endswith("\U0001f1e9") for part in texts)


def test_a_stream_shows_its_label_until_its_first_character(ticket: FieldMap) -> None:
    assert after(ticket, '{"description": "') == [("description", "", "writing")]
    assert after(ticket, '{"description": "\\u00') == [("description", "", "writing")]
    assert after(ticket, '{"description": "a\\') == [("description", "a", "streaming")]
    assert after(ticket, '{"description": ""') == [("description", "", "settled")]
    (row,) = form(ticket, ['{"description": "a'])[-1]
    assert row.kind is RowKind.PROSE


def test_a_number_where_a_stream_is_declared_settles_as_its_literal(ticket: FieldMap) -> None:
    assert after(ticket, '{"description": 12.50,') == [("description", "12.50", "settled")]


def test_a_lone_surrogate_shows_as_no_character(ticket: FieldMap) -> None:
    assert after(ticket, '{"title": "a\\ud83db"}') == [("title", "a\ufffdb", "settled")]
    assert after(ticket, '{"description": "a\\ud83db"}') == [("description", "a\ufffdb", "settled")]


@pytest.mark.parametrize(
    "broken",
    ["}", '"project": "again"', '"title": NaN', '"title": "x" "y"', '"title" "x"', "title"],
)
def test_a_broken_document_changes_nothing_any_more(ticket: FieldMap, broken: str) -> None:
    text = f'{{"project": "WEB", {broken}'
    tail = ', "priority": "high", "title": "later", "description": "later"}'
    seen = form(ticket, pieces(text + tail, 1))
    assert seen[-1] == seen[len(text)]
    assert "later" not in {row.text for row in seen[-1]}
    assert shown(seen[-1])[0] == ("project", "WEB", "settled")


def test_arrays_before_rows_that_came_first_keep_their_places(search: FieldMap) -> None:
    count = 5000
    tags = ",".join(f'"t{index}"' for index in range(count))
    lines = ",".join(f'{{"sku":"s{index}"}}' for index in range(count))
    text = f'{{"limit": 1, "lines": [{lines}], "tags": [{tags}]}}'
    parser, forming = ArgumentParser(), CallRows(search, Formats("en"))
    parser.feed(text)
    edits = forming.take(parser.changes())
    rows = forming.rows
    assert len(rows) == 2 * count + 1
    places = {edit.row.path: edit.place for edit in edits if isinstance(edit, RowPut)}
    assert places["lines", count - 1, "sku"] == count - 1
    assert places["tags", count - 1] == count - 1
    assert rows[0].path == ("tags", 0)
    assert rows[count].path == ("lines", 0, "sku")
    assert rows[-1].path == ("limit",)
    assert all(row.confined for row in rows[:-1])


def test_values_that_are_sent_by_pieces_and_by_turns_grow_side_by_side() -> None:
    field_map = compiled(
        {"a": STRING, "b": STRING, "c": STRING, "d": {"type": "array", "items": STRING}},
        {
            "a": {"label": "A", "mode": "stream"},
            "b": {"label": "B", "mode": "stream"},
            "c": {"label": "C"},
            "d": {"label": "D", "items": {"mode": "stream"}},
        },
    )
    sent, forming, screen = ObjectArguments(), CallRows(field_map, Formats("en")), Screen()
    patches: list[tuple[Path, str, bool]] = [
        (("b",), "b1", True),
        (("a",), "a1", True),
        (("d", 0), "d1", True),
        (("b",), "b2 e\u0301", True),
        (("c",), "hid", True),
        (("a",), "a2", False),
        (("d", 0), "d2", False),
        (("c",), "den", False),
        (("b",), "!", False),
    ]
    texts: list[list[str]] = []
    for path, value, continues in patches:
        sent.patch(path, value, continues)
        screen.apply(forming.take(sent.changes()))
        assert forming.rows == screen.rows
        texts.append([row.text for row in screen.rows])
    assert texts[3] == ["a1", "b1b2 ", "d1"]
    assert texts[4] == ["a1", "b1b2 ", "", "d1"]
    assert texts[-1] == ["a1a2", "b1b2 e\u0301!", "hidden", "d1d2"]
    assert {row.status for row in screen.rows} == {SETTLED}


@pytest.mark.parametrize("value", [{"x": "canary"}, ["canary"], {}, []])
def test_an_object_that_is_sent_whole_shows_as_its_text_would(
    ticket: FieldMap, value: JsonObject | list[JsonValue]
) -> None:
    sent, forming, screen = ObjectArguments(), CallRows(ticket, Formats("en")), Screen()
    sent.whole({"title": value, "priority": "low", "description": "text", "secret": "canary"})
    screen.apply(forming.take(sent.changes()))
    assert shown(screen.rows) == [
        ("priority", "Low", "settled"),
        ("description", "text", "settled"),
    ]
