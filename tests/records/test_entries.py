from decimal import Decimal

import pytest

from app.calls.gate import Verdict
from app.calls.history import CallPart, OpaquePart, TextPart
from app.calls.json_types import JsonObject
from app.calls.states import CallState
from app.display.view import NoticeKind
from app.records.errors import ExchangeOver, NotFound, NotStorable
from app.records.new import NewAbandonedTurn, NewCall, NewTurn
from app.records.rows import AbandonedCall, AbandonedTurnRecord, NoticeRecord, Outcome, TurnRecord
from app.records.store import Records
from tests.records.making import START, TickingClock, new_call, new_turn, open_with_calls

UNSTORABLE = ["\x00", chr(0xD800), chr(0xDFFF)]


async def test_a_turn_comes_back_as_it_was_put(records: Records) -> None:
    opened = await open_with_calls(records, [])
    arguments: JsonObject = {
        "amount": Decimal("1250.00"),
        "id": 12345678901234567890,
        "to": ["é", None, True],
    }
    call = NewCall(
        1, "toolu_1", "refund", arguments, '{"amount": 1250.00}', "d1", Verdict.RUN, START
    )
    parts = (
        OpaquePart("anthropic-messages", {"type": "thinking", "signature": "c2ln", "n": [1]}),
        TextPart("Let me see.\n", {"citations": []}),
        CallPart(1, "toolu_1", "refund", arguments, '{"amount": 1250.00}', {"thought": "x"}),
        TextPart("done"),
    )
    turn = NewTurn("t1", "anthropic-messages", "demo", "tool_use", parts, (call,))
    stored = await records.record_turn(opened.exchange_id, turn)
    assert stored.parts == parts
    [kept] = stored.calls
    assert (kept.id, kept.state, kept.verdict) == ("t1-1", CallState.READY, Verdict.RUN)
    assert kept.arguments == arguments
    assert str(kept.arguments["amount"]) == "1250.00"
    assert (kept.announced_at, kept.provider_id, kept.digest) == (START, "toolu_1", "d1")
    transcript = await records.transcript(opened.conversation_id)
    assert transcript.exchanges[0].turns[-1] == stored


async def test_a_refused_call_is_ended_at_once_and_its_siblings_are_ready(
    records: Records, clock: TickingClock
) -> None:
    opened = await open_with_calls(records, [])
    turn = new_turn(new_call(0), new_call(1, provider_id="b", verdict=Verdict.REFUSE))
    good, bad = (await records.record_turn(opened.exchange_id, turn)).calls
    assert (good.state, good.result_content, good.ended_at) == (CallState.READY, None, None)
    assert (bad.state, bad.reason, bad.is_error) == (CallState.NOT_RUN, "unknown_tool", True)
    assert bad.result_content == "There is no such tool."
    assert bad.ended_at == clock.moment


async def test_turns_attempts_and_notices_stand_on_one_scale(records: Records) -> None:
    opened = await open_with_calls(records, [])
    abandoned = NewAbandonedTurn(
        "t2",
        "truncated",
        "max_tokens",
        "cut\x00 off",
        "I will\ud800",
        (AbandonedCall(0, None, "i\x00d", '{"a": "\ud83d', "truncated"),),
    )
    await records.record_abandoned(opened.exchange_id, abandoned)
    params = (("reason", "truncated"), ("attempt", "1\x00"))
    notice_id = await records.record_notice(opened.exchange_id, NoticeKind.REGENERATING, params)
    await records.record_turn(opened.exchange_id, new_turn(turn_id="t3"))
    [exchange] = (await records.transcript(opened.conversation_id)).exchanges
    first, second, third, last = exchange.entries
    assert [type(e) for e in exchange.entries] == [
        TurnRecord,
        AbandonedTurnRecord,
        NoticeRecord,
        TurnRecord,
    ]
    assert [e.position for e in exchange.entries] == [1, 2, 3, 4]
    assert isinstance(second, AbandonedTurnRecord)
    assert (second.text, second.detail) == ("I will\ufffd", "cut\ufffd off")
    assert second.calls == (AbandonedCall(0, None, "i\ufffdd", '{"a": "\ufffd', "truncated"),)
    assert isinstance(third, NoticeRecord)
    assert (third.id, third.kind) == (notice_id, "regenerating")
    assert third.params == (("reason", "truncated"), ("attempt", "1\ufffd"))
    assert exchange.turns == (first, last)


