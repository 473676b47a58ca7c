"""The formats ``iri`` and ``iri-reference``, by the mapping of RFC 3987 (section 3.1).

A text is an IRI exactly when its characters beyond ASCII are ones that an IRI may hold, and it is a
URI once these are percent-encoded. The library that JSON Schema's own check would take compiles a
grammar at import, which took most of the time that the program needs to start.
"""

import re
from urllib.parse import quote

from rfc3986_validator import (
    validate_rfc3986,  # pyright: ignore[reportUnknownVariableType]
)

_PLAIN = "\x00-\x7f"
_UCSCHAR = (
    "\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 0xE))
    + "\U000e1000-\U000efffd"
)
_IPRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_STRAY = re.compile(f"[^{_PLAIN}{_UCSCHAR}]")
_STRAY_IN_QUERY = re.compile(f"[^{_PLAIN}{_UCSCHAR}{_IPRIVATE}]")
_ASCII = bytes(range(0x80)).decode()


def is_iri(text: str) -> bool:
    return _holds(text, "URI")


def is_iri_reference(text: str) -> bool:
    return _holds(text, "URI_reference")


def _holds(text: str, rule: str) -> bool:
    before_fragment, _, fragment = text.partition("#")
    path, _, query = before_fragment.partition("?")
    if _STRAY.search(path) or _STRAY_IN_QUERY.search(query) or _STRAY.search(fragment):
        return False
    return bool(validate_rfc3986(quote(text, safe=_ASCII), rule=rule))
