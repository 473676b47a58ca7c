import pytest

from app.calls.history import UserMessage
from app.records.errors import ConversationBusy, NotFound
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import new_turn


async def _ended(records: Records, exchange: str, answer: str) -> str:
    await records.record_turn(exchange, new_turn(text=answer))
    await records.end_exchange(exchange, Outcome.ANSWERED)
    return exchange


async def _said(records: Records, conversation: str, message: str) -> str:
    opened = (await records.open_exchange(conversation, message, "worker-1")).exchange_id
    return await _ended(records, opened, f"to {message}")


async def _active(records: Records, conversation: str) -> list[str]:
    transcript = await records.transcript(conversation)
    told = [
        item.text for item in await records.history(conversation) if isinstance(item, UserMessage)
    ]
    shown = [each.exchange.message for each in transcript.active]
    assert told == shown
    return shown


async def test_a_branch_takes_the_place_and_the_old_one_can_be_turned_to(
    records: Records,
) -> None:
    made = await records.create_conversation("ada", "1")
    assert await _active(records, made) == []
    await _said(records, made, "one")
    two = await _said(records, made, "two")
    edited = await records.open_beside(made, two, "two, edited", "worker-1")
    await _ended(records, edited.exchange_id, "x")
    await _said(records, made, "three")
    assert await _active(records, made) == ["one", "two, edited", "three"]
    await records.turn_to(made, two)
    assert await _active(records, made) == ["one", "two"]
    await _said(records, made, "three, elsewhere")
    assert await _active(records, made) == ["one", "two", "three, elsewhere"]
    await records.turn_to(made, edited.exchange_id)
    assert await _active(records, made) == ["one", "two, edited", "three"]
    transcript = await records.transcript(made)
    [_, second, third] = transcript.active
    assert transcript.alternatives(second.exchange) == (two, edited.exchange_id)
    assert transcript.alternatives(third.exchange) == ()
    exported = await records.export(made)
    assert isinstance(exported["exchanges"], list)
    assert len(exported["exchanges"]) == 5


async def test_the_first_message_can_be_asked_again_as_it_was(records: Records) -> None:
    made = await records.create_conversation("ada", "1")
    one = await _said(records, made, "one")
    again = await records.open_beside(made, one, None, "worker-1")
    assert again.message == "one"
    await _ended(records, again.exchange_id, "other")
    assert await _active(records, made) == ["one"]
    transcript = await records.transcript(made)
    assert transcript.alternatives(transcript.active[0].exchange) == (one, again.exchange_id)


async def test_branches_rest_while_an_exchange_is_open(records: Records) -> None:
    made = await records.create_conversation("ada", "1")
    one = await _said(records, made, "one")
    await records.open_exchange(made, "two", "worker-1")
    with pytest.raises(ConversationBusy):
        await records.open_beside(made, one, None, "worker-1")
    with pytest.raises(ConversationBusy):
        await records.turn_to(made, one)


async def test_a_branch_is_of_its_own_conversation(records: Records) -> None:
    made = await records.create_conversation("ada", "1")
    other = await records.create_conversation("ada", "2")
    elsewhere = await _said(records, other, "one")
    with pytest.raises(NotFound):
        await records.open_beside(made, elsewhere, None, "worker-1")
    with pytest.raises(NotFound):
        await records.turn_to(made, elsewhere)
