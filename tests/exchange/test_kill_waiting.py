"""The server is killed while calls wait for a person, and decided on before or after it is back.

The decisions are made through the store alone, as another process would make them.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.records.approvals import NewDecision
from app.records.rows import ApprovalRecord, ApprovalState
from app.records.store import Records
from tests.exchange.held_tools import runs
from tests.exchange.server_process import (
    Server,
    Store,
    Visitor,
    call_states,
    eventually,
    serving,
)
from tests.exchange.test_kill_sweep import last_message
from tests.exchange.wire import call_body, text_body
from tests.providers.stub_server import Plan, Received, StubServer

pytestmark = pytest.mark.timeout(300)

DIALECT = "anthropic-messages"
MAP = {
    "tool": "note",
    "label": "Take a note",
    "description": "Write something down.",
    "parameters": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
    "display": {"text": {"label": "Text"}},
    "approval": {"required": True, "by": "operator"},
}
APPROVED_DOWN, DENIED_DOWN, EXPIRED_DOWN = "approved while down", "denied while down", "expired"
APPROVED_LATER, DENIED_LATER, UNDECIDED = "approved later", "denied later", "undecided"
KINDS = (APPROVED_DOWN, DENIED_DOWN, EXPIRED_DOWN, APPROVED_LATER, DENIED_LATER, UNDECIDED)


def model(request: Received) -> Plan:
    """Calls the tool once for each message, and answers once it was told what came of that."""
    if '"tool_result"' in json.dumps(request.json["messages"][-1]):
        return Plan(text_body(DIALECT, "So be it."))
    said = json.dumps({"text": last_message(request)})
    return Plan(call_body(DIALECT, "note", said).whole)


@dataclass(frozen=True, slots=True)
class Seen:
    states: list[str]
    outcomes: list[str | None]
    ran: int
    state: ApprovalState


async def each_waiting(folder: Path, act: Callable[[Records, ApprovalRecord], object]) -> None:
    records = await Records.open(f"sqlite:///{folder}/data/formwork.sqlite3")
    for asked in await records.waiting_approvals("operator"):
        done = act(records, asked)
        if asyncio.iscoroutine(done):
            await done
    await records.close()


def decide(folder: Path, **rulings: bool) -> None:
    """Whether to approve, by the text of the note."""

    async def act(records: Records, asked: ApprovalRecord) -> None:
        said = str(asked.arguments["text"]).replace(" ", "_")
        if said in rulings:
            decision = NewDecision(rulings[said], asked.digest, "grace", told="denied")
            assert (await records.decide(asked.id, decision)).changed

    asyncio.run(each_waiting(folder, act))


def let_expire(folder: Path, conversation: str) -> None:
    """As if the server had been down for longer than the request was good for."""
    with closing(sqlite3.connect(folder / "data" / "formwork.sqlite3")) as connection, connection:
        changed = connection.execute(
            "UPDATE approvals SET expires_at = '2020-01-01 00:00:00.000000' WHERE call_id IN"
            " (SELECT calls.id FROM calls JOIN turns ON turns.id = calls.turn_id"
            " JOIN exchanges ON exchanges.id = turns.exchange_id WHERE conversation_id = ?)",
            (conversation,),
        )
        assert changed.rowcount == 1


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    folder = tmp_path_factory.mktemp("waiting")
    maps = folder / "maps"
    maps.mkdir()
    (maps / "note.json").write_text(json.dumps(MAP))
    with StubServer(model) as stub:
        settings = {
            "FORMWORK_MODEL": f"{DIALECT}:m",
            "FORMWORK_BASE_URL": stub.url,
            "FORMWORK_API_KEY": "k",
            "FORMWORK_FIELD_MAPS": str(maps),
        }
        first = Server(folder, settings)
        visitor, store = Visitor(first), Store(folder)
        try:
            ids = {kind: visitor.begin(kind) for kind in KINDS}
            for kind, conversation in ids.items():
                eventually(kind, lambda c=conversation: call_states(visitor.page(c)) == [WAITING])
        finally:
            first.kill()
        assert runs(folder) == []
        decide(folder, approved_while_down=True, denied_while_down=False)
        let_expire(folder, ids[EXPIRED_DOWN])
        with serving(folder, settings) as second:
            visitor.at(second)
            decide(folder, approved_later=True, denied_later=False)
            for kind in set(KINDS) - {UNDECIDED}:
                eventually(kind, lambda c=ids[kind]: store.outcomes(c) == ["answered"])
            pages = {kind: visitor.page(conversation) for kind, conversation in ids.items()}
        visitor.close()
    ran = [each.call for each in runs(folder)]
    return {
        kind: Seen(
            call_states(pages[kind]),
            store.outcomes(conversation),
            sum(ran.count(call) for call, _, _ in store.calls(conversation)),
            _approval_state(store, conversation),
        )
        for kind, conversation in ids.items()
    }


WAITING = "awaiting_approval"


def _approval_state(store: Store, conversation: str) -> ApprovalState:
    [(call, _, _)] = store.calls(conversation)
    [(state,)] = store.rows("SELECT state FROM approvals WHERE call_id = ?", call)
    return ApprovalState(state)


@pytest.mark.parametrize("kind", [APPROVED_DOWN, APPROVED_LATER])
def test_what_was_approved_ran_once(seen: dict[str, Seen], kind: str) -> None:
    assert seen[kind] == Seen(["done"], ["answered"], 1, ApprovalState.APPROVED)


@pytest.mark.parametrize("kind", [DENIED_DOWN, DENIED_LATER])
def test_what_was_denied_never_ran(seen: dict[str, Seen], kind: str) -> None:
    assert seen[kind] == Seen(["not_run"], ["answered"], 0, ApprovalState.DENIED)


def test_what_expired_while_the_server_was_down_never_ran(seen: dict[str, Seen]) -> None:
    assert seen[EXPIRED_DOWN] == Seen(["not_run"], ["answered"], 0, ApprovalState.EXPIRED)


def test_what_nobody_decided_still_waits(seen: dict[str, Seen]) -> None:
    assert seen[UNDECIDED] == Seen([WAITING], [None], 0, ApprovalState.WAITING)
