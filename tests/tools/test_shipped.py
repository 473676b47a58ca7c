"""The shipped tools act on real local state, and their maps say what may be shown of it."""

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app.calls.json_types import JsonObject
from app.display.field_map import Approver, FieldMap
from app.display.formats import Formats
from app.display.map_check import check
from app.display.results import result_rows, summary
from app.tools.map_files import load_field_maps, shipped_maps
from app.tools.registry import Registry, ToolFault
from app.tools.shipped import shipped_tools
from tests.tools.context import context

TICKET: JsonObject = {"project": "BILLING", "title": "March run failed", "priority": "high"}
REFUND: JsonObject = {
    "invoice_number": "INV-2026-0312",
    "amount": Decimal("1250.00"),
    "currency": "EUR",
    "reason": "Charged twice.",
}


@pytest.fixture
def tools(tmp_path: Path) -> Registry:
    return shipped_tools(tmp_path / "data", tmp_path / "files")


@pytest.fixture(scope="module")
def maps() -> dict[str, FieldMap]:
    return load_field_maps(shipped_maps())


async def run(tools: Registry, name: str, arguments: JsonObject, call: str = "t-1") -> Any:
    return await tools.run(name, arguments, context(call))


def test_every_tool_has_a_map_that_agrees_with_it_and_needs_no_review(
    tools: Registry, maps: dict[str, FieldMap]
) -> None:
    assert sorted(tools.names) == sorted(maps)
    for tool in tools:
        assert check(maps[tool.name], tool.signature.schema()) == []


def test_refunds_alone_wait_for_an_operator(maps: dict[str, FieldMap]) -> None:
    approvals = {name: each.approval for name, each in maps.items() if each.approval}
    assert list(approvals) == ["refund"]
    assert approvals["refund"].by is Approver.OPERATOR
    assert maps["refund"].asks(REFUND)


def test_using_nothing_makes_nothing(tmp_path: Path) -> None:
    shipped_tools(tmp_path / "data", tmp_path / "files")
    assert list(tmp_path.iterdir()) == []


async def test_tickets_are_numbered_and_found_again(tools: Registry) -> None:
    first = await run(tools, "create_ticket", TICKET, "t-1")
    second = await run(
        tools,
        "create_ticket",
        {"project": "WEB", "title": "Logo blurred", "priority": "low", "description": "On phones"},
        "t-2",
    )
    assert (first["ticket_id"], second["ticket_id"]) == ("TICK-9001", "TICK-9002")
    assert first["call_id"] == "t-1"

    async def search(**arguments: Any) -> list[str]:
        found = await run(tools, "search_tickets", arguments)
        assert found["found"] >= len(found["tickets"])
        return [ticket["ticket_id"] for ticket in found["tickets"]]

    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    assert await search() == ["TICK-9002", "TICK-9001"]
    assert await search(limit=1) == ["TICK-9002"]
    assert await search(projects=["BILLING"]) == ["TICK-9001"]
    assert await search(filter={"text": "PHONES logo"}) == ["TICK-9002"]
    assert await search(filter={"status": "closed"}) == []
    assert await search(filter={"since": tomorrow}) == []
    assert await search(sort=[{"field": "priority"}]) == ["TICK-9002", "TICK-9001"]
    by_priority = [{"field": "priority", "descending": True}, {"field": "created"}]
    assert await search(sort=by_priority) == ["TICK-9001", "TICK-9002"]
    counted = await run(tools, "search_tickets", {"dry_run": True})
    assert (counted["found"], counted["tickets"]) == (2, [])


async def test_a_call_that_is_run_again_does_nothing_twice(tools: Registry, tmp_path: Path) -> None:
    for _ in range(2):
        await run(tools, "create_ticket", TICKET)
        await run(tools, "refund", REFUND)
        await run(tools, "send_email", {"to": "a@b.example", "subject": "Hi", "body": "Text"})
    assert (await run(tools, "search_tickets", {}))["found"] == 1
    invoice = await run(tools, "look_up_invoice", {"invoice_number": "INV-2026-0312"})
    assert invoice["refunded"] == Decimal("1250.00")
    assert len(list((tmp_path / "data/outbox").iterdir())) == 1
    assert [tool.name for tool in tools if not tool.idempotent] == ["write_file"]


async def test_tickets_opened_at_once_have_numbers_of_their_own(tools: Registry) -> None:
    results = await asyncio.gather(
        *(run(tools, "create_ticket", TICKET, f"t-{index}") for index in range(12))
    )
    assert {result["ticket_id"] for result in results} == {f"TICK-{9001 + n}" for n in range(12)}


