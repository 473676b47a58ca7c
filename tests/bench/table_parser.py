"""The argument parser beside what a Python team could take instead.

Processor seconds for the whole document, an up-to-date view after each fragment included. On a
machine that others use too, a quiet run is the best of several: each cell is the least of a few,
of one where it takes long.
"""

import gc
import json
from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import TypeAlias, cast

from app.calls.argument_changes import NumberText
from app.calls.arguments import ArgumentParser
from tests.bench.documents import DOCUMENTS, fragments_of
from tests.bench.rivals import BUILDERS, RIVALS, Rival

CAP_S = 20.0
"""A cell that takes longer is not waited for."""

ENOUGH_S = 3.0
"""A cell is repeated until it has taken so long in all, or :data:`REPEATS` times."""

REPEATS = 7
TENTHS_REPEATS = 25

SECONDS: dict[str, float] = {
    "20 KB nested": 0.01,
    "200 KB records": 0.10,
    "1 MB one string": 0.6,
    "1 MB records": 0.5,
}
RATIOS: list[tuple[str, str, float]] = [
    ("json-stream, in a thread", "1 MB one string", 6.0),
    ("jsonriver", "1 MB records", 2.5),
]
FLAT = 1.2


Figures: TypeAlias = dict[str, dict[str, float | str | None]]
"""Document, rival -> seconds, a word on why there are none, or None past the cap."""

OURS = next(iter(RIVALS))


class OutOfTime(Exception):
    pass


def watched(fragments: list[str]) -> Iterator[str]:
    """The fragments; raises :class:`OutOfTime` once :data:`CAP_S` is over."""
    start = process_time()
    for number, fragment in enumerate(fragments):
        if not number & 63 and process_time() - start > CAP_S:
            raise OutOfTime
        yield fragment


def seconds(rival: Rival, text: str, fragments: list[str]) -> float | None:
    """The least processor time of a few runs; None past the cap."""
    best = CAP_S
    spent = 0.0
    for repeat in range(REPEATS):
        gc.collect()
        start = process_time()
        try:
            value = rival(watched(fragments))
        except OutOfTime:
            return None
        took = process_time() - start
        if not repeat and rival in BUILDERS:
            _check(value, text)
        best = min(best, took)
        spent += took
        if spent > ENOUGH_S:
            break
    return best


def _check(value: object, text: str) -> None:
    """That the parser read the document; what it takes for a number differs from one to another."""
    assert _comparable(value) == _comparable(json.JSONDecoder().decode(text))


def _comparable(value: object) -> object:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {key: _comparable(member) for key, member in members.items()}
    if isinstance(value, list):
        return [_comparable(element) for element in cast("list[object]", value)]
    return float(value) if isinstance(value, NumberText | int | float) else value


def late_to_early(fragments: list[str]) -> float:
    """What a fragment costs in the document's last tenth, by what it costs in the first.

    The median of many runs: each has both tenths close in time, on the same quiet or busy machine.
    """
    size = len(fragments) // 10
    first, last = fragments[:size], fragments[-size:]
    ratios: list[float] = []
    for _ in range(TENTHS_REPEATS):
        parser = ArgumentParser()
        gc.collect()
        early = _follow(parser, first)
        _follow(parser, fragments[size:-size])
        ratios.append(_follow(parser, last) / early)
    return median(ratios)


def _follow(parser: ArgumentParser, fragments: list[str]) -> float:
    start = process_time()
    for fragment in fragments:
        parser.feed(fragment)
        parser.changes()
    return process_time() - start


def run() -> str:
    texts = {name: build() for name, build in DOCUMENTS.items()}
    cut = {name: fragments_of(text) for name, text in texts.items()}
    figures = {
        name: {rival: _cell(rival, texts[name], cut[name]) for rival in RIVALS} for name in texts
    }
    flat = {name: late_to_early(fragments) for name, fragments in cut.items()}
    return "\n".join(["## Parser", "", *_comparison(figures), "", *_goals(figures, flat), ""])


def _cell(rival: str, text: str, fragments: list[str]) -> float | str | None:
    """Seconds, a word on why there are none, or None past the cap."""
    try:
        return seconds(RIVALS[rival], text, fragments)
    except ModuleNotFoundError as missing:
        return f"no {missing.name}"


def _comparison(figures: Figures) -> list[str]:
    lines = [
        "| seconds (times ours) | " + " | ".join(figures) + " |",
        "| --- |" + " --- |" * len(figures),
    ]
    for rival in RIVALS:
        cells = [_told(column[rival], column[OURS]) for column in figures.values()]
        lines.append(f"| {rival} | " + " | ".join(cells) + " |")
    return lines


def _told(figure: float | str | None, ours: float | str | None) -> str:
    if figure is None:
        return f"> {CAP_S:.0f}"
    if isinstance(figure, str) or not isinstance(ours, float):
        return str(figure)
    return f"{figure:.3g} ({figure / ours:.2g}x)"


def _goals(figures: Figures, flat: dict[str, float]) -> list[str]:
    lines = ["| goal | measured | reached |", "| --- | --- | --- |"]
    for name, most in SECONDS.items():
        took = figures[name][OURS]
        lines.append(_goal(f"{name}: at most {most} s", took, "s", took, most))
    for rival, name, least in RATIOS:
        other, own = figures[name][rival], figures[name][OURS]
        goal = f"{name}: at least {least} times faster than {rival}"
        if isinstance(own, float) and not isinstance(other, str):
            ratio = (CAP_S if other is None else other) / own
            lines.append(_goal(goal, ratio, "x", least, ratio))
        else:
            lines.append(f"| {goal} | {other} | not measured |")
    for name, ratio in flat.items():
        goal = f"{name}: last tenth at most {FLAT} times the first, per fragment"
        lines.append(_goal(goal, ratio, "x", ratio, FLAT))
    return lines


def _goal(goal: str, measured: object, unit: str, smaller: object, larger: object) -> str:
    assert isinstance(measured, float)
    assert isinstance(smaller, float)
    assert isinstance(larger, float)
    return f"| {goal} | {measured:.3g} {unit} | {'yes' if smaller <= larger else 'no'} |"
