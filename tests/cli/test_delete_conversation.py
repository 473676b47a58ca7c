"""``formwork delete``: all of it goes, and nothing else; not while the assistant is at work."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.cli.main import main
from app.records.tables import METADATA
from tests.cli.stored import conversation_in, use


def rows_by_table(data: Path) -> dict[str, int]:
    with closing(sqlite3.connect(data / "formwork.sqlite3")) as connection:
        return {
            name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
            for name in METADATA.tables
            if name != "workers"
        }


def test_a_conversation_goes_with_all_that_belongs_to_it_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation_in(tmp_path)
    before = rows_by_table(tmp_path)
    conversation = conversation_in(tmp_path)
    assert rows_by_table(tmp_path) != before
    use(monkeypatch, tmp_path)
    assert main(["delete", conversation]) == 0
    assert capsys.readouterr().out == f"deleted {conversation}\n"
    assert rows_by_table(tmp_path) == before
    assert main(["delete", conversation]) == 2
    assert conversation in capsys.readouterr().err


def test_one_in_which_the_assistant_is_at_work_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = conversation_in(tmp_path, at_work=True)
    before = rows_by_table(tmp_path)
    use(monkeypatch, tmp_path)
    assert main(["delete", conversation]) == 2
    assert "is open" in capsys.readouterr().err
    assert rows_by_table(tmp_path) == before


def test_without_a_store_none_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use(monkeypatch, tmp_path)
    assert main(["delete", "c00"]) == 2
    assert "no database" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
