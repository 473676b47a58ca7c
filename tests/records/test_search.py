from datetime import timedelta

from app.records.store import Records
from tests.records.making import TickingClock, new_turn


async def _said(records: Records, owner: str, title: str, message: str, answer: str) -> str:
    made = await records.create_conversation(owner, title)
    exchange = (await records.open_exchange(made, message, "worker-1")).exchange_id
    await records.record_turn(exchange, new_turn(text=answer))
    return made


async def test_messages_and_answers_are_found_whatever_their_case(
    records: Records, clock: TickingClock
) -> None:
    older = await _said(records, "ada", "1", "Where is the INVOICE?", 'Here: your "Größe" {x}')
    clock.moment += timedelta(hours=1)
    newer = await _said(records, "ada", "2", "hello", "An invoice\nwas sent.")
    hits = await records.search("ada", "invoice", 10)
    assert [(hit.conversation_id, hit.text[hit.start : hit.end]) for hit in hits] == [
        (newer, "invoice"),
        (older, "INVOICE"),
    ]
    [hit] = await records.search("ada", "GRÖSSE".replace("SS", "ß"), 10)
    assert (hit.title, hit.text[hit.start : hit.end]) == ("1", "Größe")


async def test_only_ones_own_and_nothing_hidden(records: Records) -> None:
    mine = await _said(records, "ada", "1", "needle", "needle")
    await _said(records, "bob", "2", "needle", "needle")
    assert len(await records.search("ada", "needle", 10)) == 2
    assert len(await records.search("ada", "needle", 1)) == 1
    await records.hide_conversation(mine)
    assert await records.search("ada", "needle", 10) == ()


async def test_a_title_is_found_in_its_place_unless_what_was_said_is(
    records: Records, clock: TickingClock
) -> None:
    oldest = await _said(records, "ada", "March: Prüfung", "hello", "hi")
    clock.moment += timedelta(hours=1)
    between = await _said(records, "ada", "prüfung", "Prüfung?", "hi")
    clock.moment += timedelta(hours=1)
    newest = await _said(records, "ada", "100% PRÜFUNG", "hello", "hi")
    await _said(records, "bob", "prüfung", "hello", "hi")
    hits = await records.search("ada", "prüfung", 10)
    assert [(hit.conversation_id, hit.text[hit.start : hit.end]) for hit in hits] == [
        (newest, "PRÜFUNG"),
        (between, "Prüfung"),
        (oldest, "Prüfung"),
    ]
    assert [hit.exchange_id is None for hit in hits] == [True, False, True]
    assert hits[0].text == hits[0].title == "100% PRÜFUNG"
    assert len(await records.search("ada", "prüfung", 2)) == 2
    assert [hit.title for hit in await records.search("ada", "0% p", 10)] == ["100% PRÜFUNG"]
    await records.rename_conversation(newest, "another")
    assert [hit.conversation_id for hit in await records.search("ada", "100%", 10)] == []
    assert [hit.conversation_id for hit in await records.search("ada", "another", 10)] == [newest]


async def test_words_are_plain_and_not_a_pattern(records: Records) -> None:
    await _said(records, "ada", "1", "100% _sure_ (a.b)", "parts text extra")
    assert len(await records.search("ada", "% _sure_ (a.b", 10)) == 1
    assert await records.search("ada", "a_b", 10) == ()
    assert await records.search("ada", '"text"', 10) == ()
