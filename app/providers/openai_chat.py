"""``openai-chat``: the Chat Completions wire, of OpenAI and of every server that is like it.

* **Announces a call**: the first piece in ``delta.tool_calls`` that opens one
  (:mod:`app.providers.openai_chat_calls` has the rules of identity).
* **Carries fragments**: ``tool_calls[].function.arguments``, text, interleaved by index; several
  pieces of one call may stand in one chunk; a server may send the whole text at once, or an object.
* **Completion event**: none per call. A good ``finish_reason`` completes all calls of the turn.
* **Ends the turn well**: a ``finish_reason`` of the allow-list
  (:data:`app.providers.openai_chat_turn.STOPS`), then ``[DONE]`` or the end of a body that owes
  nothing more. :mod:`app.providers.openai_chat_turn` has the table of every other end.
* **Ids**: the server's, one per call, to be answered with. ``stop`` with calls is good (a forced
  tool choice ends so) and is noted.
* **History it wants back**: the assistant's text and its calls in one message, the arguments as
  the very text the model wrote; one ``tool`` message per call, by id; the reasoning fields that
  the server asks back (:mod:`app.providers.openai_chat_reasoning`). The wire has no mark for a
  result that is an error: its content says so.

The body's bytes are read by :class:`~app.providers.openai_chat_turn.ChatTurn`, not by the SDK's
stream, which hides ``[DONE]`` and raises on keep-alives; the SDK sends, signs and reports errors.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from openai import Omit, omit
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam

from app.calls.events import Event
from app.calls.exact_json import dump_exact
from app.calls.history import (
    AssistantTurn,
    CallPart,
    HistoryItem,
    OpaquePart,
    TextPart,
    ToolResults,
    UserMessage,
)
from app.calls.json_types import JsonObject
from app.providers.openai_chat_turn import ChatTurn
from app.providers.openai_client import Body, is_official, openai_client, sent
from app.providers.provider import ToolOffer, TurnRequest
from app.providers.spec import ProviderSpec
from app.providers.streaming import run_turn
from app.providers.wire_json import plain
from app.providers.wire_names import wire_name

DIALECT = "openai-chat"


def make(spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None) -> "OpenAiChat":
    return OpenAiChat(spec, transport)


class OpenAiChat:
    """A :class:`~app.providers.provider.Provider`."""

    dialect = DIALECT
    needs_call_ids = True

    def __init__(
        self, spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._spec = spec
        self._client = openai_client(spec, transport)
        self._replayed = transport is not None
        # OpenAI's reasoning models refuse the old name; most other servers know only that one.
        self._limit_name = "max_completion_tokens" if is_official(self._client) else "max_tokens"
        self._ask_for_usage = True

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        secrets = self._spec.secrets

        def open_stream() -> Body:
            return sent(
                self._client, lambda: self._send(request), self._adapt, replayed=self._replayed
            )

        turn = ChatTurn(secrets, usage_asked=lambda: self._ask_for_usage)
        return run_turn(open_stream, turn, secrets)

    async def close(self) -> None:
        await self._client.close()

    @asynccontextmanager
    async def _send(self, request: TurnRequest) -> AsyncGenerator[AsyncIterator[bytes]]:
        async with self._client.chat.completions.with_streaming_response.create(
            model=self._spec.model,
            messages=messages(request.history, request.system),
            tools=tools(request.tools),
            stream=True,
            stream_options={"include_usage": True} if self._ask_for_usage else omit,
            extra_body={self._limit_name: request.max_tokens},
        ) as response:
            yield response.iter_bytes()

    def _adapt(self, refusal: str) -> bool:
        """Whether the server refused a field that can be left out or named otherwise."""
        if "stream_options" in refusal and self._ask_for_usage:
            self._ask_for_usage = False
            return True
        if "max_completion_tokens" in refusal and self._limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
            return True
        return False


def messages(
    history: Sequence[HistoryItem], system: str | None
) -> list[ChatCompletionMessageParam]:
    """The conversation as this wire wants it back."""
    wire: list[JsonObject] = []
    if system:
        wire.append({"role": "system", "content": system})
    turn = 0
    for item in history:
        match item:
            case UserMessage(text=text):
                wire.append({"role": "user", "content": text})
            case AssistantTurn():
                turn += 1
                wire.extend(_assistant(item, turn))
            case ToolResults(results=results):
                wire.extend(
                    {
                        "role": "tool",
                        "tool_call_id": result.wire_id or _own_id(turn, result.ordinal),
                        "content": result.content,
                    }
                    for result in results
                )
    return cast(list[ChatCompletionMessageParam], plain(cast(Any, wire)))


def tools(offers: Sequence[ToolOffer]) -> list[ChatCompletionToolUnionParam] | Omit:
    """The tools of a request; an empty list is refused by some servers."""
    if not offers:
        return omit
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


def _assistant(turn: AssistantTurn, number: int) -> Iterator[JsonObject]:
    """One message; none for a turn that said and called nothing, which servers refuse."""
    text = "".join(part.text for part in turn.parts if isinstance(part, TextPart))
    calls = [part for part in turn.parts if isinstance(part, CallPart)]
    if not text and not calls:
        return
    message: JsonObject = {"role": "assistant", "content": text or None}
    for part in turn.parts:
        if isinstance(part, OpaquePart) and part.dialect == DIALECT:
            _give_back(message, part.data, text)
    if calls:
        own = turn.dialect == DIALECT
        message["tool_calls"] = [_call(call, number, own) for call in calls]
    yield message


def _give_back(message: JsonObject, kept: JsonObject, text: str) -> None:
    """Put the reasoning fields in; thinking parts stand before the text, in one list with it."""
    message.update({name: value for name, value in kept.items() if name != "content"})
    if isinstance(thinking := kept.get("content"), list):
        spoken: JsonObject = {"type": "text", "text": text}
        message["content"] = [*thinking, spoken] if text else [*thinking]


def _call(call: CallPart, turn: int, own: bool) -> JsonObject:
    text = call.arguments_text
    if text is None or not text.strip():
        text = dump_exact(call.arguments)
    wire: JsonObject = {
        "id": call.wire_id or _own_id(turn, call.ordinal),
        "type": "function",
        "function": {"name": wire_name(call.name), "arguments": text},
    }
    if own and call.extra:
        wire.update(call.extra)
    return wire


def _own_id(turn: int, ordinal: int) -> str:
    """An id for a call that has none, the same in the call and in its result."""
    return f"call_{turn}_{ordinal}"
