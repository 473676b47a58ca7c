"""The conversations of this process: what a person can do with one, and how it is viewed.

A message opens an exchange, which runs as a task of its own: it does not depend on anybody
watching. A message sent while one is open is kept on record and sent when that one has ended. An
exchange that waits for a person is parked on record, where no process holds it, and taken up by
whichever process hears the decision.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from app.calls.reasons import Reason
from app.display.marks import has_look
from app.display.updates import ExchangeOpened, MessageKept, Update, apply
from app.display.view import ConversationView
from app.exchange.adoption import can_go_on
from app.exchange.answers import not_run
from app.exchange.decisions import decisions_untold
from app.exchange.parts import Parts
from app.exchange.publisher import Publisher
from app.exchange.rules import Person
from app.exchange.runner import ExchangeRunner
from app.exchange.stopping import StopCause
from app.exchange.transcript import TranscriptReader
from app.exchange.watchers import Watchers
from app.feed.feed import Entry
from app.records.errors import ConversationBusy, NotFound
from app.records.rows import ConversationRecord, ExchangeState
from app.records.search import SearchHit

TITLE_CHARS = 60


class UnknownConversation(Exception):
    """There is no such conversation, or it belongs to someone else."""


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """One line of a list of conversations."""

    id: str
    title: str
    updated_at: datetime


@dataclass(slots=True)
class _Running:
    runner: ExchangeRunner
    task: asyncio.Task[None]


class Conversations:
    """All conversations that this process serves.

    ``owner`` is the id of the person; a conversation of another owner is answered as unknown.
    """

    def __init__(
        self,
        parts: Parts,
        suggestions: Sequence[str],
        unwatched_stop_s: float | None = None,
    ) -> None:
        self.suggestions = suggestions
        self._parts = parts
        self._running: dict[str, _Running] = {}
        self._parked: dict[str, str] = {}
        """Exchanges that were parked here, by conversation: the feed may still hold them."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._watchers = Watchers(unwatched_stop_s, self._nobody_watches)
        self._closing = False

    async def create(self, owner: str) -> str:
        """Begin an empty conversation; its id."""
        return await self._parts.records.create_conversation(owner, "")

    async def listing(self, owner: str) -> Sequence[ConversationSummary]:
        """The owner's conversations, newest first."""
        return [
            ConversationSummary(record.id, record.title, record.updated_at)
            for record in await self._parts.records.conversations_of(owner)
        ]

    async def rename(self, owner: str, conversation: str, title: str) -> None:
        """Give a conversation another title."""
        await self.require(owner, conversation)
        await self._parts.records.rename_conversation(conversation, title)

    async def delete(self, owner: str, conversation: str) -> None:
        """Stop what is at work in a conversation and take it off the list; see ``restore``.

        Who follows it is told: at once, or once it has come to rest; see ``heed_deletions``.
        """
        await self.require(owner, conversation)
        await self._parts.records.hide_conversation(conversation)
        await self._ask_to_stop(conversation)
        await self.tell_afresh([conversation])

    async def restore(self, owner: str, conversation: str) -> None:
        """Bring a conversation back that was deleted not too long ago."""
        if not await self.is_deleted(owner, conversation):
            raise UnknownConversation(conversation)
        await self._parts.records.restore_conversation(conversation)

    async def is_deleted(self, owner: str, conversation: str) -> bool:
        """Whether the owner deleted it and can have it back."""
        record = await self._parts.records.conversation(conversation)
        return record is not None and record.owner == owner and record.deleted_at is not None

    async def search(self, owner: str, words: str, limit: int) -> Sequence[SearchHit]:
        """Messages, answers and titles that hold the words."""
        return await self._parts.records.search(owner, words, limit)

    async def send(
        self, owner: str, conversation: str, text: str, roles: frozenset[str] = frozenset()
    ) -> None:
        """Say something: now, or after the exchange that is open.

        What waits for a decision in that one is withdrawn: the person has gone on. ``roles`` are
        the owner's now.
        """
        known = await self.require(owner, conversation)
        if not known.title:
            await self._parts.records.rename_conversation(conversation, _title(text))
        if known.roles != roles:
            await self._parts.records.set_roles(conversation, roles)
        async with self._opening[conversation]:
            await self._open_kept(conversation)
            while (kept := await self._keep(conversation, text)) is None:
                if await self._open(conversation, text):
                    return
            await self._publish(conversation, MessageKept(kept, text))
        if await self._supersede(conversation):
            await self.go_on(conversation)

    async def go_on(self, conversation: str) -> None:
        """Go on with what a decision has set free, here or by a word to whoever holds it."""
        async with self._opening[conversation]:
            await self._tell_of_decisions(conversation)
            running = self._running.get(conversation)
            if running is not None:
                running.runner.decided.set()
            else:
                await self._take_up(conversation)

    async def ask_again(self, owner: str, conversation: str, text: str | None) -> None:
        """Ask the last message again, or another in its place; the old answer stays a branch.

        Raises :class:`app.records.errors.ConversationBusy` while an exchange is open. Does
        nothing where nothing was said yet.
        """
        known = await self.require(owner, conversation)
        parts = self._parts
        async with self._opening[conversation]:
            last = next(reversed((await parts.records.transcript(conversation, -1)).active), None)
            if last is None:
                return
            opened = await parts.records.open_beside(
                conversation, last.exchange.id, text, parts.worker
            )
            transcript = await parts.records.transcript(conversation, -1)
            beside = transcript.alternatives(transcript.active[-1].exchange)
            # A page that holds the old branch begins again from a snapshot.
            await parts.feed.forget(conversation)
            at = transcript.active[-1].exchange.created_at
            await self._publish(
                conversation,
                ExchangeOpened(opened.exchange_id, opened.message, at, alternatives=beside),
            )
            self._start(conversation, opened.exchange_id, Person(owner, known.roles))

    async def turn_to(self, owner: str, conversation: str, exchange: str) -> None:
        """Show the branch that an exchange is part of.

        Raises :class:`app.records.errors.ConversationBusy` while an exchange is open.
        """
        await self.require(owner, conversation)
        async with self._opening[conversation]:
            try:
                await self._parts.records.turn_to(conversation, exchange)
            except NotFound as unknown:
                raise UnknownConversation(conversation) from unknown
            await self._parts.feed.forget(conversation)

    async def stop(self, owner: str, conversation: str) -> None:
        """Ask the open exchange to stop. Does nothing when none is open."""
        await self.require(owner, conversation)
        await self._ask_to_stop(conversation)

    async def _ask_to_stop(self, conversation: str) -> None:
        await self._parts.records.ask_stop(conversation)
        running = self._running.get(conversation)
        if running is not None:
            await running.runner.ask_to_stop(StopCause.PERSON)
        else:
            await self.go_on(conversation)

    async def view(
        self, owner: str, conversation: str, first: int | str = 0
    ) -> tuple[ConversationView, str]:
        """The conversation as it is now, and the feed position that this includes.

        ``first`` is the number of the first exchange that is wanted, or its id, or, negative, how
        many of the last ones; there is always one, unless nothing was said.
        An exchange that the feed still holds from its opening is folded from the feed, which
        makes the position exact; an older one comes from the record.
        """
        await self.require(owner, conversation)
        async with self._opening[conversation]:
            transcript = await self._parts.records.transcript(conversation, first)
            held = await self._parts.feed.held(conversation)
        updates = [update for entry in held.entries for update in entry.updates]
        path, active = transcript.path, transcript.active
        earlier = path[: len(path) - len(active)]
        opened = {
            update.exchange
            for update in updates
            if isinstance(update, ExchangeOpened) and update.exchange not in earlier
        }
        title = transcript.conversation.title
        view = ConversationView(conversation, title, earlier=len(earlier))
        reader = TranscriptReader(self._parts.maps, self._parts.formats)
        for recorded in active:
            if recorded.exchange.id not in opened:
                beside = transcript.alternatives(recorded.exchange)
                apply(view, reader.exchange(recorded, beside))
        apply(view, (u for u in updates if _belongs_to(u, opened)))
        # Another process may have opened what follows an exchange that this one's feed holds.
        places = {exchange: place for place, exchange in enumerate(path)}
        view.exchanges = {
            each: view.exchanges[each]
            for each in sorted(view.exchanges, key=lambda each: places.get(each, len(places)))
        }
        apply(view, reader.kept(transcript))
        return view, held.position

    async def follow(self, conversation: str, after: str) -> AsyncGenerator[Entry, None]:
        """Entries after a position, then new ones as they come, without end."""
        self._watchers.came(conversation)
        self._parts.telemetry.counts.viewer_came()
        try:
            async with aclosing(self._parts.feed.follow(conversation, after)) as entries:
                async for entry in entries:
                    yield entry
        finally:
            self._parts.telemetry.counts.viewer_left()
            self._watchers.left(conversation)

    async def take_up(self) -> None:
        """Go on with what lost processes left: exchanges that can go on, and kept messages.

        Any number of processes may, at any time; each piece of work goes to one of them.
        """
        for parked in await self._parts.records.parked_exchanges():
            async with self._opening[parked.conversation_id]:
                await self._adopt(parked.conversation_id, parked.id)
        for conversation, _ in await self._parts.records.conversations_with_kept():
            async with self._opening[conversation]:
                await self._open_kept(conversation)

    async def heed_decisions(self) -> None:
        """Hear what was decided through other processes, and show what became of it."""
        for running in self._running.values():
            running.runner.decided.set()
        for conversation, exchange in list(self._parked.items()):
            async with self._opening[conversation]:
                await self._look_after(conversation, exchange)

    async def heed_stops(self) -> None:
        """Stop what is at work here and was asked to stop through another process."""
        for conversation in await self._parts.records.stops_asked_of(self._parts.worker):
            running = self._running.get(conversation)
            if running is not None:
                await running.runner.ask_to_stop(StopCause.PERSON)

    async def heed_deletions(self) -> None:
        """Let go of viewers whose conversation was deleted, here or through another process."""
        watched = self._watchers.watched
        if watched:
            await self.tell_afresh(await self._parts.records.conversations_gone(watched))

    async def tell_afresh(self, conversations: Iterable[str]) -> None:
        """Let viewers begin again from the record, which has changed behind the feed's back.

        What is at work here is left alone: its log must be whole.
        """
        for conversation in conversations:
            if conversation not in self._running:
                await self._parts.feed.forget(conversation)

    async def close(self) -> None:
        """Stop every exchange and wait for its end to be on record."""
        self._closing = True
        self._watchers.close()
        for running in list(self._running.values()):
            await running.runner.ask_to_stop(StopCause.SHUTDOWN)
        while self._tasks:  # one that looks for a kept message is at work, too
            await asyncio.gather(*self._tasks)

    # Within

    async def require(self, owner: str, conversation: str) -> ConversationRecord:
        """A conversation of this owner. Raises :class:`UnknownConversation`."""
        record = await self._parts.records.conversation(conversation)
        if record is None or record.owner != owner or record.deleted_at is not None:
            raise UnknownConversation(conversation)
        return record

    async def _supersede(self, conversation: str) -> bool:
        """Withdraw what waits for a decision; whether anything did."""
        records = self._parts.records
        told = not_run(Reason.SUPERSEDED)
        ended = await records.supersede_approvals(conversation, told)
        if ended:
            open_exchange = await records.open_exchange_of(conversation)
            assert open_exchange is not None, "nothing but its runner ends it, which asks for it"
            for asked in await records.approvals_of(open_exchange.id):
                if asked.call_id in ended:
                    self._parts.telemetry.waited(asked)
            self._parts.asked.happened()
        return bool(ended)

    async def _keep(self, conversation: str, text: str) -> str | None:
        """Keep a message behind the open exchange; None when there is none."""
        return await self._parts.records.queue_message(conversation, text)

    async def _open(self, conversation: str, text: str) -> bool:
        """Open an exchange with this message; False when another process was faster."""
        try:
            opened = await self._parts.records.open_exchange(conversation, text, self._parts.worker)
        except ConversationBusy:
            return False
        await self._begin(conversation, opened, text, None)
        return True

    async def _open_kept(self, conversation: str) -> None:
        """Open an exchange with the oldest kept message, if there is one and none is open."""
        if self._closing:
            return
        try:
            opened = await self._parts.records.open_queued_exchange(
                conversation, self._parts.worker
            )
        except ConversationBusy:
            return
        if opened is not None:
            message = opened.message
            await self._begin(conversation, opened.exchange_id, message.text, message.id)

    async def _begin(self, conversation: str, exchange: str, text: str, kept: str | None) -> None:
        opened = await self._parts.records.exchange(exchange)
        assert opened is not None, "it was opened just now"
        at = opened.created_at  # what a page that is loaded later reads
        await self._publish(conversation, ExchangeOpened(exchange, text, at, kept))
        record = await self._parts.records.conversation(conversation)
        assert record is not None, "an exchange of it is open"
        self._start(conversation, exchange, Person(record.owner, record.roles))

    async def _take_up(self, conversation: str) -> None:
        """Go on with the conversation's parked exchange, if there is one that can."""
        found = await self._parts.records.open_exchange_of(conversation)
        if found is not None and found.worker is None:
            await self._adopt(conversation, found.id)

    async def _adopt(self, conversation: str, exchange: str) -> None:
        """Go on with a parked exchange, unless something of it is in other hands."""
        if self._closing:
            return
        transcript = await self._parts.records.transcript(conversation)
        [left] = [each for each in transcript.exchanges if each.exchange.id == exchange]
        if not can_go_on(left):
            return
        if not await self._parts.records.adopt_exchange(exchange, self._parts.worker):
            return
        self._parked.pop(conversation, None)
        await self._tell_of_decisions(conversation)
        if not await self._is_held(conversation, exchange):
            # The feed holds an open exchange from its beginning, or not at all.
            reader = TranscriptReader(self._parts.maps, self._parts.formats)
            await self._parts.feed.forget(conversation)
            await self._parts.feed.append(
                conversation, list(reader.exchange(left, transcript.alternatives(left.exchange)))
            )
        record = transcript.conversation
        self._start(conversation, exchange, Person(record.owner, record.roles), adopted=True)

    async def _tell_of_decisions(self, conversation: str) -> None:
        """Bring viewers up to date with what was decided of an exchange that the feed holds.

        Where the record has gone on without this process, they begin afresh.
        """
        transcript = await self._parts.records.transcript(conversation)
        held = await self._parts.feed.held(conversation)
        updates = [update for entry in held.entries for update in entry.updates]
        told = decisions_untold(transcript, updates, self._parts.maps, self._parts.formats)
        if told is None and conversation not in self._running:
            await self._parts.feed.forget(conversation)
        elif told:
            await self._parts.feed.append(conversation, told)

    async def _is_held(self, conversation: str, exchange: str) -> bool:
        held = await self._parts.feed.held(conversation)
        updates = (update for entry in held.entries for update in entry.updates)
        return any(isinstance(u, ExchangeOpened) and u.exchange == exchange for u in updates)

    async def _look_after(self, conversation: str, exchange: str) -> None:
        """Show viewers here how an exchange fares that was parked here, wherever it goes on."""
        now = await self._parts.records.exchange(exchange)
        if now is not None and now.state is ExchangeState.OPEN and now.worker is None:
            await self._tell_of_decisions(conversation)
        elif conversation not in self._running:
            await self._parts.feed.forget(conversation)
            if now is None or now.state is ExchangeState.ENDED:
                del self._parked[conversation]

    def _start(
        self, conversation: str, exchange: str, person: Person, *, adopted: bool = False
    ) -> None:
        parts = self._parts
        trace = parts.telemetry.exchange(conversation, exchange)
        observer = parts.observe(conversation, exchange)

        def shown(updates: Sequence[Update]) -> None:
            trace.observe(updates)
            observer.shown(updates)

        publisher = Publisher(parts.feed, conversation, parts.bounds.flush_s, shown)
        runner = ExchangeRunner(parts, conversation, exchange, person, publisher, trace, observer)
        if self._closing:  # it was opened while the others were told
            runner.stop.give(StopCause.SHUTDOWN)
        task = asyncio.create_task(self._run(conversation, runner, adopted))
        self._running[conversation] = _Running(runner, task)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._watchers.expect(conversation)

    async def _run(self, conversation: str, runner: ExchangeRunner, adopted: bool) -> None:
        try:
            if await runner.run(adopted=adopted) is None:
                self._parked[conversation] = runner.exchange
        finally:
            # Another process or a message may have begun what follows, which then runs here.
            if self._running[conversation].runner is runner:
                del self._running[conversation]
        async with self._opening[conversation]:
            if conversation not in self._running:
                await self._take_up(conversation)  # decided while it was being parked
                await self._open_kept(conversation)

    async def _publish(self, conversation: str, update: Update) -> None:
        await self._parts.feed.append(conversation, [update])

    async def _nobody_watches(self, conversation: str) -> None:
        running = self._running.get(conversation)
        if running is not None:
            await running.runner.ask_to_stop(StopCause.UNWATCHED)


def _title(text: str) -> str:
    """The first line of a message, shortened at a word; none where that has no look."""
    line = " ".join(text.split())
    if len(line) > TITLE_CHARS:
        line = line[:TITLE_CHARS].rsplit(" ", 1)[0] + "…"
    return line if has_look(line.removesuffix("…")) else ""


def _belongs_to(update: Update, opened: Collection[str]) -> bool:
    return not isinstance(update, MessageKept) and update.exchange in opened
