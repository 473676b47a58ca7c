"""Every real ``anthropic-messages`` recording comes to the calls that its manifest gives."""

import pytest

from app.calls.events import ProviderWork, Stop
from app.calls.exact_json import dump_exact
from app.providers.anthropic_turn import STOPS
from app.providers.connect import connect
from app.providers.provider import Provider
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody
from tests.providers.recordings import Recording, parameters
from tests.providers.turns import end_of, events_of, only, told

DIALECT = "anthropic-messages"


def replayed(body: bytes, chunk: int | None = None) -> Provider:
    return connect(ProviderSpec(DIALECT, "m"), RecordedBody(body, chunk=chunk))


@pytest.mark.parametrize("chunk", [None, 1, 7, 1000])
@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_calls_and_stop_are_the_manifests(recording: Recording, chunk: int | None) -> None:
    events = await events_of(replayed(recording.body, chunk))
    turn = told(events)
    assert turn.finished.fault is None
    assert recording.stop_reason is not None
    end = end_of(events)
    assert (end.stop, end.provider_stop) == (STOPS[recording.stop_reason], recording.stop_reason)
    # Of an object there is no text on the wire; the manifest gives it as compact JSON.
    calls = [
        (identity, name, given if isinstance(given, str) else _spaceless(dump_exact(given)))
        for identity, name, given in turn.calls
    ]
    objects = {call[0] for call in turn.calls if not isinstance(call[2], str)}
    assert calls == [
        (
            call.id,
            call.name,
            _spaceless(call.arguments_text) if call.id in objects else call.arguments_text,
        )
        for call in recording.ours
    ]
    begun = [work.name for work in only(ProviderWork, events) if not work.finished]
    assert begun == [call.name for call in recording.expected if not call.ours]


def _spaceless(text: str) -> str:
    return text.replace(" ", "")


@pytest.mark.parametrize("recording", parameters(DIALECT))
async def test_a_body_that_ends_early_is_never_complete(recording: Recording) -> None:
    body = recording.body
    step = max(1, len(body) // 40)
    for end in [*range(0, len(body), step), *range(len(body) - 12, len(body))]:
        events = await events_of(replayed(body[:end]))
        assert end_of(events).stop is not Stop.COMPLETE, f"complete after {end} bytes"
