"""What is due now, given the time.

Growth is coalesced: at most one flush in each interval, the trailing edge kept. Ten in a second
look like flowing text; more would cost bytes and a browser's time. A change of state is due at
once, together with whatever waits before it, so that order is never changed. Sans-I/O: the time
is an argument, in seconds of any monotonic clock.
"""

from collections.abc import Iterable

from app.display.updates import RowChanged, RowGrew, TextGrew, Update

DEFAULT_INTERVAL_S = 0.100

_PATIENT = (TextGrew, RowChanged, RowGrew)
"""Updates that may wait for the interval; any other is a change of state."""


class Pacing:
    """The updates of one conversation that wait to be sent."""

    def __init__(self, interval_s: float = DEFAULT_INTERVAL_S) -> None:
        self._interval = interval_s
        self._waiting: list[Update] = []
        self._urgent = False
        self._last_flush = float("-inf")

    def add(self, updates: Iterable[Update]) -> None:
        for update in updates:
            self._urgent = self._urgent or not isinstance(update, _PATIENT)
            _merge(self._waiting, update)

    def due_at(self) -> float | None:
        """When the waiting updates must be sent: a time, or None when nothing waits."""
        if not self._waiting:
            return None
        return float("-inf") if self._urgent else self._last_flush + self._interval

    def take(self, now: float) -> list[Update]:
        """The waiting updates, which count as sent at ``now``."""
        taken, self._waiting, self._urgent = self._waiting, [], False
        if taken:
            self._last_flush = now
        return taken


def _merge(waiting: list[Update], update: Update) -> None:
    """Append an update, joining growth of the same text that nothing stands between."""
    match waiting[-1] if waiting else None, update:
        case TextGrew() as old, TextGrew() as new if (old.turn, old.item) == (new.turn, new.item):
            waiting[-1] = TextGrew(old.exchange, old.turn, old.item, old.text + new.text)
        case RowGrew() as old, RowGrew() as new if (old.call, old.path) == (new.call, new.path):
            waiting[-1] = RowGrew(old.exchange, old.turn, old.call, old.path, old.text + new.text)
        case RowChanged() as old, RowChanged() as new if _same_row(old, new):
            waiting[-1] = new
        case _:
            waiting.append(update)


def _same_row(old: RowChanged, new: RowChanged) -> bool:
    return (old.call, old.path, old.place) == (new.call, new.path, new.place)
