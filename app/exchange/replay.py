"""Feeds a recorded response through the code path of a live turn, and tells what it showed.

Nothing is dispatched and nothing is put on record. The events told are those of the design,
section 7: ``call``, ``rows``, ``state``, and last ``turn``.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.calls.blocks import Call
from app.calls.events import ArgumentFragment, Event, Stop
from app.calls.exact_json import dump_exact
from app.calls.gate import Judged, Terms, Verdict, judge
from app.calls.history import UserMessage
from app.calls.json_types import JsonObject, JsonValue
from app.calls.limits import Limits
from app.calls.turn import FinishedTurn
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.updates import CallChanged, CallNamed, CallOpened, RowChanged, RowGrew, Update
from app.display.view import Row
from app.exchange.rules import ToolRules
from app.exchange.stopping import StopSignal
from app.exchange.stream_turn import stream_turn
from app.providers.provider import Provider, ProviderFailure, TurnRequest

Emit = Callable[[JsonObject], None]

TURN = "t"
EXCHANGE = "x"
"""A replay is of no conversation; its ids need only be told apart."""


class Recut:
    """A provider whose argument fragments are cut again, ``size`` characters each."""

    def __init__(self, provider: Provider, size: int) -> None:
        self.dialect = provider.dialect
        self.needs_call_ids = provider.needs_call_ids
        self._provider = provider
        self._size = size

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        events = self._provider.stream(request)
        try:
            async for event in events:
                for piece in self._cut(event):
                    yield piece
        finally:
            await events.aclose()

    async def close(self) -> None:
        await self._provider.close()

    def _cut(self, event: Event) -> Iterator[Event]:
        if not isinstance(event, ArgumentFragment):
            yield event
            return
        for start in range(0, len(event.text), self._size):
            yield ArgumentFragment(event.block, event.text[start : start + self._size])


@dataclass(frozen=True, slots=True)
class MapRules(ToolRules):
    """A replay knows every tool that has a map, whether or not it could be run here."""

    def tool_names(self) -> Sequence[str]:
        return tuple({*self.maps, *self.registry.names})

    def out_of_scope(self, name: str, arguments: JsonObject) -> str | None:
        if name not in self.registry.names:
            return None
        return self.registry.out_of_scope(name, arguments)

    def authorised(self, name: str) -> bool:
        return True


class Replay:
    """One recorded turn, replayed."""

    def __init__(
        self,
        provider: Provider,
        rules: ToolRules,
        maps: Mapping[str, FieldMap],
        formats: Formats,
        limits: Limits,
        emit: Emit,
    ) -> None:
        self._provider = provider
        self._rules = rules
        self._limits = limits
        self._emit = emit
        self._live = LiveTurn(EXCHANGE, TURN, maps, formats, limits)

    async def run(self) -> bool:
        """Replay to the end of the recording, whatever it holds; whether any of it was understood.

        Of another dialect's recording nothing is.
        """
        request = TurnRequest(history=(UserMessage("replay"),), tools=(), max_tokens=1)
        try:
            finished = await stream_turn(
                self._provider, request, self._live, self._tell, StopSignal()
            )
            stop = finished.stop
        except ProviderFailure as failure:
            finished = replace(self._live.finish(), detail=str(failure))
            stop = Stop.ERROR
        self._judge(finished, stop)
        is_silent = stop is Stop.INCOMPLETE and finished.provider_stop is None
        return bool(self._live.turn.blocks) or not is_silent

    async def _tell(self, updates: Sequence[Update]) -> None:
        told_rows: set[str] = set()
        for update in updates:
            match update:
                case CallOpened(call=ours) | CallNamed(call=ours):
                    self._emit(self._call_event(self._call(ours)))
                case CallChanged(call=ours, state=state):
                    self._emit(_state_event(self._call(ours), state, None))
                case RowChanged(call=ours) | RowGrew(call=ours) if ours not in told_rows:
                    told_rows.add(ours)
                    self._emit(self._rows_event(self._call(ours)))
                case _:
                    pass

    def _call(self, ours: str) -> Call:
        return self._live.turn.calls[int(ours.rpartition("-")[2])]

    def _call_event(self, call: Call) -> JsonObject:
        return {
            "event": "call",
            "call": call.ordinal,
            "id": call.provider_id,
            "name": call.name,
            "state": call.state.value,
        }

    def _rows_event(self, call: Call) -> JsonObject:
        return {
            "event": "rows",
            "call": call.ordinal,
            "at": sum(map(len, call.pieces)),
            "rows": [_row(row) for row in self._live.rows(call)],
        }

    def _judge(self, finished: FinishedTurn, stop: Stop) -> None:
        terms = Terms(None, self._provider.needs_call_ids, False, self._limits)
        judgement = judge(finished, self._rules, terms)
        for judged in judgement.calls:
            if judged.verdict is Verdict.REFUSE:
                call = finished.calls[judged.ordinal]
                self._emit(_state_event(call, "not_run", judged.reason))
        calls = [_verdict(finished.calls[each.ordinal], each) for each in judgement.calls]
        self._emit(
            {
                "event": "turn",
                "stop": stop.value,
                "provider_stop": finished.provider_stop,
                "detail": judgement.detail or finished.detail or None,
                "calls": calls,
            }
        )


def _state_event(call: Call, state: str, reason: str | None) -> JsonObject:
    return {
        "event": "state",
        "call": call.ordinal,
        "state": str(state),
        "reason": None if reason is None else str(reason),
    }


def _row(row: Row) -> JsonValue:
    return {
        "path": list(row.path),
        "label": row.label,
        "text": row.text,
        "status": row.status.value,
    }


def _verdict(call: Call, judged: Judged) -> JsonValue:
    """``arguments_text`` of a dialect that sends objects is that object as compact JSON."""
    return {
        "call": call.ordinal,
        "id": call.provider_id,
        "name": call.name,
        "verdict": judged.verdict.value,
        "reason": None if judged.reason is None else judged.reason.value,
        "detail": judged.detail or None,
        "arguments": judged.arguments,
        "arguments_text": call.text if call.value is None else dump_exact(call.value),
    }
