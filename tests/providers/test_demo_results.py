"""What the demo model says of results is in the results, and nothing hidden is in what it says."""

import pytest

from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject
from app.providers.demo_reply import Answered
from app.providers.demo_results import tell
from app.providers.wire_json import read

RESULTS = {
    "create_ticket": '{"ticket_id":"TICK-9034","status":"open","customer_email":"ada@example.com"}',
    "look_up_invoice": '{"invoice_number":"INV-2026-0312","customer":"Blue Harbour GmbH",'
    '"due":"2026-04-01","total":1875.00,"currency":"EUR","paid":true,"account_manager":"desk-1"}',
    "send_email": '{"email_id":"mail-1","recipient":"a@example.com","file":"outbox/x.eml"}',
    "refund": '{"refund_id":"RF-501","amount":1250.00,"currency":"EUR","left_to_refund":625.00,'
    '"ledger_entry":77001}',
    "write_file": '{"path":"notes.txt","bytes":184,"sha256":"c0ffee"}',
    "search_tickets": '{"found":2,"tickets":[{"ticket_id":"TICK-9002"},{"ticket_id":"TICK-9001"}]}',
}

SENTENCES = {
    "create_ticket": "The ticket is on record as TICK-9034.",
    "look_up_invoice": "Invoice INV-2026-0312 is made out to Blue Harbour GmbH, for 1875.00 EUR, "
    "due on 2026-04-01, and it is paid.",
    "send_email": "The e-mail to a@example.com is in the outbox as mail-1.",
    "refund": "The refund of 1250.00 EUR is on record as RF-501; 625.00 could still be refunded.",
    "write_file": "notes.txt is written: 184 bytes.",
    "search_tickets": "The search found 2, the first of them TICK-9002, TICK-9001.",
}

HIDDEN = ("ada@example.com", "desk-1", "outbox/", "77001", "c0ffee")


def answered(name: str, content: str, *, is_error: bool = False) -> Answered:
    return Answered(name, {}, content, is_error)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_told_by_its_own_values(name: str) -> None:
    assert tell([answered(name, RESULTS[name])]) == SENTENCES[name]


@pytest.mark.parametrize("name", [*RESULTS, "unheard_of"])
@pytest.mark.parametrize("content", list(RESULTS.values()))
def test_nothing_hidden_is_told(name: str, content: str) -> None:
    sentence = tell([answered(name, content)])
    assert not any(value in sentence for value in HIDDEN)


@pytest.mark.parametrize("name", RESULTS)
def test_what_a_result_leaves_out_is_not_told(name: str) -> None:
    result = read(RESULTS[name])
    assert isinstance(result, dict)
    for left_out in result:
        rest: JsonObject = {key: value for key, value in result.items() if key != left_out}
        sentence = tell([answered(name, dump_exact(rest))])
        value = result[left_out]
        if isinstance(value, str):
            assert value not in sentence
        assert "None" not in sentence


@pytest.mark.parametrize("content", ["", "fine", "[1]", "{", "null"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_of_another_shape_is_told_as_no_more_than_one(name: str, content: str) -> None:
    assert tell([answered(name, content)]) == f"{name} returned its result."


def test_an_unpaid_invoice_is_told_as_one() -> None:
    content = RESULTS["look_up_invoice"].replace("true", "false")
    assert tell([answered("look_up_invoice", content)]).endswith("and it is not paid yet.")


@pytest.mark.parametrize("name", RESULTS)
def test_an_error_is_told_as_one_whatever_it_looks_like(name: str) -> None:
    sentence = tell([answered(name, RESULTS[name], is_error=True)])
    assert sentence.startswith(f"{name} came back with an error: “")
    denied = tell([answered(name, "Not run: a person denied this call.", is_error=True)])
    assert denied == f"{name} was not run: a person denied this call."


def test_each_of_several_results_has_its_sentence() -> None:
    both = [
        answered("create_ticket", RESULTS["create_ticket"]),
        answered("refund", "x" * 999, is_error=True),
    ]
    first, second = tell(both).split(". ", 1)
    assert first + "." == SENTENCES["create_ticket"]
    assert second.endswith("…”")
    assert len(second) < 400
