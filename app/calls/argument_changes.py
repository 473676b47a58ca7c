"""What a parser of arguments reports: what became true, in the order in which it did.

These are made once per fragment and read once, so they are plain slotted classes (a frozen one
takes three times as long to make). Nobody changes one after it was reported.
"""

from dataclasses import dataclass
from typing import TypeAlias

from app.calls.json_types import Path


class NumberText(str):
    """The literal text of a number, as the model wrote it: ``1250.00``, ``1e400``."""

    __slots__ = ()


SettledValue: TypeAlias = (
    "str | NumberText | bool | list[SettledValue] | dict[str, SettledValue] | None"
)
"""A value that can no longer change. Every number in it is a :class:`NumberText`.

The containers are the parser's own: whoever reads one must not change it.
"""


@dataclass(slots=True)
class Opened:
    """The value at ``path`` is being written.

    A member opens at its key's closing quote, an array's element at its first character. The
    root has the path ``()``.
    """

    path: Path


@dataclass(slots=True)
class Grew:
    """``text`` was added to the string being written at ``path``: decoded, never half a pair."""

    path: Path
    text: str


@dataclass(slots=True)
class Settled:
    """The value at ``path`` has ended: a scalar, or a container whose closer arrived."""

    path: Path
    value: SettledValue


Change: TypeAlias = Opened | Grew | Settled
