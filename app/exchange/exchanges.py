"""The exchanges of this process.

A message opens an exchange, which runs as a task of its own: it does not depend on anybody
watching. A message sent while one is open is kept on record and sent when that one has ended. An
exchange that waits for a person is parked on record, where no process holds it, and taken up by
whichever process hears the decision.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from app.display.updates import ExchangeOpened, MessageKept, Update
from app.exchange.adoption import can_go_on
from app.exchange.decisions import decisions_untold
from app.exchange.parts import Parts
from app.exchange.publisher import Publisher
from app.exchange.rules import Person
from app.exchange.runner import ExchangeRunner
from app.exchange.stopping import StopCause
from app.exchange.transcript import TranscriptReader
from app.exchange.watchers import Watchers
from app.records.errors import ConversationBusy
from app.records.exchanges import Opened
from app.records.rows import ExchangeState


class Exchanges:
    """The exchanges that this process runs, and those that it parked."""

    def __init__(self, parts: Parts, unwatched_stop_s: float | None = None) -> None:
        self.watchers = Watchers(unwatched_stop_s, self._nobody_watches)
        self._parts = parts
        self._running: dict[str, ExchangeRunner] = {}
        """By conversation."""
        self._parked: dict[str, str] = {}
        """Exchanges that were parked here, by conversation: the feed may still hold them."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._closing = False

    def alone(self, conversation: str) -> asyncio.Lock:
        """Held, nothing of the conversation is opened or taken up here by anybody else."""
        return self._opening[conversation]

    async def say(self, conversation: str, text: str) -> bool:
        """Open an exchange with this message, or keep it behind the open one; whether it is kept.

        What was kept before comes first.
        """
        async with self.alone(conversation):
            await self._open_kept(conversation)
            while (kept := await self._parts.records.queue_message(conversation, text)) is None:
                if await self._open(conversation, text):
                    return False
            await self._parts.feed.append(conversation, [MessageKept(kept, text)])
            return True

    def start(
        self, conversation: str, exchange: str, person: Person, *, adopted: bool = False
    ) -> None:
        """Run an open exchange here, for a person."""
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
        self._running[conversation] = runner
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.watchers.expect(conversation)

    async def ask_to_stop(self, conversation: str) -> None:
        """Ask the open exchange to stop. Does nothing when none is open."""
        await self._parts.records.ask_stop(conversation)
        running = self._running.get(conversation)
        if running is not None:
            await running.ask_to_stop(StopCause.PERSON)
        else:
            await self.go_on(conversation)

    async def go_on(self, conversation: str) -> None:
        """Go on with what a decision has set free, here or by a word to whoever holds it."""
        async with self.alone(conversation):
            await self._tell_of_decisions(conversation)
            running = self._running.get(conversation)
            if running is not None:
                running.decided.set()
            else:
                await self._take_up(conversation)

    async def take_up(self) -> None:
        """Go on with what lost processes left: exchanges that can go on, and kept messages.

        Any number of processes may, at any time; each piece of work goes to one of them.
        """
        for parked in await self._parts.records.parked_exchanges():
            async with self.alone(parked.conversation_id):
                await self._adopt(parked.conversation_id, parked.id)
        for conversation, _ in await self._parts.records.conversations_with_kept():
            async with self.alone(conversation):
                await self._open_kept(conversation)

    async def heed_decisions(self) -> None:
        """Hear what was decided through other processes, and show what became of it."""
        for running in self._running.values():
            running.decided.set()
        for conversation, exchange in list(self._parked.items()):
            async with self.alone(conversation):
                await self._look_after(conversation, exchange)

    async def heed_stops(self) -> None:
        """Stop what is at work here and was asked to stop through another process."""
        for conversation in await self._parts.records.stops_asked_of(self._parts.worker):
            running = self._running.get(conversation)
            if running is not None:
                await running.ask_to_stop(StopCause.PERSON)

    async def heed_deletions(self) -> None:
        """Let go of viewers whose conversation was deleted, here or through another process."""
        watched = self.watchers.watched
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
        self.watchers.close()
        for running in list(self._running.values()):
            await running.ask_to_stop(StopCause.SHUTDOWN)
        while self._tasks:  # one that looks for a kept message is at work, too
            await asyncio.gather(*self._tasks)

    # Within

    async def _open(self, conversation: str, text: str) -> bool:
        """Open an exchange with this message; False when another process was faster."""
        try:
            opened = await self._parts.records.open_exchange(conversation, text, self._parts.worker)
        except ConversationBusy:
            return False
        await self._begin(conversation, opened)
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
            await self._begin(conversation, opened)

    async def _begin(self, conversation: str, opened: Opened) -> None:
        exchange = opened.exchange_id
        told = ExchangeOpened(exchange, opened.message, opened.at, opened.kept)
        await self._parts.feed.append(conversation, [told])
        record = await self._parts.records.conversation(conversation)
        assert record is not None, "an exchange of it is open"
        self.start(conversation, exchange, Person(record.owner, record.roles))

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
        if exchange not in (await self._parts.feed.held(conversation)).opened:
            # The feed holds an open exchange from its beginning, or not at all.
            reader = TranscriptReader(self._parts.maps, self._parts.formats)
            await self._parts.feed.forget(conversation)
            await self._parts.feed.append(
                conversation, list(reader.exchange(left, transcript.alternatives(left.exchange)))
            )
        record = transcript.conversation
        self.start(conversation, exchange, Person(record.owner, record.roles), adopted=True)

    async def _tell_of_decisions(self, conversation: str) -> None:
        """Bring viewers up to date with what was decided of an exchange that the feed holds.

        Where the record has gone on without this process, they begin afresh.
        """
        transcript = await self._parts.records.transcript(conversation)
        held = await self._parts.feed.held(conversation)
        told = decisions_untold(transcript, held, self._parts.maps, self._parts.formats)
        if told is None and conversation not in self._running:
            await self._parts.feed.forget(conversation)
        elif told:
            await self._parts.feed.append(conversation, told)

    async def _look_after(self, conversation: str, exchange: str) -> None:
        """Show viewers here how an exchange fares that was parked here, wherever it goes on."""
        now = await self._parts.records.exchange(exchange)
        if now is not None and now.state is ExchangeState.OPEN and now.worker is None:
            await self._tell_of_decisions(conversation)
        elif conversation not in self._running:
            await self._parts.feed.forget(conversation)
            if now is None or now.state is ExchangeState.ENDED:
                del self._parked[conversation]

    async def _run(self, conversation: str, runner: ExchangeRunner, adopted: bool) -> None:
        try:
            if await runner.run(adopted=adopted) is None:
                self._parked[conversation] = runner.exchange
        finally:
            # Another process or a message may have begun what follows, which then runs here.
            if self._running[conversation] is runner:
                del self._running[conversation]
        async with self.alone(conversation):
            if conversation not in self._running:
                await self._take_up(conversation)  # decided while it was being parked
                await self._open_kept(conversation)

    async def _nobody_watches(self, conversation: str) -> None:
        running = self._running.get(conversation)
        if running is not None:
            await running.ask_to_stop(StopCause.UNWATCHED)
