"""What a text column may hold: any Unicode text without NUL and without lone surrogates.

PostgreSQL refuses a NUL in text, and neither database stores half a surrogate pair. Names, ids,
messages and results are mended (each such character becomes U+FFFD, and how many did is kept with
a result); arguments are never altered, since what was approved is what runs: they are refused.
"""

import re

from app.calls.json_types import JsonValue
from app.records.errors import NotStorable

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def mended(text: str) -> tuple[str, int]:
    """The text with U+FFFD for each character that cannot be stored, and how many there were."""
    return _UNSTORABLE.subn("\ufffd", text)


def mended_text(text: str) -> str:
    return mended(text)[0]


def mended_or_none(text: str | None) -> str | None:
    return None if text is None else mended_text(text)


def mended_json(value: JsonValue) -> tuple[JsonValue, int]:
    """The same for every string and key of a value. Keys that become equal: the last one stays."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list):
        pairs = [mended_json(element) for element in value]
        return [element for element, _ in pairs], sum(count for _, count in pairs)
    if isinstance(value, dict):
        members: dict[str, JsonValue] = {}
        total = 0
        for key, member in value.items():
            new_key, in_key = mended(key)
            members[new_key], in_member = mended_json(member)
            total += in_key + in_member
        return members, total
    return value, 0


def refuse_unstorable(value: JsonValue) -> None:
    """Raise :class:`NotStorable` where :func:`mended_json` would have altered something."""
    if mended_json(value)[1]:
        raise NotStorable("arguments hold a NUL or a lone surrogate")
