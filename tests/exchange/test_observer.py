"""Who watches an exchange is told everything of it, in order, and changes nothing by it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.calls.events import Event, Stop
from app.calls.gate import Judgement, Rules, Terms
from app.calls.turn import FinishedTurn
from app.display.updates import ExchangeEnded, Update
from app.exchange.conversations import Conversations
from app.exchange.exchanges import Exchanges
from app.exchange.observer import ExchangeObserver, Unobserved, unobserved
from app.providers.provider import FailureKind, ProviderFailure
from tests.exchange.world import OWNER, Step, call, calls, failure, said, world


class Watching:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.shown_updates: list[Update] = []

    def of(self, conversation: str, exchange: str) -> ExchangeObserver:
        self.told.append("begun")
        return self

    @contextmanager
    def requesting(self, turn: str) -> Generator[None]:
        self.told.append("request")
        try:
            yield
        except ProviderFailure as error:
            self.told.append(f"failed: {error.kind}")
            raise
        self.told.append("streamed")

    def took(self, event: Event) -> None:
        self.told.append(type(event).__name__)

    def judged(
        self, turn: str, finished: FinishedTurn, rules: Rules, terms: Terms, judgement: Judgement
    ) -> None:
        self.told.append("usable" if judgement.usable else f"{judgement.reason}")

    def shown(self, updates: Sequence[Update]) -> None:
        self.shown_updates.extend(updates)

    async def aclose(self) -> None:
        self.told.append("closed")


NOTE = call(0, "note", '{"text":"hi"}')
TURNS: dict[str, tuple[list[list[Step]], list[str]]] = {
    "answered": ([said("Hello")], ["request", "TextDelta", "TurnEnded", "streamed", "usable"]),
    "cut": (
        [calls(NOTE, stop=Stop.TRUNCATED), said("No.")],
        ["request", *(type(step).__name__ for step in NOTE), "TurnEnded", "streamed", "truncated",
         "request", "TextDelta", "TurnEnded", "streamed", "usable"],
    ),
    "refused by the API": (
        [[failure(FailureKind.AUTHENTICATION)]], ["request", "failed: authentication"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNS)
async def test_an_observer_is_told_everything_in_order(name: str, tmp_path: Path) -> None:
    turns, expected = TURNS[name]
    watching = Watching()
    async with world(tmp_path, *turns) as w:
        parts = replace(w.parts, observe=watching.of)
        exchanges = Exchanges(parts)
        conversations = Conversations(parts, exchanges, ())
        await conversations.send(OWNER, w.conversation, "hello")
        await w.idle()
        await exchanges.close()
        updates = await w.updates()
    assert watching.told == ["begun", *expected, "closed"]
    assert watching.shown_updates == updates[1:], "all but the message, which a person sent"
    assert isinstance(updates[-1], ExchangeEnded)


async def test_nobody_is_told_anything_without_an_observer() -> None:
    observer = unobserved("c", "x")
    assert isinstance(observer, Unobserved)
    with observer.requesting("t"):
        observer.shown([ExchangeEnded("x")])
    await observer.aclose()
