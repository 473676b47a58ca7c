"""``formwork replay``: a recorded response body through the code path of a live turn."""

import argparse
import asyncio
import sys
from pathlib import Path

from app.bootstrap import StartRefused, replay_parts
from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject
from app.cli.errors import cannot, warn
from app.developer.wire import BadRecording, WireRecording, from_file
from app.exchange.replay import Replay
from app.providers.connect import KNOWN_DIALECTS
from app.settings import BadSetting, read_settings

SUMMARY = "feed a recorded response body through the path of a live turn"
DESCRIPTION = """Feeds a recorded response body, or a recording with times from the developer
view, through the code path of a live turn, dispatches nothing, and prints what was shown and what
the gate said. Exit status 0 when the recording was read to its end, whatever the verdicts; 2 for an
unreadable file."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument("--dialect", required=True, choices=KNOWN_DIALECTS)
    parser.add_argument(
        "--maps", type=Path, help="folder of field maps (default: FORMWORK_FIELD_MAPS)"
    )
    parser.add_argument(
        "--fragments",
        type=_fragments,
        default=None,
        metavar="N|asis",
        help="cut the body into N bytes and the argument fragments into N characters",
    )
    parser.add_argument("--cut", type=int, metavar="BYTES", help="end the body after BYTES bytes")
    parser.add_argument("--json", action="store_true", help="print JSON Lines")
    parser.set_defaults(run=run)


def _fragments(text: str) -> int | None:
    if text == "asis":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("a whole number from 1, or asis")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    try:
        body = _body(from_file(arguments.file.read_bytes(), arguments.dialect), arguments.dialect)
        if arguments.cut is not None:
            body = body[: max(0, arguments.cut)]
        settings = read_settings()
        parts = replay_parts(settings, arguments.dialect, body, arguments.fragments, arguments.maps)
    except OSError as error:
        return cannot(f"cannot read {arguments.file}: {error.strerror}")
    except (BadSetting, StartRefused, BadRecording) as error:
        return cannot(error)
    emit = _print_json if arguments.json else _print_text
    replay = Replay(parts.provider, parts.rules, parts.maps, parts.formats, parts.limits, emit)
    if not asyncio.run(replay.run()):
        others = ", ".join(each for each in KNOWN_DIALECTS if each != arguments.dialect)
        warn(
            f"nothing of the recording was understood as {arguments.dialect}; "
            f"it may be of another dialect: {others}"
        )
    return 0


def _body(recording: WireRecording, dialect: str) -> bytes:
    """The bytes of a recording of a dialect. Raises :class:`BadRecording` for another's."""
    if recording.dialect != dialect:
        raise BadRecording(f"the recording is of the dialect {recording.dialect}")
    return recording.body


def _print_json(event: JsonObject) -> None:
    print(dump_exact(event))


def _print_text(event: JsonObject) -> None:
    match event["event"]:
        case "call":
            print(f"call {event['call']}: {event['name']} ({event['id']}) {event['state']}")
        case "state":
            reason = f" ({event['reason']})" if event["reason"] else ""
            print(f"call {event['call']}: {event['state']}{reason}")
        case "rows":
            print(f"call {event['call']} at {event['at']}:")
            for row in _list(event["rows"]):
                print(f"  {row['label']}: {row['text']}  [{row['status']}]")
        case _:
            print(f"turn: {event['stop']} ({event['provider_stop']})")
            for call in _list(event["calls"]):
                reason = f" ({call['reason']})" if call["reason"] else ""
                print(f"  call {call['call']}: {call['name']} -> {call['verdict']}{reason}")
    sys.stdout.flush()


def _list(value: object) -> "list[JsonObject]":
    assert isinstance(value, list)
    return value  # pyright: ignore[reportUnknownVariableType] - made by Replay, always objects
