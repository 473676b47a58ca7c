"""What an event did to a turn, for those who show it."""

from dataclasses import dataclass
from typing import TypeAlias

from app.calls.blocks import Call
from app.calls.json_types import JsonObject, JsonValue, Path
from app.calls.states import CallState


@dataclass(frozen=True, slots=True)
class CallBegan:
    call: Call


@dataclass(frozen=True, slots=True)
class CallGotName:
    call: Call


@dataclass(frozen=True, slots=True)
class CallMoved:
    """The call has a new state."""

    call: Call
    state: CallState


@dataclass(frozen=True, slots=True)
class ArgumentsGrew:
    call: Call
    text: str


@dataclass(frozen=True, slots=True)
class ObjectGiven:
    call: Call
    value: JsonObject


@dataclass(frozen=True, slots=True)
class PatchGiven:
    call: Call
    path: Path
    value: JsonValue
    continues: bool


@dataclass(frozen=True, slots=True)
class TextAdded:
    block: int
    text: str


@dataclass(frozen=True, slots=True)
class WorkSeen:
    block: int
    name: str
    finished: bool


Change: TypeAlias = (
    CallBegan
    | CallGotName
    | CallMoved
    | ArgumentsGrew
    | ObjectGiven
    | PatchGiven
    | TextAdded
    | WorkSeen
)
