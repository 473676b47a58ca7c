"""Bounds on what one turn may make the program hold.

Each has a default and the reason for it; all are settings. A breach is told with both numbers.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the calls of one turn."""

    call_bytes: int = 1024 * 1024
    """UTF-8 bytes of one call's arguments. A long file or e-mail fits; a runaway does not."""

    turn_bytes: int = 4 * 1024 * 1024
    """UTF-8 bytes of the arguments of all calls of a turn."""

    turn_calls: int = 32
    """Calls in one turn. Recorded parallel turns stay below ten."""

    depth: int = 64
    """Nesting of containers. The standard parser's own recursion limit is far above it."""

    number_chars: int = 1000
    """Characters of one number: no schema means more, and big powers are slow to compute."""


DEFAULT_LIMITS = Limits()
