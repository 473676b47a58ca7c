"""The one vocabulary between a provider's wire and everything above it.

A provider adapter turns its wire into these events, in the order of the wire, and ends every
stream with exactly one :class:`TurnEnded` (or raises a provider failure, which is not a turn's
end but an API's). Nothing above the adapter knows which provider spoke.

``block`` is the adapter's key of a unit of the turn. It is stable within the turn and unique to
one unit; the provider's own index where that is reliable, a number of the adapter's where not.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from app.calls.json_types import JsonObject, JsonValue, Path


class Stop(StrEnum):
    """How a turn ended, whatever the dialect calls it."""

    COMPLETE = "complete"
    """Ended well: the dialect's terminal evidence is there, its reason is on the allow-list."""

    TRUNCATED = "truncated"
    """The output limit or the context window cut it off."""

    REFUSED = "refused"
    """The model declined, or a content filter did."""

    INCOMPLETE = "incomplete"
    """The stream broke, went silent, was stopped, or gave no or an unknown reason."""

    ERROR = "error"
    """The provider says that the turn itself failed (a malformed call, a schema violation)."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of assistant text, for a person to read."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class CallAnnounced:
    """A call has begun. Its id and its name may come later, or not at all."""

    block: int
    provider_id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class CallIdentified:
    """A call's id or name, arriving after it was announced. Set once; a repeat must be equal."""

    block: int
    provider_id: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class ArgumentFragment:
    """One piece of a call's raw argument text, exactly as the provider sent it."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class ArgumentSnapshot:
    """The whole argument text, repeated by a provider beside its fragments.

    Stands for the text where no fragment came; otherwise it must equal what was accumulated.
    """

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class ArgumentObject:
    """The whole arguments, from a dialect that sends an object and no text."""

    block: int
    value: JsonObject


@dataclass(frozen=True, slots=True)
class ArgumentPatch:
    """One value of an object that a dialect sends member by member.

    ``continues`` is true for a string whose later pieces follow at the same path.
    """

    block: int
    path: Path
    value: JsonValue
    continues: bool = False


@dataclass(frozen=True, slots=True)
class CallCompleted:
    """The completion event: all of a call's arguments are there. It certifies no more than that."""

    block: int


@dataclass(frozen=True, slots=True)
class ProviderWork:
    """A tool that the provider runs by itself. Shown as its work, never gated or dispatched."""

    block: int
    name: str
    finished: bool


@dataclass(frozen=True, slots=True)
class Retained:
    """What the provider wants back in history, opaque to everyone else.

    With the ``block`` of a text or a call it is kept beside that block (``extra`` of its part);
    otherwise it is a part of its own, in the order of its block's first appearance.
    A later one for the same block replaces the earlier.
    """

    block: int
    data: JsonObject


@dataclass(frozen=True, slots=True)
class Usage:
    """Output tokens so far. A report; it never ends anything."""

    output_tokens: int


@dataclass(frozen=True, slots=True)
class ProtocolWarning:
    """Something odd that does no harm, for the developer."""

    text: str


@dataclass(frozen=True, slots=True)
class ProtocolFault:
    """Something that makes the turn unsafe to use: it will be refused as ``protocol_error``.

    ``block`` names the call at fault, or is None for the turn.
    """

    text: str
    block: int | None = None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The end of the turn. Nothing follows it.

    ``provider_stop`` is the provider's own word; ``detail`` a sentence for the developer.
    ``resume`` is true where the provider paused its own work and wants the turn sent back.
    """

    stop: Stop
    provider_stop: str | None
    detail: str = ""
    resume: bool = False


Event: TypeAlias = (
    TextDelta
    | CallAnnounced
    | CallIdentified
    | ArgumentFragment
    | ArgumentSnapshot
    | ArgumentObject
    | ArgumentPatch
    | CallCompleted
    | ProviderWork
    | Retained
    | Usage
    | ProtocolWarning
    | ProtocolFault
    | TurnEnded
)
