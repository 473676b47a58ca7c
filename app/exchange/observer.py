"""What may be told of an exchange to somebody who watches how it comes about.

The developer view does; without it, nobody is told anything (:class:`Unobserved`). An observer
sees raw model text: it is handed nothing that leads to a viewer, a tool or a log, and what it
does with what it sees changes nothing of the exchange.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeAlias

from app.calls.events import Event
from app.calls.gate import Judgement, Rules, Terms
from app.calls.turn import FinishedTurn
from app.display.updates import Update


class ExchangeObserver(Protocol):
    """Of one exchange, or of the part of it that runs in this process. No method raises."""

    def requesting(self, turn: str) -> AbstractContextManager[None]:
        """Around one request for a turn and its stream; an exception that passes is noted."""
        ...

    def took(self, event: Event) -> None:
        """An event of the turn under way, after the turn has taken it in."""
        ...

    def judged(
        self, turn: str, finished: FinishedTurn, rules: Rules, terms: Terms, judgement: Judgement
    ) -> None:
        """A turn that has ended, and what the gate said of it."""
        ...

    def shown(self, updates: Sequence[Update]) -> None:
        """What a flush sends to the viewers."""
        ...

    async def aclose(self) -> None:
        """Nothing more comes."""
        ...


Observe: TypeAlias = Callable[[str, str], ExchangeObserver]
"""From a conversation's and an exchange's id."""


class Unobserved:
    """Nobody watches."""

    def requesting(self, turn: str) -> AbstractContextManager[None]:
        return nullcontext()

    def took(self, event: Event) -> None:
        pass

    def judged(
        self, turn: str, finished: FinishedTurn, rules: Rules, terms: Terms, judgement: Judgement
    ) -> None:
        pass

    def shown(self, updates: Sequence[Update]) -> None:
        pass

    async def aclose(self) -> None:
        pass


def unobserved(conversation: str, exchange: str) -> ExchangeObserver:
    """An observer that does nothing."""
    return Unobserved()
