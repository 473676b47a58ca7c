"""What a compatible server thinks aloud, and which of it the server wants back.

Reasoning is never shown as text. Kept for the next request is what vendors ask for:

* ``reasoning_details`` (OpenRouter: signed or encrypted, to be sent back unmodified). It streams
  in pieces; pieces of one index and type are one detail, whose texts are joined.
* ``reasoning_content`` (DeepSeek, Moonshot, Z.ai: required back with a turn that called tools,
  refused with one that did not).
* thinking parts of a ``content`` list (Mistral).

A bare ``reasoning`` text is shown to nobody and asked back by nobody; some servers refuse it.
"""

from app.calls.json_types import JsonObject, JsonValue
from app.providers.payload import as_list, as_object, as_text
from app.providers.wire_json import readable

_JOINED = ("text", "summary", "data")


class Reasoning:
    def __init__(self) -> None:
        self._content: list[str] = []
        self._thinking: list[str] = []
        self._details: dict[tuple[str, str], dict[str, list[JsonValue]]] = {}

    def take(self, delta: JsonObject) -> bool:
        """Keep what a delta holds; whether it held any that is kept."""
        before = len(self._content) + len(self._thinking) + len(self._details)
        if content := as_text(delta.get("reasoning_content")):
            self._content.append(content)
        for part in map(as_object, as_list(delta.get("content"))):
            for thought in map(as_object, as_list(part.get("thinking"))):
                self._thinking.append(as_text(thought.get("text")))
        for detail in map(as_object, as_list(delta.get("reasoning_details"))):
            self._take_detail(detail)
        return len(self._content) + len(self._thinking) + len(self._details) > before

    def kept(self, *, has_calls: bool) -> JsonObject:
        """The fields of the assistant message of the next request; empty when there are none."""
        fields: JsonObject = {}
        if self._details:
            fields["reasoning_details"] = [_detail(pieces) for pieces in self._details.values()]
        if self._content and has_calls:
            fields["reasoning_content"] = readable("".join(self._content))
        if self._thinking:
            thought: JsonValue = {"type": "text", "text": readable("".join(self._thinking))}
            fields["content"] = [{"type": "thinking", "thinking": [thought]}]
        return fields

    def _take_detail(self, piece: JsonObject) -> None:
        # A detail without an index cannot be joined to another; it stands for itself.
        index = piece.get("index")
        mark = str(len(self._details)) + "." if index is None else str(index)
        detail = self._details.setdefault((mark, as_text(piece.get("type"))), {})
        for name, value in piece.items():
            if value is not None:
                detail.setdefault(name, []).append(value)


def _detail(pieces: dict[str, list[JsonValue]]) -> JsonObject:
    return {
        name: readable("".join(map(as_text, values))) if name in _JOINED else values[-1]
        for name, values in pieces.items()
    }
