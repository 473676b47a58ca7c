"""Which call a piece of a chat chunk belongs to: the identity rules of ``openai-chat``.

The protocol: ``index`` tells the calls of a turn apart; id and name come once, with the first
piece. The field: every other combination. The rules, in this order:

1. A new id on a known index is a new call (servers that send index 0 for all).
2. An id is set once and compared, also when it comes late or in every piece. So is a name; a
   different name for the same call is a fault.
3. Without an index: a known id continues its call, a new one opens a call; with neither, the one
   open call goes on. When there are several, nobody can tell: :class:`Ambiguous`, never a guess.
4. An id that is known under another index opens a call of its own: an index is the stronger word,
   and two calls are never merged.
5. A piece that repeats the id after the call's object has closed is a *copy* of the whole text
   (some servers send deltas, then everything again). Nothing but white space may follow a closed
   object, so this is the one moment when a copy can be told from a delta with certainty; before
   it, a piece is always a delta, and what does not fit together is refused by the strict parse.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.calls.events import (
    ArgumentFragment,
    ArgumentObject,
    ArgumentSnapshot,
    CallAnnounced,
    CallCompleted,
    CallIdentified,
    Event,
    ProtocolFault,
    ProtocolWarning,
    Retained,
)
from app.calls.json_types import JsonObject, JsonValue
from app.providers.json_marks import JsonMarks
from app.providers.payload import as_integer, as_name, as_object


class Ambiguous(Exception):
    """A piece that belongs to one of several calls, with nothing that tells to which."""


class ObjectEnd:
    """Whether a text, fed in pieces, has closed its outermost object or array. O(n) in all."""

    def __init__(self) -> None:
        self.closed = False
        self._marks = JsonMarks()
        self._depth = 0

    def feed(self, text: str) -> None:
        for _, mark in self._marks.feed(text):
            if mark in "{[":
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1
                self.closed = self.closed or self._depth == 0


@dataclass(slots=True)
class _Call:
    block: int
    index: int | None
    id: str | None
    name: str | None
    end: ObjectEnd = field(default_factory=ObjectEnd)


class ChatCalls:
    """The calls of one turn. ``take`` the pieces of ``tool_calls`` in wire order."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._latest: dict[int, _Call] = {}
        """The call that last spoke on each index."""

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, piece: JsonObject, new_block: int) -> Iterator[Event]:
        """The events of one entry; ``new_block`` is the block of the call if it opens one.

        Raises :class:`Ambiguous`.
        """
        function = as_object(piece.get("function"))
        index, id_ = as_integer(piece.get("index")), as_name(piece.get("id"))
        name = as_name(function.get("name"))
        call = self._find(index, id_, name)
        repeated = call is not None and id_ is not None and call.id == id_
        if call is None:
            call = _Call(new_block, index, id_, name)
            yield from self._open(call)
        else:
            yield from self._compare(call, id_, name)
        if index is not None:
            self._latest[index] = call
        if piece.get("type") == "custom" or "custom" in piece:
            yield ProtocolFault("a custom tool was called, and none was offered", call.block)
        if isinstance(extra := piece.get("extra_content"), dict):
            # Google's compatible server puts the thought signature here and wants it back.
            yield Retained(call.block, {"extra_content": extra})
        yield from _arguments(call, function.get("arguments"), repeated)

    def complete(self) -> Iterator[Event]:
        """The turn ended well: that is this dialect's completion event, for all calls at once."""
        for call in self._calls:
            yield CallCompleted(call.block)

    def _find(self, index: int | None, id_: str | None, name: str | None) -> _Call | None:
        if index is not None:
            return self._by_index(index, id_)
        if id_ is not None:
            return self._by_id(id_, name)
        if not self._calls:
            return None
        if len(self._calls) > 1:
            raise Ambiguous("a piece of a call came with neither index nor id, and calls are open")
        call = self._calls[0]
        if name is None or call.name is None:
            return call
        if name == call.name and call.end.closed:
            raise Ambiguous("a second call of the same name, or the first again: nothing tells")
        return call if name == call.name else None

    def _by_index(self, index: int, id_: str | None) -> _Call | None:
        latest = self._latest.get(index)
        if latest is None or id_ is None or latest.id in (None, id_):
            return latest
        return next((c for c in self._calls if c.index == index and c.id == id_), None)

    def _by_id(self, id_: str, name: str | None) -> _Call | None:
        known = next((call for call in reversed(self._calls) if call.id == id_), None)
        if known is not None:
            return known
        nameless = [call for call in self._calls if call.id is None]
        if len(self._calls) == 1 and nameless and name in (None, nameless[0].name):
            return nameless[0]
        return None

    def _open(self, call: _Call) -> Iterator[Event]:
        if call.index is not None and call.index in self._latest:
            yield ProtocolWarning(
                f"index {call.index} was used for more than one call; the id told them apart"
            )
        elif call.id is not None and any(other.id == call.id for other in self._calls):
            yield ProtocolWarning("two calls came with the same id; they are kept apart")
        self._calls.append(call)
        yield CallAnnounced(call.block, call.id, call.name)

    def _compare(self, call: _Call, id_: str | None, name: str | None) -> Iterator[Event]:
        if name is not None and call.name not in (None, name):
            yield ProtocolFault("a call's name changed while it was written", call.block)
            return
        new_id = id_ if call.id is None else None
        new_name = name if call.name is None else None
        if new_id is not None or new_name is not None:
            call.id = call.id or new_id
            call.name = call.name or new_name
            yield CallIdentified(call.block, new_id, new_name)


def _arguments(call: _Call, arguments: JsonValue, repeated: bool) -> Iterator[Event]:
    if isinstance(arguments, str):
        if repeated and call.end.closed and arguments.strip():
            yield ArgumentSnapshot(call.block, arguments)
        elif arguments:
            call.end.feed(arguments)
            yield ArgumentFragment(call.block, arguments)
    elif isinstance(arguments, dict):
        yield ArgumentObject(call.block, arguments)
    elif arguments is not None:
        yield ProtocolFault("arguments came as neither text nor an object", call.block)
