"""``formwork replay`` over every recording: the calls, the rows and the verdicts it tells."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import replay_parts
from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject
from app.calls.strict import StrictFault, parse_strict
from app.cli.main import main
from app.developer.wire import from_file, to_file
from app.exchange.replay import Replay
from app.settings import read_settings
from tests.providers.recordings import OWN, Recording, parameters

DIALECTS = ("anthropic-messages", "openai-chat", "openai-responses", "gemini", "ollama")
NOT_OFFERED = ("custom_tool_call", "tool_search_call")
"""Kinds of call that ask us for an answer, and that we never offer to answer."""
GOOD_STOPS = {"tool_use", "tool_calls", "stop", "completed", "STOP", "end_turn"}


async def replayed(
    dialect: str, body: bytes, size: int | None = None, maps: Path | None = None
) -> list[dict[str, Any]]:
    parts = replay_parts(read_settings({}), dialect, body, size, maps)
    told: list[JsonObject] = []
    replay = Replay(
        parts.provider, parts.rules, parts.maps, parts.formats, parts.limits, told.append
    )
    await replay.run()
    await parts.provider.close()
    return [json.loads(dump_exact(event)) for event in told]  # noqa: TID251 - our own output


def maps_for(recording: Recording, folder: Path) -> Path:
    """A map of every tool that is called, which takes anything and shows the first level."""
    for number, name in enumerate({expected.name for expected in recording.ours}):
        fields = {
            field
            for expected in recording.ours
            if expected.name == name
            for field in _fields(expected.arguments_text)
        }
        document: dict[str, Any] = {
            "tool": name,
            "label": "Look up",
            "description": "A tool of the recording.",
            "parameters": {"type": "object", "properties": {field: {} for field in fields}},
            "display": {field: {"label": f"Field {field}"} for field in fields},
        }
        (folder / f"{number}.json").write_text(json.dumps(document))
    return folder


def _fields(text: str) -> list[str]:
    try:
        document = parse_strict(text)
    except StrictFault:
        return []
    return list(document)


ALL = [parameter for dialect in DIALECTS for parameter in parameters(dialect)]


@pytest.mark.parametrize("size", [None, pytest.param(1, marks=pytest.mark.soak)], ids=["asis", "1"])
@pytest.mark.parametrize("recording", ALL)
async def test_the_calls_of_a_recording_are_those_of_its_manifest(
    recording: Recording, size: int | None, tmp_path: Path
) -> None:
    maps = maps_for(recording, tmp_path)
    told = await replayed(recording.dialect, recording.body, size, maps)
    turn = told[-1]
    assert turn["event"] == "turn"
    assert [(c["id"], c["name"], c["arguments_text"]) for c in turn["calls"]] == [
        (expected.id, expected.name, expected.arguments_text)
        for expected in recording.expected
        if expected.ours or expected.kind in NOT_OFFERED
    ]
    assert_rows_hold_still(told)
    verdicts = {call["verdict"] for call in turn["calls"]}
    truncated = "truncated" in recording.entry["odd_kinds"]
    not_offered = any(expected.kind in NOT_OFFERED for expected in recording.expected)
    if turn["stop"] != "complete" or truncated or not_offered:
        assert verdicts <= {"refuse"}
    elif recording.ours:
        assert recording.stop_reason in GOOD_STOPS
        assert verdicts == {"run"}


def assert_rows_hold_still(told: list[dict[str, Any]]) -> None:
    """A settled row never changes again, a streaming one only grows, and none goes away."""
    by_call: dict[int, list[dict[str, Any]]] = {}
    for event in told:
        if event["event"] == "rows":
            by_call.setdefault(event["call"], []).append(event)
    for events in by_call.values():
        for before, after in pairwise(events):
            assert before["at"] <= after["at"]
            rows = {json.dumps(row["path"]): row for row in after["rows"]}
            for row in before["rows"]:
                now = rows.get(json.dumps(row["path"]))
                if row["status"] == "settled":
                    assert now == row
                elif now is not None and row["status"] == "streaming":
                    assert now["text"].startswith(row["text"])


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=f"{path.parent.name}/{path.name}")
        for dialect in DIALECTS
        for path in sorted((OWN / dialect).iterdir())
    ],
)
async def test_our_own_recordings_are_told_the_same_in_any_cut(path: Path) -> None:
    body, dialect = path.read_bytes(), path.parent.name
    whole = await replayed(dialect, body)
    single = await replayed(dialect, body, 1)
    for told in (whole, single):
        assert told[-1]["event"] == "turn"
        assert_rows_hold_still(told)
    assert single[-1] == whole[-1]
    assert [e for e in single if e["event"] == "state"] == [
        e for e in whole if e["event"] == "state"
    ]


TICKET = (
    '{"project": "BILLING", "title": "March invoice run failed", "priority": "high", '
    '"description": "It stopped.", "raw_customer_email": "canary@example.com"}'
)


def ticket_body(text: str = TICKET, stop: str = "tool_use") -> bytes:
    """A create_ticket call on the anthropic-messages wire, one fragment."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant",
         "content": [], "model": "x", "stop_reason": None, "stop_sequence": None,
         "usage": {"input_tokens": 1, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "tool_use", "id": "toolu_1", "name": "create_ticket",
                           "input": {}}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
         "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    ).encode()


