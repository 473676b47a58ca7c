"""The marks are right: for every recording, in text, offsets, settling and what is on the page."""

import re
from itertools import accumulate
from pathlib import Path

import pytest

from app.calls.events import ArgumentFragment, ArgumentSnapshot, Event
from app.developer.call_trace import CallTrace
from app.developer.shown import ShownCall
from app.developer.turn_log import CallLog, Run, TurnLog
from app.web.assets import data_directory
from app.web.developer.call_part import CallPart, CallSeen, Window
from app.web.language import Language
from app.web.templates import Templates, template_environment
from tests.calls.settle_oracle import settles
from tests.developer.making import BODIES, replayed, terms
from tests.web.dom import parse

PART = CallPart(Templates(template_environment(data_directory("templates"), Language())))


@pytest.mark.parametrize(("dialect", "file"), BODIES)
async def test_every_recording_is_shown_as_it_was_sent(dialect: str, file: Path) -> None:
    events, turn = await replayed(dialect, file.read_bytes())
    for call in turn.calls:
        sent = sent_for(call.block, events)
        trace = CallTrace(call, turn.terms.limits)
        assert call.texts == sent
        assert_offsets_add_up(trace, sent)
        assert_settled_as_the_oracle_says(trace)
        assert_the_page_has_it_all(turn, call, sent)
    assert turn.events == len(events)
    times = [at for item in turn.items for at in (item.at if isinstance(item, Run) else [item.at])]
    assert times == sorted(times)


def sent_for(block: int, events: list[Event]) -> list[str]:
    """The fragments of a call; a text that came whole instead counts as one."""
    mine = [event for event in events if getattr(event, "block", None) == block]
    fragments = [event.text for event in mine if isinstance(event, ArgumentFragment)]
    whole = [event.text for event in mine if isinstance(event, ArgumentSnapshot) and event.text]
    return fragments or whole[:1]


def assert_offsets_add_up(trace: CallTrace, sent: list[str]) -> None:
    fragments = trace.fragments(1, len(trace))
    lengths = [len(fragment.text) for fragment in fragments]
    encoded = [len(fragment.text.encode("utf-8", "surrogatepass")) for fragment in fragments]
    assert [f.offset for f in fragments] == [0, *accumulate(lengths)][:-1]
    assert [f.byte for f in fragments] == [0, *accumulate(encoded)][:-1]
    assert "".join(f.text for f in fragments) == trace.text
    joined = "".join(sent).encode("utf-16-le", "surrogatepass")
    assert joined == trace.text.encode("utf-16-le", "surrogatepass")
    assert [f.number for f in fragments] == list(range(1, len(sent) + 1))


def assert_settled_as_the_oracle_says(trace: CallTrace) -> None:
    if not trace.call.texts:
        return
    expected = settles(trace.text, finished=trace.call.completed is not None)
    assert [(place.path, place.offset) for place in trace.places] == expected
    for place in trace.places:
        offset = place.offset
        assert offset is not None
        if offset <= len(trace.text) and place.fragment:
            fragment = trace.fragments(place.fragment, place.fragment)[0]
            assert fragment.offset < offset <= fragment.offset + len(fragment.text)
            assert place.at == fragment.at


def assert_the_page_has_it_all(turn: TurnLog, call: CallLog, sent: list[str]) -> None:
    """Byte for byte: each fragment of the page, with what cannot be seen read back by its code."""
    seen = CallSeen(turn, call, ShownCall(), None, "")
    html = str(PART.render(seen, Window(1, len(sent), slice(None), 0)))
    shown = re.findall(r'(?s)<span class="piece" data-fragment="(\d+)"[^>]*>(.*?)</span>', html)
    assert [int(number) for number, _ in shown] == list(range(1, len(sent) + 1))
    trace = CallTrace(call, turn.terms.limits)
    assert [unmarked(text) for _, text in shown] == list(trace.pieces)


def unmarked(html: str) -> str:
    """The characters that a piece of the page stands for."""
    coded = re.sub(
        r'<b class="code" data-code="([0-9a-f]+)">U\+[0-9A-F]{4,6}</b>',
        lambda found: f"\ue000{found[1]}\ue001",
        html,
    )
    text = parse(f"<p>{coded}</p>").text()
    return re.sub("\ue000([0-9a-f]+)\ue001", lambda found: chr(int(found[1], 16)), text)


HOSTILE = '{"a\u202e": "<script>\x00\u200d\ufeff\U000e0041 \\u202e & \ud83d", "n": 12 }'


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_hostile_text_is_shown_as_what_it_is(size: int) -> None:
    sent = [HOSTILE[start : start + size] for start in range(0, len(HOSTILE), size)]
    turn = TurnLog("t", "anthropic-messages", "m", 0, terms())
    call = CallLog(0, 0, 0, "id", "tool", list(range(len(sent))), sent, completed=len(sent))
    turn.calls.append(call)
    assert_offsets_add_up(CallTrace(call, turn.terms.limits), sent)
    assert_settled_as_the_oracle_says(CallTrace(call, turn.terms.limits))
    assert_the_page_has_it_all(turn, call, sent)
    html = str(PART.render(CallSeen(turn, call, ShownCall(), None, "")))
    assert "<script" not in html
    assert not re.search("[\u202e\u200d\ufeff\x00]", html)


def test_a_pair_that_the_wire_cut_in_two_is_joined_in_the_later_fragment() -> None:
    call = CallLog(0, 0, 0, "id", "tool", [1, 2, 3], ['{"a":"\ud83d', '\ude00"', "}"])
    trace = CallTrace(call, terms().limits)
    assert trace.pieces == ['{"a":"', '😀"', "}"]
    assert [place.offset for place in trace.places] == [8, 9]


@pytest.mark.parametrize("at", range(6))
def test_the_state_at_a_fragment_is_that_of_the_text_until_there(at: int) -> None:
    texts = ['{"a"', ':"x', 'y","b":{"c":1', "2}", "}"]
    trace = CallTrace(CallLog(0, 0, 0, "id", "tool", [1, 2, 3, 4, 5], texts), terms().limits)
    moment = trace.moment(at)
    paths = [None, ("a",), ("a",), ("b", "c"), (), None]
    settled = [0, 0, 0, 1, 3, 4]
    assert (moment.open_path, moment.settled) == (paths[at], settled[at])
    assert moment.open_text == ("x" if at == 2 else None)
    assert moment.at == (at or None)


def test_gaps_name_the_longest_the_median_and_the_99th_of_a_hundred() -> None:
    at = [0, *accumulate([10] * 97 + [50, 1000, 20])]
    gaps = CallTrace(CallLog(0, 0, 0, "i", "t", at, ["x"] * 101), terms().limits).gaps
    assert gaps is not None
    assert (gaps.count, gaps.median, gaps.p99, gaps.longest, gaps.longest_before) == (
        101, 10, 1000, 1000, 100,
    )  # fmt: skip
