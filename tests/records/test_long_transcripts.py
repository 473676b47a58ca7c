"""A conversation is read from any of its exchanges on, and what was not read is still counted."""

import pytest

from app.records.rows import Outcome, Transcript
from app.records.store import Records
from tests.records.long_conversation import talk


@pytest.fixture
async def branched(records: Records) -> str:
    """Seven exchanges; the fifth was asked again, and two more followed."""
    made = await records.create_conversation("ada", "Invoices")
    await talk(records, made, 5)
    fifth = (await records.transcript(made)).path[4]
    opened = await records.open_beside(made, fifth, "What of number 4, once more?", "worker-1")
    await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
    await talk(records, made, 2)
    return made


def active(transcript: Transcript) -> list[str]:
    return [each.exchange.id for each in transcript.active]


async def test_it_is_the_slice_of_the_whole(records: Records, branched: str) -> None:
    whole = await records.transcript(branched)
    for first in (0, 1, 3, 4, 6, -1, -2, -3, -7):
        part = await records.transcript(branched, first)
        assert part.active == whole.active[first:]
        assert part.path == whole.path
        for each in part.active:
            assert part.alternatives(each.exchange) == whole.alternatives(each.exchange)
        assert (part.conversation, part.queued) == (whole.conversation, whole.queued)


async def test_one_can_begin_with_any_exchange(records: Records, branched: str) -> None:
    path = (await records.transcript(branched)).path
    for number, exchange in enumerate(path):
        assert active(await records.transcript(branched, exchange)) == list(path[number:])


async def test_past_an_end_there_is_still_something(records: Records, branched: str) -> None:
    for first, shown in ((7, 1), (10**30, 1), (-8, 7), (-1000, 7)):
        part = await records.transcript(branched, first)
        assert active(part) == list(part.path[-shown:])


async def test_an_exchange_of_another_branch_leads_to_where_that_parts(
    records: Records, branched: str
) -> None:
    before = await records.transcript(branched)
    [aside] = set(before.tree) - set(before.path)
    await records.turn_to(branched, aside)
    now = await records.transcript(branched)
    assert now.path[4:] == (aside,)
    for other in before.path[4:]:
        assert active(await records.transcript(branched, other)) == [aside]


async def test_what_is_no_exchange_of_it_begins_nothing(records: Records, branched: str) -> None:
    other = await records.create_conversation("ada", "")
    await talk(records, other, 1)
    [elsewhere] = (await records.transcript(other)).path
    whole = await records.transcript(branched)
    for unknown in (elsewhere, "nothing"):
        assert active(await records.transcript(branched, unknown)) == list(whole.path)


@pytest.mark.parametrize("first", [0, 5, -5, "nothing"])
async def test_nothing_was_said(records: Records, first: int | str) -> None:
    made = await records.create_conversation("ada", "")
    assert (await records.transcript(made, first)).active == ()
