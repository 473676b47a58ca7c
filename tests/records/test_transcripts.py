"""What is read back of a conversation: for the page, and as an export."""

from decimal import Decimal
from typing import Any, cast

from sqlalchemy import event
from sqlalchemy.engine import Engine

from app.calls.exact_json import dump_exact, load_exact
from app.calls.gate import Verdict
from app.calls.history import CallPart, OpaquePart, TextPart
from app.calls.states import CallState
from app.display.view import NoticeKind
from app.records.new import NewAbandonedTurn, NewCall, NewTurn
from app.records.rows import AbandonedCall, Outcome
from app.records.store import Records
from tests.records.making import START, new_call, new_turn, open_with_calls


async def fill(records: Records) -> str:
    """One of everything."""
    opened = await open_with_calls(records, [], worker="worker-secret", owner="owner-secret")
    call = NewCall(
        0, "toolu_1", "refund", {"amount": Decimal("1250.00")}, '{"amount":1250.00}',
        "digest-secret", Verdict.RUN, START,
    )  # fmt: skip
    part = CallPart(0, "toolu_1", "refund", call.arguments, call.arguments_text, {"sig": "opaque"})
    opaque = OpaquePart("anthropic-messages", {"signature": "opaque-secret"})
    turn = NewTurn("t1", "anthropic-messages", "demo", "tool_use", (opaque, part), (call,))
    await records.record_turn(opened.exchange_id, turn)
    await records.claim_call("t1-0", "worker-secret", "digest-secret")
    await records.record_result(
        "t1-0", "worker-secret", CallState.DONE, "refunded", {"fee": Decimal("0.10")}, False, 41
    )
    attempt = AbandonedCall(0, "refund", "toolu_2", '{"amo', "truncated")
    await records.record_abandoned(
        opened.exchange_id, NewAbandonedTurn("t2", "truncated", "max_tokens", "", "So", (attempt,))
    )
    await records.record_notice(
        opened.exchange_id, NoticeKind.REGENERATING, (("reason", "truncated"),)
    )
    await records.queue_message(opened.conversation_id, "and then?")
    await records.end_exchange(opened.exchange_id, Outcome.GAVE_UP, "too long")
    return opened.conversation_id


async def test_an_export_holds_everything_and_its_numbers_are_exact(records: Records) -> None:
    conversation_id = await fill(records)
    text = dump_exact(await records.export(conversation_id))
    for said in ("What is due?", "Let me look.", "refunded", "1250.00", "0.10", "So", '{\\"amo'):
        assert said in text
    for said in ("regenerating", "max_tokens", "and then?", "too long", "gave_up", "toolu_1"):
        assert said in text
    exported = cast(dict[str, Any], load_exact(text))
    entries = exported["exchanges"][0]["entries"]
    assert [entry["type"] for entry in entries] == ["turn", "turn", "abandoned_turn", "notice"]
    assert entries[0]["parts"] == [{"text": "Let me look."}]
    assert entries[1]["parts"] == [{"call": 0}]
    assert entries[1]["calls"][0]["duration_ms"] == 41


async def test_an_export_holds_nothing_that_might_open_something(records: Records) -> None:
    text = dump_exact(await records.export(await fill(records)))
    # Not a text that the random digits of an id can spell.
    for secret in ("owner-secret", "worker-secret", "digest-secret", "opaque"):
        assert secret not in text


async def test_parts_keep_their_order_and_extras(records: Records) -> None:
    conversation_id = await fill(records)
    first, second = (await records.transcript(conversation_id)).exchanges[0].turns
    assert first.parts == (TextPart("Let me look."),)
    opaque, call = second.parts
    assert opaque == OpaquePart("anthropic-messages", {"signature": "opaque-secret"})
    assert isinstance(call, CallPart)
    assert call.extra == {"sig": "opaque"}


async def test_the_number_of_queries_does_not_grow_with_the_conversation(records: Records) -> None:
    opened = await open_with_calls(records, [])
    counts: list[int] = []
    for _ in range(2):
        for _ in range(3):
            await records.record_turn(opened.exchange_id, new_turn(new_call()))
        seen: list[str] = []

        def count(*arguments: Any, seen: list[str] = seen) -> None:
            seen.append(arguments[2])

        event.listen(Engine, "before_cursor_execute", count)
        await records.transcript(opened.conversation_id)
        event.remove(Engine, "before_cursor_execute", count)
        counts.append(sum(statement.startswith("SELECT") for statement in seen))
    assert counts[0] == counts[1] > 0
