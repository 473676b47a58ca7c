"""Server-sent events out of bytes, as the wire has them.

Ours rather than an SDK's for three reasons: an SDK swallows the mark that ends a stream, so that
a cut body cannot be told from a whole one; its parser raises on what servers send to keep a
connection open; and it reads decimals into binary floats.

The rules are those of the HTML standard ("Interpreting an event stream"): a line ends with CR,
LF or CRLF; an event is given when its blank line arrives, whatever the order of its fields;
a comment and an event without data are nothing. Bytes may be cut anywhere. Feeding n bytes costs
O(n), however they are cut.
"""

import re
from dataclasses import dataclass

from app.providers.streaming import BrokenOff

MAX_EVENT_BYTES = 16 * 1024 * 1024
"""Bytes of one event. A whole response repeated in its last event fits; a runaway does not."""

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name (``""`` where the server gave none) and its data lines, joined."""

    name: str
    data: str


class EventReader:
    """Feed bytes in, get whole events out. ``max_event_bytes`` bounds what is held."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._held = 0
        self._line: list[bytes] = []
        self._after_return = False
        self._at_start = True
        self._name = ""
        self._data: list[str] = []
        self.skipped = 0
        """Comments and events without data so far."""

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that these bytes complete; raises :class:`BrokenOff` past the limit.

        Bytes that are no UTF-8 are replaced, as the standard says: the payload's own parser is
        the judge of what is left.
        """
        events: list[ServerEvent] = []
        start = 0
        if self._after_return and chunk:
            # The LF of a CRLF that the transport cut in two is not a line of its own.
            start = 1 if chunk[:1] == b"\n" else 0
            self._after_return = False
        for end in _LINE_END.finditer(chunk, start):
            self._hold(end.start() - start)
            self._line.append(chunk[start : end.start()])
            start = end.end()
            self._take_line(b"".join(self._line), events)
            self._line.clear()
        if start < len(chunk):
            self._hold(len(chunk) - start)
            self._line.append(chunk[start:])
        elif chunk.endswith(b"\r"):
            self._after_return = True
        return events

    def rest(self) -> str | None:
        """What stands at the end of the body with no blank line after it; None when nothing."""
        tail = b"".join(self._line).decode("utf-8", "replace")
        if not tail and not self._data:
            return None
        if tail.startswith("data:"):
            return "\n".join([*self._data, tail[5:].removeprefix(" ")])
        return "\n".join(self._data) + tail

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > self._limit:
            raise BrokenOff(f"an event of {self._held} bytes (limit {self._limit})")

    def _take_line(self, raw: bytes, events: list[ServerEvent]) -> None:
        if self._at_start:
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
            self._at_start = False
        if not raw:
            if any(self._data):
                events.append(ServerEvent(self._name, "\n".join(self._data)))
            elif self._data:
                self.skipped += 1
            self._name = ""
            self._data = []
            self._held = 0
            return
        field, _, value = raw.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif not field:
            self.skipped += 1