async def test_an_ended_exchange_takes_a_notice_and_no_attempt(records: Records) -> None:
    opened = await open_with_calls(records, [])
    await records.end_exchange(opened.exchange_id, Outcome.GAVE_UP)
    await records.record_notice(opened.exchange_id, NoticeKind.GAVE_UP, (("reason", "x"),))
    with pytest.raises(ExchangeOver):
        await records.record_abandoned(
            opened.exchange_id, NewAbandonedTurn("t9", "truncated", None, "", "", ())
        )
    with pytest.raises(NotFound):
        await records.record_notice("x0", NoticeKind.STOPPED)


@pytest.mark.parametrize("bad", UNSTORABLE)
async def test_unstorable_arguments_are_refused_and_nothing_of_the_turn_is_kept(
    records: Records, bad: str
) -> None:
    opened = await open_with_calls(records, [])
    before = await records.transcript(opened.conversation_id)
    faulty: tuple[JsonObject, ...] = ({"a": [{"b": bad}]}, {bad: 1})
    for arguments in faulty:
        with pytest.raises(NotStorable):
            await records.record_turn(
                opened.exchange_id, new_turn(new_call(0), new_call(1, arguments=arguments))
            )
    assert await records.transcript(opened.conversation_id) == before


@pytest.mark.parametrize("bad", UNSTORABLE)
async def test_names_ids_and_text_are_mended(records: Records, bad: str) -> None:
    opened = await open_with_calls(records, [])
    call = new_call(0, provider_id=f"i{bad}", name=f"n{bad}")
    stored = await records.record_turn(opened.exchange_id, new_turn(call, text=f"t{bad}"))
    assert stored.parts[0] == TextPart("t\ufffd")
    assert (stored.calls[0].wire_id, stored.calls[0].name) == ("i\ufffd", "n\ufffd")


async def test_a_repeated_id_is_made_unique_in_call_and_result(records: Records) -> None:
    opened = await open_with_calls(records, [new_call(0, provider_id="f:0")])
    turn = new_turn(*(new_call(n, provider_id="f:0") for n in range(2)))
    stored = await records.record_turn(opened.exchange_id, turn)
    assert [call.wire_id for call in stored.calls] == ["f:0_2", "f:0_3"]
    assert [call.provider_id for call in stored.calls] == ["f:0", "f:0"]
    in_parts = [part.wire_id for part in stored.parts if isinstance(part, CallPart)]
    assert in_parts == ["f:0_2", "f:0_3"]
    other = await open_with_calls(records, [new_call(0, provider_id="f:0")])
    first_use = await records.call(other.call_ids[0])
    assert first_use is not None
    assert first_use.wire_id == "f:0", "another conversation has its own"


def test_a_turn_names_the_same_calls_twice() -> None:
    call = new_call(0)
    with pytest.raises(ValueError, match="same calls"):
        NewTurn("t", "d", "m", None, (TextPart("x"),), (call,))
    part = CallPart(0, "a", "f", {}, "{}")
    with pytest.raises(ValueError, match="same calls"):
        NewTurn("t", "d", "m", None, (part, part), (call,))
    with pytest.raises(ValueError, match="ordinal"):
        NewTurn("t", "d", "m", None, (part,), (call, call))


def test_a_call_has_a_reason_exactly_when_it_is_refused() -> None:
    with pytest.raises(ValueError, match="refused"):
        NewCall(0, None, "f", {}, "{}", "d", Verdict.REFUSE, START)
    with pytest.raises(ValueError, match="refused"):
        NewCall(0, None, "f", {}, "{}", "d", Verdict.RUN, START, result_content="x")
