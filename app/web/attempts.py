"""How often somebody may be wrong: a bounded number of failures per address and time."""

from collections import OrderedDict, deque


class Attempts:
    """Failures of the last ``window_s`` seconds by who made them. Time is an argument.

    At most ``most_known`` are remembered; the one that failed longest ago is forgotten first.
    """

    def __init__(self, limit: int = 10, window_s: float = 60.0, most_known: int = 1024) -> None:
        self._limit = limit
        self._window_s = window_s
        self._most_known = most_known
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, who: str, now: float) -> float:
        """Seconds until they may try again; 0 when they may now."""
        failures = self._failures.get(who)
        if failures is None:
            return 0.0
        while failures and failures[0] <= now - self._window_s:
            failures.popleft()
        if len(failures) < self._limit:
            return 0.0
        return failures[0] + self._window_s - now

    def failed(self, who: str, now: float) -> None:
        """Count a failure."""
        failures = self._failures.setdefault(who, deque(maxlen=self._limit))
        failures.append(now)
        self._failures.move_to_end(who)
        while len(self._failures) > self._most_known:
            self._failures.popitem(last=False)

    def succeeded(self, who: str) -> None:
        """Forget their failures."""
        self._failures.pop(who, None)
