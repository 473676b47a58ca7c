"""What the demo model can answer with, and what it is told: the vocabulary of its script."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from app.calls.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call with its raw argument text, in ``fragments`` pieces where that is given."""

    name: str
    arguments: str
    fragments: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One turn.

    ``dies``: the connection breaks in the middle of the last block. ``stop_reason`` is the wire's.
    """

    blocks: Sequence[Say | Call]
    stop_reason: str
    dies: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """A call that was made in this exchange, and the result that came back for it."""

    name: str
    arguments: JsonObject
    content: str
    is_error: bool


Round: TypeAlias = Sequence[Answered]


@dataclass(frozen=True, slots=True)
class Situation:
    """What the person said last, the rounds of calls since then, and the tools on offer."""

    message: str
    rounds: Sequence[Round] = ()
    tools: frozenset[str] = field(default_factory=frozenset[str])


def say(*sentences: str) -> Reply:
    return Reply([Say(" ".join(sentences))], "end_turn")


def call(text: str, *calls: Call) -> Reply:
    return Reply([Say(text), *calls], "tool_use")
