import asyncio

import pytest

from app.records.errors import ConversationBusy
from app.records.exchanges import Opened
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import open_with_calls


async def test_messages_are_kept_in_order_and_each_taken_once(records: Records) -> None:
    opened = await open_with_calls(records, [])
    kept = [await records.queue_message(opened.conversation_id, f"{n}\x00") for n in range(5)]
    assert [m.id for m in (await records.transcript(opened.conversation_id)).queued] == kept
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    begun: list[Opened] = []
    for _ in kept:
        tried = await asyncio.gather(
            *(
                records.open_queued_exchange(opened.conversation_id, f"worker-{n}")
                for n in range(4)
            ),
            return_exceptions=True,
        )
        [one] = [each for each in tried if isinstance(each, Opened)]
        begun.append(one)
        await records.end_exchange(one.exchange_id, Outcome.ANSWERED)
    assert [each.kept for each in begun] == kept
    assert [each.message for each in begun] == [f"{n}\ufffd" for n in range(5)]


async def test_nothing_is_kept_when_nothing_is_open(records: Records) -> None:
    opened = await open_with_calls(records, [])
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    assert await records.queue_message(opened.conversation_id, "hello") is None
    assert await records.open_queued_exchange(opened.conversation_id, "worker-1") is None


async def test_the_next_exchange_begins_with_the_kept_message(records: Records) -> None:
    opened = await open_with_calls(records, [])
    kept = await records.queue_message(opened.conversation_id, "and then?")
    with pytest.raises(ConversationBusy):
        await records.open_queued_exchange(opened.conversation_id, "worker-1")
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    begun = await records.open_queued_exchange(opened.conversation_id, "worker-1")
    assert begun is not None
    assert begun.kept == kept
    found = await records.exchange(begun.exchange_id)
    assert found is not None
    assert (found.message, found.created_at) == ("and then?", begun.at)
    await records.end_exchange(begun.exchange_id, Outcome.ANSWERED)
    assert await records.open_queued_exchange(opened.conversation_id, "worker-1") is None


async def test_no_message_is_lost_between_an_end_and_the_last_look(records: Records) -> None:
    """Senders and an ender race: each message is kept and taken, or its sender is told."""
    for _ in range(8):
        opened = await open_with_calls(records, [])
        conversation_id = opened.conversation_id

        async def end_and_look(exchange_id: str, conversation_id: str) -> list[str]:
            await records.end_exchange(exchange_id, Outcome.ANSWERED)
            seen: list[str] = []
            while begun := await records.open_queued_exchange(conversation_id, "worker-1"):
                assert begun.kept is not None
                seen.append(begun.kept)
                await records.end_exchange(begun.exchange_id, Outcome.ANSWERED)
            return seen

        looking = asyncio.create_task(end_and_look(opened.exchange_id, conversation_id))
        kept = await asyncio.gather(
            *(records.queue_message(conversation_id, str(n)) for n in range(4))
        )
        seen = await looking
        assert sorted(seen) == sorted(k for k in kept if k is not None)


async def test_what_is_kept_behind_nothing_can_be_found_at_a_start(records: Records) -> None:
    busy, idle, empty = [await open_with_calls(records, []) for _ in range(3)]
    for opened in (busy, idle):
        await records.queue_message(opened.conversation_id, "and then?")
    for opened in (idle, empty):
        await records.end_exchange(opened.exchange_id, Outcome.INTERRUPTED)
    assert await records.conversations_with_kept() == ((idle.conversation_id, "ada"),)
