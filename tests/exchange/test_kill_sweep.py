"""The server is killed while conversations stand at every moment of a turn, and started again.

One server, one kill: each conversation is brought to its moment, the store and the page are
watched until it is there, and after the restart each is looked at by itself.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.exchange.held_tools import Ran, release, runs
from tests.exchange.moments import DIALECT, MOMENTS, ROOMS, Moment
from tests.exchange.server_process import (
    Server,
    Store,
    Visitor,
    call_states,
    eventually,
    notices,
    serving,
)
from tests.exchange.wire import text_body
from tests.providers.dialect_checks import floats
from tests.providers.history_rules import assert_valid_history
from tests.providers.stub_server import Plan, Received, StubServer

pytestmark = pytest.mark.timeout(600)

_ASKED = re.compile(r"^(?:do|kept|next):(\w+)$")


class Model:
    """Answers each conversation by the moment that its last message names."""

    def __init__(self) -> None:
        self._turns = {key: list(moment.turns) for key, moment in MOMENTS.items()}

    def __call__(self, request: Received) -> Plan:
        said = last_message(request)
        found = _ASKED.match(said)
        assert found, said
        turns = self._turns[found[1]]
        if said.startswith("do:") and turns:
            return turns.pop(0)
        return Plan(text_body(DIALECT, f"Answer to {said}."))


def last_message(request: Received) -> str:
    """The last thing that the person said in a request's history."""
    texts = [
        block["text"]
        for message in request.json["messages"]
        if message["role"] == "user"
        for block in _blocks(message["content"])
        if block["type"] == "text"
    ]
    return texts[-1]


def _blocks(content: "str | list[dict[str, str]]") -> "list[dict[str, str]]":
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@dataclass(frozen=True, slots=True)
class Seen:
    """One conversation: after the restart, and after one more message."""

    id: str
    page: str
    outcomes: list[str | None]
    calls: list[tuple[str, str, str | None]]
    parts: list[str]
    ran: list[Ran]
    page_after: str
    outcomes_after: list[str | None]


@dataclass(frozen=True, slots=True)
class Swept:
    seen: dict[str, Seen]
    requests: list[Received]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swept]:
    folder = tmp_path_factory.mktemp("killed")
    with StubServer(Model()) as stub:
        settings = {
            "FORMWORK_MODEL": f"{DIALECT}:m",
            "FORMWORK_BASE_URL": stub.url,
            "FORMWORK_API_KEY": "k",
            "FORMWORK_PARALLEL_CALLS": "1",
            "FORMWORK_RUNNING_CALLS": str(ROOMS),
            "FORMWORK_STOP_GRACE_S": "600",
            "FORMWORK_FLUSH_MS": "0",
        }
        first = Server(folder, settings)
        visitor = Visitor(first)
        try:
            ids = _bring_all_about(visitor, Store(folder))
        finally:
            first.kill()
        release(folder)
        with serving(folder, settings) as second:
            visitor.at(second)
            seen = _look_at_all(visitor, Store(folder), folder, ids)
        visitor.close()
        yield Swept(seen, stub.received)


def _bring_all_about(visitor: Visitor, store: Store) -> dict[str, str]:
    ids = {key: _bring_about(visitor, store, key) for key in MOMENTS}
    for key, conversation in ids.items():
        assert _is_reached(visitor, store, conversation, MOMENTS[key]), key
    return ids


def _bring_about(visitor: Visitor, store: Store, key: str) -> str:
    moment = MOMENTS[key]
    conversation = visitor.begin(f"do:{key}")
    eventually(key, lambda: _is_reached(visitor, store, conversation, moment))
    if moment.stops:
        visitor.stop(conversation)
    if moment.keeps:
        visitor.send(conversation, f"kept:{key}")
        assert store.kept(conversation) == [f"kept:{key}"]
    return conversation


def _is_reached(visitor: Visitor, store: Store, conversation: str, moment: Moment) -> bool:
    recorded = [state for _, state, _ in store.calls(conversation)]
    if recorded != list(moment.recorded):
        return False
    page = visitor.page(conversation)
    ended = store.outcomes(conversation) != [None]
    return (
        call_states(page) == list(moment.states)
        and notices(page) == list(moment.notices)
        and moment.text in page
        and ended == (moment.outcome == "answered" and not moment.recorded)
    )


