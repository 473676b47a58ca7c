"""A short way to write streams, in the notation in which faults from the field are told.

``anthropic`` and ``chat`` hold one function per kind of event; each gives the bytes of one event,
and a stream is their concatenation.
"""

import json
from enum import Enum
from typing import Any, Final


class _Absent(Enum):
    TOKEN = 0


ABSENT: Final = _Absent.TOKEN
"""Leaves a key out altogether, where ``None`` writes ``null``."""


def event(kind: str, **fields: Any) -> bytes:
    """An event of an Anthropic-style stream: its name, and its type again in the data."""
    return named(kind, {"type": kind, **fields})


def named(name: str | None, payload: Any) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


class anthropic:  # noqa: N801 - a namespace, read as a word
    """``MS S J E M X ERR PING`` of the notation, under their names."""

    PING = event("ping")
    STOP = event("message_stop")

    @staticmethod
    def start(
        content: list[Any] | None = None, stop_reason: str | None = None, **message: Any
    ) -> bytes:
        whole: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content or [],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return event("message_start", message={**whole, **message})

    @staticmethod
    def block(index: int, kind: str, **content: Any) -> bytes:
        return event("content_block_start", index=index, content_block={"type": kind, **content})

    @staticmethod
    def call(index: int, identity: str, name: str, given: Any = None) -> bytes:
        return anthropic.block(index, "tool_use", id=identity, name=name, input=given or {})

    @staticmethod
    def delta(index: int, kind: str, **delta: Any) -> bytes:
        return event("content_block_delta", index=index, delta={"type": kind, **delta})

    @staticmethod
    def piece(index: int, text: str) -> bytes:
        return anthropic.delta(index, "input_json_delta", partial_json=text)

    @staticmethod
    def text(index: int, text: str) -> bytes:
        return anthropic.delta(index, "text_delta", text=text)

    @staticmethod
    def end(index: int) -> bytes:
        return event("content_block_stop", index=index)

    @staticmethod
    def reason(reason: str | None, tokens: int = 9, **delta: Any) -> bytes:
        return event(
            "message_delta",
            delta={"stop_reason": reason, "stop_sequence": None, **delta},
            usage={"output_tokens": tokens},
        )

    @staticmethod
    def error(kind: str, message: str = "x") -> bytes:
        return event("error", error={"type": kind, "message": message})


class chat:  # noqa: N801 - a namespace, read as a word
    """``D T F U DONE`` of the notation, under their names."""

    DONE = b"data: [DONE]\n\n"

    @staticmethod
    def chunk(delta: dict[str, Any], finish_reason: str | None = None, **fields: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        whole = {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **fields}
        return named(None, whole)

    @staticmethod
    def call(
        index: int | _Absent | None,
        identity: str | _Absent | None,
        name: str | _Absent | None,
        arguments: str | _Absent | None,
        finish_reason: str | None = None,
    ) -> bytes:
        function = _present(name=name, arguments=arguments)
        call = _present(index=index, id=identity)
        calls = [{**call, "type": "function", "function": function}]
        return chat.chunk({"tool_calls": calls}, finish_reason)

    @staticmethod
    def text(text: str) -> bytes:
        return chat.chunk({"content": text})

    @staticmethod
    def finish(reason: str) -> bytes:
        return chat.chunk({}, reason)

    @staticmethod
    def usage(tokens: int = 1) -> bytes:
        return named(None, {"choices": [], "usage": {"completion_tokens": tokens}})


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not ABSENT}
