"""Whether a label could be read as a report of something that goes on.

A label stands beside every state, the ones before anything has happened included. "Create ticket"
is true at any moment; "Creating ticket" is a claim. English words in -ing are checked, the first
of a label, because that is where a deed stands. Some are nouns ("Billing"), some qualify one
("Remaining budget"), and some do only before certain words ("Sending address").
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ING = re.compile(r"[a-z]{2,}ing")

_NOUNS = _words(
    """
    accounting advertising anything banking bearing billing booking briefing building catering
    ceiling clothing coating crossing dealing dwelling earring ending engineering evening
    everything farming filling finding flooring footing funding gathering greeting grouping
    hearing heading holding housing inning landing lettering lightning lining listing lodging
    marketing meaning meeting morning nothing offering offspring opening outing packaging
    packing painting parking planning plumbing posting pricing programming rating reading
    reasoning recording roofing routing saving scaffolding seating setting shipping sibling
    siding something spacing spelling spring standing sterling string swing thing ticketing
    timing tooling training turning understanding warning wedding wiring wording writing
    """
)
"""Nouns, as long as no word follows that the same word could be done to ("Booking invoice")."""

_DONE_TO = _words(
    """
    a account all an answer article book call card change claim comment contact customer data
    document draft email e-mail entry event file form his image invoice issue item it job
    letter message new now note offer order page parcel payment person photo picture post
    record refund reply report request table task text the their this ticket to transfer trip
    user video you your
    """
)

_QUALIFIERS = _words(
    """
    ascending binding bring corresponding descending existing following incoming interesting
    leading missing outgoing outstanding owing pending preceding recurring remaining trailing
    underlying upcoming
    """
)
"""Words of state or order, and a verb that only looks like the others."""

_NAMED_FOR = _words(
    """
    address bank branch code conditions country currency date day days department fee fees
    hours id instructions limit method mode number office party period place rate rule rules
    speed system time unit window
    """
)
"""What a deed may name: "Sending address", "Processing fee"."""


def untrue(label: str) -> str | None:
    """Why a label claims that something goes on, or None."""
    if label.rstrip().endswith(("...", "…")):
        return "ends as if something went on; a label is true at any moment"
    words = [word.strip(".,:;!?()\"'") for word in label.lower().split()]
    first, rest = (words[0], words[1:]) if words else ("", [])
    if not _ING.fullmatch(first) or first in _QUALIFIERS:
        return None
    if first in _NOUNS and not (rest and _is_done_to(rest[0])):
        return None
    if rest and rest[-1] in _NAMED_FOR:
        return None
    return "is what would be said while it goes on; name the deed or the thing (Create ticket)"


def _is_done_to(word: str) -> bool:
    return word in _DONE_TO or word.removesuffix("s") in _DONE_TO
