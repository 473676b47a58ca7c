"""What a person can do with a conversation, and that it is theirs alone."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from app.calls.events import TextDelta
from app.calls.history import UserMessage
from app.display.updates import ExchangeEnded, ExchangeOpened, Update, apply
from app.display.view import ConversationView
from app.exchange.conversations import UnknownConversation
from app.feed.feed import Entry, Trimmed
from tests.exchange.world import OWNER, Step, World, call, calls, said, world
from tests.records.long_conversation import talk

NOTE = '{"text": "milk"}'


async def test_messages_sent_while_at_work_are_kept_in_order_and_sent_after(
    tmp_path: Path,
) -> None:
    hold = asyncio.Event()
    turns = ([TextDelta(0, "One"), hold, *said(".")], said("Two."), said("Three."))
    async with world(tmp_path, *turns) as here:
        for text in ("first", "second", "third"):
            await here.conversations.send(OWNER, here.conversation, text)
        assert list((await here.view()).kept.values()) == ["second", "third"]
        hold.set()
        while len((await here.view()).exchanges) < 3:
            await asyncio.sleep(0.002)
        await here.idle()
        view = await here.view()
        assert [exchange.message for exchange in view.exchanges.values()] == [
            "first",
            "second",
            "third",
        ]
        assert view.kept == {}
        told = [
            item.text for item in here.model.requests[2].history if isinstance(item, UserMessage)
        ]
        assert told == ["first", "second", "third"]


async def test_a_kept_message_survives_the_process(tmp_path: Path) -> None:
    turn: list[Step] = [TextDelta(0, "One"), asyncio.Event()]
    async with world(tmp_path, turn) as here:
        await here.conversations.send(OWNER, here.conversation, "first")
        await here.conversations.send(OWNER, here.conversation, "second")
        conversation = here.conversation
    async with world(tmp_path, said("Two.")) as here:
        here.conversation = conversation
        await here.exchanges.take_up()
        await here.idle()
        view = await here.view()
        assert [exchange.message for exchange in view.exchanges.values()] == ["first", "second"]


async def test_an_exchange_opened_while_the_one_before_says_goodbye_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is on record before it is shown; a message in between opens the next one."""
    writing: list[Step] = [TextDelta(0, "Two"), asyncio.Event()]
    async with world(tmp_path, said("One."), writing) as here:
        append, ending, goes_on = here.feed.append, asyncio.Event(), asyncio.Event()

        async def held_up(conversation: str, updates: Sequence[Update]) -> str:
            if any(isinstance(update, ExchangeEnded) for update in updates) and not ending.is_set():
                ending.set()
                await goes_on.wait()
            return await append(conversation, updates)

        monkeypatch.setattr(here.feed, "append", held_up)
        await here.conversations.send(OWNER, here.conversation, "first")
        await ending.wait()
        await here.conversations.send(OWNER, here.conversation, "second")
        goes_on.set()
        while len(here.model.requests) < 2:
            await asyncio.sleep(0.002)
        while sum(isinstance(u, ExchangeEnded) for u in await here.updates()) < 1:
            await asyncio.sleep(0.002)
        await here.conversations.stop(OWNER, here.conversation)
        await here.idle()
        assert await here.notices() == ["stopped"]


async def test_a_message_has_the_same_time_live_and_on_record(tmp_path: Path) -> None:
    """Sent, kept and sent later, edited: a page that is loaded again shows what it showed."""
    first: list[Step] = [TextDelta(0, "One"), hold := asyncio.Event(), *said(".")]
    async with world(tmp_path, first, said("Two."), said("Three.")) as here:
        for text in ("first", "kept"):
            await here.conversations.send(OWNER, here.conversation, text)
        hold.set()
        while len((await here.view()).exchanges) < 2:
            await asyncio.sleep(0.002)
        await here.idle()
        live = [u.at for u in await here.updates() if isinstance(u, ExchangeOpened)]
        await here.conversations.ask_again(OWNER, here.conversation, "edited")
        await here.idle()
        live += [u.at for u in await here.updates() if isinstance(u, ExchangeOpened)]
        transcript = await here.records.transcript(here.conversation)
        assert live == [each.exchange.created_at for each in transcript.exchanges]


