import pytest

from app.calls.gate import Verdict
from app.calls.history import AssistantTurn, CallPart, ToolResults, UserMessage
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.view import NoticeKind
from app.records.errors import CallsNotEnded
from app.records.new import NewAbandonedTurn
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import new_call, new_turn, open_with_calls


async def test_a_turn_is_followed_by_one_result_for_each_call_in_call_order(
    records: Records,
) -> None:
    calls = [
        new_call(0, provider_id="a"),
        new_call(1, provider_id="a"),
        new_call(2, provider_id="c", verdict=Verdict.REFUSE),
    ]
    opened = await open_with_calls(records, calls)
    for n in (1, 0):
        await records.claim_call(opened.call_ids[n], "worker-1", opened.digests[n])
        await records.record_result(
            opened.call_ids[n], "worker-1", CallState.DONE, f"result {n}", None, False, 1
        )
    await records.record_turn(opened.exchange_id, new_turn(text="All paid."))
    message, turn, results, answer = await records.history(opened.conversation_id)
    assert message == UserMessage("What is due?")
    assert isinstance(turn, AssistantTurn)
    assert isinstance(results, ToolResults)
    assert [(r.ordinal, r.content, r.is_error) for r in results.results] == [
        (0, "result 0", False),
        (1, "result 1", False),
        (2, "There is no such tool.", True),
    ]
    sent = [part.wire_id for part in turn.parts if isinstance(part, CallPart)]
    assert sent == [r.wire_id for r in results.results] == ["a", "a_2", "c"]
    assert isinstance(answer, AssistantTurn)


async def test_there_is_no_history_while_a_call_has_no_result(records: Records) -> None:
    opened = await open_with_calls(records, [new_call(0)])
    with pytest.raises(CallsNotEnded) as caught:
        await records.history(opened.conversation_id)
    assert caught.value.call_ids == opened.call_ids
    await records.claim_call(opened.call_ids[0], "worker-1", opened.digests[0])
    with pytest.raises(CallsNotEnded):
        await records.history(opened.conversation_id)
    await records.record_result(
        opened.call_ids[0], "worker-1", CallState.UNKNOWN, "unknown", None, True, 1
    )
    assert len(await records.history(opened.conversation_id)) == 3


@pytest.mark.parametrize("outcome", set(Outcome) - {Outcome.REFUSED})
async def test_a_message_that_got_no_turn_stays(records: Records, outcome: Outcome) -> None:
    opened = await open_with_calls(records, [])
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    exchange_id = (
        await records.open_exchange(opened.conversation_id, "and mine?", "worker-1")
    ).exchange_id
    abandoned = NewAbandonedTurn("t8", "truncated", "max_tokens", "", "I will", ())
    await records.record_abandoned(exchange_id, abandoned)
    await records.record_notice(exchange_id, NoticeKind.GAVE_UP)
    await records.end_exchange(exchange_id, outcome)
    await records.open_exchange(opened.conversation_id, "try again", "worker-1")
    history = await records.history(opened.conversation_id)
    assert history[2:] == (UserMessage("and mine?"), UserMessage("try again"))


async def test_a_refused_message_is_left_out_unless_turns_came_before(records: Records) -> None:
    opened = await open_with_calls(records, [new_call()])
    await records.refuse_call(opened.call_ids[0], Reason.DENIED, "denied")
    await records.end_exchange(opened.exchange_id, Outcome.REFUSED)
    exchange_id = (
        await records.open_exchange(opened.conversation_id, "worse", "worker-1")
    ).exchange_id
    await records.end_exchange(exchange_id, Outcome.REFUSED)
    await records.open_exchange(opened.conversation_id, "fine", "worker-1")
    history = await records.history(opened.conversation_id)
    assert [type(item) for item in history] == [
        UserMessage,
        AssistantTurn,
        ToolResults,
        UserMessage,
    ]
    assert history[-1] == UserMessage("fine")
