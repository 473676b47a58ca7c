"""Text that was written by a model or a tool, made safe to look at.

Each character is replaced on its own, so that the visible form of a prefix is a prefix of the
visible form of the whole: streamed prose only ever grows.

- A lone surrogate is no character: it shows as U+FFFD.
- Controls other than newline and tab show as their pictures (U+2400 and on), the rest by number.
- Characters that reorder, hide or smuggle text (bidirectional controls, line separators, the byte
  order mark, tags, annotation marks) show by number, such as ``[U+202E]``: on a screen that asks
  for consent, nothing may look like what it is not.
- Joiners and variation selectors stay: Persian, Indic scripts and emoji are written with them.
"""

import re

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_PICTURES = 0x2400
_DELETE = 0x7F


def visible(text: str) -> str:
    """The text with every character that could deceive or break a page made visible."""
    return _SUSPECT.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "\u2421"
    return f"[U+{code:04X}]"