async def test_the_title_is_the_first_message_cut_at_a_word(tmp_path: Path) -> None:
    async with world(tmp_path, said("Yes."), said("No.")) as here:
        await here.say("Please\nopen a ticket about the invoice run that failed in March again")
        await here.say("Another thing")
        [summary] = await here.conversations.listing(OWNER)
        assert summary.title == "Please open a ticket about the invoice run that failed in…"


async def test_a_message_that_cannot_be_seen_leaves_the_title_to_the_next(tmp_path: Path) -> None:
    async with world(tmp_path, said("Yes."), said("No.")) as here:
        for message, title in (("\u200b\u2060 " * 40, ""), ("A ticket", "A ticket")):
            await here.say(message)
            [summary] = await here.conversations.listing(OWNER)
            assert summary.title == title


@pytest.mark.parametrize("action", ["send", "stop", "view"])
@pytest.mark.parametrize("conversation", ["theirs", "none at all"])
async def test_another_owners_conversation_is_unknown(
    tmp_path: Path, action: str, conversation: str
) -> None:
    async with world(tmp_path, said("Hello.")) as here:
        await here.say()
        named = here.conversation if conversation == "theirs" else "c00"
        arguments = ("text",) if action == "send" else ()
        with pytest.raises(UnknownConversation):
            await getattr(here.conversations, action)("owner-2", named, *arguments)
        assert await here.conversations.listing("owner-2") == []


async def test_a_page_loaded_at_any_moment_goes_on_to_the_same_page(tmp_path: Path) -> None:
    """The view at any position, and then what follows it, is the view at the end."""
    turns = (
        [TextDelta(0, "Let me "), TextDelta(0, "see."), *calls(call(1, "note", NOTE))],
        said("It is ", "noted."),
    )
    async with world(tmp_path, *turns) as here:
        await here.conversations.send(OWNER, here.conversation, "hi")
        loaded: list[tuple[ConversationView, str]] = []
        while not loaded or loaded[-1][0].open_exchange is not None:
            loaded.append(await here.conversations.view(OWNER, here.conversation))
            await asyncio.sleep(0)
        final, _ = loaded[-1]
        assert len({position for _, position in loaded}) > 3
        held = (await here.feed.held(here.conversation)).entries
        places = {entry.position: index for index, entry in enumerate(held)}
        for view, position in loaded:
            for entry in held[places.get(position, -1) + 1 :]:
                apply(view, entry.updates)
            assert view == final


async def test_two_messages_at_once_open_one_exchange_at_a_time(tmp_path: Path) -> None:
    async with world(tmp_path, *[said("Yes.")] * 8) as here:
        await asyncio.gather(
            *(here.conversations.send(OWNER, here.conversation, str(n)) for n in range(8))
        )
        while len((await here.view()).exchanges) < 8:
            await asyncio.sleep(0.002)
        await here.idle()
        transcript = await here.records.transcript(here.conversation)
        assert len(transcript.exchanges) == 8
        opened = [u for u in await here.updates() if isinstance(u, ExchangeOpened)]
        assert len({u.exchange for u in opened}) == len(opened)


async def test_a_deleted_conversation_stops_and_can_be_brought_back(tmp_path: Path) -> None:
    turn: list[Step] = [TextDelta(0, "One"), asyncio.Event()]
    async with world(tmp_path, turn, said("Two.")) as here:
        for text in ("first", "second"):
            await here.conversations.send(OWNER, here.conversation, text)
        await here.conversations.delete(OWNER, here.conversation)
        await here.idle()
        with pytest.raises(UnknownConversation):
            await here.view()
        assert here.conversation not in [c.id for c in await here.conversations.listing(OWNER)]
        await here.exchanges.take_up()
        assert len(here.model.requests) == 1, "a kept message waits while its place is hidden"
        with pytest.raises(UnknownConversation):
            await here.conversations.restore("someone else", here.conversation)
        await here.conversations.restore(OWNER, here.conversation)
        await here.exchanges.take_up()
        await here.idle()
        view = await here.view()
        assert [each.message for each in view.exchanges.values()] == ["first", "second"]


async def told(here: World, position: str) -> list[Entry]:
    """What a viewer is told after a position, until the log gives no more."""
    async with aclosing(here.conversations.follow(here.conversation, position)) as following:
        return [entry async for entry in following]