def _look_at_all(
    visitor: Visitor, store: Store, folder: Path, ids: dict[str, str]
) -> dict[str, Seen]:
    for key, conversation in ids.items():
        eventually(f"{key} at rest", lambda c=conversation: _rests(store, c))
    pages = {key: visitor.page(conversation) for key, conversation in ids.items()}
    outcomes = {key: store.outcomes(conversation) for key, conversation in ids.items()}
    calls = {key: store.calls(conversation) for key, conversation in ids.items()}
    parts = {key: store.turn_parts(conversation) for key, conversation in ids.items()}
    for key, conversation in ids.items():
        visitor.send(conversation, f"next:{key}")
    for key, conversation in ids.items():
        eventually(f"{key} goes on", lambda c=conversation: _rests(store, c))
    return {
        key: Seen(
            id=conversation,
            page=pages[key],
            outcomes=outcomes[key],
            calls=calls[key],
            parts=parts[key],
            ran=[ran for ran in runs(folder) if ran.call in {call for call, _, _ in calls[key]}],
            page_after=visitor.page(conversation),
            outcomes_after=store.outcomes(conversation),
        )
        for key, conversation in ids.items()
    }


def _rests(store: Store, conversation: str) -> bool:
    return None not in store.outcomes(conversation) and not store.kept(conversation)


each_moment = pytest.mark.parametrize("key", MOMENTS)


@each_moment
def test_the_page_says_what_happened(swept: Swept, key: str) -> None:
    moment, seen = MOMENTS[key], swept.seen[key]
    states = call_states(seen.page)
    assert states == list(moment.after)
    assert notices(seen.page) == list(moment.told)
    recorded = [state for _, state, _ in seen.calls]
    assert states[len(states) - len(recorded) :] == recorded


@each_moment
def test_the_exchange_ended_as_what_it_was(swept: Swept, key: str) -> None:
    moment, seen = MOMENTS[key], swept.seen[key]
    assert seen.outcomes == [moment.outcome, *(["answered"] if moment.keeps else [])]
    assert (f"Answer to kept:{key}." in seen.page) == moment.keeps


@each_moment
def test_no_call_ran_twice_unless_it_may(swept: Swept, key: str) -> None:
    moment, seen = MOMENTS[key], swept.seen[key]
    assert [ran.tool for ran in seen.ran] == list(moment.ran)
    for (tool, call), times in Counter((ran.tool, ran.call) for ran in seen.ran).items():
        assert times == 1 or tool == "again", call
    assert all(ran.key == ran.call for ran in seen.ran)


@each_moment
def test_no_half_turn_is_on_record_and_every_call_has_one_result(swept: Swept, key: str) -> None:
    moment, seen = MOMENTS[key], swept.seen[key]
    assert len(seen.parts) == moment.turns_kept
    assert not any("Let me s" in parts for parts in seen.parts)
    for _, state, result in seen.calls:
        assert state in {"done", "failed", "not_run", "unknown"}
        assert result


@each_moment
def test_the_conversation_goes_on(swept: Swept, key: str) -> None:
    seen = swept.seen[key]
    assert seen.outcomes_after == [*seen.outcomes, "answered"]
    assert f"Answer to next:{key}." in seen.page_after
    assert call_states(seen.page_after) == call_states(seen.page)
    told = [r for r in swept.requests if last_message(r) == f"next:{key}"]
    assert len(told) == 1
    results = [
        (block["tool_use_id"], block["content"])
        for message in floats(told[0].json)["messages"]
        for block in _blocks(message["content"])
        if block["type"] == "tool_result"
    ]
    assert len(results) == len(seen.calls)
    for (_, content), (_, _, result) in zip(results, seen.calls, strict=True):
        assert result is not None
        assert result in str(content) or str(content) in result


def test_every_request_had_a_history_that_the_provider_takes(swept: Swept) -> None:
    assert len(swept.requests) > 2 * len(MOMENTS)
    for request in swept.requests:
        assert_valid_history(DIALECT, floats(request.json))


def test_of_an_unknown_call_the_model_is_told_that_it_is(swept: Swept) -> None:
    results = [
        result
        for seen in swept.seen.values()
        for _, state, result in seen.calls
        if state == "unknown"
    ]
    assert len(results) == sum("unknown" in moment.after for moment in MOMENTS.values())
    assert all(result and "may or may not" in " ".join(result.split()) for result in results)
