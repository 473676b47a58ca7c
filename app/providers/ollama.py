"""``ollama``: the chat wire of an Ollama server, one JSON object per line.

* **Announces a call**: an entry of ``message.tool_calls``; each is whole, and several lines may
  each have some.
* **Carries fragments**: none. ``arguments`` is an object. (A proxy may send its text instead.)
* **Completion event**: the entry itself.
* **Ends the turn well**: a line with ``done`` and ``done_reason`` stop, also with calls.
  :mod:`app.providers.ollama_turn` has the table of every other end.
* **Ids**: none by protocol; calls and results are matched by order and name. Newer servers give
  one, and it goes back with the call and its result.
* **History it wants back**: the assistant's text and calls in one message, with the thinking that
  led to calls; one ``tool`` message per call, in call order, with ``tool_name``. The wire has no
  mark for a result that is an error: its content says so.

The SDK's request types keep only the fields they know: of a tool's schema the outer shape, of a
call no id. So messages and tools are put into the request as they should be, after the SDK has
written it; and so numbers go back exactly as they came.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, cast

import httpx2
from ollama import AsyncClient

from app.calls.events import Event
from app.calls.exact_json import dump_exact
from app.calls.history import (
    AssistantTurn,
    CallPart,
    CallResult,
    HistoryItem,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.ollama_turn import OllamaTurn
from app.providers.provider import ToolOffer, TurnRequest
from app.providers.sdk_body import SdkBodies
from app.providers.spec import ProviderSpec
from app.providers.streaming import run_turn
from app.providers.wire_names import wire_name

DIALECT = "ollama"


def make(spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None) -> "Ollama":
    """The provider; ``transport`` stands in for the network."""
    return Ollama(spec, transport)


class Ollama:
    """A :class:`~app.providers.provider.Provider`."""

    dialect = DIALECT
    needs_call_ids = False

    def __init__(
        self, spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._spec = spec
        self._bodies = SdkBodies(spec.timeouts, transport, spec.tap)
        headers = {"Authorization": f"Bearer {spec.api_key}"} if spec.api_key else None
        self._client = AsyncClient(
            host=spec.base_url,
            headers=headers,
            follow_redirects=False,
            transport=self._bodies.legacy_transport,
        )

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        conversation = dump_exact(messages(request.history, request.system))
        offered = {"tools": tools(request.tools)}

        async def ask() -> None:
            # Typed Any: the SDK's annotation of a tool that is a function is not complete.
            answer = await cast(Any, self._client).chat(
                model=self._spec.model,
                stream=True,
                options={"num_predict": request.max_tokens},
            )
            async for _ in answer:
                raise AssertionError("the SDK gets an empty body")

        def put_in(body: bytes) -> bytes:
            written: dict[str, Any] = json.loads(body)  # noqa: TID251 - our own request
            written.pop("messages", None)
            return f'{json.dumps(written | offered)[:-1]},"messages":{conversation}}}'.encode()

        secrets = self._spec.secrets
        return run_turn(lambda: self._bodies.body(ask, put_in), OllamaTurn(secrets), secrets)

    async def close(self) -> None:
        await self._client.close()
        await self._bodies.close()


def tools(offers: Sequence[ToolOffer]) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": offer.name,
                "description": offer.description,
                "parameters": offer.parameters,
            },
        }
        for offer in offers
    ]


def messages(history: Sequence[HistoryItem], system: str | None) -> list[JsonValue]:
    """The conversation as this wire wants it back."""
    wire: list[JsonValue] = []
    if system:
        wire.append({"role": "system", "content": system})
    for item in history:
        match item:
            case UserMessage(text=text):
                wire.append({"role": "user", "content": text})
            case AssistantTurn():
                wire.extend(_assistant(item))
            case ToolResults(results=results):
                wire.extend(_result(result) for result in results)
    return wire


def _assistant(turn: AssistantTurn) -> Iterator[JsonObject]:
    """One message; none for a turn that said and called nothing."""
    text = "".join(part.text for part in turn.parts if isinstance(part, TextPart))
    message: JsonObject = {"role": "assistant", "content": text}
    for part in turn.parts:
        if isinstance(part, OpaquePart) and part.dialect == DIALECT:
            message.update(part.data)
    if calls := [_call(part) for part in turn.parts if isinstance(part, CallPart)]:
        message["tool_calls"] = [*calls]
    if text or calls:
        yield message


def _call(call: CallPart) -> JsonObject:
    wire: JsonObject = {"function": {"name": wire_name(call.name), "arguments": call.arguments}}
    return wire if call.wire_id is None else {"id": call.wire_id, **wire}


def _result(result: CallResult) -> JsonObject:
    wire: JsonObject = {
        "role": "tool",
        "tool_name": wire_name(result.name),
        "content": result.content,
    }
    return wire if result.wire_id is None else {**wire, "tool_call_id": result.wire_id}
