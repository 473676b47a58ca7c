"""``gemini``: Google's generateContent wire, of the Gemini API and of Vertex AI.

* **Announces a call**: a part with ``functionCall``.
* **Carries fragments**: none as text. ``args`` is an object, whole; or ``partialArgs`` give it
  value by value (``jsonPath``; ``willContinue`` on a string of which more follows), asked for
  where a tool shows a field as it is written, and given by Vertex AI alone.
* **Completion event**: the part itself, unless the call says ``willContinue``; then the later part
  that no longer says it.
* **Ends the turn well**: ``finishReason`` STOP, also with calls, then the end of the body.
  :mod:`app.providers.gemini_turn` has the table of every other end.
* **Ids**: may be absent, and that is legal: calls and results are then matched by order. Where the
  vendor gave one it goes back with the result.
* **History it wants back**: the parts of the model in their order, each with its own
  ``thoughtSignature``; signed parts that hold nothing else too; then one message of the user with
  one ``functionResponse`` per call, in call order, under ``output`` or ``error``.

Numbers are read exactly from the body's bytes, which is why they do not come through the SDK. Back
to it they go as integers where they are, else as the nearest float: the SDK can encode no more.
"""

import base64
import binascii
import os
import ssl
from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

import httpx2
from google import genai
from google.genai import types

from app.calls.events import Event
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
from app.calls.json_types import JsonObject
from app.providers.gemini_turn import GeminiTurn
from app.providers.payload import as_text
from app.providers.provider import FailureKind, ProviderFailure, ToolOffer, TurnRequest
from app.providers.sdk_body import SdkBodies
from app.providers.spec import ProviderSpec
from app.providers.streaming import run_turn
from app.providers.wire_json import plain
from app.providers.wire_names import wire_name

DIALECT = "gemini"

NO_KEY = "no API key: set FORMWORK_API_KEY or GEMINI_API_KEY"


def make(spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None) -> "Gemini":
    """The provider; ``transport`` stands in for the network, and then no key is needed."""
    return Gemini(spec, transport)


class Gemini:
    """A :class:`~app.providers.provider.Provider`."""

    dialect = DIALECT
    needs_call_ids = False

    def __init__(
        self, spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._spec = spec
        self._bodies = SdkBodies(spec.timeouts, transport, spec.tap)
        key = spec.api_key or os.environ.get("GOOGLE_API_KEY") or os.environ.get("GEMINI_API_KEY")
        vertex = _wants_vertex() and transport is None
        self._keyless = not key and not vertex and transport is None
        self._http = httpx2.AsyncClient(transport=self._bodies.transport, follow_redirects=False)
        self._client = genai.Client(
            vertexai=vertex,
            api_key=spec.api_key if vertex else key or "none",
            http_options=types.HttpOptions(
                base_url=spec.base_url,
                # One attempt: a retry is the exchange's, on screen.
                retry_options=types.HttpRetryOptions(attempts=1),
                httpx_async_client=self._http,
                # Never used, and given so that the SDK does not read the system's certificates
                # for each of them, which takes a fifth of a second.
                httpx_client=httpx2.Client(transport=httpx2.BaseTransport()),
                async_client_args={"ssl": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)},
            ),
        )

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        async def ask() -> None:
            if self._keyless:
                raise ProviderFailure(FailureKind.AUTHENTICATION, NO_KEY)
            # Typed Any: the SDK's own annotation names a library that is not installed.
            models = cast(Any, self._client.aio.models)
            answer = await models.generate_content_stream(
                model=self._spec.model,
                contents=contents(request.history),
                config=self._config(request),
            )
            async for _ in answer:
                raise AssertionError("the SDK gets an empty body")

        secrets = self._spec.secrets
        return run_turn(lambda: self._bodies.body(ask), GeminiTurn(secrets), secrets)

    async def close(self) -> None:
        await self._client.aio.aclose()
        await self._http.aclose()
        await self._bodies.close()

    def _config(self, request: TurnRequest) -> types.GenerateContentConfig:
        config = types.GenerateContentConfig(
            system_instruction=request.system or None,
            max_output_tokens=request.max_tokens,
            tools=tools(request.tools),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        if self._client.vertexai and any(offer.streams for offer in request.tools):
            calling = types.FunctionCallingConfig(stream_function_call_arguments=True)
            config.tool_config = types.ToolConfig(function_calling_config=calling)
        return config


def tools(offers: Sequence[ToolOffer]) -> list[Any] | None:
    if not offers:
        return None
    return [
        types.Tool(
            function_declarations=[
                types.FunctionDeclaration(
                    name=offer.name,
                    description=offer.description,
                    parameters_json_schema=offer.parameters,
                )
                for offer in offers
            ]
        )
    ]


def contents(history: Sequence[HistoryItem]) -> list[types.Content]:
    """The conversation as this wire wants it back."""
    wire: list[types.Content] = []
    for item in history:
        match item:
            case UserMessage(text=text):
                wire.append(types.Content(role="user", parts=[types.Part(text=text)]))
            case AssistantTurn():
                if parts := list(_model_parts(item)):
                    wire.append(types.Content(role="model", parts=parts))
            case ToolResults(results=results) if results:
                wire.append(types.Content(role="user", parts=[_result(each) for each in results]))
            case _:
                pass
    return wire


def _model_parts(turn: AssistantTurn) -> list[types.Part]:
    own = turn.dialect == DIALECT
    parts: list[types.Part] = []
    for part in turn.parts:
        match part:
            case TextPart(text=text, extra=extra) if text:
                parts.append(types.Part(text=text, thought_signature=_signature(extra, own)))
            case CallPart(extra=extra):
                call = types.FunctionCall(
                    id=part.wire_id, name=wire_name(part.name), args=plain(part.arguments)
                )
                parts.append(
                    types.Part(function_call=call, thought_signature=_signature(extra, own))
                )
            case OpaquePart(dialect=dialect, data=data) if dialect == DIALECT:
                parts.append(types.Part.model_validate(_as_part(data)))
            case _:
                pass
    return parts


def _as_part(kept: JsonObject) -> JsonObject | dict[str, Any]:
    """A part as it came; the SDK wants a signature as the bytes that its text stands for."""
    part: dict[str, Any] = plain(kept)
    if "thoughtSignature" in part:
        part["thoughtSignature"] = _signature(kept, own=True)
    return part


def _signature(kept: JsonObject | None, own: bool) -> bytes | None:
    text = as_text((kept or {}).get("thoughtSignature"))
    if not own or not text:
        return None
    try:
        return base64.b64decode(text.translate(_URL_SAFE), validate=True)
    except binascii.Error:
        # Not of a form that the vendor could have made; its own check would refuse it as well.
        return None


_URL_SAFE = str.maketrans("-_", "+/")


def _result(result: CallResult) -> types.Part:
    key = "error" if result.is_error else "output"
    return types.Part(
        function_response=types.FunctionResponse(
            id=result.wire_id, name=wire_name(result.name), response={key: result.content}
        )
    )


def _wants_vertex() -> bool:
    return os.environ.get("GOOGLE_GENAI_USE_VERTEXAI", "").lower() in ("1", "true")
