"""Seeded documents of the shapes that tool calls have, and how a model would cut them up."""

import json
import random
from collections.abc import Callable

SEED = 20_000

WORDS = (
    *("the", "invoice", "run", "of", "March", "failed", "for", "one", "customer", "and", "was"),
    *("booked", "twice", "so", "please", "look", "into", "it", "then", "tell", "the", "team"),
    *("what", "you", "found", "before", "anybody", "calls", "them", "back", "amount", "ledger"),
)


def fragments_of(text: str, seed: int = SEED) -> list[str]:
    """The text in pieces of 1 to 8 characters."""
    source = random.Random(seed)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        size = source.randint(1, 8)
        pieces.append(text[start : start + size])
        start += size
    return pieces


def email() -> str:
    body = _prose(random.Random(SEED), 1_900)
    return json.dumps({"to": "ada@example.org", "subject": "The March invoice", "body": body})


def nested() -> str:
    return _grown_to(20_000, lambda source: {"cases": [_case(source, 3) for _ in range(2)]})


def records(size: int) -> str:
    return _grown_to(size, _record)


def one_string() -> str:
    text = json.dumps({"content": _prose(random.Random(SEED), 1_000_000)})
    return text[:999_998].rstrip("\\") + '"}'


def _grown_to(size: int, member: Callable[[random.Random], object]) -> str:
    source = random.Random(SEED)
    members: list[str] = []
    length = 0
    while length < size:
        members.append(json.dumps(member(source)))
        length += len(members[-1]) + 2
    return '{"records": [' + ", ".join(members) + "]}"


def _prose(source: random.Random, size: int) -> str:
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(" ".join(source.choices(WORDS, k=source.randint(6, 40))))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:size]


def _record(source: random.Random) -> object:
    return {
        "id": source.randrange(10**6),
        "name": " ".join(source.choices(WORDS, k=2)),
        "amount": round(source.random() * 10**4, 2),
        "paid": source.random() < 0.5,
        "note": " ".join(source.choices(WORDS, k=19)),
        "parent": None,
    }


def _case(source: random.Random, depth: int) -> object:
    if not depth:
        return {"name": source.choice(WORDS), "value": source.randrange(1_000), "open": True}
    return {
        "title": " ".join(source.choices(WORDS, k=4)),
        "weights": [source.randrange(100) for _ in range(3)],
        "parts": [_case(source, depth - 1) for _ in range(2)],
    }


DOCUMENTS: dict[str, Callable[[], str]] = {
    "2 KB e-mail": email,
    "20 KB nested": nested,
    "200 KB records": lambda: records(200_000),
    "1 MB one string": one_string,
    "1 MB records": lambda: records(1_000_000),
}
