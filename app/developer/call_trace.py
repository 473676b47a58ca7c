"""One call's raw argument text with what the parser made of it, place by place.

Offsets count characters of the text, ``byte`` offsets its UTF-8. A fragment is what the provider
sent in one piece; the concatenation of all is the text.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from app.calls.argument_changes import Settled, SettledValue
from app.calls.argument_faults import Fault, Status
from app.calls.arguments import ArgumentParser
from app.calls.events import ArgumentObject, ArgumentPatch
from app.calls.json_types import Path
from app.calls.limits import Limits
from app.calls.marks import MarkingParser
from app.calls.object_arguments import ObjectArguments
from app.calls.surrogates import join_pairs, utf8_length
from app.developer.turn_log import CallLog


@dataclass(frozen=True, slots=True)
class Fragment:
    """``number`` counts from 1; ``gap`` is the time since the one before, None for the first."""

    number: int
    offset: int
    byte: int
    at: int
    gap: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value settled. ``offset`` is None where arguments come as objects.

    ``fragment`` is then the number of the object among those that came.
    """

    path: Path
    value: SettledValue
    offset: int | None
    fragment: int
    at: int


@dataclass(frozen=True, slots=True)
class Moment:
    """How the parser stood once so many fragments had come."""

    fragment: int
    at: int | None
    open_path: Path | None
    open_text: str | None
    settled: int
    status: Status
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Gaps:
    """Times between fragments; the longest is the one before fragment ``longest_before``."""

    count: int
    median: int
    p99: int
    longest: int
    longest_before: int


class CallTrace:
    """The trace of a call, as far as it has come."""

    def __init__(self, call: CallLog, limits: Limits) -> None:
        self.call = call
        self._limits = limits

    @cached_property
    def pieces(self) -> Sequence[str]:
        """The fragments' texts, a surrogate pair that the wire cut in two joined in the later."""
        texts = self.call.texts
        if all(text.isascii() for text in texts):
            return texts
        return _joined(texts)

    @cached_property
    def text(self) -> str:
        return "".join(self.pieces)

    @cached_property
    def ends(self) -> list[int]:
        """The offset at which each fragment ends."""
        return list(accumulate(map(len, self.pieces)))

    @cached_property
    def byte_ends(self) -> list[int]:
        if self.text.isascii():
            return self.ends
        return list(accumulate(utf8_length(piece) for piece in self.pieces))

    def __len__(self) -> int:
        return len(self.call.texts)

    def fragments(self, first: int, last: int) -> list[Fragment]:
        """The fragments from number ``first`` to ``last``, both included."""
        at = self.call.at
        return [
            Fragment(
                index + 1,
                self.ends[index - 1] if index else 0,
                self.byte_ends[index - 1] if index else 0,
                at[index],
                at[index] - at[index - 1] if index else None,
                self.pieces[index],
            )
            for index in range(max(first, 1) - 1, min(last, len(self)))
        ]

    @cached_property
    def _parsed(self) -> MarkingParser:
        parser = MarkingParser(self._limits)
        parser.feed(self.text)
        if self.call.completed is not None:
            parser.finish()
        return parser

    @property
    def status(self) -> Status:
        return self._parsed.status

    @property
    def fault(self) -> Fault | None:
        return self._parsed.fault

    @cached_property
    def places(self) -> list[Place]:
        """Where each value settled, in order."""
        if not self.call.texts and self.call.objects:
            return list(self._object_places())
        return [
            Place(mark.path, mark.value, mark.offset, *self._arrival(mark.offset))
            for mark in self._parsed.marks
        ]

    def _arrival(self, offset: int) -> tuple[int, int]:
        """Number and time of the fragment that brought the character before an offset."""
        index = bisect_left(self.ends, offset)
        if offset == 0 or index == len(self.ends):
            return len(self.ends), self.call.completed or 0
        return index + 1, self.call.at[index]

    def _object_places(self) -> "list[Place]":
        found: list[Place] = []
        reader = ObjectArguments(self._limits)
        for number, timed in enumerate(self.call.objects, 1):
            match timed.event:
                case ArgumentObject(value=value):
                    reader.whole(value)
                case ArgumentPatch(path=path, value=value, continues=continues):
                    reader.patch(path, value, continues)
                case _:
                    pass
            found += _settled(reader, number, timed.at)
        if self.call.completed is not None:
            reader.finish()
            found += _settled(reader, len(self.call.objects), self.call.completed)
        return found

    def moment(self, fragment: int) -> Moment:
        """The parser's state after a fragment; 0 is before the first."""
        fragment = max(0, min(fragment, len(self)))
        end = self.ends[fragment - 1] if fragment else 0
        parser = ArgumentParser(self._limits)
        parser.feed(self.text[:end])
        settled = sum(isinstance(change, Settled) for change in parser.changes())
        return Moment(
            fragment,
            self.call.at[fragment - 1] if fragment else None,
            parser.open_path,
            parser.open_text,
            settled,
            parser.status,
            parser.fault,
        )

    @cached_property
    def gaps(self) -> Gaps | None:
        """None with fewer than two fragments."""
        at = self.call.at
        if len(at) < 2:
            return None
        gaps = [later - earlier for earlier, later in pairwise(at)]
        longest = max(range(len(gaps)), key=gaps.__getitem__)
        ordered = sorted(gaps)
        return Gaps(
            len(at),
            ordered[len(ordered) // 2],
            ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)],
            gaps[longest],
            longest + 2,
        )


def _settled(reader: ObjectArguments, number: int, at: int) -> list[Place]:
    return [
        Place(change.path, change.value, None, number, at)
        for change in reader.changes()
        if isinstance(change, Settled)
    ]


def _joined(texts: Sequence[str]) -> list[str]:
    """As the turn joins them: a high half at a fragment's end waits for the next one."""
    held = ""
    pieces: list[str] = []
    for text in texts:
        text = held + text
        held = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        pieces.append(join_pairs(text[: len(text) - len(held)]))
    if held and pieces:
        pieces[-1] += held
    return pieces
