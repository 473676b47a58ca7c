"""A recording made through the view replays to the same rows and verdicts, by either reader."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.bootstrap import ReplayParts, recorded_provider, replay_parts
from app.calls.json_types import JsonObject
from app.developer.call_trace import CallTrace
from app.developer.replaying import Judging, Replayer
from app.developer.turn_log import Terms, TurnLog
from app.developer.wire import from_file, to_file
from app.exchange.replay import Replay
from app.settings import read_settings
from tests.developer.making import BODIES, in_pieces, replayed

OWN_BODIES = [each for each in BODIES if str(each.id).startswith("own-")]


async def told(parts: ReplayParts) -> list[Any]:
    """The lines of ``formwork replay``."""
    lines: list[JsonObject] = []
    await Replay(
        parts.provider, parts.rules, parts.maps, parts.formats, parts.limits, lines.append
    ).run()
    await parts.provider.close()
    return lines


@pytest.mark.parametrize(("dialect", "file"), OWN_BODIES[::6])
async def test_a_recording_replays_to_the_same_rows_and_verdicts(
    dialect: str, file: Path, tmp_path: Path
) -> None:
    recording = from_file(to_file(in_pieces(dialect, file.read_bytes())), "unused")
    _, plain = await replayed(dialect, recording.body)
    for name in {call.name for call in plain.calls if re.fullmatch(r"\w+", call.name or "")}:
        write_map(tmp_path / f"{name}.json", plain, name or "")
    parts = replay_parts(read_settings({}), dialect, recording.body, None, tmp_path)
    lines = await told(parts)
    under = Terms(parts.maps, parts.formats, parts.limits)
    replayer = Replayer(recorded_provider, under)
    turn = await replayer.replay(recording, Judging(parts.rules))
    assert rows_of(turn) == last_rows(lines)
    assert states_of(turn) == states_told(lines)
    if turn.gate is not None:
        assert [(v.call, v.verdict, v.reason) for v in turn.gate.verdicts] == [
            (call["call"], call["verdict"], call["reason"]) for call in lines[-1]["calls"]
        ]


def write_map(file: Path, turn: TurnLog, tool: str) -> None:
    """A map that shows every member of a tool's calls, under its own name."""
    calls = [call for call in turn.calls if call.name == tool]
    places = [place for call in calls for place in CallTrace(call, turn.terms.limits).places]
    fields: dict[str, Any] = {str(place.path[0]): {} for place in places if len(place.path) == 1}
    document: dict[str, Any] = {
        "tool": tool,
        "label": "Look up",
        "description": "A tool of the recording.",
        "parameters": {"type": "object", "properties": fields},
        "display": {name: {"label": f"Field {name}"} for name in fields},
    }
    file.write_text(json.dumps(document))


def rows_of(turn: TurnLog) -> dict[int, list[dict[str, Any]]]:
    rows = {call.ordinal: turn.live.rows(call) for call in turn.live.turn.calls}
    return {
        ordinal: [
            {"path": list(r.path), "label": r.label, "text": r.text, "status": r.status.value}
            for r in found
        ]
        for ordinal, found in rows.items()
        if found
    }


def last_rows(lines: list[Any]) -> dict[int, list[dict[str, Any]]]:
    rows = {line["call"]: line["rows"] for line in lines if line["event"] == "rows"}
    return {call: found for call, found in rows.items() if found}


def states_told(lines: list[Any]) -> dict[int, list[str]]:
    states: dict[int, list[str]] = {}
    for line in lines:
        if line["event"] in ("call", "state") and line["state"] != "not_run":
            known = states.setdefault(line["call"], [])
            if known[-1:] != [line["state"]]:  # a name that comes later tells of the call again
                known.append(line["state"])
    return states


def states_of(turn: TurnLog) -> dict[int, list[str]]:
    return {
        call.ordinal: [span.state.value for span in call.states]
        for call in turn.calls
        if call.ordinal is not None
    }
