"""What the developer view asks of the rest of the program.

It reads any conversation, whoever owns it; who may ask is the web's to decide. Logs of exchanges
are read from the store and folded anew for each page; what takes long runs in a thread.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from app.developer.comparing import Comparison, compare
from app.developer.observations import unpack
from app.developer.replaying import Judging, Replayer
from app.developer.shown import shown_calls
from app.developer.turn_log import ExchangeLog, Terms, TurnLog
from app.developer.wire import Piece, WireRecording, from_file, pack_pieces, unpack_pieces
from app.exchange.conversations import UnknownConversation
from app.exchange.replay import MapRules
from app.exchange.rules import Person, ToolRules
from app.records.errors import NotFound
from app.records.ids import Kind, new_id
from app.records.observations import LOG, WIRE, NewObservation, ObservationRecord
from app.records.rows import (
    AbandonedTurnRecord,
    ConversationRecord,
    ExchangeTranscript,
    NoticeRecord,
    Transcript,
    TurnRecord,
)
from app.records.store import Records
from app.tools.registry import Registry

KEPT_REPLAYS = 4
"""Replays that a process holds, so that stepping through one does not read it anew."""
EXCHANGES = 12
"""Exchanges of a conversation that are shown with everything observed; earlier ones by name."""

UNTIMED = "untimed"
"""Stands behind the dialect of a recording that was taken in without times."""

TurnEntry: TypeAlias = TurnRecord | AbandonedTurnRecord


class NothingThere(Exception):
    """There is no such turn or recording, or nothing is kept of it any more."""


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """A turn as observed, as recorded, or both."""

    id: str
    observed: TurnLog | None
    recorded: TurnEntry | None
    wire_bytes: int

    @property
    def at(self) -> float:
        """Seconds since 1970."""
        if self.observed is not None:
            return self.observed.requested / 1e6
        assert self.recorded is not None
        return self.recorded.created_at.timestamp()


@dataclass(frozen=True, slots=True)
class ExchangeSeen:
    """An exchange and what happened in it, in order of time."""

    transcript: ExchangeTranscript
    log: ExchangeLog
    entries: tuple[TurnSeen | NoticeRecord, ...]


@dataclass(frozen=True, slots=True)
class ConversationSeen:
    """``earlier`` are exchanges that are not read; ``positions`` what the logs were read up to."""

    conversation: ConversationRecord
    earlier: int
    exchanges: tuple[ExchangeSeen, ...]
    positions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Gating:
    """What replays are judged under: as a turn is now."""

    registry: Registry
    max_tokens: int
    assign_missing_ids: bool


class DeveloperView:
    """Everything that was kept, for whoever may see everything.

    ``folder`` holds recordings that may be replayed beside those that are uploaded.
    """

    def __init__(
        self,
        records: Records,
        terms: Terms,
        replayer: Replayer,
        gating: Gating,
        folder: Path | None,
        recording_bytes: int,
    ) -> None:
        self.terms = terms
        self.recording_bytes = recording_bytes
        self._records = records
        self._replayer = replayer
        self._gating = gating
        self._folder = folder
        self._replays: OrderedDict[tuple[str, str], TurnLog] = OrderedDict()

    # Conversations

    async def latest(self, limit: int = 100) -> Sequence[ConversationRecord]:
        """Conversations of everybody, newest first."""
        return await self._records.latest_conversations(limit)

    async def positions(self, conversation: str) -> Mapping[str, int]:
        """What changes whenever more was observed of a conversation."""
        return await self._records.observed_until(conversation)

    async def conversation(self, conversation: str) -> ConversationSeen:
        """Raises :class:`~app.exchange.conversations.UnknownConversation`."""
        positions = await self.positions(conversation)
        transcript = await self._transcript(conversation)
        latest = transcript.exchanges[-EXCHANGES:]
        seen = [await self._exchange(each) for each in latest]
        return ConversationSeen(
            transcript.conversation,
            len(transcript.exchanges) - len(latest),
            tuple(seen),
            positions,
        )

    async def turn(self, conversation: str, turn: str) -> tuple[ExchangeSeen, TurnSeen]:
        """One turn and the exchange it is of. Raises :class:`NothingThere` and as above."""
        transcript = await self._transcript(conversation)
        for each in sorted(transcript.exchanges, key=lambda one: not _records(one, turn)):
            seen = await self._exchange(each)
            for entry in seen.entries:
                if isinstance(entry, TurnSeen) and entry.id == turn:
                    return seen, entry
        raise NothingThere(turn)

    async def _transcript(self, conversation: str) -> Transcript:
        """What a person has deleted is gone for developers, too."""
        try:
            transcript = await self._records.transcript(conversation)
        except NotFound:
            raise UnknownConversation(conversation) from None
        if transcript.conversation.deleted_at is not None:
            raise UnknownConversation(conversation)
        return transcript

    async def _exchange(self, transcript: ExchangeTranscript) -> ExchangeSeen:
        subject = transcript.exchange.id
        rows = await self._records.observed_log(subject)
        sizes = await self._records.wire_sizes(subject)
        log = await asyncio.to_thread(_folded, rows, self.terms)
        recorded = {
            each.id: each for each in transcript.entries if not isinstance(each, NoticeRecord)
        }
        turns = [
            TurnSeen(name, log.turns.get(name), recorded.get(name), sizes.get(name, 0))
            for name in {**dict.fromkeys(recorded), **dict.fromkeys(log.turns)}
        ]
        notices = [each for each in transcript.entries if isinstance(each, NoticeRecord)]
        return ExchangeSeen(transcript, log, tuple(sorted([*turns, *notices], key=_moment)))

    # Recordings and replays

    async def recording(self, conversation: str, turn: str) -> WireRecording:
        """The response that was kept of a turn. Raises :class:`NothingThere` and as above."""
        exchange, seen = await self.turn(conversation, turn)
        return await self._recording(exchange, seen)

    async def replay_of(self, conversation: str, turn: str) -> TurnLog:
        """A turn's own recording, replayed. Raises as :meth:`recording`."""
        key = (conversation, turn)
        if key not in self._replays:
            exchange, seen = await self.turn(conversation, turn)
            replayed = await self._replay_of(exchange, seen)
            if seen.observed is None or seen.observed.streamed is None:
                return replayed  # it is still being written
            self._keep(key, replayed)
        return self._replays[key]

    async def compared(self, conversation: str, turn: str) -> Comparison:
        """A turn beside a replay of its own recording. Raises as :meth:`recording`."""
        exchange, seen = await self.turn(conversation, turn)
        if seen.observed is None:
            raise NothingThere(turn)
        replayed = await self._replay_of(exchange, seen)
        shown = shown_calls(turn, exchange.log.flushes)
        return await asyncio.to_thread(compare, seen.observed, shown, replayed)

    async def _replay_of(self, exchange: ExchangeSeen, seen: TurnSeen) -> TurnLog:
        recording = await self._recording(exchange, seen)
        assert seen.observed is not None, "a recording has a dialect"
        owner = (await self._transcript(exchange.transcript.exchange.conversation_id)).conversation
        rules = ToolRules(self._gating.registry, self.terms.maps, Person(owner.owner))
        judging = Judging(rules, self._gating.max_tokens, self._gating.assign_missing_ids)
        # One that was stopped or cut ended between two events; its recording goes on a little.
        events = None if seen.observed.ended is not None else seen.observed.events
        return await self._replayer.replay(recording, judging, events)

    async def _recording(self, exchange: ExchangeSeen, seen: TurnSeen) -> WireRecording:
        rows = await self._records.observed_wire(exchange.transcript.exchange.id, seen.id)
        if not rows or seen.observed is None:
            raise NothingThere(seen.id)
        observed = seen.observed
        return await asyncio.to_thread(_unpacked, observed.dialect, rows, observed.cut is not None)

    # Recordings from elsewhere

    def files(self) -> Sequence[str]:
        """Recordings in the folder, by name."""
        if self._folder is None or not self._folder.is_dir():
            return ()
        return sorted(each.name for each in self._folder.iterdir() if each.is_file())

    async def take_file(self, name: str, dialect: str) -> str:
        """The same with a file of the folder. Raises :class:`NothingThere` as well."""
        if self._folder is None or name not in self.files():
            raise NothingThere(name)
        file = self._folder / name
        if file.stat().st_size > self.recording_bytes:
            raise NothingThere(name)
        return await self.take_in(await asyncio.to_thread(file.read_bytes), dialect)

    async def take_in(self, content: bytes, dialect: str) -> str:
        """Keep a recording, replay it and give its id; it is kept as long as any observation.

        Raises :class:`~app.developer.wire.BadRecording`, and MissingLibrary or UnknownDialect for
        a dialect that cannot be read here.
        """
        recording = await asyncio.to_thread(from_file, content, dialect)
        name = new_id(Kind.REPLAY)
        packed = await asyncio.to_thread(pack_pieces, recording.pieces)
        head = f"{recording.dialect} {'' if recording.timed else UNTIMED}".strip().encode()
        await self._records.append_observations(
            name,
            None,
            [
                NewObservation(LOG, None, len(head), head),
                NewObservation(WIRE, name, len(recording.body), packed),
            ],
        )
        await self.replay(name)
        return name

    async def replay(self, name: str) -> TurnLog:
        """A recording that was taken in, replayed. Raises :class:`NothingThere`."""
        key = ("", name)
        if key not in self._replays:
            heads = await self._records.observed_log(name)
            rows = await self._records.observed_wire(name, name)
            if not heads or not rows:
                raise NothingThere(name)
            dialect, _, untimed = heads[0].data.decode().partition(" ")
            recording = await asyncio.to_thread(_unpacked, dialect, rows, False)
            recording = replace(recording, timed=untimed != UNTIMED)
            rules = MapRules(self._gating.registry, self.terms.maps, Person("replay"))
            self._keep(key, await self._replayer.replay(recording, Judging(rules)))
        return self._replays[key]

    def _keep(self, key: tuple[str, str], turn: TurnLog) -> None:
        self._replays[key] = turn
        while len(self._replays) > KEPT_REPLAYS:
            self._replays.popitem(last=False)


def _records(transcript: ExchangeTranscript, turn: str) -> bool:
    return any(entry.id == turn for entry in transcript.entries)


def _folded(rows: Sequence[ObservationRecord], terms: Terms) -> ExchangeLog:
    log = ExchangeLog(terms)
    for row in rows:
        log.take(unpack(row.data))
    return log


def _unpacked(dialect: str, rows: Sequence[ObservationRecord], cut: bool) -> WireRecording:
    pieces: list[Piece] = [piece for row in rows for piece in unpack_pieces(row.data)]
    return WireRecording(dialect, pieces, cut=cut)


def _moment(entry: TurnSeen | NoticeRecord) -> float:
    return entry.created_at.timestamp() if isinstance(entry, NoticeRecord) else entry.at
