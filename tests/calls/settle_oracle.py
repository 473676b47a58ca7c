"""A second opinion on where each value of a JSON text settles, by the rules of design section 2.

It shares nothing with the parser under test: the slow reader says how much of the text a document
can begin with, and this walks over that much, character by character.
"""

import json

from app.calls.json_types import Path
from tests.calls.slow_reader import SPACE, verdict

Settles = list[tuple[Path, int]]
"""Path, and how many characters had to be there."""


def settles(text: str, *, finished: bool) -> Settles:
    """Every value that has settled, in order; ``finished``: no more text will come."""
    said = verdict(text)
    walker = _Walker(text[:said] if isinstance(said, int) else text)
    if finished and not text.strip(SPACE):
        return [((), len(text))]
    try:
        walker.value(())
    except IndexError:  # the text ran out
        lone = not walker.found and walker.number_began == 0 and said == "complete"
        if finished and lone:
            walker.found.append(((), len(text)))
    return walker.found


class _Walker:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.number_began = -1
        self.found: Settles = []

    def skip(self) -> str:
        while self.text[self.at] in SPACE:
            self.at += 1
        return self.text[self.at]

    def value(self, path: Path) -> None:
        char = self.skip()
        if char == "{":
            self.object(path)
        elif char == "[":
            self.array(path)
        elif char == '"':
            self.string()
        elif char in "tfn":
            word = {"t": "true", "f": "false", "n": "null"}[char]
            if len(self.text) < self.at + len(word):
                raise IndexError
            self.at += len(word)
        else:
            self.number()
            self.found.append((path, self.at + 1))
            return
        self.found.append((path, self.at))

    def number(self) -> None:
        self.number_began = self.depth
        while self.text[self.at] in "+-.0123456789eE":
            self.at += 1

    def string(self) -> str:
        begun = self.at
        self.at += 1
        while self.text[self.at] != '"':
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1
        return json.loads(self.text[begun : self.at], strict=False)  # noqa: TID251 - the oracle's own

    def object(self, path: Path) -> None:
        self.at += 1
        self.depth += 1
        while self.skip() != "}":
            if self.text[self.at] == ",":
                self.at += 1
                self.skip()
            key = self.string()
            self.skip()
            self.at += 1
            self.value((*path, key))
        self.at += 1
        self.depth -= 1

    def array(self, path: Path) -> None:
        self.at += 1
        self.depth += 1
        index = 0
        while self.skip() != "]":
            if self.text[self.at] == ",":
                self.at += 1
            self.value((*path, index))
            index += 1
        self.at += 1
        self.depth -= 1
