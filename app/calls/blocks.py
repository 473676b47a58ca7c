"""The blocks of a turn, as far as they have been written: text, calls, and what is kept unread."""

from dataclasses import dataclass, field
from typing import TypeAlias

from app.calls.json_types import JsonObject
from app.calls.states import CallState


@dataclass(slots=True)
class Call:
    """A call as it is being written. ``value`` is set only by dialects that send objects."""

    ordinal: int
    block: int
    provider_id: str | None
    name: str | None
    state: CallState
    pieces: list[str] = field(default_factory=list[str])
    value: JsonObject | None = None
    completed: bool = False
    extra: JsonObject | None = None
    bytes: int = 0
    held_half: str = ""
    """A raw high surrogate that waits for its other half in the next fragment."""

    @property
    def text(self) -> str:
        """The argument text received so far."""
        return "".join(self.pieces)


@dataclass(slots=True)
class TextBlock:
    pieces: list[str] = field(default_factory=list[str])
    extra: JsonObject | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(slots=True)
class OpaqueBlock:
    """Content kept for the provider alone."""

    data: JsonObject | None = None


Block: TypeAlias = TextBlock | Call | OpaqueBlock
