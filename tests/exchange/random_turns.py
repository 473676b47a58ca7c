"""Random turns: several calls, each in order or with one fault of its own, and any kind of end.

What must come of each kind is written down here by hand, not asked of the gate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from app.calls.events import (
    ArgumentFragment,
    CallAnnounced,
    CallCompleted,
    Event,
    Stop,
    TextDelta,
    TurnEnded,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A call in a certain way. ``spoils``: it makes its whole turn unusable, for that reason.

    ``refused``: it alone is refused, for that reason. With neither it runs, and ends as ``ends``.
    """

    name: str
    texts: Sequence[str]
    spoils: str | None = None
    refused: str | None = None
    ends: str = "done"
    has_id: bool = True
    completes: bool = True
    late: str = ""


NOTES = ('{"text": "milk"}', '{"text":"\\u00e4\\ud83c\\udfab \\"x\\""}', ' {"text" : "ü🎫"}\n')

KINDS: dict[str, Kind] = {
    "good": Kind("note", NOTES),
    "without_arguments": Kind("slow", ("{}", "", " \n")),
    "fails": Kind("broken", ("{}",), ends="failed"),
    "crashes": Kind("rude", ("{}",), ends="failed"),
    "unknown_tool": Kind("nope", ("{}", NOTES[0]), refused="unknown_tool"),
    "schema": Kind(
        "note",
        ("{}", "", '{"text": ""}', '{"text": 7}', '{"text": "a", "more": null}'),
        refused="invalid_arguments",
    ),
    "scope": Kind("boxed", ("{}",), refused="out_of_scope"),
    "roles": Kind("gated", ("{}",), refused="not_authorised"),
    "invalid_json": Kind(
        "note",
        (
            '{"text": "milk"',
            '{"text": "milk"} and more',
            '{"text": "a", "text": "b"}',
            '{"text": NaN}',
            '{"text": "\\ud83c"}',
            '["text"]',
            '{"text": "mi',
        ),
        spoils="invalid_json",
    ),
    "no_id": Kind("note", NOTES, spoils="protocol_error", has_id=False),
    "late_fragment": Kind("note", NOTES, spoils="protocol_error", late=" "),
    "never_completed": Kind("note", NOTES, spoils="incomplete", completes=False),
}

BAD_ENDS: dict[Stop | None, str] = {
    Stop.TRUNCATED: "truncated",
    Stop.REFUSED: "refused_by_model",
    Stop.INCOMPLETE: "incomplete",
    Stop.ERROR: "protocol_error",
    None: "incomplete",
}


@dataclass(frozen=True, slots=True)
class RandomTurn:
    """``kinds`` are in the order of announcement; ``stop`` None is a stream without an end."""

    kinds: Sequence[Kind]
    events: Sequence[Event]
    stop: Stop | None

    @property
    def usable(self) -> bool:
        return self.stop is Stop.COMPLETE and not any(kind.spoils for kind in self.kinds)

    @property
    def to_run(self) -> list[str]:
        """The tools that must run, once each."""
        return [kind.name for kind in self.kinds if self.usable and kind.refused is None]

    @property
    def reasons(self) -> set[str]:
        """Why the turn may have been found unusable: the first fault in time is what is told."""
        reasons = {kind.spoils for kind in self.kinds if kind.spoils}
        return reasons | ({BAD_ENDS[self.stop]} if self.stop in BAD_ENDS else set())

    @property
    def states(self) -> list[str]:
        if not self.usable:
            return ["not_run"] * len(self.kinds)
        return ["not_run" if kind.refused else kind.ends for kind in self.kinds]


@st.composite
def random_turns(draw: st.DrawFn) -> RandomTurn:
    """Most turns have no fault that spoils them, or few would ever run anything."""
    spoilt = draw(st.integers(0, 3)) == 0
    names = [name for name, kind in KINDS.items() if spoilt or not kind.spoils]
    kinds = [KINDS[name] for name in draw(st.lists(st.sampled_from(names), max_size=5))]
    same_ids = draw(st.booleans())
    streams = [
        draw(_one_call(kind, block, "same" if same_ids else f"id_{block}"))
        for block, kind in enumerate(kinds, 1)
    ]
    events, order = draw(_interleaved(streams))
    stop = draw(st.sampled_from([Stop.COMPLETE] * 6 + list(BAD_ENDS)))
    text: list[Event] = [TextDelta(0, "Let me "), TextDelta(0, "see.")]
    end: list[Event] = [] if stop is None else [TurnEnded(stop, "x")]
    return RandomTurn([kinds[index] for index in order], [*text, *events, *end], stop)


@st.composite
def _one_call(draw: st.DrawFn, kind: Kind, block: int, identity: str) -> list[Event]:
    text = draw(st.sampled_from(kind.texts))
    cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=6))) if text[1:] else []
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    events: list[Event] = [CallAnnounced(block, identity if kind.has_id else None, kind.name)]
    events += [ArgumentFragment(block, piece) for piece in pieces]
    if kind.completes:
        events.append(CallCompleted(block))
    if kind.late:
        events.append(ArgumentFragment(block, kind.late))
    return events


@st.composite
def _interleaved(draw: st.DrawFn, streams: list[list[Event]]) -> tuple[list[Event], list[int]]:
    """Each stream in its own order, one after the other or mixed; and who began when."""
    if not draw(st.booleans()):
        return [event for stream in streams for event in stream], list(range(len(streams)))
    waiting = [list(stream) for stream in streams]
    events: list[Event] = []
    order: list[int] = []
    while open_streams := [index for index, stream in enumerate(waiting) if stream]:
        index = draw(st.sampled_from(open_streams))
        if len(waiting[index]) == len(streams[index]):
            order.append(index)
        events.append(waiting[index].pop(0))
    return events, order
