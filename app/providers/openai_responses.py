"""``openai-responses``: the Responses wire, of OpenAI and of servers that are like it.

* **Announces a call**: ``response.output_item.added`` with a ``function_call``.
* **Carries fragments**: ``response.function_call_arguments.delta``, by item.
  ``function_call_arguments.done``, the item's own end and ``response.completed`` repeat the whole
  text: a snapshot each. It may be all that comes; where it differs the call is a protocol error.
* **Completion event**: ``response.output_item.done``, unless the item says ``incomplete``.
* **Ends the turn well**: ``response.completed`` with the status ``completed``.
  :mod:`app.providers.openai_responses_turn` has the table of every other end.
* **Ids**: ``call_id``, one per call, to be answered with; the item's own ``id`` goes back too.
* **History it wants back**: the items of the output in their order. Nothing is stored at the
  provider (``store: false``), so reasoning goes back whole with its ``encrypted_content``, and the
  provider's own work (searches, programs, MCP calls) as it came; one ``function_call_output`` per
  call. The wire has no mark for a result that is an error: its content says so.

A tool that runs at the provider is its work, never a call of ours. A call for a kind of answer
that we do not give (a custom tool, a shell, a computer, an approval for MCP) is announced at the
turn's end if the provider has not answered it itself, with a fault: such tools are not offered,
and the turn cannot go on without an answer.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from openai import Omit, omit
from openai.types.responses import FunctionToolParam, ResponseIncludable, ResponseInputItemParam

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
from app.providers.openai_client import Body, openai_client, sent
from app.providers.openai_responses_turn import ResponseTurn
from app.providers.provider import ToolOffer, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.streaming import run_turn
from app.providers.wire_json import plain
from app.providers.wire_names import wire_name

DIALECT = "openai-responses"

MIN_OUTPUT_TOKENS = 16
"""The API refuses a lower limit."""


def make(
    spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
) -> "OpenAiResponses":
    """The provider; ``transport`` stands in for the network, and then no key is needed."""
    return OpenAiResponses(spec, transport)


class OpenAiResponses:
    """A :class:`~app.providers.provider.Provider`."""

    dialect = DIALECT
    needs_call_ids = True

    def __init__(
        self, spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._spec = spec
        self._client = openai_client(spec, transport)
        self._replayed = transport is not None
        self._ask_for_reasoning = True

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        secrets = self._spec.secrets

        def open_stream() -> Body:
            return sent(
                self._client, lambda: self._send(request), self._adapt, replayed=self._replayed
            )

        return run_turn(open_stream, ResponseTurn(secrets), secrets)

    async def close(self) -> None:
        await self._client.close()

    @asynccontextmanager
    async def _send(self, request: TurnRequest) -> AsyncGenerator[AsyncIterator[bytes]]:
        include: list[ResponseIncludable] = ["reasoning.encrypted_content"]
        async with self._client.responses.with_streaming_response.create(
            model=self._spec.model,
            input=items(request.history),
            instructions=request.system or omit,
            tools=tools(request.tools),
            max_output_tokens=max(request.max_tokens, MIN_OUTPUT_TOKENS),
            include=include if self._ask_for_reasoning else omit,
            store=False,
            stream=True,
        ) as response:
            yield response.iter_bytes()

    def _adapt(self, refusal: str) -> bool:
        """A model that does not reason refuses to be asked for its reasoning."""
        about_reasoning = "ncrypted content" in refusal or "include" in refusal
        if about_reasoning and self._ask_for_reasoning:
            self._ask_for_reasoning = False
            return True
        return False


def tools(offers: Sequence[ToolOffer]) -> list[FunctionToolParam] | Omit:
    """``strict`` is off: this API would otherwise rewrite a schema that is not to its liking."""
    if not offers:
        return omit
    return [
        {
            "type": "function",
            "name": offer.name,
            "description": offer.description,
            "parameters": offer.parameters,
            "strict": False,
        }
        for offer in offers
    ]


def items(history: Sequence[HistoryItem]) -> list[ResponseInputItemParam]:
    """The conversation as this wire wants it back."""
    wire: list[JsonObject] = []
    turn = 0
    callers: dict[int, JsonValue] = {}
    for entry in history:
        match entry:
            case UserMessage(text=text):
                wire.append({"role": "user", "content": text})
            case AssistantTurn():
                turn += 1
                wire.extend(_output(entry, turn))
                callers = {
                    part.ordinal: part.extra["caller"]
                    for part in entry.parts
                    if isinstance(part, CallPart) and part.extra and "caller" in part.extra
                }
            case ToolResults(results=results):
                wire.extend(_result(result, turn, callers) for result in results)
    return cast(list[ResponseInputItemParam], plain(cast(Any, wire)))


def _output(turn: AssistantTurn, number: int) -> list[JsonObject]:
    own = turn.dialect == DIALECT
    wire: list[JsonObject] = []
    for part in turn.parts:
        match part:
            case TextPart(text=text, extra=extra) if text:
                wire.append(_message(text, extra if own else None))
            case CallPart():
                wire.append(_call(part, number, own))
            case OpaquePart(dialect=dialect, data=data) if dialect == DIALECT:
                wire.append(data)
            case _:
                pass
    while wire and wire[-1].get("type") == "reasoning":
        # The API refuses reasoning without the item that it led to.
        wire.pop()
    return wire


def _message(text: str, extra: JsonObject | None) -> JsonObject:
    if not extra or "id" not in extra:
        # The short form: the long one must have the id that the provider gave.
        return {"role": "assistant", "content": text, **(extra or {})}
    content: JsonObject = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [content],
        **extra,
    }


def _call(call: CallPart, turn: int, own: bool) -> JsonObject:
    text = call.arguments_text
    if text is None or not text.strip():
        text = dump_exact(call.arguments)
    return {
        "type": "function_call",
        "call_id": call.wire_id or _own_id(turn, call.ordinal),
        "name": wire_name(call.name),
        "arguments": text,
        **((call.extra or {}) if own else {}),
    }


def _result(result: CallResult, turn: int, callers: dict[int, JsonValue]) -> JsonObject:
    wire: JsonObject = {
        "type": "function_call_output",
        "call_id": result.wire_id or _own_id(turn, result.ordinal),
        "output": result.content,
    }
    if (caller := callers.get(result.ordinal)) is not None:
        wire["caller"] = caller
    return wire


def _own_id(turn: int, ordinal: int) -> str:
    """An id for a call that has none, the same in the call and in its result."""
    return f"call_{turn}_{ordinal}"
