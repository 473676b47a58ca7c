"""Ways to feed a text to the parser, and what came of it, for the tests of arguments."""

from collections.abc import Iterable, Iterator
from itertools import cycle

from app.calls.argument_changes import Change, Grew, NumberText, Opened, Settled, SettledValue
from app.calls.arguments import ArgumentParser
from app.calls.json_types import Path
from app.calls.limits import DEFAULT_LIMITS, Limits


def read(
    fragments: Iterable[str], limits: Limits = DEFAULT_LIMITS
) -> tuple[ArgumentParser, list[Change]]:
    """A parser fed with the fragments and drained after each; what it reported, as it was."""
    parser = ArgumentParser(limits)
    reported: list[Change] = []
    for fragment in fragments:
        parser.feed(fragment)
        reported += frozen(parser.changes())
    return parser, reported


def frozen(changes: Iterable[Change]) -> list[Change]:
    """The changes with a copy of every settled container as it is now."""
    return [
        Settled(change.path, copied(change.value)) if isinstance(change, Settled) else change
        for change in changes
    ]


def copied(value: SettledValue) -> SettledValue:
    if isinstance(value, dict):
        return {key: copied(member) for key, member in value.items()}
    if isinstance(value, list):
        return [copied(element) for element in value]
    return value


def merged(changes: Iterable[Change]) -> list[Change]:
    """The changes with adjacent growth of one string made one."""
    result: list[Change] = []
    for change in changes:
        last = result[-1] if result else None
        if isinstance(change, Grew) and isinstance(last, Grew) and last.path == change.path:
            result[-1] = Grew(last.path, last.text + change.text)
        else:
            result.append(change)
    return result


def settled_scalars(changes: Iterable[Change]) -> dict[Path, SettledValue]:
    return {
        change.path: change.value
        for change in changes
        if isinstance(change, Settled) and not isinstance(change.value, dict | list)
    }


def opened(changes: Iterable[Change]) -> list[Path]:
    return [change.path for change in changes if isinstance(change, Opened)]


def ways_to_cut(text: str) -> Iterator[list[str]]:
    """Whole, character by character, and in two at every point."""
    yield [text]
    yield list(text)
    for cut in range(1, len(text)):
        yield [text[:cut], text[cut:]]


def cut(text: str, sizes: list[int]) -> list[str]:
    """The text in pieces of the sizes, over and over."""
    fragments: list[str] = []
    start = 0
    for size in cycle(sizes):
        if start >= len(text):
            return fragments
        fragments.append(text[start : start + size])
        start += size
    return fragments


def plain(value: SettledValue) -> object:
    """A settled tree in which a number is told from a string by its type alone."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, NumberText):
        return ("number", str(value))
    return value
