"""Addresses in running text: ``https://a.example/x`` is a link as it stands.

A rule of ours, for what the parser offers (linkify-it) reads an address again from each place in
it: 40 kB of ``http://a`` keep a server busy for ten seconds. This one reads a character once. It
heeds ``http://`` and ``https://`` alone and guesses nothing; what it does not take stays text.
"""

import re

from markdown_it.rules_inline import StateInline

_SCHEMES = ("http", "https")
_PART_OF_A_SCHEME = re.compile("[a-zA-Z0-9.+-]")
_ADDRESS = re.compile(
    # Not what no address holds, nor what cannot be seen, nor what ends a sentence in CJK writing.
    '[^\\s\\x00-\\x20\\x7f-\\xa0<>"`\\\\{}|^\\[\\]\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    "\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000-\u303f\u3164\ufe00-\ufe0f\ufeff\uff00-\uff0f"
    "\uff1a-\uff20\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]+"
)
_AUTHORITY_ENDS = re.compile(r"[/?#]")
_ENDS_A_SENTENCE = frozenset("?!.,:;*_~'\u2018\u2019\u201c\u201d\u203a\xbb\u2026")


def bare_link(state: StateInline, silent: bool) -> bool:
    """A rule of the inline parser: at the colon behind a scheme, the link that begins there."""
    if state.linkLevel > 0 or not state.src.startswith("://", state.pos):
        return False
    scheme = _scheme_before(state.src, state.pos)
    # A letter behind a backslash is no longer pending: it has been taken with it.
    if not scheme or state.pending[-len(scheme) :].lower() != scheme:
        return False
    found = _ADDRESS.match(state.src, state.pos + len("://"), state.posMax)
    if found is None:
        return False
    rest = _without_what_follows(found[0])
    authority = _AUTHORITY_ENDS.split(rest, 1)[0]
    # Before an @ stands what looks like a host and is none.
    if not authority[:1].isalnum() or "@" in authority:
        return _as_text(state, found[0], silent)
    address = f"{state.src[state.pos - len(scheme) : state.pos]}://{rest}"
    target = state.md.normalizeLink(address)
    if not state.md.validateLink(target):
        return _as_text(state, found[0], silent)
    if not silent:
        state.pending = state.pending[: -len(scheme)]
        state.push("link_open", "a", 1).attrs = {"href": target}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos += len("://") + len(rest)
    return True


def _scheme_before(text: str, end: int) -> str:
    for scheme in _SCHEMES:
        begin = end - len(scheme)
        if begin >= 0 and text[begin:end].lower() == scheme:
            is_whole = begin == 0 or not _PART_OF_A_SCHEME.match(text, begin - 1)
            return scheme if is_whole else ""
    return ""


def _without_what_follows(address: str) -> str:
    """Without the marks that end the sentence or the bracket that an address stands in."""
    unopened = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last == ")" and unopened > 0:
            unopened -= 1
        elif last not in _ENDS_A_SENTENCE:
            break
        end -= 1
    return address[:end]


def _as_text(state: StateInline, rest: str, silent: bool) -> bool:
    """Take what was read as text: it is not read again."""
    if not silent:
        state.pending += f"://{rest}"
    state.pos += len("://") + len(rest)
    return True
