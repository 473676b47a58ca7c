import json
from pathlib import Path

import pytest

from app.tools.map_files import MapFileFault, line_of, load_field_maps, map_files, shipped_maps
from tests.display.maps import document

GOOD = document({"a": {"type": "string"}}, {"a": {"label": "A"}})


def text(**change: object) -> str:
    return json.dumps({**GOOD, **change}, indent=1)


def test_a_folder_is_loaded_by_tool_and_schemas_are_no_maps(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text(text(tool="b"))
    (tmp_path / "a.json").write_text(text(tool="a"))
    (tmp_path / "field-map.schema.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("no map")
    assert list(load_field_maps(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("", 1, "not JSON"),
        ("{\n\n  tool}", 3, "not JSON"),
        ('{"tool": "a",\n "label": "b",\n "tool": "c"}', 3, "occurs twice"),
        ('{"a": 1,\n "b": NaN}', 2, "NaN"),
        ("[]", 1, "no JSON object"),
        ("[" * 100_000, 1, "not JSON"),
        (text(label=""), 3, "/label: "),
        (text(approval={"required": "yes"}), 20, "/approval/required: 'yes' is not of type"),
        (
            text(display={"a": {"label": "A", "mode": "stream", "format": "date"}}),
            15,
            "/display/a: mode stream",
        ),
        (
            text(parameters={"type": "object", "properties": {"a": {"type": 1}}}),
            9,
            "/parameters/properties/a/type",
        ),
    ],
)
def test_a_bad_map_is_told_in_one_line_with_file_and_line(
    tmp_path: Path, content: str, line: int, words: str
) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content)
    with pytest.raises(MapFileFault) as caught:
        load_field_maps(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: ")
    assert words in message
    assert "\n" not in message


def test_two_maps_of_one_tool_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text())
    (tmp_path / "b.json").write_text(text())
    with pytest.raises(MapFileFault, match=r"b\.json:1: /tool: another file"):
        load_field_maps(tmp_path)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(MapFileFault, match="no such folder"):
        load_field_maps(tmp_path / "nowhere")
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    with pytest.raises(MapFileFault, match="cannot be read"):
        load_field_maps(tmp_path)


def test_lines_are_found_by_pointer() -> None:
    content = '{\n "a": {"b": [\n  1,\n  {"c/d~e": 2}\n ]},\n "f": 3\n}'
    assert line_of(content, "/a/b") == 2
    assert line_of(content, "/a/b/0") == 3
    assert line_of(content, "/a/b/1/c~1d~0e") == 4
    assert line_of(content, "/a/b/7/x") == 2
    assert line_of(content, "/f") == 6
    assert line_of(content, "/missing") == 1
    assert line_of("no json", "/a") == 1


def test_the_shipped_folder_has_its_schema_beside_its_maps() -> None:
    for file in map_files(shipped_maps()):
        named = json.loads(file.read_text("utf-8"))["$schema"]  # noqa: TID251 - our own file
        assert (file.parent / named).is_file()