async def test_rows_are_told_after_every_fragment_with_what_was_received() -> None:
    told = await replayed("anthropic-messages", ticket_body(), 1)
    rows = [event for event in told if event["event"] == "rows"]
    prior = TICKET.index('"prior') + len('"prior')
    shown = [event for event in rows if event["at"] <= prior][-1]["rows"]
    assert [(row["path"], row["label"], row["text"], row["status"]) for row in shown] == [
        (["project"], "Project", "BILLING", "settled"),
        (["title"], "Title", "March invoice run failed", "settled"),
    ]
    key_end = TICKET.index('"title"') + len('"title"')
    writing = next(event["rows"] for event in rows if event["at"] == key_end)
    assert writing[-1] == {"path": ["title"], "label": "Title", "text": "", "status": "writing"}
    assert {"streaming"} < {row["status"] for event in rows for row in event["rows"]}
    assert "canary" not in json.dumps([event for event in told if event["event"] != "turn"])


async def test_the_states_end_where_a_turn_without_dispatch_ends() -> None:
    told = await replayed("anthropic-messages", ticket_body())
    assert [event["state"] for event in told if event["event"] == "state"] == ["ready"]
    assert [call["verdict"] for call in told[-1]["calls"]] == ["run"]
    refused = await replayed("anthropic-messages", ticket_body(stop="max_tokens"))
    assert [(e["state"], e["reason"]) for e in refused if e["event"] == "state"][-1] == (
        "not_run",
        "truncated",
    )


@dataclass(frozen=True, slots=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


RunCli = Callable[..., Ran]


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunCli:
    """A command of the program, in this process: starting one takes longer than all it does."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(*arguments: str) -> Ran:
        try:
            status = main(arguments)
        except SystemExit as refused:  # the parser of arguments
            status = int(refused.code or 0)
        told = capsys.readouterr()
        return Ran(status, told.out, told.err)

    return run


def test_the_command_prints_json_lines_and_takes_the_cuts(tmp_path: Path, run_cli: RunCli) -> None:
    file = tmp_path / "ticket.sse"
    file.write_bytes(ticket_body())
    arguments = ("replay", str(file), "--dialect", "anthropic-messages", "--json")
    whole = run_cli(*arguments, "--fragments", "asis")
    assert whole.returncode == 0, whole.stderr
    lines = [json.loads(line) for line in whole.stdout.splitlines()]  # noqa: TID251 - our own
    assert [line["event"] for line in lines] == ["call", "rows", "state", "turn"]
    cut = run_cli(*arguments, "--fragments", "3", "--cut", "700")
    assert cut.returncode == 0, cut.stderr
    last = json.loads(cut.stdout.splitlines()[-1])  # noqa: TID251 - our own output
    assert last["stop"] == "incomplete"
    assert {call["verdict"] for call in last["calls"]} <= {"refuse"}


def test_the_command_reads_a_recording_with_times(tmp_path: Path, run_cli: RunCli) -> None:
    plain, timed = tmp_path / "ticket.sse", tmp_path / "ticket.jsonl"
    plain.write_bytes(ticket_body())
    timed.write_bytes(to_file(from_file(ticket_body(), "anthropic-messages")))
    told = [
        run_cli("replay", str(file), "--dialect", "anthropic-messages", "--json")
        for file in (plain, timed)
    ]
    assert told[0].stdout
    assert told[0].stdout == told[1].stdout
    other = run_cli("replay", str(timed), "--dialect", "ollama")
    assert (other.returncode, other.stdout) == (2, "")
    assert "of the dialect anthropic-messages" in other.stderr


ONE_OF_EACH = {
    "anthropic-messages": "text-then-call.sse",
    "openai-chat": "every-call-index-0.sse",
    "openai-responses": "call-never-done.sse",
    "gemini": "ids.sse",
    "ollama": "arguments-as-text.ndjson",
}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_of_another_dialects_recording_nothing_is_understood(dialect: str) -> None:
    for of, name in ONE_OF_EACH.items():
        parts = replay_parts(read_settings({}), dialect, (OWN / of / name).read_bytes(), None, None)
        replay = Replay(
            parts.provider, parts.rules, parts.maps, parts.formats, parts.limits, lambda _: None
        )
        assert await replay.run() is (of == dialect)
        await parts.provider.close()


def test_the_command_hints_at_the_other_dialects_in_one_line(run_cli: RunCli) -> None:
    file = str(OWN / "gemini" / "ids.sse")
    right, wrong = (
        run_cli("replay", file, "--dialect", dialect, "--json") for dialect in ("gemini", "ollama")
    )
    assert (right.returncode, right.stderr) == (0, "")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (0, 1)
    assert "nothing of the recording was understood as ollama" in wrong.stderr
    assert all(each in wrong.stderr for each in DIALECTS)
    assert len(wrong.stdout.splitlines()) == 1, "standard output holds JSON Lines alone"


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "no-such-file", "--dialect", "ollama"),
        ("replay", ".", "--dialect", "ollama"),
        ("replay", __file__, "--dialect", "klingon"),
        ("replay", __file__, "--dialect", "ollama", "--fragments", "0"),
        ("replay", __file__, "--dialect", "ollama", "--maps", "no-such-folder"),
    ],
)
def test_what_cannot_be_replayed_is_said_in_short_with_status_2(
    arguments: tuple[str, ...], run_cli: RunCli
) -> None:
    ran = run_cli(*arguments)
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""
