"""A clean event stream for an SDK, whatever stands between the events on the wire.

Servers and proxies keep a connection open with comments, empty ``data:`` events and data that is
no payload (``data: : PROCESSING``); an SDK's JSON parser raises on some of them. Each is left out
and counted. Everything else passes whole, one event at a time, in the standard's own form.
"""

from app.providers.event_reader import EventReader, ServerEvent


class EventCleaner:
    """Feed the wire's bytes in, get the bytes for the SDK out. ``skipped`` counts what was left."""

    def __init__(self) -> None:
        self._reader = EventReader()
        self._junk = 0

    @property
    def skipped(self) -> int:
        """Comments, empty events and events without a payload so far."""
        return self._junk + self._reader.skipped

    def feed(self, chunk: bytes) -> bytes:
        """The whole events that these bytes complete; an event cut by the end never comes out."""
        clean: list[str] = []
        for event in self._reader.feed(chunk):
            if event.data.startswith(("{", "[")):
                clean.append(_text(event))
            else:
                self._junk += 1
        return "".join(clean).encode()


def _text(event: ServerEvent) -> str:
    name = f"event: {event.name}\n" if event.name else ""
    data = "".join(f"data: {line}\n" for line in event.data.split("\n"))
    return f"{name}{data}\n"
