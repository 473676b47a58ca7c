"""The demo model through the real SDK and adapter: every scenario, to its last turn."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from app.calls.events import ArgumentFragment, Event, Stop
from app.calls.exact_json import load_exact
from app.calls.history import CallResult, HistoryItem, ToolResults, UserMessage
from app.calls.json_types import JsonObject, JsonValue
from app.providers.demo import make_demo
from app.providers.demo_reply import Situation
from app.providers.demo_script import (
    EMAIL_FRAGMENTS,
    SCENARIOS,
    TICKET_FRAGMENTS,
    Scenario,
    answer,
    chosen,
)
from app.providers.demo_wire import body_of
from app.providers.provider import FailureKind, ProviderFailure, ToolOffer, TurnRequest
from tests.providers.recordings import REPOSITORY
from tests.providers.turns import Told, end_of, events_of, history_after, only, told

DIALECT = "anthropic-messages"
MAPS: dict[str, Any] = {
    path.stem: load_exact(path.read_text())
    for path in Path(REPOSITORY / "field_maps").glob("*.json")
    if path.stem != "field-map.schema"
}
TOOLS = [ToolOffer(name, "", one["parameters"], streams=True) for name, one in MAPS.items()]
BY_KEY = {scenario.key: scenario for scenario in SCENARIOS}
MAX_TOKENS = 4096


async def run(
    history: Sequence[HistoryItem], tools: Sequence[ToolOffer] = TOOLS, seed: int = 1
) -> list[Event]:
    demo = make_demo(seed, pace=0)
    return await events_of(demo, TurnRequest(history, tools, MAX_TOKENS))


async def first_turn(key: str, seed: int = 1) -> Told:
    return told(await run([UserMessage(BY_KEY[key].suggestion)], seed=seed))


def arguments_of(text: str | JsonObject) -> JsonObject:
    assert isinstance(text, str)
    value = load_exact(text)
    assert isinstance(value, dict)
    return value


def answered(
    said: str, events: Sequence[Event], *contents: str, is_error: bool = False
) -> list[HistoryItem]:
    """The conversation after a turn, with these results."""
    _, turn, *_ = history_after(DIALECT, events)
    calls = told(events).finished.calls
    results = tuple(
        CallResult(call.ordinal, call.provider_id, call.name or "", content, is_error)
        for call, content in zip(calls, contents, strict=True)
    )
    return [UserMessage(said), turn, ToolResults(results)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.key)
def test_a_suggestion_leads_to_its_own_scenario(scenario: Scenario) -> None:
    assert chosen(scenario.suggestion) is scenario


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("please OPEN A TICKET for me", "ticket"),
        ("Bitte ein Ticket anlegen", "ticket"),
        ("what about invoice INV-2026-0287?", "invoice"),
        ("Zeig mir die Rechnung", "invoice"),
        ("Schreib eine E-Mail an Ada", "email"),
        ("Bitte die Rechnung erstatten", "refund"),
        ("write me a file with notes", "notes"),
        ("Das ist dringend", "urgent"),
        ("find my tickets", "search"),
        ("Die Verbindung soll abbrechen", "dies"),
    ],
)
def test_what_people_type_is_understood(said: str, key: str) -> None:
    scenario = chosen(said)
    assert scenario is not None
    assert scenario.key == key


async def test_anything_else_is_answered_by_what_the_demo_can_do() -> None:
    turn = told(await run([UserMessage("What is the meaning of life?")]))
    assert turn.usable
    assert not turn.calls
    assert "no language model" in turn.text
    assert all(scenario.suggestion in turn.text for scenario in SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.key)
async def test_a_tool_that_is_not_offered_is_not_called(scenario: Scenario) -> None:
    turn = told(await run([UserMessage(scenario.suggestion)], tools=[]))
    assert not turn.calls
    assert not scenario.needs or scenario.needs[0] in turn.text


GOOD = ["ticket", "invoice", "both", "email", "refund", "notes", "search"]


@pytest.mark.parametrize("key", GOOD)
async def test_a_good_scenario_calls_what_the_shipped_maps_take(key: str) -> None:
    turn = await first_turn(key)
    assert turn.usable
    assert tuple(name for _, name, _ in turn.calls) == tuple(BY_KEY[key].needs)
    for _, name, text in turn.calls:
        assert name is not None
        jsonschema.validate(_floats(arguments_of(text)), _floats(MAPS[name]["parameters"]))


def _floats(value: JsonValue) -> Any:
    match value:
        case Decimal():
            return float(value)
        case dict():
            return {name: _floats(member) for name, member in value.items()}
        case list():
            return [_floats(item) for item in value]
        case _:
            return value


@pytest.mark.parametrize("seed", range(5))
async def test_the_ticket_is_47_fragments_of_1_to_12_characters(seed: int) -> None:
    turn = await first_turn("ticket", seed)
    pieces = [fragment.text for fragment in only(ArgumentFragment, turn.events)]
    assert len(pieces) == TICKET_FRAGMENTS == 47
    assert all(1 <= len(piece) <= 12 for piece in pieces)
    ticket = arguments_of(turn.calls[0][2])
    assert ticket["title"] == "March invoice run failed"
    assert list(ticket) == ["project", "title", "priority", "description"]
    description = ticket["description"]
    assert isinstance(description, str)
    assert '"' in description
    assert "\n" in description
    assert "ü" in description
    assert "🧾" in description


async def test_the_email_has_a_body_of_800_characters_and_lasts_about_three_seconds() -> None:
    turn = await first_turn("email")
    body = arguments_of(turn.calls[0][2])["body"]
    assert isinstance(body, str)
    assert len(body) == 800
    assert len(only(ArgumentFragment, turn.events)) == EMAIL_FRAGMENTS
    mean_gap_s = 0.0161
    assert 2.5 <= EMAIL_FRAGMENTS * mean_gap_s <= 3.5


async def test_the_refund_keeps_the_numbers_own_text() -> None:
    turn = await first_turn("refund")
    _, _, text = turn.calls[0]
    assert isinstance(text, str)
    assert '"amount":1250.00,' in text
    other = told(await run([UserMessage("Refund EUR 12,345.60 on INV-2026-0287")]))
    assert '"invoice_number":"INV-2026-0287","amount":12345.60,' in str(other.calls[0][2])


async def test_it_looks_up_the_invoice_that_was_asked_for_and_quotes_what_came_back() -> None:
    said = "What about invoice inv-2026-0298?"
    events = await run([UserMessage(said)])
    assert arguments_of(told(events).calls[0][2]) == {"invoice_number": "INV-2026-0298"}
    content = '{"invoice_number":"INV-2026-0298","total":77.10,"currency":"USD","paid":false}'
    told_of = told(await run(answered(said, events, content)))
    assert told_of.usable
    assert not told_of.calls
    assert told_of.text == "Invoice INV-2026-0298 comes to 77.10 USD. It has not been paid yet."


@pytest.mark.parametrize("key", GOOD)
async def test_an_error_result_is_told_as_one_and_nothing_is_called_again(key: str) -> None:
    said = BY_KEY[key].suggestion
    events = await run([UserMessage(said)])
    errors = ["Not run: a person denied this call."] * len(told(events).calls)
    told_of = told(await run(answered(said, events, *errors, is_error=True)))
    assert not told_of.calls
    assert told_of.text.count(": a person denied it.") == len(errors)


async def test_an_invalid_call_is_corrected_once_after_its_error() -> None:
    said = BY_KEY["urgent"].suggestion
    events = await run([UserMessage(said)])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            arguments_of(told(events).calls[0][2]), MAPS["create_ticket"]["parameters"]
        )
    refused = "Not run: the arguments do not fit the tool's schema. /priority: not one of …"
    history = answered(said, events, refused, is_error=True)
    corrected = await run(history)
    ticket = arguments_of(told(corrected).calls[0][2])
    jsonschema.validate(ticket, MAPS["create_ticket"]["parameters"])
    assert ticket["priority"] == "high"
    again = answered(said, corrected, '{"ticket_id":"TICK-9001"}')[1:]
    last = told(await run([*history, *again]))
    assert not last.calls
    assert "TICK-9001" in last.text
    refused_again = answered(said, corrected, refused, is_error=True)[1:]
    assert not told(await run([*history, *refused_again])).calls


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("Not run: a person denied this call.", "The ticket was not opened: a person denied it."),
        ("Failed: The disk is full.", "Opening the ticket failed. The disk is full."),
    ],
)
async def test_another_error_of_it_is_not_taken_for_a_fault_of_the_arguments(
    error: str, words: str
) -> None:
    said = BY_KEY["urgent"].suggestion
    events = await run([UserMessage(said)])
    told_of = told(await run(answered(said, events, error, is_error=True)))
    assert not told_of.calls
    assert told_of.text == words


@pytest.mark.parametrize(
    ("key", "stop", "provider_stop"),
    [
        ("dies", Stop.INCOMPLETE, None),
        ("cut_off", Stop.TRUNCATED, "max_tokens"),
        ("refusal", Stop.REFUSED, "refusal"),
    ],
)
async def test_a_turn_that_goes_wrong_does_so_again_and_the_next_message_works(
    key: str, stop: Stop, provider_stop: str | None
) -> None:
    said = UserMessage(BY_KEY[key].suggestion)
    for seed in range(3):
        end = end_of(await run([said], seed=seed))
        assert (end.stop, end.provider_stop) == (stop, provider_stop)
    # The turn left no trace, so both messages stand side by side.
    after = told(await run([said, UserMessage(BY_KEY["ticket"].suggestion)]))
    assert after.usable
    assert len(after.calls) == 1


async def test_the_stream_dies_within_the_arguments() -> None:
    turn = await first_turn("dies")
    text = str(turn.calls[0][2])
    assert '"title":"Nightly import' in text
    assert not text.endswith("}")
    assert not turn.finished.calls[0].completed


async def test_the_cut_off_call_could_be_parsed_and_reports_the_whole_limit() -> None:
    turn = await first_turn("cut_off")
    jsonschema.validate(arguments_of(turn.calls[0][2]), MAPS["create_ticket"]["parameters"])
    assert turn.finished.output_tokens == MAX_TOKENS


async def test_a_new_message_behind_unanswered_work_is_what_counts() -> None:
    said = BY_KEY["refund"].suggestion
    events = await run([UserMessage(said)])
    history = answered(said, events, "Not run: the person went on.", is_error=True)
    after = told(await run([*history, UserMessage(BY_KEY["notes"].suggestion)]))
    assert [name for _, name, _ in after.calls] == ["write_file"]


async def test_the_same_seed_types_the_same_and_ids_differ_between_turns() -> None:
    one, same, other = [await first_turn("both", seed) for seed in (1, 1, 2)]
    assert one.events == same.events
    assert one.events != other.events
    ids = [identity for turn in (one, other) for identity, _, _ in turn.calls]
    assert len(set(ids)) == 4


async def test_a_request_without_a_message_is_refused_like_a_bad_request() -> None:
    with pytest.raises(ProviderFailure) as caught:
        await run([UserMessage(" ")])
    assert caught.value.kind is FailureKind.BAD_REQUEST


async def test_with_a_pace_it_waits_between_fragments() -> None:
    reply = answer(Situation(BY_KEY["email"].suggestion, (), frozenset(MAPS)))
    waits = [wait for wait, _ in body_of(reply, Random(1), MAX_TOKENS) if wait]
    assert len(waits) > EMAIL_FRAGMENTS
    assert 2.0 < sum(waits) < 6.0
