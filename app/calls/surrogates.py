"""Halves of surrogate pairs in text, which decoders leave where a wire cut a pair in two."""

import re

find_half = re.compile("[\ud800-\udfff]").search


def join_pairs(text: str) -> str:
    """The text with every high half that a low one follows made one character with it."""
    if text.isascii() or find_half(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf8_length(text: str) -> int:
    """How many bytes a text is in UTF-8; a half counts as the three that it would be encoded as."""
    return len(text.encode("utf-8", "surrogatepass"))
