"""A call by an impossible name does not make the next request impossible, in any dialect."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.history import AssistantTurn, CallPart, CallResult, ToolResults, UserMessage
from app.providers.connect import KNOWN_DIALECTS, connect
from app.providers.provider import ProviderFailure, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.wire_names import wire_name
from tests.providers.history_rules import assert_valid_history


@given(st.text(max_size=200))
def test_any_name_becomes_one_that_providers_take(name: str) -> None:
    taken = wire_name(name)
    assert 0 < len(taken) <= 64
    assert taken.isascii()
    assert taken.replace("_", "").replace("-", "").isalnum() or set(taken) <= {"_", "-"}


@given(st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True))
def test_a_name_that_providers_take_stays(name: str) -> None:
    assert wire_name(name) == name


class Listening(httpx2.AsyncBaseTransport):
    """Keeps the body of a request, and answers that it is bad."""

    def __init__(self) -> None:
        self.body: dict[str, Any] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.body = json.loads(await request.aread())  # noqa: TID251 - the body an SDK wrote
        return httpx2.Response(400, json={"error": {"message": "heard"}})


@pytest.mark.parametrize("name", ["f<|channel|>commentary", "", "très long " * 20, "a.b", "f g"])
@pytest.mark.parametrize("dialect", [d for d in KNOWN_DIALECTS if d != "ollama"])
async def test_history_with_such_a_call_is_one_that_the_provider_takes(
    dialect: str, name: str
) -> None:
    listening = Listening()
    provider = connect(ProviderSpec(dialect, "m", api_key="k"), listening)
    history = (
        UserMessage("hello"),
        AssistantTurn(dialect, (CallPart(0, "id0", name, {}, "{}"),)),
        ToolResults((CallResult(0, "id0", name, "there is no such tool", True),)),
    )
    with pytest.raises(ProviderFailure):
        async for _ in provider.stream(TurnRequest(history, (), 100)):
            pass
    await provider.close()
    assert_valid_history(dialect, listening.body)
    assert wire_name(name) in json.dumps(listening.body)
