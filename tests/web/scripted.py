"""An in-memory driver of :class:`Conversations` that plays scripted updates.

It keeps what the real one keeps: a view, a log of entries with positions, messages kept while an
exchange is open. A script is what follows a message: steps of a pause and a batch of updates.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from app.display.updates import (
    ExchangeEnded,
    ExchangeOpened,
    MessageKept,
    Noticed,
    StopAsked,
    Update,
    apply,
)
from app.display.view import ConversationView, ExchangeView, NoticeKind, NoticeView
from app.exchange.conversations import ConversationSummary, UnknownConversation
from app.feed.feed import Entry, Trimmed
from app.records.errors import ConversationBusy
from app.records.search import SearchHit
from app.web.access import Access, Role
from app.web.service import WebServices
from tests.web.scripted_approvals import ScriptedApprovals

Step: TypeAlias = tuple[float, Sequence[Update]]
Script: TypeAlias = Callable[[str], Sequence[Step]]
"""From the exchange's id to what happens in it, after it opened and before it ends."""

OPERATOR_TOKEN = "the operators' token"
WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@dataclass(slots=True)
class _Kept:
    owner: str
    view: ConversationView
    entries: list[Entry] = field(default_factory=list[Entry])
    dropped: int = 0
    """How many of the oldest entries the log has lost."""
    grown: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class ScriptedConversations:
    """Conversations whose answers were written beforehand."""

    def __init__(
        self,
        scripts: dict[str, Script],
        suggestions: Sequence[str] = (),
        epoch: str = "e",
        approvals: ScriptedApprovals | None = None,
    ) -> None:
        self.suggestions = suggestions
        self.approvals = approvals or ScriptedApprovals()
        self._scripts = scripts
        self._epoch = epoch
        self._kept: dict[str, _Kept] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._made = 0
        self._aside: dict[str, ExchangeView] = {}
        self._deleted: dict[str, _Kept] = {}

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def services(self) -> WebServices:
        access = Access(tokens={Role.OPERATOR: OPERATOR_TOKEN})
        return WebServices(
            self, self.approvals, "a key of tests", self.running, access=access, heartbeat_s=0.5
        )

    async def create(self, owner: str) -> str:
        self._made += 1
        identity = f"{self._made:032x}"
        self._kept[identity] = _Kept(owner, ConversationView(identity))
        self.approvals.owners[identity] = owner
        return identity

    async def send(
        self, owner: str, conversation: str, text: str, roles: frozenset[str] = frozenset()
    ) -> None:
        kept = self._mine(owner, conversation)
        kept.view.title = kept.view.title or text
        if kept.view.open_exchange is None:
            self._open(kept, text, None)
        else:
            identity = f"k{len(kept.entries)}"
            kept.waiting.append((identity, text))
            self.play(conversation, [MessageKept(identity, text)])

    async def ask_again(self, owner: str, conversation: str, text: str | None) -> None:
        kept = self._mine(owner, conversation)
        if kept.view.open_exchange is not None:
            raise ConversationBusy(conversation)
        old = kept.view.exchanges.popitem()[1]
        self._aside[old.id] = old
        beside = (*(old.alternatives or (old.id,)), f"{len(kept.entries) + 1:032x}")
        self._begin_afresh(conversation)
        self._open(kept, old.message if text is None else text, None, beside)

    async def turn_to(self, owner: str, conversation: str, exchange: str) -> None:
        kept = self._mine(owner, conversation)
        if exchange not in self._aside:
            raise UnknownConversation
        last = kept.view.exchanges.popitem()[1]
        self._aside[last.id] = last
        kept.view.exchanges[exchange] = self._aside.pop(exchange)
        kept.view.exchanges[exchange].alternatives = last.alternatives
        self._begin_afresh(conversation)

    async def stop(self, owner: str, conversation: str) -> None:
        kept = self._mine(owner, conversation)
        exchange = kept.view.open_exchange
        if exchange is not None:
            self.play(conversation, [StopAsked(exchange.id)])
            kept.stop.set()

    async def rename(self, owner: str, conversation: str, title: str) -> None:
        self._mine(owner, conversation).view.title = title

    async def delete(self, owner: str, conversation: str) -> None:
        await self.stop(owner, conversation)
        self._begin_afresh(conversation)
        self._deleted[conversation] = self._kept.pop(conversation)

    async def restore(self, owner: str, conversation: str) -> None:
        if not await self.is_deleted(owner, conversation):
            raise UnknownConversation
        self._kept[conversation] = self._deleted.pop(conversation)

    async def is_deleted(self, owner: str, conversation: str) -> bool:
        kept = self._deleted.get(conversation)
        return kept is not None and kept.owner == owner

    async def search(self, owner: str, words: str, limit: int) -> Sequence[SearchHit]:
        return [
            SearchHit(kept.view.id, exchange, kept.view.title, WHEN, text, at, at + len(words))
            for kept in self._kept.values()
            if kept.owner == owner
            for exchange, text in _texts(kept.view)
            if (at := text.lower().find(words.lower())) >= 0
        ][:limit]

    async def view(
        self, owner: str, conversation: str, first: int | str = 0
    ) -> tuple[ConversationView, str]:
        kept = self._mine(owner, conversation)
        view = deepcopy(kept.view)
        ids = list(view.exchanges)
        known = ids.index(first) if first in ids else 0
        start = known if isinstance(first, str) else slice(first, None).indices(len(ids))[0]
        view.earlier = max(0, min(start, len(ids) - 1))
        view.exchanges = {each: view.exchanges[each] for each in ids[view.earlier :]}
        return view, self._position(len(kept.entries))

    async def listing(self, owner: str) -> Sequence[ConversationSummary]:
        return [
            ConversationSummary(kept.view.id, kept.view.title, WHEN)
            for kept in reversed(self._kept.values())
            if kept.owner == owner
        ]

    async def follow(self, conversation: str, after: str) -> AsyncIterator[Entry]:
        kept = self._kept[conversation]
        epoch, _, number = after.partition(":")
        if epoch != self._epoch or not kept.dropped <= int(number) <= len(kept.entries):
            raise Trimmed
        at = int(number)
        while True:
            grown = kept.grown
            while at < len(kept.entries):
                if at < kept.dropped:
                    raise Trimmed
                at += 1
                yield kept.entries[at - 1]
            await grown.wait()

    def play(self, conversation: str, updates: Sequence[Update]) -> None:
        """Let something happen now."""
        kept = self._kept[conversation]
        apply(kept.view, updates)
        kept.entries.append(Entry(self._position(len(kept.entries) + 1), updates))
        kept.grown.set()
        kept.grown = asyncio.Event()

    def open_exchange(self, conversation: str) -> str:
        """The id of the exchange at work."""
        exchange = self._kept[conversation].view.open_exchange
        assert exchange is not None
        return exchange.id

    def trim(self, conversation: str) -> None:
        """Forget all entries, as a bounded log does with its oldest."""
        kept = self._kept[conversation]
        kept.dropped = len(kept.entries)

    def _begin_afresh(self, conversation: str) -> None:
        """A gap, as the real log leaves one: whoever had read all of it begins afresh, too."""
        kept = self._kept[conversation]
        kept.entries.append(Entry(self._position(len(kept.entries) + 1), []))
        self.trim(conversation)
        kept.grown.set()
        kept.grown = asyncio.Event()

    def _position(self, number: int) -> str:
        return f"{self._epoch}:{number}"

    def _mine(self, owner: str, conversation: str) -> _Kept:
        kept = self._kept.get(conversation)
        if kept is None or kept.owner != owner:
            raise UnknownConversation
        return kept

    def _open(
        self, kept: _Kept, text: str, message: str | None, beside: tuple[str, ...] = ()
    ) -> None:
        exchange = f"{len(kept.entries):032x}"
        kept.stop.clear()
        self.play(kept.view.id, [ExchangeOpened(exchange, text, WHEN, message, beside)])
        steps = self._scripts[text](exchange) if text in self._scripts else ()
        task = asyncio.create_task(self._run(kept, exchange, steps))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, kept: _Kept, exchange: str, steps: Sequence[Step]) -> None:
        for pause, updates in steps:
            try:
                await asyncio.wait_for(kept.stop.wait(), pause)
            except TimeoutError:
                self.play(kept.view.id, updates)
            else:
                notice = NoticeView(f"{exchange}s", NoticeKind.STOPPED)
                self.play(kept.view.id, [Noticed(exchange, notice)])
                break
        self.play(kept.view.id, [ExchangeEnded(exchange)])
        if kept.waiting:
            identity, text = kept.waiting.pop(0)
            self._open(kept, text, identity)


def _texts(view: ConversationView) -> Iterator[tuple[str | None, str]]:
    """What was said, with its exchange; the title where it is not the first message."""
    messages = [(said.id, said.message) for said in view.exchanges.values()]
    if view.title not in [message for _, message in messages]:
        yield None, view.title
    yield from messages
