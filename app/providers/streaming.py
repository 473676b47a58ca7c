"""What every adapter shares: one SDK stream in, the vocabulary out, ended exactly once.

The ways a stream can end, all of them:

==============================================  ==============================================
what happens                                    what the caller sees
==============================================  ==============================================
the decoder meets its terminal evidence         its ``TurnEnded``
the body ends without it                        the decoder's ``finish``: ``TurnEnded`` incomplete
silence, or the whole turn takes too long       ``TurnEnded`` incomplete
the connection breaks after the first chunk     ``TurnEnded`` incomplete
the body cannot be read (UTF-8, JSON, size)     ``TurnEnded`` incomplete
the API answers with an error, or sends one     ``ProviderFailure``
no connection, or it breaks before a chunk      ``ProviderFailure``
the caller closes the generator, or is stopped  nothing more; the connection is closed
==============================================  ==============================================
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Protocol, TypeVar

from app.calls.events import Event, Stop, TurnEnded
from app.providers.errors import BROKEN_OFF, causes, failure_from
from app.providers.provider import ProviderFailure
from app.providers.redact import redact
from app.providers.transports import EndlessLine, Silence

ChunkT = TypeVar("ChunkT")
ChunkT_contra = TypeVar("ChunkT_contra", contravariant=True)


class TurnDecoder(Protocol[ChunkT_contra]):
    """One dialect's reading of one turn, without I/O."""

    def feed(self, chunk: ChunkT_contra) -> Iterable[Event]:
        """The events that a chunk makes. Nothing is fed after a ``TurnEnded``.

        May raise :class:`~app.providers.provider.ProviderFailure` for an error object.
        """
        ...

    def finish(self) -> Iterable[Event]:
        """The body has ended: what is still to tell, and a ``TurnEnded`` as the last."""
        ...


OpenStream = Callable[[], AbstractAsyncContextManager[AsyncIterator[ChunkT]]]
"""Sends the request; entered, it gives the chunks; left, it closes the connection."""


async def run_turn(
    open_stream: OpenStream[ChunkT],
    decoder: TurnDecoder[ChunkT],
    secrets: Sequence[str] = (),
) -> AsyncGenerator[Event, None]:
    """The events of one turn (the table above). ``secrets`` are kept out of every message."""
    async with aclosing(_translated(open_stream, secrets)) as chunks:
        try:
            async for chunk in chunks:
                for event in decoder.feed(chunk):
                    yield event
                    if isinstance(event, TurnEnded):
                        return
        except BrokenOff as broken:
            yield TurnEnded(Stop.INCOMPLETE, None, str(broken))
            return
        for event in decoder.finish():
            yield event
            if isinstance(event, TurnEnded):
                return
    raise AssertionError("a decoder ends the turn when the body has ended")


class BrokenOff(Exception):
    """The stream cannot go on, and that is the turn's end; the message says why.

    A decoder raises it for a chunk after which nothing can be trusted.
    """


async def _translated(
    open_stream: OpenStream[ChunkT], secrets: Sequence[str]
) -> AsyncGenerator[ChunkT, None]:
    """The chunks, with no exception but ``BrokenOff``, ``ProviderFailure`` and real bugs."""
    begun = False
    try:
        async with open_stream() as chunks:
            async for chunk in chunks:
                begun = True
                yield chunk
    except Exception as error:
        meaning = _meaning(error, begun, secrets)
        if meaning is None:
            raise
        raise meaning from error


def _meaning(error: Exception, begun: bool, secrets: Sequence[str]) -> Exception | None:
    for cause in causes(error):
        if isinstance(cause, Silence | EndlessLine):
            return BrokenOff(str(cause))
        if isinstance(cause, BrokenOff | ProviderFailure):
            return cause
    failure = failure_from(error, secrets)
    if failure is not None:
        if begun and failure.status is None and failure.kind in BROKEN_OFF:
            return BrokenOff(f"the connection broke: {failure.detail}")
        return failure
    if isinstance(error, ValueError):
        # UnicodeDecodeError, JSONDecodeError, a validation error: the body is not what it claims.
        return BrokenOff(redact(f"the body cannot be read: {error}", secrets))
    return None
