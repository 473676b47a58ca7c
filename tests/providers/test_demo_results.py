"""What the demo model says of results is in the results, and nothing hidden is in what it says."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject, JsonValue
from app.display.formats import Formats
from app.display.results import result_rows
from app.providers.demo_reply import Answered
from app.providers.demo_results import tell
from app.providers.wire_json import read
from app.tools.map_files import load_field_maps, shipped_maps
from app.tools.shipped import shipped_tools
from tests.tools.context import context

TICKET = '{"ticket_id":"TICK-9034","status":"open","customer_email":"ada@example.com"}'
INVOICE = (
    '{"invoice_number":"INV-2026-0312","customer":"Blue Harbour GmbH","due":"2026-04-01",'
    '"total":1875.00,"currency":"EUR","paid":true,"refunded":0.00,"account_manager":"desk-1"}'
)
EMAIL = '{"email_id":"MAIL-1","recipient":"a@example.com","file":"outbox/x.eml"}'
REFUND = (
    '{"refund_id":"RF-501","invoice_number":"INV-2026-0312","amount":1250.00,"currency":"EUR",'
    '"left_to_refund":625.00,"ledger_entry":77001}'
)
FILE = '{"path":"notes.txt","bytes":1840,"created":true,"sha256":"c0ffee"}'
FOUND = (
    '{"found":2,"tickets":[{"ticket_id":"TICK-9002","title":"Second"},'
    '{"ticket_id":"TICK-9001","title":"First"}],"query_ms":77002}'
)
RESULTS = {
    "create_ticket": TICKET,
    "look_up_invoice": INVOICE,
    "send_email": EMAIL,
    "refund": REFUND,
    "write_file": FILE,
    "search_tickets": FOUND,
}
SENTENCES = {
    "create_ticket": "The ticket is on record as TICK-9034. Its status is “open”.",
    "look_up_invoice": "Invoice INV-2026-0312 to Blue Harbour GmbH comes to 1,875.00 EUR. "
    "It is due on 1 April 2026 and has been paid.",
    "send_email": "The e-mail to a@example.com is in the outbox as MAIL-1.",
    "refund": "The refund of 1,250.00 EUR on invoice INV-2026-0312 is on record as RF-501. "
    "625.00 EUR could still be refunded.",
    "write_file": "The new file notes.txt has been written; it has 1,840 bytes.",
    "search_tickets": "The search found 2 tickets: TICK-9002 (“Second”) and TICK-9001 (“First”).",
}
HIDDEN = ("ada@example.com", "desk-1", "outbox/", "77001", "77,001", "77002", "c0ffee")
MAPS = load_field_maps(shipped_maps())

ARGUMENTS: dict[str, JsonObject] = {
    "create_ticket": {
        "project": "WEB",
        "title": "Footer",
        "priority": "low",
        "raw_customer_email": "canary@example.com",
    },
    "look_up_invoice": {"invoice_number": "INV-2026-0287"},
    "send_email": {"to": "ada@example.com", "subject": "Hello", "body": "Hello"},
    "refund": {
        "invoice_number": "INV-2026-0287",
        "amount": Decimal("80.00"),
        "currency": "EUR",
        "reason": "Paid twice.",
    },
    "write_file": {"path": "notes.txt", "content": "Hello"},
    "search_tickets": {},
}


def told(name: str, content: str) -> str:
    return tell([Answered(name, {}, content, is_error=False)])


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_told_by_its_own_values(name: str) -> None:
    assert told(name, RESULTS[name]) == SENTENCES[name]


@pytest.mark.parametrize(
    ("name", "before", "after", "sentence"),
    [
        ("look_up_invoice", "true", "false", "is due on 1 April 2026 and has not been paid yet."),
        ("look_up_invoice", '"2026-04-01"', '"soon"', "It is due on soon and has been paid."),
        ("look_up_invoice", "0.00,", "80.50,", "80.50 EUR of it has been refunded."),
        ("write_file", "true", "false", "The file notes.txt has been replaced; it has 1,840"),
        ("search_tickets", '"found":2', '"found":9', "found 9 tickets, among them TICK-9002 ("),
    ],
)
def test_another_value_is_told_in_other_words(
    name: str, before: str, after: str, sentence: str
) -> None:
    assert sentence in told(name, RESULTS[name].replace(before, after))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('{"found":0,"tickets":[]}', "The search found no tickets."),
        ('{"found":12,"tickets":[]}', "The search found 12 tickets."),
        ('{"found":1,"tickets":[{"ticket_id":"T-1"}]}', "The search found one ticket: T-1."),
    ],
)
def test_any_number_of_tickets_is_told(content: str, sentence: str) -> None:
    assert told("search_tickets", content) == sentence


@pytest.mark.parametrize("name", [*RESULTS, "unheard_of"])
@pytest.mark.parametrize("content", list(RESULTS.values()))
def test_nothing_hidden_is_told(name: str, content: str) -> None:
    assert not any(value in told(name, content) for value in HIDDEN)


async def test_a_real_result_of_each_tool_is_told_by_what_its_map_shows_alone(
    tmp_path: Path,
) -> None:
    tools = shipped_tools(tmp_path / "data", tmp_path / "files")
    for name, arguments in ARGUMENTS.items():
        result = await tools.run(name, arguments, context(f"{name}-call"))
        rows = result_rows(MAPS[name], result, Formats("en"))
        shown = {row.path for row in rows}
        sentence = told(name, dump_exact(result))
        assert sentence != told("unheard_of", "{}").replace("unheard_of", name)
        for path, text in leaves(result):
            if path not in shown and len(text) > 3:
                assert text not in sentence, f"{name} tells {path}"


def leaves(
    value: JsonValue, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    match value:
        case dict():
            for name, member in value.items():
                yield from leaves(member, (*path, name))
        case list():
            for index, item in enumerate(value):
                yield from leaves(item, (*path, index))
        case _:
            yield path, str(value)


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_result_leaves_out_is_not_told(name: str) -> None:
    result = read(RESULTS[name])
    assert isinstance(result, dict)
    for left_out in result:
        rest: JsonObject = {key: value for key, value in result.items() if key != left_out}
        sentence = told(name, dump_exact(rest))
        value = result[left_out]
        if isinstance(value, str):
            assert value not in sentence
        assert "None" not in sentence
        assert re.match(r"[A-Z].*[.]$", sentence)


@pytest.mark.parametrize("content", ["", "fine", "[1]", "{", "null", '{"total":[1],"found":true}'])
@pytest.mark.parametrize("name", [*RESULTS, "unheard_of"])
def test_a_result_of_another_shape_is_told_as_no_more_than_one(name: str, content: str) -> None:
    assert told(name, content) == f"The tool {name} has returned its result."


def test_each_of_several_results_has_its_sentence() -> None:
    both = [
        Answered("create_ticket", {}, TICKET, is_error=False),
        Answered("refund", {}, "x" * 999, is_error=True),
    ]
    assert tell(both).startswith(SENTENCES["create_ticket"] + " The refund failed. Xxx")
