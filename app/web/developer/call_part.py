"""One call of a turn, as the developer view shows it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from app.calls.call_ids import call_id
from app.calls.exact_json import dump_exact
from app.calls.json_types import Path
from app.calls.surrogates import utf8_length
from app.developer.call_trace import CallTrace, Fragment, Place
from app.developer.pictures import Lane, Picture, Scale, density, moments, spans
from app.developer.shown import ShownCall
from app.developer.turn_log import CallLog, TurnLog
from app.display.field_map import FieldMap
from app.display.tree import Leaf, nodes_along
from app.records.rows import CallRecord
from app.web.developer.contexts import (
    BufferContext,
    CallContext,
    Cell,
    Link,
    PictureContext,
    Piece,
    TableContext,
)
from app.web.developer.figures import NOTHING, Marking, clock, dotted, ms, short, size
from app.web.templates import Templates

EDGE = 100
"""Fragments at each end of a buffer that is folded in the middle."""
PLACES = 200
"""Settled values in a table; the page of the call has the rest."""
LANES = 14
"""Fields that get a lane of their own in the picture."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which fragments and places a page of a call shows; ``current`` is marked, 0 for none."""

    first: int
    last: int
    places: slice
    current: int


IN_A_TURN, ON_ITS_PAGE = 4, 2
"""Levels of a call's heading: below page, exchange and turn, or below the page alone."""


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A call with all that is known of it. ``address`` is the page of it, "" for none."""

    turn: TurnLog
    call: CallLog
    shown: ShownCall
    recorded: CallRecord | None
    address: str


class CallPart:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._marking = Marking(templates)

    def render(self, seen: CallSeen, window: Window | None = None) -> Markup:
        """The call: folded in the middle where it is long, or one window of it."""
        trace = CallTrace(seen.call, seen.turn.terms.limits)
        return self._templates.render(
            CallContext(
                f"{seen.turn.id}-call-{seen.call.block}",
                IN_A_TURN if window is None else ON_ITS_PAGE,
                _heading(seen.call),
                list(self._facts(seen, trace)),
                self._picture(seen, trace),
                self._buffer(seen, trace, window),
                list(self._tables(seen, trace, window)),
            )
        )

    # Facts

    def _facts(self, seen: CallSeen, trace: CallTrace) -> Iterator[tuple[str, Cell]]:
        call = seen.call
        yield "provider's id", self._marking.text(call.provider_id or "none")
        yield "announced", ms(call.announced)
        yield "completion event", ms(call.completed)
        states = " → ".join(f"{span.state} {ms(span.at)}" for span in call.states)
        yield "states", states or "not taken into the turn"
        if call.texts:
            yield "text", f"{len(trace.text):,} characters, {size(trace.byte_ends[-1])}"
        if call.objects:
            yield "objects", f"{len(call.objects):,}"
        yield "parser", _parser(trace)
        if trace.gaps is not None:
            gaps = trace.gaps
            yield (
                "gaps between fragments",
                f"{gaps.count:,} fragments; median {ms(gaps.median)}, p99 {ms(gaps.p99)}, "
                f"longest {ms(gaps.longest)} before fragment {gaps.longest_before:,}",
            )
        if seen.turn.gate is not None:
            for verdict in seen.turn.gate.verdicts:
                if verdict.call == call.ordinal:
                    yield "verdict", _said(verdict.verdict, verdict.reason, verdict.detail)
        if seen.recorded is not None:
            yield from self._outcome(seen.recorded)

    def _outcome(self, call: CallRecord) -> Iterator[tuple[str, Cell]]:
        yield "on record", _said(call.state, call.reason, call.detail or "")
        if call.running_at is not None:
            yield "dispatched", clock(call.running_at.timestamp())
        if call.duration_ms is not None:
            yield "tool took", f"{call.duration_ms:,} ms"
        if call.ended_at is not None:
            yield "ended", clock(call.ended_at.timestamp())
        if call.result_content is not None:
            yield "the model was told", self._marking.text(call.result_content)
        if call.result_full is not None:
            yield "whole result", self._marking.text(dump_exact(call.result_full))

    # The buffer

    def _buffer(self, seen: CallSeen, trace: CallTrace, window: Window | None) -> Markup:
        count, whole = len(trace), None
        if window is not None:
            before, after, folded = trace.fragments(window.first, window.last), [], ""
        elif count <= 2 * EDGE:
            before, after, folded = trace.fragments(1, count), [], ""
        else:
            before = trace.fragments(1, EDGE)
            after = trace.fragments(count - EDGE + 1, count)
            folded = f"{count - 2 * EDGE:,} fragments are folded here."
        if window is None and seen.address:
            whole = Link(f"Walk through all {count:,} fragments", f"{seen.address}?at={count}")
        current = 0 if window is None else window.current
        return self._templates.render(
            BufferContext(
                [self._piece(each, current) for each in before],
                folded,
                [self._piece(each, current) for each in after],
                whole,
            )
        )

    def _piece(self, fragment: Fragment, current: int) -> Piece:
        return Piece(
            fragment.number,
            _where(fragment),
            self._marking.text(fragment.text),
            fragment.number == current,
        )

    # Tables

    def _tables(self, seen: CallSeen, trace: CallTrace, window: Window | None) -> Iterator[Markup]:
        yield self._places(seen, trace, window)
        yield self._fragments(seen, trace, window)
        if seen.call.objects:
            yield self._objects(seen)
        yield self._rows(seen)
        if seen.turn.gate is not None:
            yield self._steps(seen)

    def _places(self, seen: CallSeen, trace: CallTrace, window: Window | None) -> Markup:
        places = trace.places
        part = places[: PLACES if window is None else None]
        if window is not None:
            part = places[window.places]
        more = None
        if len(part) < len(places) and window is None:
            more = Link(f"All {len(places):,} settled values", seen.address)
        field_map = seen.turn.terms.maps.get(seen.call.name or "")
        return self._table(
            f"Settled values ({len(places):,})",
            ("path", "value", "settled at offset", "fragment", "time", "end user", "shown at"),
            [self._place(seen, place, field_map) for place in part],
            folded=False,
            more=more,
        )

    def _place(self, seen: CallSeen, place: Place, field_map: FieldMap | None) -> list[Cell]:
        row = seen.shown.rows.get(place.path)
        settled = None if row is None or row.settled is None else row.settled
        return [
            self._marking.text(dotted(place.path)),
            self._marking.text(short(place.value)),
            NOTHING if place.offset is None else f"{place.offset:,}",
            f"{place.fragment:,}",
            ms(place.at),
            _shown_as(place, field_map),
            ms(None if settled is None else settled - seen.turn.requested),
        ]

    def _fragments(self, seen: CallSeen, trace: CallTrace, window: Window | None) -> Markup:
        first, last = (1, 2 * EDGE) if window is None else (window.first, window.last)
        part = trace.fragments(first, last)
        return self._table(
            f"Fragments {first:,} to {first + len(part) - 1:,} of {len(trace):,}"
            if part
            else "Fragments (none)",
            ("number", "offset", "byte offset", "bytes", "time", "after", "text"),
            [
                [
                    f"{each.number:,}",
                    f"{each.offset:,}",
                    f"{each.byte:,}",
                    f"{utf8_length(each.text):,}",
                    ms(each.at),
                    ms(each.gap),
                    self._marking.text(each.text),
                ]
                for each in part
            ],
        )

    def _objects(self, seen: CallSeen) -> Markup:
        return self._table(
            f"Objects ({len(seen.call.objects):,})",
            ("number", "time", "as it came"),
            [
                [f"{number:,}", ms(timed.at), self._marking.text(repr(timed.event))]
                for number, timed in enumerate(seen.call.objects[:PLACES], 1)
            ],
        )

    def _rows(self, seen: CallSeen) -> Markup:
        rows = seen.shown.in_order()
        return self._table(
            f"Rows that the end user has ({len(rows):,})",
            ("path", "label", "status", "first shown", "settled", "text"),
            [
                [
                    self._marking.text(dotted(row.path)),
                    row.label,
                    row.status,
                    ms(row.first - seen.turn.requested),
                    ms(None if row.settled is None else row.settled - seen.turn.requested),
                    self._marking.text(row.text[:2000]),
                ]
                for row in rows[:PLACES]
            ],
        )

    def _steps(self, seen: CallSeen) -> Markup:
        assert seen.turn.gate is not None
        mine = [step for step in seen.turn.gate.steps if step.call in (None, seen.call.ordinal)]
        return self._table(
            f"Gate ({len(mine)} steps)",
            ("step", "answer", "reason", "detail"),
            [
                [step.name, step.answer, step.reason or "", self._marking.text(step.detail)]
                for step in mine
            ],
            folded=False,
        )

    def _table(
        self,
        caption: str,
        head: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        *,
        folded: bool = True,
        more: Link | None = None,
    ) -> Markup:
        return self._templates.render(TableContext(caption, head, rows, folded, more))

    # The picture

    def _picture(self, seen: CallSeen, trace: CallTrace) -> Markup:
        call = seen.call
        arrivals = call.at or [timed.at for timed in call.objects]
        end = max([*arrivals[-1:], call.completed or 0, call.announced + 1])
        scale = Scale(call.announced, end)
        picture = Picture(scale, _summary(trace, arrivals))
        what = "fragments" if call.at else "objects"
        picture.lanes.append(density(what, arrivals, scale, "fragment"))
        if trace.gaps is not None:
            picture.lanes.append(_longest(trace, scale))
        leaves = [place for place in trace.places if not isinstance(place.value, dict | list)]
        picture.lanes += _settle_lanes(seen, leaves, scale)
        states = [(max(s.at, scale.start), f"s-{s.state}", s.state.value) for s in call.states]
        within = [part for part in states if part[0] <= end]
        picture.lanes.append(spans("states", within, scale, end))
        return self._templates.render(
            PictureContext(
                f"Call {_number(call)} as it was written",
                picture.summary,
                picture.lanes,
                [ms(tick) for tick in scale.ticks],
                self._picture_table(trace, arrivals, scale),
            )
        )

    def _picture_table(self, trace: CallTrace, arrivals: Sequence[int], scale: Scale) -> Markup:
        edges = scale.ticks
        rows: list[list[Cell]] = []
        for start, end in pairwise(edges):
            until = end + (end == scale.end)
            within = [at for at in arrivals if start <= at < until]
            settled = [place for place in trace.places if start <= place.at < until]
            names = ", ".join(dotted(place.path) for place in settled[:8])
            more = f" and {len(settled) - 8} more" if len(settled) > 8 else ""
            rows.append([ms(start), ms(end), f"{len(within):,}", names + more])
        head = ("from", "to", "arrived", "settled")
        return self._table("The picture as a table", head, rows)


def call_seen(
    turn: TurnLog,
    call: CallLog,
    shown: dict[str, ShownCall],
    recorded: Sequence[CallRecord],
    address: str,
) -> CallSeen:
    """A call with what the end user has of it and what is on record of it."""
    ours = call_id(turn.id, -1 if call.ordinal is None else call.ordinal)
    record = next((each for each in recorded if each.ordinal == call.ordinal), None)
    return CallSeen(turn, call, shown.get(ours, ShownCall()), record, address)


def _heading(call: CallLog) -> str:
    return f"Call {_number(call)} · {call.name or 'without a name'}"


def _number(call: CallLog) -> str:
    return "not taken in" if call.ordinal is None else str(call.ordinal)


def _said(word: str, reason: str | None, detail: str) -> str:
    return " · ".join(part for part in (str(word), reason or "", detail) if part)


def _parser(trace: CallTrace) -> str:
    if trace.fault is not None:
        fault = trace.fault
        return f"broken at offset {fault.offset:,}: {fault.message} ({fault.code})"
    if not trace.call.texts:
        return "no text came"
    moment = trace.moment(len(trace))
    where = "" if moment.open_path is None else f", writing {dotted(moment.open_path)}"
    return f"{trace.status}{where}"


def _where(fragment: Fragment) -> str:
    gap = "" if fragment.gap is None else f", {ms(fragment.gap)} after the one before"
    return f"fragment {fragment.number:,}, byte {fragment.byte:,}, {ms(fragment.at)}{gap}"


def _summary(trace: CallTrace, arrivals: Sequence[int]) -> str:
    if trace.gaps is None:
        return f"{len(arrivals):,} arrived."
    gaps = trace.gaps
    return (
        f"{gaps.count:,} fragments over {ms(arrivals[-1] - arrivals[0])}; the longest gap, "
        f"{ms(gaps.longest)}, is before fragment {gaps.longest_before:,}; "
        f"median {ms(gaps.median)}, p99 {ms(gaps.p99)}."
    )


def _longest(trace: CallTrace, scale: Scale) -> Lane:
    gaps = trace.gaps
    assert gaps is not None
    end = trace.call.at[gaps.longest_before - 1]
    part = (end - gaps.longest, "gap", f"{ms(gaps.longest)} before {gaps.longest_before:,}")
    return spans(f"longest gap {ms(gaps.longest)}", [part], scale, end)


def _settle_lanes(seen: CallSeen, leaves: Sequence[Place], scale: Scale) -> Iterator[Lane]:
    for place in leaves[:LANES]:
        row = seen.shown.rows.get(place.path)
        marks = [(place.at, "settled", f"settled {ms(place.at)}")]
        if row is not None and row.settled is not None:
            shown = row.settled - seen.turn.requested
            marks.append((shown, "shown", f"shown {ms(shown)}"))
        yield moments(dotted(place.path), marks, scale)
    if len(leaves) > LANES:
        rest = [place.at for place in leaves[LANES:]]
        yield density(f"{len(rest):,} more", rest, scale, "settled")


def _shown_as(place: Place, field_map: FieldMap | None) -> str:
    if isinstance(place.value, dict | list):
        return NOTHING
    if field_map is None:
        return "withheld: the tool has no map"
    leaf = _leaf(field_map, place.path)
    return f"as “{leaf.label}”" if leaf is not None else "withheld by the map"


def _leaf(field_map: FieldMap, path: Path) -> Leaf | None:
    nodes = nodes_along(field_map.display, path)
    return nodes[-1] if nodes and isinstance(nodes[-1], Leaf) else None
