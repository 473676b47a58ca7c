"""Every way a stream can end, as the table in the module says, and each of them once."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anthropic
import httpx2
import pytest

from app.calls.events import Event, Stop, TextDelta, TurnEnded
from app.providers.provider import FailureKind, ProviderFailure
from app.providers.streaming import BrokenOff, run_turn
from app.providers.transports import EndlessLine, Silence

KEY = "k-secret-0123"


class Letters:
    """A decoder of single letters: a text each, ``.`` ends the turn, ``!`` breaks it off."""

    def feed(self, chunk: str) -> Iterable[Event]:
        match chunk:
            case ".":
                yield TurnEnded(Stop.COMPLETE, "dot")
                yield TextDelta(0, "never")
            case "!":
                raise BrokenOff("an exclamation mark")
            case "?":
                raise ProviderFailure(FailureKind.OVERLOADED, "asked")
            case "#":
                raise KeyError("a bug of the decoder")
            case _:
                yield TextDelta(0, chunk)

    def finish(self) -> Iterable[Event]:
        yield TextDelta(0, "[end]")
        yield TurnEnded(Stop.INCOMPLETE, None, "no dot")


class Endless(Letters):
    def finish(self) -> Iterable[Event]:
        return ()


class Wire:
    """A stream of letters, an error at its end or at its opening, and what became of it."""

    def __init__(
        self, letters: str, error: Exception | None = None, refused: Exception | None = None
    ) -> None:
        self._letters = letters
        self._error = error
        self._refused = refused
        self.closed = 0

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[AsyncIterator[str], None]:
        if self._refused is not None:
            raise self._refused
        try:
            yield self._chunks()
        finally:
            self.closed += 1

    async def _chunks(self) -> AsyncIterator[str]:
        for letter in self._letters:
            yield letter
        if self._error is not None:
            raise self._error


Open = Callable[[], AbstractAsyncContextManager[AsyncIterator[str]]]


async def run(wire: Wire, decoder: Letters | None = None) -> list[Event]:
    events = [event async for event in run_turn(wire.open, decoder or Letters(), [KEY])]
    assert wire.closed == 1
    return events


def texts(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_the_decoders_end_is_the_last_thing() -> None:
    events = await run(Wire("ab.cd"))
    assert events == [TextDelta(0, "a"), TextDelta(0, "b"), TurnEnded(Stop.COMPLETE, "dot")]


async def test_a_body_that_ends_is_finished_by_the_decoder() -> None:
    events = await run(Wire("ab"))
    assert texts(events) == "ab[end]"
    assert events[-1] == TurnEnded(Stop.INCOMPLETE, None, "no dot")


def broken_json() -> ValueError:
    return UnicodeDecodeError("utf-8", b"\xf0", 0, 1, f"unexpected end {KEY}")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Silence("nothing for 60 s"), "nothing for 60 s"),
        (EndlessLine("a line of 21 bytes, 20 at most"), "21 bytes"),
        (httpx2.ReadError(f"reset {KEY}"), "the connection broke: reset [hidden]"),
        (httpx2.RemoteProtocolError("peer closed"), "the connection broke: peer closed"),
        (ConnectionResetError(104, "reset"), "the connection broke"),
        (broken_json(), "the body cannot be read"),
    ],
)
async def test_a_stream_that_cannot_go_on_is_an_incomplete_turn(
    error: Exception, words: str
) -> None:
    events = await run(Wire("ab", error))
    end = events[-1]
    assert isinstance(end, TurnEnded)
    assert (texts(events), end.stop, end.provider_stop) == ("ab", Stop.INCOMPLETE, None)
    assert words in end.detail
    assert KEY not in end.detail


async def test_a_chunk_that_spoils_all_breaks_the_turn_off() -> None:
    assert (await run(Wire("a!b")))[1:] == [TurnEnded(Stop.INCOMPLETE, None, "an exclamation mark")]


async def test_what_an_sdk_wraps_is_still_silence() -> None:
    request = httpx2.Request("POST", "http://provider.invalid")
    wrapper = anthropic.APIConnectionError(request=request)
    wrapper.__cause__ = Silence("no first byte within 1 s")
    events = [event async for event in run_turn(Wire("", refused=wrapper).open, Letters())]
    assert events == [TurnEnded(Stop.INCOMPLETE, None, "no first byte within 1 s")]


@pytest.mark.parametrize(
    "wire",
    [
        Wire("", httpx2.ReadError(f"reset {KEY}")),
        Wire("", refused=httpx2.ConnectError(f"refused {KEY}")),
    ],
    ids=["before-a-chunk", "no-connection"],
)
async def test_without_a_single_chunk_a_broken_connection_is_the_apis_failure(wire: Wire) -> None:
    with pytest.raises(ProviderFailure) as caught:
        [event async for event in run_turn(wire.open, Letters(), [KEY])]
    assert caught.value.kind is FailureKind.CONNECTION
    assert KEY not in str(caught.value)


async def test_an_error_that_the_sdk_raises_in_mid_stream_is_the_apis_failure() -> None:
    response = httpx2.Response(200, request=httpx2.Request("POST", "http://provider.invalid"))
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    wire = Wire("ab", anthropic.APIStatusError("busy", response=response, body=body))
    with pytest.raises(ProviderFailure) as caught:
        await run(wire)
    assert caught.value.kind is FailureKind.OVERLOADED
    assert wire.closed == 1


async def test_an_error_that_the_decoder_reads_is_the_apis_failure() -> None:
    wire = Wire("a?")
    with pytest.raises(ProviderFailure, match="asked"):
        await run(wire)
    assert wire.closed == 1


@pytest.mark.parametrize(
    "wire", [Wire("a#"), Wire("a", KeyError("a bug")), Wire("", refused=TypeError("a bug"))]
)
async def test_a_bug_is_raised_as_it_is(wire: Wire) -> None:
    with pytest.raises((KeyError, TypeError), match="a bug"):
        [event async for event in run_turn(wire.open, Letters())]


async def test_a_decoder_that_does_not_end_the_turn_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        await run(Wire("ab"), Endless())


async def test_closing_the_generator_closes_the_stream() -> None:
    wire = Wire("abc.")
    events = run_turn(wire.open, Letters())
    assert await anext(events) == TextDelta(0, "a")
    await events.aclose()
    assert wire.closed == 1


async def test_nothing_is_opened_before_the_first_event_is_asked_for() -> None:
    wire = Wire("", refused=KeyError("opened"))
    events = run_turn(wire.open, Letters())
    await events.aclose()
    assert wire.closed == 0
