"""What a person who decides sees of a call's arguments: see :mod:`app.display.whole`."""

from dataclasses import dataclass
from enum import StrEnum

from app.calls.json_types import Path
from app.display.marks import Segment


class ValueKind(StrEnum):
    """What a value is: a text ``true`` and the value ``true`` read alike."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    EMPTY_OBJECT = "empty_object"
    EMPTY_ARRAY = "empty_array"


class Caution(StrEnum):
    """What a reader should know of a value before they read it."""

    INVISIBLE = "invisible"
    BIDI = "bidi"
    MIXED = "mixed"
    RIDDLED = "riddled"
    """It has more marks than can be told apart."""
    EDGES = "edges"
    """It begins or ends with white space."""
    GAPS = "gaps"
    """It has room inside that pushes text away."""
    RIGHT_TO_LEFT = "right_to_left"
    """Letters of a script that is written from the right: what is beside them may stand turned."""
    PUNYCODE = "punycode"
    NAME = "name"
    """Its own name holds something of this list."""


@dataclass(frozen=True, slots=True)
class WholeRow:
    """One value without parts, or an empty object or array.

    ``segments`` are the exact value; ``formatted`` is how the map's format says it, where that is
    different, else None. ``label`` names the value with all that it lies in: by the map's labels
    where it is shown, else by its keys. ``length`` counts the characters of the exact value.
    """

    path: Path
    label: str
    segments: tuple[Segment, ...]
    kind: ValueKind
    formatted: str | None = None
    hidden: bool = False
    """Hidden from the customer."""
    editable: bool = False
    cautions: tuple[Caution, ...] = ()
    length: int = 0

    @property
    def exact(self) -> str:
        """The value to the character: a string itself, anything else as JSON writes it."""
        return "".join(segment.source for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Whole:
    """All of a call's arguments. ``hidden`` counts the fields whose values are not among the rows.

    A field counts once, however many elements of an array have it.
    """

    rows: tuple[WholeRow, ...] = ()
    hidden: int = 0
