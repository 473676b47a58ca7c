"""One step of a turn: how everything stood once so many of its events had come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.calls.arguments import ArgumentParser
from app.calls.blocks import TextBlock
from app.calls.events import ArgumentFragment, Event
from app.calls.json_types import Path
from app.calls.states import CallState
from app.developer.turn_log import Run, Timed, TurnLog
from app.display.live_turn import LiveTurn
from app.display.view import Row

TAIL_CHARS = 600
"""Of a call's text: what was written last is what a step is looked at for."""


@dataclass(frozen=True, slots=True)
class CallStep:
    """A call at a step. ``text`` is the end of what was written, ``hidden`` how much is before."""

    ordinal: int
    name: str | None
    state: CallState
    text: str
    last: str
    hidden: int
    open_path: Path | None
    status: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Step:
    """``number`` of ``count`` events have come, the last one at ``at``."""

    number: int
    count: int
    at: int | None
    event: Event | None
    calls: Sequence[CallStep]
    text: str


class Steps:
    """Walks through a turn. Going on costs what lies between; going back begins anew."""

    def __init__(self, turn: TurnLog) -> None:
        self._turn = turn
        self._times = [at for item in turn.items for at in _times(item)]
        self._begin()

    def __len__(self) -> int:
        return len(self._times)

    def time(self, number: int) -> int:
        """When an event came, counted from 1."""
        return self._times[number - 1]

    def to(self, number: int) -> Step:
        """The step after so many events; 0 is before the first."""
        number = max(0, min(number, len(self)))
        if number < self._taken:
            self._begin()
        while self._taken < number:
            self._advance(number)
        return self._step()

    def _begin(self) -> None:
        terms = self._turn.terms
        self._taken = 0
        self._item = 0
        self._within = 0
        self._event: Event | None = None
        self._live = LiveTurn("x", "t", terms.maps, terms.formats, terms.limits)
        self._parsers: dict[int, ArgumentParser] = {}

    def _advance(self, number: int) -> None:
        item = self._turn.items[self._item]
        if isinstance(item, Timed):
            self._event = item.event
            self._live.take(item.event)
            self._taken += 1
            self._item += 1
            return
        until = min(len(item.texts), self._within + number - self._taken)
        # All but the last at once: a text is read the same however it is cut.
        self._feed(item.block, "".join(item.texts[self._within : until - 1]))
        self._feed(item.block, item.texts[until - 1])
        self._event = ArgumentFragment(item.block, item.texts[until - 1])
        self._taken += until - self._within
        self._within = until
        if until == len(item.texts):
            self._item += 1
            self._within = 0

    def _feed(self, block: int, text: str) -> None:
        if text:
            self._live.take(ArgumentFragment(block, text))
            limits = self._turn.terms.limits
            self._parsers.setdefault(block, ArgumentParser(limits)).feed(text)

    def _step(self) -> Step:
        at = self._times[self._taken - 1] if self._taken else None
        blocks = self._live.turn.blocks.values()
        texts = [block.text for block in blocks if isinstance(block, TextBlock)]
        return Step(
            self._taken,
            len(self),
            at,
            self._event,
            list(self._calls()),
            "\n\n".join(texts)[-TAIL_CHARS:],
        )

    def _calls(self) -> Iterator[CallStep]:
        for call in self._live.turn.calls:
            text = call.text
            parser = self._parsers.get(call.block)
            match self._event:
                case ArgumentFragment(block=call.block, text=last):
                    pass
                case _:
                    last = ""
            yield CallStep(
                call.ordinal,
                call.name,
                call.state,
                text[-TAIL_CHARS:],
                last,
                max(0, len(text) - TAIL_CHARS),
                None if parser is None else parser.open_path,
                "open" if parser is None else parser.status.value,
                self._live.rows(call),
            )


def _times(item: Timed | Run) -> list[int]:
    return item.at if isinstance(item, Run) else [item.at]
