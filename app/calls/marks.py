"""An argument parser that also says where in the text each value settled."""

from dataclasses import dataclass

from app.calls.argument_changes import NumberText, Settled, SettledValue
from app.calls.argument_faults import Break
from app.calls.arguments import ArgumentParser
from app.calls.json_types import Path
from app.calls.limits import DEFAULT_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Mark:
    """``offset`` is how many characters of the text had to be there for the value to settle.

    For a number that is one more than its own last one: the delimiter settles it.
    """

    path: Path
    value: SettledValue
    offset: int


class MarkingParser(ArgumentParser):
    """Reads as its parent does, step by step, and marks what each step settled."""

    __slots__ = ("marks",)

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(limits)
        self.marks: list[Mark] = []

    def finish(self) -> None:
        known = len(self._changes)
        super().finish()
        self._mark(known, self._received, "")

    def _read(self, text: str, start: int) -> None:
        position, end = 0, len(text)
        try:
            while position < end:
                known = len(self._changes)
                position = self._state(self, text, position)
                if len(self._changes) > known:
                    self._mark(known, start + position, text[position : position + 1])
        except Break as stop:
            self._break(stop.code, stop.message, start + stop.position)

    def _mark(self, known: int, read: int, delimiter: str) -> None:
        for change in self._changes[known:]:
            if isinstance(change, Settled):
                late = bool(delimiter) and isinstance(change.value, NumberText)
                self.marks.append(Mark(change.path, change.value, read + late))
