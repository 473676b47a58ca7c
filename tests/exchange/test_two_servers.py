"""Two servers on one database: each message is answered once, and nothing waits for a dead one."""

from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from tests.exchange.server_process import (
    Server,
    Store,
    Visitor,
    call_states,
    eventually,
    notices,
    serving,
)
from tests.exchange.test_kill_sweep import last_message
from tests.exchange.wire import text_body
from tests.providers.dialect_checks import floats
from tests.providers.history_rules import assert_valid_history
from tests.providers.stub_server import Ending, Plan, Received, StubServer
from tests.providers.wire_shorthand import anthropic

pytestmark = pytest.mark.timeout(600)

DIALECT = "anthropic-messages"
MESSAGES = [f"message {number}" for number in range(20)]
_HALF = anthropic.start() + anthropic.block(0, "text", text="") + anthropic.text(0, "Let me s")


def model(request: Received) -> Plan:
    said = last_message(request)
    if said == "never ends":
        return Plan(_HALF, ending=Ending.SILENT)
    return Plan(text_body(DIALECT, f"Answer to {said}."))


@pytest.fixture
def stub() -> Generator[StubServer]:
    with StubServer(model) as server:
        yield server


def settings(stub: StubServer) -> dict[str, str]:
    return {
        "FORMWORK_MODEL": f"{DIALECT}:m",
        "FORMWORK_BASE_URL": stub.url,
        "FORMWORK_API_KEY": "k",
    }


@pytest.mark.soak
def test_of_many_sends_at_once_each_is_answered_once(tmp_path: Path, stub: StubServer) -> None:
    with serving(tmp_path, settings(stub)) as one, serving(tmp_path, settings(stub)) as other:
        visitor, store = Visitor(one), Store(tmp_path)
        conversation = visitor.begin("hello")
        elsewhere = visitor.also_at(other)
        with ThreadPoolExecutor(len(MESSAGES)) as threads:
            sent = [
                threads.submit((visitor, elsewhere)[n % 2].send, conversation, message)
                for n, message in enumerate(MESSAGES)
            ]
        for each in sent:
            each.result()
        eventually(
            "all are answered",
            lambda: (
                len(store.outcomes(conversation)) == len(MESSAGES) + 1
                and None not in store.outcomes(conversation)
            ),
        )
        assert store.kept(conversation) == []
        assert set(store.outcomes(conversation)) == {"answered"}
        pages = [visitor.page(conversation), elsewhere.page(conversation)]
        visitor.close()
        elsewhere.close()
    asked = Counter(last_message(request) for request in stub.received)
    assert asked == Counter(["hello", *MESSAGES])
    for request in stub.received:
        assert_valid_history(DIALECT, floats(request.json))
    for page in pages:
        assert all(page.count(f"Answer to {message}.") == 1 for message in MESSAGES)
    for (_, ended), (began, _) in pairwise(store.spans(conversation)):
        assert ended is not None
        assert ended <= began, "one exchange is open at a time"


def test_a_server_goes_on_for_another_that_was_killed(tmp_path: Path, stub: StubServer) -> None:
    with serving(tmp_path, settings(stub)) as one:
        doomed = Server(tmp_path, settings(stub))
        visitor, store = Visitor(doomed), Store(tmp_path)
        conversation = visitor.begin("never ends")
        eventually("it is writing", lambda: "Let me s" in visitor.page(conversation))
        beside = visitor.also_at(one)
        beside.send(conversation, "and then?")
        assert store.kept(conversation) == ["and then?"]
        doomed.kill()
        visitor.close()
        eventually(
            "the other one answers",
            lambda: store.outcomes(conversation) == ["interrupted", "answered"],
        )
        page = beside.page(conversation)
        beside.close()
        assert notices(page) == ["interrupted"]
        assert call_states(page) == []
        assert "Let me s" not in page
        assert "Answer to and then?." in page
