"""Raw text in pieces that can be shown: what cannot be seen, apart from what can.

Stricter than what an end user sees (``app.display.visible``): a joiner inside an emoji is named
here too, since what a provider sent is the question.
"""

import re
from collections.abc import Iterator

_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\U000f0000-\U0010ffff]"
)


def segments(text: str) -> Iterator[tuple[str, int | None]]:
    """Runs of visible characters, and each other character by its code; in order, none left out."""
    place = 0
    for found in _UNSEEN.finditer(text):
        if found.start() > place:
            yield text[place : found.start()], None
        yield "", ord(found[0])
        place = found.end()
    if place < len(text):
        yield text[place:], None
