"""How a command says that it cannot do its work, or that something is odd about it."""

import sys

CANNOT = 2
"""The exit status for it."""


def cannot(why: object) -> int:
    """Say why, in one line on standard error; returns the exit status."""
    warn(why)
    return CANNOT


def warn(why: object) -> None:
    """Say something in one line on standard error."""
    print(f"formwork: {why}", file=sys.stderr)
