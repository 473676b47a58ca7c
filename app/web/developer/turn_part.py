"""One turn, as the developer view shows it: what was asked, what came, what became of it."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from app.calls.events import ProtocolFault, ProtocolWarning, TextDelta
from app.developer.pictures import Lane, Scale, density, spans
from app.developer.shown import flushes_of, shown_calls
from app.developer.turn_log import Flush, Item, Run, TurnLog
from app.developer.viewing import TurnSeen
from app.developer.wire import UNTIMED_GAP_US
from app.records.rows import AbandonedTurnRecord, CallRecord, TurnRecord
from app.web.developer.call_part import CallPart, call_seen
from app.web.developer.contexts import Cell, Link, PictureContext, TableContext, TurnContext
from app.web.developer.figures import Marking, clock, ms, size
from app.web.templates import Templates

MOST_EVENTS = 300
MOST_FLUSHES = 300
"""Rows of a table that is folded anyway; what it leaves out is said."""


class TurnPart:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._marking = Marking(templates)
        self._calls = CallPart(templates)

    def render(self, seen: TurnSeen, flushes: Sequence[Flush], place: str) -> Markup:
        """A turn; ``place`` is the address of its conversation."""
        turn = seen.observed
        if turn is None:
            return self._unobserved(seen)
        told = list(flushes_of(turn.id, flushes))
        shown = shown_calls(turn.id, flushes)
        recorded = recorded_calls(seen)
        address = f"{place}/{turn.id}"
        return self._templates.render(
            TurnContext(
                turn.id,
                f"Turn · {turn.dialect} · {turn.model}",
                list(self._facts(seen, turn)),
                _links(seen, turn, address),
                self._picture(turn, told),
                [
                    self._calls.render(
                        call_seen(turn, call, shown, recorded, f"{address}/{call.block}")
                    )
                    for call in turn.calls
                ],
                list(self._tables(turn, told)),
            )
        )

    def _unobserved(self, seen: TurnSeen) -> Markup:
        """What is on record of a turn that nobody observed, or whose observation is gone."""
        record = seen.recorded
        assert record is not None, "a turn is observed or on record"
        facts: list[tuple[str, Cell]] = [
            ("observed", "no: the view was off, or it was too long ago"),
            ("on record", clock(record.created_at.timestamp())),
            ("provider's stop", record.provider_stop or "none"),
        ]
        rows: list[list[Cell]] = []
        if isinstance(record, AbandonedTurnRecord):
            facts.append(("set aside", f"{record.reason} · {record.detail}"))
            rows = [
                [str(c.ordinal), c.name or "", c.reason, self._marking.text(c.arguments_text)]
                for c in record.calls
            ]
        else:
            rows = [
                [
                    str(call.ordinal),
                    call.name,
                    f"{call.verdict} · {call.state} · {call.reason or ''} · {call.detail or ''}",
                    self._marking.text(call.arguments_text or ""),
                ]
                for call in record.calls
            ]
        head = ("call", "tool", "verdict and state", "arguments")
        table = self._table(f"Calls ({len(rows)})", head, rows, folded=False)
        return self._templates.render(
            TurnContext(record.id, "Turn", facts, [], Markup(), [], [table])
        )

    # Facts

    def _facts(self, seen: TurnSeen, turn: TurnLog) -> Iterator[tuple[str, Cell]]:
        if turn.requested:
            yield "requested", clock(turn.requested / 1e6)
        if not turn.timed:
            gap = ms(UNTIMED_GAP_US)
            yield "times", f"made up, {gap} between pieces: the recording came without any"
        if turn.streamed is None:
            yield "stream", "is under way"
        else:
            at, how, detail = turn.streamed
            yield "stream", self._marking.text(f"{how} after {ms(at)} {detail}".strip())
        end = turn.ended
        if end is not None:
            stop = f"{end.stop} · the provider said {end.provider_stop or 'nothing'}"
            yield "stop", self._marking.text(f"{stop} {end.detail}".strip())
        yield "output tokens", f"{turn.live.turn.output_tokens:,}"
        yield "response kept", size(seen.wire_bytes) if seen.wire_bytes else "nothing"
        if turn.cut is not None:
            yield "not kept", f"what came after {size(turn.cut)} (FORMWORK_DEVELOPER_TURN_BYTES)"
        gate = turn.gate
        if gate is not None:
            word = "usable" if gate.usable else "unusable"
            said = " · ".join(part for part in (word, gate.reason or "", gate.detail) if part)
            yield "gate", self._marking.text(f"{said} · asked at {ms(gate.at)}")
        if isinstance(seen.recorded, AbandonedTurnRecord):
            record = seen.recorded
            yield "set aside", self._marking.text(f"{record.reason} · {record.detail}")

    # Tables

    def _tables(self, turn: TurnLog, told: Sequence[tuple[int, list[str]]]) -> Iterator[Markup]:
        if not turn.calls and turn.gate is not None:
            yield self._table(
                f"Gate ({len(turn.gate.steps)} steps)",
                ("step", "answer", "reason", "detail"),
                [
                    [s.name, s.answer, s.reason or "", self._marking.text(s.detail)]
                    for s in turn.gate.steps
                ],
            )
        odd = [item for item in turn.items if not isinstance(item, Run)]
        warnings = sum(isinstance(item.event, ProtocolWarning | ProtocolFault) for item in odd)
        said = f", {warnings} of them warnings or faults" if warnings else ""
        yield self._table(
            f"Events ({turn.events:,}{said})",
            ("time", "event"),
            list(self._events(turn)),
        )
        yield self._table(
            f"What the end user was shown ({len(told):,} flushes)",
            ("time", "sent"),
            [
                [ms(at - turn.requested), self._marking.text(" ⏐ ".join(lines)[:4000])]
                for at, lines in told[-MOST_FLUSHES:]
            ],
        )

    def _events(self, turn: TurnLog) -> Iterator[list[Cell]]:
        for item in turn.items[-MOST_EVENTS:]:
            if isinstance(item, Run):
                text = f"{len(item.at):,} fragments of block {item.block}"
                yield [f"{ms(item.at[0])} to {ms(item.at[-1])}", text]
            elif isinstance(item.event, TextDelta):
                said = f"text of block {item.event.block}: {item.event.text}"
                yield [ms(item.at), self._marking.text(said)]
            else:
                yield [ms(item.at), self._marking.text(repr(item.event)[:4000])]

    def _table(
        self,
        caption: str,
        head: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        *,
        folded: bool = True,
    ) -> Markup:
        return self._templates.render(TableContext(caption, head, rows, folded))

    # The picture

    def _picture(self, turn: TurnLog, told: Sequence[tuple[int, list[str]]]) -> Markup:
        flushes = [at - turn.requested for at, _ in told]
        end = max([turn.last, *flushes[-1:], 1])
        scale = Scale(0, end)
        arrivals = [at for item in turn.items for at in _times(item)]
        lanes = [density("events", arrivals, scale, "fragment")]
        lanes += [_call_lane(turn, number, scale, end) for number in range(len(turn.calls))]
        lanes.append(density("flushes", flushes, scale, "shown"))
        rows: list[list[Cell]] = []
        for call in turn.calls:
            for number, span in enumerate(call.states):
                later = call.states[number + 1 : number + 2]
                until = ms(later[0].at) if later else "the end"
                reason = span.reason or ""
                rows.append([f"{call.ordinal}", span.state, ms(span.at), until, reason])
        head = ("call", "state", "from", "until", "reason")
        table = self._table("The picture as a table", head, rows)
        summary = (
            f"{len(arrivals):,} events and {len(flushes):,} flushes in {ms(end)}; "
            "the lanes of calls show their states."
        )
        ticks = [ms(tick) for tick in scale.ticks]
        return self._templates.render(
            PictureContext("The turn from its request on", summary, lanes, ticks, table)
        )


def recorded_calls(seen: TurnSeen) -> Sequence[CallRecord]:
    """What is on record of a turn's calls."""
    return seen.recorded.calls if isinstance(seen.recorded, TurnRecord) else ()


def _links(seen: TurnSeen, turn: TurnLog, address: str) -> list[Link]:
    if not seen.wire_bytes:
        return []
    name = f"{turn.id}.{turn.dialect}"
    return [
        Link("Replay step by step", f"{address}/replay"),
        Link("Compare with its replay", f"{address}/comparison"),
        Link("Download the body", f"{address}/body", f"{name}.body"),
        Link("Download with times", f"{address}/recording", f"{name}.wire.jsonl"),
    ]


def _call_lane(turn: TurnLog, number: int, scale: Scale, end: int) -> Lane:
    call = turn.calls[number]
    parts = [(span.at, f"s-{span.state}", f"{span.state} {ms(span.at)}") for span in call.states]
    return spans(f"call {number}", parts, scale, end)


def _times(item: Item) -> list[int]:
    if isinstance(item, Run):
        return item.at
    return [item.at]
