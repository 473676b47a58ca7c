"""Where rows stand in display order.

A row's keys are its place at each level: a member's place in its group, an element's index. Rows
nearly always come in display order, at the end. One that does not is found by bisection, in
blocks short enough that inserting costs next to nothing; only their lengths are added up.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from app.calls.json_types import Path
from app.display.tree import Node

Keys: TypeAlias = tuple[int, ...]

_BLOCK = 2048


def place_keys(path: Path, nodes: Sequence[Node]) -> Keys:
    """The keys of a path whose nodes are given, one for each step."""
    return tuple(
        step if isinstance(step, int) else node.place
        for step, node in zip(path, nodes, strict=True)
    )


class Places:
    """The keys of all rows, in order."""

    def __init__(self) -> None:
        self._blocks: list[list[tuple[Keys, Path]]] = []
        self._last: list[Keys] = []
        """The last keys of each block."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Path]:
        """The paths, in display order."""
        return (path for block in self._blocks for _, path in block)

    def add(self, keys: Keys, path: Path) -> int:
        """Add a row that is not there yet; its index among all."""
        self._count += 1
        if not self._last or keys > self._last[-1]:
            return self._append(keys, path)
        index = bisect_left(self._last, keys)
        block = self._blocks[index]
        insort(block, (keys, path), key=_keys)
        if len(block) > 2 * _BLOCK:
            self._split(index)
        return self.of(keys)

    def of(self, keys: Keys) -> int:
        """The index, among all, of the row at these keys."""
        if keys == self._last[-1]:
            return self._count - 1
        index = bisect_left(self._last, keys)
        within = bisect_left(self._blocks[index], keys, key=_keys)
        return sum(map(len, self._blocks[:index])) + within

    def remove(self, keys: Keys) -> None:
        """Take out the row at these keys."""
        index = bisect_left(self._last, keys)
        block = self._blocks[index]
        del block[bisect_left(block, keys, key=_keys)]
        self._count -= 1
        if block:
            self._last[index] = block[-1][0]
        else:
            del self._blocks[index], self._last[index]

    def _append(self, keys: Keys, path: Path) -> int:
        if not self._blocks or len(self._blocks[-1]) >= _BLOCK:
            self._blocks.append([])
            self._last.append(keys)
        self._blocks[-1].append((keys, path))
        self._last[-1] = keys
        return self._count - 1

    def _split(self, index: int) -> None:
        block = self._blocks[index]
        first, second = block[:_BLOCK], block[_BLOCK:]
        self._blocks[index : index + 1] = [first, second]
        self._last[index : index + 1] = [first[-1][0], second[-1][0]]


def _keys(placed: tuple[Keys, Path]) -> Keys:
    return placed[0]
