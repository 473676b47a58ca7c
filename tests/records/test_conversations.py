from datetime import timedelta

import pytest

from app.records.errors import ConversationBusy, NotFound
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import TickingClock, new_call, open_with_calls


async def test_a_conversation_keeps_its_owner_title_and_moments(
    records: Records, clock: TickingClock
) -> None:
    made = await records.create_conversation("ada", "Invoices")
    found = await records.conversation(made)
    assert found is not None
    assert (found.owner, found.title, found.deleted_at) == ("ada", "Invoices", None)
    assert found.created_at == found.updated_at == clock.moment


async def test_lists_are_newest_first_and_only_ones_own(records: Records) -> None:
    first = await records.create_conversation("ada", "1")
    second = await records.create_conversation("ada", "2")
    await records.create_conversation("bob", "3")
    assert [c.id for c in await records.conversations_of("ada")] == [second, first]
    await records.open_exchange(first, "again", "worker-1")
    assert [c.id for c in await records.conversations_of("ada")] == [first, second]


async def test_renaming_keeps_the_place_in_the_list(records: Records) -> None:
    first = await records.create_conversation("ada", "1")
    await records.create_conversation("ada", "2")
    assert await records.rename_conversation(first, "one\x00")
    assert [c.title for c in await records.conversations_of("ada")] == ["2", "one\ufffd"]


async def test_hidden_is_off_the_list_until_restored(records: Records) -> None:
    made = await records.create_conversation("ada", "1")
    assert await records.hide_conversation(made)
    assert await records.conversations_of("ada") == ()
    hidden = await records.conversation(made)
    assert hidden is not None
    assert hidden.deleted_at is not None
    other = await records.create_conversation("bob", "2")
    assert await records.conversations_gone([made, other, "c0"]) == {made, "c0"}
    assert await records.restore_conversation(made)
    assert await records.conversations_gone([made]) == set()
    assert [c.id for c in await records.conversations_of("ada")] == [made]


async def test_what_is_not_there_is_told(records: Records) -> None:
    assert await records.conversation("c0") is None
    assert not await records.rename_conversation("c0", "x")
    assert not await records.hide_conversation("c0")
    assert not await records.delete_conversation("c0")
    with pytest.raises(NotFound, match="conversation c0"):
        await records.transcript("c0")
    with pytest.raises(NotFound, match="conversation c0"):
        await records.open_exchange("c0", "hello", "worker-1")


async def test_deleting_removes_all_that_belongs_to_it_and_nothing_else(records: Records) -> None:
    gone = await open_with_calls(records, [new_call()])
    await records.queue_message(gone.conversation_id, "and then?")
    kept = await open_with_calls(records, [new_call()])
    before = await records.transcript(kept.conversation_id)
    assert await records.delete_conversation(gone.conversation_id)
    assert await records.call(gone.call_ids[0]) is None
    assert await records.exchange(gone.exchange_id) is None
    assert await records.conversation(gone.conversation_id) is None
    assert await records.transcript(kept.conversation_id) == before


async def test_one_at_work_is_not_deleted_where_only_one_at_rest_is_meant(
    records: Records,
) -> None:
    opened = await open_with_calls(records, [])
    assert not await records.delete_conversation_at_rest(opened.conversation_id)
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    assert await records.delete_conversation_at_rest(opened.conversation_id)
    assert not await records.delete_conversation_at_rest(opened.conversation_id)


async def test_retention_takes_what_is_old_and_at_rest(
    records: Records, clock: TickingClock
) -> None:
    at_rest = await records.create_conversation("ada", "old")
    open_one = await records.create_conversation("ada", "old, at work")
    exchange_id = (await records.open_exchange(open_one, "wait", "worker-1")).exchange_id
    clock.moment += timedelta(days=30)
    limit = clock.moment
    recent = await records.create_conversation("ada", "new")
    assert await records.delete_older_than(limit) == 1
    assert await records.conversation(at_rest) is None
    assert {c.id for c in await records.conversations_of("ada")} == {open_one, recent}
    await records.end_exchange(exchange_id, Outcome.ANSWERED)
    assert await records.delete_older_than(limit) == 0, "it was at work after the limit"
    assert await records.delete_older_than(clock.moment + timedelta(days=1)) == 2


async def test_hidden_ones_are_removed_after_their_time(
    records: Records, clock: TickingClock
) -> None:
    old, new, shown = [await records.create_conversation("ada", "x") for _ in range(3)]
    await records.hide_conversation(old)
    limit = clock.moment + timedelta(seconds=1)
    await records.hide_conversation(new)
    assert await records.delete_hidden_before(limit) == 1
    assert await records.conversation(old) is None
    assert await records.conversation(new) is not None
    assert await records.conversation(shown) is not None


async def test_a_busy_conversation_says_so(records: Records) -> None:
    opened = await open_with_calls(records, [])
    with pytest.raises(ConversationBusy, match=opened.conversation_id):
        await records.open_exchange(opened.conversation_id, "more", "worker-2")
