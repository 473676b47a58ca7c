"""An answer's payloads, whether it came as events or as bare JSON.

A server that was asked to stream may answer with one JSON object, or (Google, without ``alt=sse``)
with one array whose members are written piece by piece. The first byte tells: no event begins
with a bracket.
"""

from app.providers.event_reader import EventReader, ServerEvent
from app.providers.json_objects import ObjectReader


class AnswerReader:
    """Feed bytes in, get payloads out."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._objects: ObjectReader | None = None
        self._begun = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The payloads that these bytes complete; a bare object is an event without a name.

        Raises :class:`~app.providers.streaming.BrokenOff` for one that is too large.
        """
        if not self._begun and (begin := chunk.lstrip()):
            self._begun = True
            self._objects = ObjectReader() if begin[:1] in b"[{" else None
        if self._objects is not None:
            return [ServerEvent("", text) for text in self._objects.feed(chunk)]
        return self._events.feed(chunk)

    def rest(self) -> str | None:
        """What the end of the body cut off; None when it ended between two payloads."""
        if self._objects is not None:
            return None if self._objects.whole else "an object or an array"
        return self._events.rest()
