"""The formats ``iri`` and ``iri-reference``, by the mapping of RFC 3987 (section 3.1).

A text is an IRI exactly when its characters beyond ASCII are ones that an IRI may hold, and it is a
URI once these are percent-encoded. The library that JSON Schema's own check would take compiles a
grammar at import, which took most of the time that the program needs to start.
"""

from urllib.parse import quote

from rfc3986_validator import (
    validate_rfc3986,  # pyright: ignore[reportUnknownVariableType]
)

_UCSCHAR = (
    (0xA0, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFEF),
    *((plane << 16, (plane << 16) + 0xFFFD) for plane in range(1, 0xE)),
    (0xE1000, 0xEFFFD),
)
_IPRIVATE = ((0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))
"""Allowed in the query alone."""


def is_iri(text: str) -> bool:
    return _holds(text, "URI")


def is_iri_reference(text: str) -> bool:
    return _holds(text, "URI_reference")


def _holds(text: str, rule: str) -> bool:
    if not all(_may_stand(text, place) for place in range(len(text))):
        return False
    encoded = "".join(char if char.isascii() else quote(char) for char in text)
    return bool(validate_rfc3986(encoded, rule=rule))


def _may_stand(text: str, place: int) -> bool:
    code = ord(text[place])
    if code < 0x80:
        return True
    if any(first <= code <= last for first, last in _UCSCHAR):
        return True
    in_query = "?" in text[:place] and "#" not in text[:place]
    return in_query and any(first <= code <= last for first, last in _IPRIVATE)
