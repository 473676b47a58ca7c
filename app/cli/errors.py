"""How a command says that it cannot do its work."""

import sys

CANNOT = 2
"""The exit status for it."""


def cannot(why: object) -> int:
    """Say why, in one line on standard error; returns the exit status."""
    print(f"formwork: {why}", file=sys.stderr)
    return CANNOT
