"""A conversation as a provider wants it back, in no provider's words.

Only persisted turns are in it: a broken, truncated, refused or unusable turn leaves no trace.
"""

from dataclasses import dataclass
from typing import TypeAlias

from app.calls.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str
    extra: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class CallPart:
    """A call of a persisted turn.

    ``wire_id`` is what goes to the provider in the call and in its result: the provider's own id
    unless that one repeats an earlier one of the conversation, or None where the dialect has none.
    ``arguments_text`` is None where the dialect gave an object.
    """

    ordinal: int
    wire_id: str | None
    name: str
    arguments: JsonObject
    arguments_text: str | None
    extra: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """Content that only its own dialect understands; left out of any other's history."""

    dialect: str
    data: JsonObject


Part: TypeAlias = TextPart | CallPart | OpaquePart


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    dialect: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class CallResult:
    """The one result of one call. ``content`` is the text for the model."""

    ordinal: int
    wire_id: str | None
    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class ToolResults:
    """The results of the turn before it, in call order, one for each call."""

    results: tuple[CallResult, ...]


HistoryItem: TypeAlias = UserMessage | AssistantTurn | ToolResults
