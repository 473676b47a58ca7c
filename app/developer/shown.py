"""What the end user was shown of a turn, and when: the flushes, read as rows and sentences."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.calls.json_types import Path
from app.developer.turn_log import Flush


@dataclass(slots=True)
class ShownRow:
    """A row as the viewers have it. ``settled`` is when they got its final text, since 1970."""

    path: Path
    label: str
    text: str
    status: str
    first: int
    settled: int | None = None


@dataclass(slots=True)
class ShownCall:
    """A call's rows by path, in the order in which they stand on screen."""

    order: list[Path] = field(default_factory=list[Path])
    rows: dict[Path, ShownRow] = field(default_factory=dict[Path, ShownRow])

    def in_order(self) -> list[ShownRow]:
        return [self.rows[path] for path in self.order]

    def put(self, at: int, said: Mapping[str, Any]) -> None:
        path: Path = tuple(said["path"])
        row, known = said["row"], self.rows.get(path)
        if known is None and row is not None:
            self.rows[path] = ShownRow(path, row["label"], row["text"], row["status"], at)
            self.order.insert(said["place"], path)
        elif known is not None and row is not None:
            known.text, known.status = row["text"], row["status"]
        elif known is not None:
            del self.rows[path]
            self.order.remove(path)
        if row is not None and row["status"] == "settled":
            shown = self.rows[path]
            shown.settled = shown.settled or at


def shown_calls(turn: str, flushes: Iterable[Flush]) -> dict[str, ShownCall]:
    """By our id of the call, what the flushes showed of a turn's calls."""
    calls: dict[str, ShownCall] = {}
    for flush in flushes:
        for name, said in flush.updates:
            if said.get("turn") != turn:
                continue
            if name == "RowChanged":
                calls.setdefault(said["call"], ShownCall()).put(flush.at, said)
            elif name == "RowGrew":
                calls[said["call"]].rows[tuple(said["path"])].text += said["text"]
    return calls


def flushes_of(turn: str, flushes: Iterable[Flush]) -> Iterator[tuple[int, list[str]]]:
    """Each flush that told of a turn: when, since 1970, and what, one sentence per update."""
    for flush in flushes:
        told = [_sentence(name, said) for name, said in flush.updates if said.get("turn") == turn]
        if told:
            yield flush.at, told


def _sentence(name: str, said: Mapping[str, Any]) -> str:
    match name:
        case "TextGrew":
            return f"text +{len(said['text'])}: {said['text']}"
        case "RowGrew":
            return f"row {_dotted(said['path'])} +{len(said['text'])}: {said['text']}"
        case "RowChanged" if said["row"] is None:
            return f"row {_dotted(said['path'])} taken back"
        case "RowChanged":
            row = said["row"]
            return f"row {_dotted(said['path'])} {row['status']}: {row['label']} = {row['text']}"
        case "CallOpened":
            return f"call {_ordinal(said)} opened, {said['state']}: {said['label']}"
        case "CallNamed":
            return f"call {_ordinal(said)} named: {said['label']}"
        case "CallChanged":
            reason = f", {said['reason']}" if said.get("reason") else ""
            summary = f", {said['summary']}" if said.get("summary") else ""
            return f"call {_ordinal(said)} {said['state']}{reason}{summary}"
        case "TurnAbandoned":
            return f"turn set aside: {said['reason']}"
        case "TurnOpened":
            return "turn opened"
        case _:
            return name


def _ordinal(said: Mapping[str, Any]) -> str:
    return said["call"].rpartition("-")[2]


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path))
