"""``formwork export``: what comes out, and what it says when it cannot."""

import json
from pathlib import Path

import pytest

from app.cli.main import main
from tests.cli.stored import conversation_in, use


def test_a_conversation_comes_out_as_one_json_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    conversation = conversation_in(tmp_path)
    use(monkeypatch, tmp_path)
    assert main(["export", conversation]) == 0
    document = json.loads(capsys.readouterr().out)  # noqa: TID251 - our own output
    assert document["id"] == conversation
    [exchange] = document["exchanges"]
    assert exchange["message"] == "What is due?"
    [turn] = exchange["entries"]
    [call] = turn["calls"]
    assert (call["arguments"], call["state"]) == ({"number": 7}, "done")
    assert call["result_content"] == "12.50"


@pytest.mark.parametrize("known", [True, False], ids=["a store", "no store"])
def test_what_is_not_there_is_said_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    known: bool,
) -> None:
    if known:
        conversation_in(tmp_path)
    use(monkeypatch, tmp_path)
    assert main(["export", "c00"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert ("c00" in told.err) == known
    assert (tmp_path / "formwork.sqlite3").exists() == known
