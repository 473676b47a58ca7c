"""A whole exchange's surroundings, real but for the model, whose turns a test writes."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from app.calls.events import (
    ArgumentFragment,
    CallAnnounced,
    CallCompleted,
    Event,
    Stop,
    TextDelta,
    TurnEnded,
)
from app.calls.states import TRANSITIONS, CallState
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.updates import CallChanged, CallOpened, ExchangeEnded, ExchangeOpened, Update
from app.display.view import CallView, ConversationView, NoticeView, TurnView
from app.exchange.approvals import Approvals
from app.exchange.conversations import Conversations
from app.exchange.exchanges import Exchanges
from app.exchange.parts import Bounds, Parts
from app.exchange.telemetry import Telemetry
from app.feed.memory import MemoryFeed
from app.providers.provider import Provider, ProviderFailure, TurnRequest
from app.records.ids import Kind, new_id
from app.records.queries import Clock, utc_now
from app.records.rows import TurnRecord
from app.records.store import Records
from app.tools.map_files import map_compiler
from app.tools.registry import CallContext, Registry, ToolFault

OWNER = "owner-1"

Step = Event | Exception | asyncio.Event
"""An event, a failure to raise, or a gate at which the model pauses until the test opens it."""


def said(*text: str) -> list[Step]:
    """A turn that answers with text."""
    return [*(TextDelta(0, piece) for piece in text), TurnEnded(Stop.COMPLETE, "end_turn")]


def call(block: int, name: str, text: str, provider_id: str = "id") -> list[Step]:
    """A call whose arguments come in two pieces."""
    half = len(text) // 2
    return [
        CallAnnounced(block, f"{provider_id}{block}", name),
        ArgumentFragment(block, text[:half]),
        ArgumentFragment(block, text[half:]),
        CallCompleted(block),
    ]


def calls(*parts: list[Step], stop: Stop = Stop.COMPLETE) -> list[Step]:
    return [*(step for part in parts for step in part), TurnEnded(stop, "tool_use")]


class WrittenModel:
    """A provider that answers each request with the next turn of its script."""

    dialect = "anthropic-messages"
    needs_call_ids = True

    def __init__(self, turns: Iterable[Sequence[Step]] = ()) -> None:
        self.turns = list(turns)
        self.requests: list[TurnRequest] = []

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        for step in self.turns.pop(0):
            match step:
                case Exception():
                    raise step
                case asyncio.Event():
                    await step.wait()
                case event:
                    yield event
                    await asyncio.sleep(0)

    async def close(self) -> None:
        pass


@dataclass
class CallLog:
    """What the tools were really asked to do."""

    ran: list[tuple[str, dict[str, Any], CallContext]] = field(
        default_factory=list[tuple[str, dict[str, Any], CallContext]]
    )
    hold: asyncio.Event | None = None
    """When set, ``slow`` and ``costly`` wait for it."""

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.ran]


def _tools(log: CallLog) -> Registry:
    tools = Registry()

    @tools.tool("note")
    async def note(context: CallContext, text: str) -> dict[str, str]:
        log.ran.append(("note", {"text": text}, context))
        return {"note_id": f"N-{len(log.ran)}", "secret": "hidden-canary"}

    @tools.tool("slow")
    async def slow(context: CallContext) -> str:
        log.ran.append(("slow", {}, context))
        if log.hold is not None:
            await log.hold.wait()
        return "slept"

    @tools.tool("polite")
    async def polite(context: CallContext) -> str:
        log.ran.append(("polite", {}, context))
        while not context.cancelled.is_set():
            await asyncio.sleep(0.005)
        return "ended when asked"

    @tools.tool("broken")
    async def broken(context: CallContext) -> None:
        log.ran.append(("broken", {}, context))
        raise ToolFault("The printer is out of paper.")

    @tools.tool("rude")
    async def rude(context: CallContext) -> None:
        log.ran.append(("rude", {}, context))
        raise RuntimeError("-".join(["canary", "in", "traceback"]))

    @tools.tool("gated", roles={"chief"}, scope=lambda arguments: None)
    async def gated(context: CallContext) -> None:
        log.ran.append(("gated", {}, context))

    @tools.tool("boxed", scope=lambda arguments: "outside the box")
    async def boxed(context: CallContext) -> None:
        log.ran.append(("boxed", {}, context))

    @tools.tool("long")
    async def long(context: CallContext) -> str:
        log.ran.append(("long", {}, context))
        return "x" * 10_000

    @tools.tool("costly")
    async def costly(context: CallContext) -> None:
        log.ran.append(("costly", {}, context))
        if log.hold is not None:
            await log.hold.wait()

    @tools.tool("pay")
    async def pay(context: CallContext, sum: Decimal, to: str, purpose: str = "") -> str:
        log.ran.append(("pay", {"sum": sum, "to": to, "purpose": purpose}, context))
        return "paid"

    @tools.tool("post")
    async def post(context: CallContext, text: str) -> str:
        log.ran.append(("post", {"text": text}, context))
        return "posted"

    return tools


def _maps() -> dict[str, FieldMap]:
    empty: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    note = {
        "type": "object",
        "properties": {"text": {"type": "string", "minLength": 1}},
        "required": ["text"],
        "additionalProperties": False,
    }
    pay = {
        "type": "object",
        "properties": {
            "sum": {"type": "number", "minimum": 0, "maximum": 1000},
            "to": {"type": "string"},
            "purpose": {"type": "string"},
        },
        "required": ["sum", "to"],
        "additionalProperties": False,
    }
    compiler = map_compiler()
    documents: list[dict[str, Any]] = [
        {
            "tool": "note",
            "label": "Take a note",
            "parameters": note,
            "display": {"text": {"label": "Text"}},
            "result": {"summary": "{note_id}", "display": {"note_id": {"label": "Note"}}},
        },
        {"tool": "slow", "label": "Sleep", "parameters": empty, "display": {}, "timeout_s": 1},
        {"tool": "costly", "label": "Spend", "parameters": empty, "display": {},
         "approval": {"required": True, "by": "operator"}},
        {"tool": "pay", "label": "Pay", "parameters": pay,
         "display": {"sum": {"label": "Sum", "editable": True}, "to": {"label": "To"}},
         "approval": {"when": {"properties": {"sum": {"exclusiveMinimum": 100}}},
                      "by": "operator", "expires_after_s": 60}},
        {"tool": "post", "label": "Post", "parameters": note,
         "display": {"text": {"label": "Text"}},
         "approval": {"required": True, "by": "user"}},
    ]  # fmt: skip
    return {
        document["tool"]: compiler.compile({"description": "A tool.", **document})
        for document in documents
    }


@dataclass
class World:
    conversations: Conversations
    records: Records
    feed: MemoryFeed
    model: WrittenModel
    log: CallLog
    conversation: str
    parts: Parts
    approvals: Approvals
    exchanges: Exchanges
    others: list[Exchanges] = field(default_factory=list[Exchanges])

    def restarted(self, maps: Mapping[str, FieldMap] | None = None) -> Approvals:
        """Another process on the same store. It shares the feed, as processes will."""
        worker = new_id(Kind.WORKER)
        parts = replace(self.parts, worker=worker, maps=self.parts.maps if maps is None else maps)
        self.others.append(Exchanges(parts))
        return Approvals(parts, Conversations(parts, self.others[-1], ()), self.others[-1])

    async def begin(self) -> None:
        """Go on in a new conversation."""
        self.conversation = await self.conversations.create(OWNER)

    async def say(self, text: str = "hello") -> None:
        """Send a message and wait until nothing is at work any more."""
        await self.conversations.send(OWNER, self.conversation, text)
        await self.idle()

    async def idle(self) -> None:
        async with asyncio.timeout(60):
            while await self.records.open_exchange_of(self.conversation) is not None or (
                await self._is_shown_open()
            ):
                await asyncio.sleep(0.005)

    async def _is_shown_open(self) -> bool:
        """Whether the feed, which is cheap to ask often, still shows an open exchange."""
        updates = await self.updates()
        opened = sum(isinstance(update, ExchangeOpened) for update in updates)
        return opened > sum(isinstance(update, ExchangeEnded) for update in updates)

    async def view(self) -> ConversationView:
        return (await self.conversations.view(OWNER, self.conversation))[0]

    async def recorded_view(self) -> ConversationView:
        """The page as a process would make it that knows only the record."""
        await self.feed.forget(self.conversation)
        return await self.view()

    async def until(self, state: CallState, ordinal: int = 0) -> None:
        """Wait until the last call is shown in a state."""
        async with asyncio.timeout(20):
            while not any(call.state is state for call in self.call_views(await self.view())):
                await asyncio.sleep(0.002)

    def turn_views(self, view: ConversationView) -> list[TurnView]:
        return [
            entry
            for exchange in view.exchanges.values()
            for entry in exchange.entries.values()
            if isinstance(entry, TurnView)
        ]

    def call_views(self, view: ConversationView) -> list[CallView]:
        return [
            item
            for turn in self.turn_views(view)
            for item in turn.items.values()
            if isinstance(item, CallView)
        ]

    async def shown(self) -> list[tuple[str | None, str, str | None]]:
        """Label, state and reason of every call on screen."""
        return [(c.label, c.state.value, c.reason) for c in self.call_views(await self.view())]

    async def notices(self) -> list[str]:
        return [
            entry.kind.value
            for exchange in (await self.view()).exchanges.values()
            for entry in exchange.entries.values()
            if isinstance(entry, NoticeView)
        ]

    async def turns(self) -> list[TurnRecord]:
        transcript = await self.records.transcript(self.conversation)
        return [turn for exchange in transcript.exchanges for turn in exchange.turns]

    async def updates(self) -> list[Update]:
        return (await self.feed.held(self.conversation)).updates


@asynccontextmanager
async def world(
    folder: Path,
    *turns: Sequence[Step],
    bounds: Bounds | None = None,
    provider: Provider | None = None,
    registry: Registry | None = None,
    maps: Mapping[str, FieldMap] | None = None,
    assign_missing_ids: bool = False,
    telemetry: Telemetry | None = None,
    clock: Clock | None = None,
    **more: Any,
) -> AsyncGenerator[World]:
    """Conversations over a real store, a real feed and real tools; ``turns`` are the model's.

    ``provider`` takes the written model's place; ``registry`` and ``maps`` go together.
    """
    records = await Records.open(f"sqlite:///{folder / 'store.sqlite3'}", clock or utc_now)
    model, log, feed = WrittenModel(turns), CallLog(), MemoryFeed()
    parts = Parts(
        provider=provider or model,
        records=records,
        feed=feed,
        registry=registry or _tools(log),
        maps=_maps() if maps is None else maps,
        formats=Formats("en"),
        worker=new_id(Kind.WORKER),
        running=asyncio.Semaphore(8),
        assign_missing_ids=assign_missing_ids,
        bounds=replace(bounds or Bounds(), flush_s=0.0, stop_grace_s=0.2),
        telemetry=telemetry or Telemetry.off(),
    )
    exchanges = Exchanges(parts, **more)
    conversations = Conversations(parts, exchanges, ())
    try:
        conversation = await conversations.create(OWNER)
        approvals = Approvals(parts, conversations, exchanges)
        here = World(
            conversations, records, feed, model, log, conversation, parts, approvals, exchanges
        )
        try:
            yield here
        finally:
            for other in here.others:
                await other.close()
    finally:
        await exchanges.close()
        await records.close()


def assert_lawful(updates: Iterable[Update]) -> None:
    """Every state on screen was led to by one that the table lets lead there, until the end."""
    allowed = {(before, after) for (before, _), after in TRANSITIONS.items()}
    states: dict[str, CallState] = {}
    for update in updates:
        match update:
            case CallOpened(call=ours, state=state):
                assert ours not in states
                states[ours] = state
            case CallChanged(call=ours, state=state):
                assert (states[ours], state) in allowed, (states[ours], state)
                states[ours] = state
            case ExchangeEnded():
                for ours, state in states.items():
                    assert state in {"done", "failed", "not_run", "unknown"}, (ours, state)
            case _:
                pass


def failure(kind: Any, **more: Any) -> ProviderFailure:
    return ProviderFailure(kind, "told by the test", **more)
