import logging
import os
from pathlib import Path

import pytest

from app.tools.live_maps import LiveMaps
from app.tools.map_files import load_field_maps
from tests.tools.test_map_files import text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.json").write_text(text(tool="a", label="First"))
    (tmp_path / "b.json").write_text(text(tool="b"))
    return tmp_path


@pytest.fixture
def maps(folder: Path) -> LiveMaps:
    return LiveMaps(folder, load_field_maps(folder), ["a", "b", "c"])


def write(file: Path, content: str) -> None:
    """Another content, and another moment, however coarse the file system's clock is."""
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(content)
    os.utime(file, ns=(before + 10**9, before + 10**9))


def test_a_changed_map_takes_the_place_of_the_old(folder: Path, maps: LiveMaps) -> None:
    write(folder / "a.json", text(tool="a", label="Second"))
    assert maps["a"].label == "First"
    maps.refresh()
    assert (maps["a"].label, sorted(maps), len(maps)) == ("Second", ["a", "b"], 2)


def test_new_and_gone_maps_are_heeded(folder: Path, maps: LiveMaps) -> None:
    write(folder / "c.json", text(tool="c"))
    (folder / "b.json").unlink()
    maps.refresh()
    assert sorted(maps) == ["a", "c"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is not JSON"),
        (text(tool="a", label=""), "/label"),
        (text(tool="b"), "another file"),
        (text(tool="nobody"), "no tool 'nobody'"),
    ],
)
def test_a_bad_one_keeps_the_old_in_force_and_says_why_once(
    folder: Path, maps: LiveMaps, content: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder / "a.json", content)
    with caplog.at_level(logging.WARNING):
        maps.refresh()
        maps.refresh()
    [record] = caplog.records
    assert f"{folder / 'a.json'}:" in record.getMessage()
    assert reason in record.getMessage()
    assert maps["a"].label == "First"
    write(folder / "a.json", text(tool="a", label="Mended"))
    maps.refresh()
    assert maps["a"].label == "Mended"
