"""How the arguments of a call stand, and what is wrong with them."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    OPEN = "open"
    """Nothing is wrong so far, and more has to come."""

    COMPLETE = "complete"
    """One whole value was read, and nothing but white space after it."""

    BROKEN = "broken"
    """No good document can come of it. What was settled stays as it is, for good."""


class FaultCode(StrEnum):
    INVALID = "invalid"
    """A character, or for objects a value, that no JSON document has at this place."""

    DUPLICATE_KEY = "duplicate_key"
    TRAILING_TEXT = "trailing_text"
    INCOMPLETE = "incomplete"
    """The text ended inside a value."""

    TOO_LARGE = "too_large"
    """Past one of the limits; the message has both numbers."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a document broke. ``message`` never quotes it: it may hold what nobody should see."""

    code: FaultCode
    message: str
    offset: int
    """Characters of the text that were good."""


class Break(Exception):
    """The character at ``position`` of the text being read can be in no document."""

    def __init__(self, code: FaultCode, message: str, position: int) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
