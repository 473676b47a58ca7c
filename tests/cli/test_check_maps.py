"""What ``formwork check`` says at its end."""

import shutil
from pathlib import Path

import pytest

from app.cli.main import main
from app.tools.map_files import map_files, shipped_maps

GOOD = map_files(shipped_maps())[:2]


@pytest.mark.parametrize("bad", range(3))
@pytest.mark.parametrize("good", range(3))
def test_the_number_of_everything_is_told_in_its_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], good: int, bad: int
) -> None:
    for file in GOOD[:good]:
        shutil.copy(file, tmp_path)
    for number in range(bad):
        (tmp_path / f"bad{number}.json").write_text("{")
    status = main(["check", str(tmp_path)])
    last = capsys.readouterr().out.splitlines()[-1]
    maps = "1 map" if good + bad == 1 else f"{good + bad} maps"
    errors = "1 error" if bad == 1 else f"{bad} errors"
    assert last.startswith(f"{maps}: {errors}, ")
    assert status == (1 if bad else 0)