@pytest.mark.parametrize("at_work", [False, True])
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_who_follows_a_deleted_conversation_is_let_go_and_can_follow_it_again(
    tmp_path: Path, elsewhere: bool, at_work: bool
) -> None:
    turn: list[Step] = [TextDelta(0, "One"), *([asyncio.Event()] if at_work else said("."))]
    async with world(tmp_path, turn, said("Two.")) as here, world(tmp_path) as other:
        await here.conversations.send(OWNER, here.conversation, "first")
        if not at_work:
            await here.idle()
        _, position = await here.conversations.view(OWNER, here.conversation)
        viewer = asyncio.create_task(told(here, position))
        await asyncio.sleep(0)
        process = other if elsewhere else here
        await process.conversations.delete(OWNER, here.conversation)
        async with asyncio.timeout(20):
            while (elsewhere or at_work) and not viewer.done():
                await here.exchanges.heed_stops()
                await here.exchanges.heed_deletions()
                await asyncio.sleep(0.005)
            with pytest.raises(Trimmed):
                await viewer
        with pytest.raises(UnknownConversation):
            await here.view()

        await process.conversations.restore(OWNER, here.conversation)
        await here.exchanges.heed_deletions()
        _, position = await here.conversations.view(OWNER, here.conversation)
        viewer = asyncio.create_task(told(here, position))
        await here.say("second")
        await here.exchanges.heed_deletions()
        assert not viewer.done()
        await here.conversations.delete(OWNER, here.conversation)
        with pytest.raises(Trimmed):
            await viewer


async def test_an_answer_asked_again_is_told_only_its_own_branch(tmp_path: Path) -> None:
    turns = (said("One."), said("Two."), said("Three."), said("Four."))
    async with world(tmp_path, *turns) as here:
        await here.say("first")
        await here.conversations.ask_again(OWNER, here.conversation, None)
        await here.idle()
        view = await here.view()
        [again] = view.exchanges.values()
        assert (again.message, again.alternatives[1]) == ("first", again.id)
        await here.conversations.ask_again(OWNER, here.conversation, "edited")
        await here.idle()
        old = again.alternatives[0]
        await here.conversations.turn_to(OWNER, here.conversation, old)
        assert list((await here.view()).exchanges) == [old]
        await here.say("second")
        told = [
            [item.text for item in each.history if isinstance(item, UserMessage)]
            for each in here.model.requests
        ]
        assert told == [["first"], ["first"], ["edited"], ["first", "second"]]
        live, recorded = await here.view(), await here.recorded_view()
        for view in (live, recorded):
            shown = [(each.message, len(each.alternatives)) for each in view.exchanges.values()]
            assert shown == [("first", 3), ("second", 0)]
        with pytest.raises(UnknownConversation):
            await here.conversations.turn_to(OWNER, here.conversation, "nothing")


@pytest.mark.parametrize("held", [True, False])
async def test_a_view_can_begin_with_any_exchange(tmp_path: Path, held: bool) -> None:
    async with world(tmp_path, *(said(f"To {number}.") for number in range(4))) as here:
        for number in range(4):
            await here.say(f"Message {number}")
        if not held:
            await here.feed.forget(here.conversation)
        whole, position = await here.conversations.view(OWNER, here.conversation)
        names = list(whole.exchanges)
        for first in (0, 1, 3, 9, -1, -2, -9, *names):
            view, at = await here.conversations.view(OWNER, here.conversation, first)
            count = names.index(first) if isinstance(first, str) else first
            start = min(slice(count, None).indices(4)[0], 3)
            assert at == position
            assert view.earlier == start
            assert list(view.exchanges) == names[start:]
            assert [view.number(each) for each in view.exchanges] == list(range(start, 4))
            assert all(view.exchanges[each] == whole.exchanges[each] for each in view.exchanges)


async def test_what_another_process_went_on_with_stands_where_it_belongs(tmp_path: Path) -> None:
    async with world(tmp_path, said("One."), said("Four.")) as here:
        await here.say("first")
        await talk(here.records, here.conversation, 2)
        await here.say("fourth")
        transcript = await here.records.transcript(here.conversation)
        messages = [each.exchange.message for each in transcript.active]
        assert (messages[0], len(messages), messages[3]) == ("first", 4, "fourth")
        for first in (0, 1, -2):
            view, _ = await here.conversations.view(OWNER, here.conversation, first)
            assert [each.message for each in view.exchanges.values()] == messages[first:]