async def test_an_invoice_is_looked_up_with_exact_amounts(tools: Registry) -> None:
    invoice = await run(tools, "look_up_invoice", {"invoice_number": "INV-2026-0312"})
    assert str(invoice["total"]) == "1875.00"
    assert str(sum(line["amount"] for line in invoice["lines"])) == "1875.00"
    assert invoice["paid"] is True
    with pytest.raises(ToolFault, match="no invoice"):
        await run(tools, "look_up_invoice", {"invoice_number": "INV-1999-0001"})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"invoice_number": "INV-1999-0001"}, "no invoice"),
        ({"invoice_number": "INV-2026-0313"}, "not been paid"),
        ({"currency": "USD"}, "is in EUR"),
        ({"amount": Decimal("1875.01")}, "Only 1875.00 EUR"),
        ({"amount": 0}, "more than nothing"),
        ({"amount": Decimal("0.001")}, "whole cents"),
        ({"amount": Decimal("-5")}, "more than nothing"),
    ],
)
async def test_a_refund_that_cannot_be_made_changes_nothing(
    tools: Registry, change: JsonObject, words: str
) -> None:
    with pytest.raises(ToolFault, match=words):
        await run(tools, "refund", {**REFUND, **change})
    invoice = await run(tools, "look_up_invoice", {"invoice_number": "INV-2026-0312"})
    assert invoice["refunded"] == 0


async def test_refunds_at_once_never_exceed_the_invoice(tools: Registry) -> None:
    part = {**REFUND, "amount": Decimal("500.00")}
    results = await asyncio.gather(
        *(run(tools, "refund", part, f"t-{index}") for index in range(8)), return_exceptions=True
    )
    assert sum(isinstance(result, dict) for result in results) == 3
    assert sum(isinstance(result, ToolFault) for result in results) == 5


@pytest.mark.parametrize(
    "change", [{"subject": "Hi\r\nBcc: x@y.example"}, {"to": "a@b.example\nBcc: x@y.example"}]
)
async def test_an_email_carries_no_header_of_the_models_own(
    tools: Registry, tmp_path: Path, change: JsonObject, maps: dict[str, FieldMap]
) -> None:
    arguments = {"to": "a@b.example", "subject": "Hi", "body": "Text", **change}
    assert maps["send_email"].schema_faults(arguments)
    with pytest.raises(ToolFault):
        await run(tools, "send_email", arguments)
    assert not (tmp_path / "data/outbox").exists()


async def test_a_file_is_written_once_and_its_result_has_the_calls_id(
    tools: Registry, tmp_path: Path
) -> None:
    result = await run(tools, "write_file", {"path": "a/notes.txt", "content": "hé\n"}, "t-9")
    assert (tmp_path / "files/a/notes.txt").read_text() == "hé\n"
    assert (result["call_id"], result["bytes"], result["created"]) == ("t-9", 4, True)


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a\\b", "a\u202eb", "a. ", ""])
async def test_a_path_out_of_the_root_is_out_of_scope_and_writes_nothing(
    tools: Registry, tmp_path: Path, path: str
) -> None:
    arguments: JsonObject = {"path": path, "content": "x"}
    assert tools.out_of_scope("write_file", arguments)
    with pytest.raises(ToolFault):
        await run(tools, "write_file", arguments)
    assert list(tmp_path.iterdir()) == []


async def test_a_file_that_is_too_large_or_stopped_is_not_written(tmp_path: Path) -> None:
    tools = shipped_tools(tmp_path / "data", tmp_path / "files", most_file_bytes=10)
    with pytest.raises(ToolFault, match="11 bytes; 10 are allowed"):
        await run(tools, "write_file", {"path": "a.txt", "content": "x" * 11})
    with pytest.raises(ToolFault, match="stopped"):
        await tools.run("write_file", {"path": "a", "content": "x"}, context(cancelled=True))
    assert not (tmp_path / "files/a").exists()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_ticket", {**TICKET, "raw_customer_email": "canary@b.example"}),
        ("look_up_invoice", {"invoice_number": "INV-2026-0312"}),
        ("refund", REFUND),
        ("send_email", {"to": "a@b.example", "subject": "Hi", "body": "Text"}),
        ("write_file", {"path": "a.txt", "content": "x"}),
        ("search_tickets", {}),
    ],
)
async def test_every_result_has_a_summary_and_hides_something(
    tools: Registry, maps: dict[str, FieldMap], name: str, arguments: JsonObject
) -> None:
    result = await run(tools, name, arguments)
    assert maps[name].schema_faults(arguments) == ()
    rows = result_rows(maps[name], result, Formats("en"))
    shown = {row.path[0] for row in rows}
    assert shown < set(result)
    assert "call_id" not in shown
    assert not any("canary" in row.text for row in rows)
    assert summary(maps[name], result, Formats("en"))
