"""The conversations of a person: what can be done with one, and how it is viewed."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from app.calls.reasons import Reason
from app.display.marks import has_look
from app.display.updates import ExchangeOpened, MessageKept, Update, apply
from app.display.view import ConversationView
from app.exchange.answers import not_run
from app.exchange.asking import tell_withdrawn
from app.exchange.exchanges import Exchanges
from app.exchange.parts import Parts
from app.exchange.rules import Person
from app.exchange.transcript import TranscriptReader
from app.feed.feed import Entry
from app.records.errors import NotFound
from app.records.rows import ConversationRecord
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


class Conversations:
    """What a person does with conversations, and sees of them.

    ``owner`` is the id of the person; a conversation of another owner is answered as unknown.
    """

    def __init__(self, parts: Parts, exchanges: Exchanges, suggestions: Sequence[str]) -> None:
        self.suggestions = suggestions
        self._parts = parts
        self._exchanges = exchanges

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

        Who follows it is told: at once, or once it has come to rest (``Exchanges.heed_deletions``).
        """
        await self.require(owner, conversation)
        await self._parts.records.hide_conversation(conversation)
        await self._exchanges.ask_to_stop(conversation)
        await self._exchanges.tell_afresh([conversation])

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
        if await self._exchanges.say(conversation, text) and await self._supersede(conversation):
            await self._exchanges.go_on(conversation)

    async def ask_again(self, owner: str, conversation: str, text: str | None) -> None:
        """Ask the last message again, or another in its place; the old answer stays a branch.

        Raises :class:`app.records.errors.ConversationBusy` while an exchange is open. Does
        nothing where nothing was said yet.
        """
        known = await self.require(owner, conversation)
        parts = self._parts
        async with self._exchanges.alone(conversation):
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
            begun = ExchangeOpened(
                opened.exchange_id, opened.message, opened.at, alternatives=beside
            )
            await parts.feed.append(conversation, [begun])
            self._exchanges.start(conversation, opened.exchange_id, Person(owner, known.roles))

    async def turn_to(self, owner: str, conversation: str, exchange: str) -> None:
        """Show the branch that an exchange is part of.

        Raises :class:`app.records.errors.ConversationBusy` while an exchange is open.
        """
        await self.require(owner, conversation)
        async with self._exchanges.alone(conversation):
            try:
                await self._parts.records.turn_to(conversation, exchange)
            except NotFound as unknown:
                raise UnknownConversation(conversation) from unknown
            await self._parts.feed.forget(conversation)

    async def stop(self, owner: str, conversation: str) -> None:
        """Ask the open exchange to stop. Does nothing when none is open."""
        await self.require(owner, conversation)
        await self._exchanges.ask_to_stop(conversation)

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
        async with self._exchanges.alone(conversation):
            transcript = await self._parts.records.transcript(conversation, first)
            held = await self._parts.feed.held(conversation)
        path, active = transcript.path, transcript.active
        earlier = path[: len(path) - len(active)]
        opened = held.opened.difference(earlier)
        title = transcript.conversation.title
        view = ConversationView(conversation, title, earlier=len(earlier))
        reader = TranscriptReader(self._parts.maps, self._parts.formats)
        for recorded in active:
            if recorded.exchange.id not in opened:
                beside = transcript.alternatives(recorded.exchange)
                apply(view, reader.exchange(recorded, beside))
        apply(view, (u for u in held.updates if _belongs_to(u, opened)))
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
        self._exchanges.watchers.came(conversation)
        self._parts.telemetry.counts.viewer_came()
        try:
            async with aclosing(self._parts.feed.follow(conversation, after)) as entries:
                async for entry in entries:
                    yield entry
        finally:
            self._parts.telemetry.counts.viewer_left()
            self._exchanges.watchers.left(conversation)

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
            await tell_withdrawn(self._parts, open_exchange.id, ended)
        return bool(ended)


def _title(text: str) -> str:
    """The first line of a message, shortened at a word; none where that has no look."""
    line = " ".join(text.split())
    if len(line) > TITLE_CHARS:
        line = line[:TITLE_CHARS].rsplit(" ", 1)[0] + "…"
    return line if has_look(line.removesuffix("…")) else ""


def _belongs_to(update: Update, opened: Collection[str]) -> bool:
    return not isinstance(update, MessageKept) and update.exchange in opened
