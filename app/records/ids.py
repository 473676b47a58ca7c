"""Our own ids: random, url-safe, and safe as element ids and in selectors."""

import secrets
from enum import StrEnum


class Kind(StrEnum):
    """What an id names, told by its first letter. A selector may not begin with a digit."""

    CONVERSATION = "c"
    EXCHANGE = "x"
    TURN = "t"
    NOTICE = "n"
    QUEUED_MESSAGE = "q"
    WORKER = "w"
    APPROVAL = "a"
    REPLAY = "r"


def new_id(kind: Kind) -> str:
    """A letter and 20 hexadecimal digits (80 random bits)."""
    return kind + secrets.token_hex(10)
