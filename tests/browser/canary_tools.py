"""Maps, arguments and tools in which every hidden value is a canary.

For each shipped map: every field that it hides, one that its schema has got since and one that its
result has got; and a tool without a map, of which everything is hidden.
"""

import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.calls.exact_json import dump_exact, load_exact
from app.calls.json_types import JsonObject
from app.calls.strict import parse_strict
from app.providers import demo_texts
from app.tools.map_files import load_field_maps
from app.tools.registry import CallContext, Registry
from tests.browser.product import REPOSITORY

CANARY = "canary-bird"
UNMAPPED = "archive_report"
ADDED = "added_since"
ASKED = {"refund": "user", "write_file": "operator"}
ARGUMENTS = {
    "create_ticket": demo_texts.MARCH_TICKET,
    "look_up_invoice": '{"invoice_number":"INV-2026-0312"}',
    "refund": demo_texts.refund_of("INV-2026-0312", "12.50"),
    "search_tickets": demo_texts.SEARCH,
    "send_email": demo_texts.EMAIL,
    "write_file": demo_texts.NOTES,
}


def write_maps(folder: Path) -> None:
    """The shipped maps, each with a field more in its schema. Two ask, each somebody else."""
    folder.mkdir(parents=True)
    for file in (REPOSITORY / "field_maps").glob("*.json"):
        document = load_exact(file.read_text())
        assert isinstance(document, dict)
        if "tool" in document:
            del document["$schema"]
            document.pop("approval", None)
            if asked := ASKED.get(str(document["tool"])):
                document["approval"] = {"required": True, "by": asked}
            parameters = document["parameters"]
            assert isinstance(parameters, dict)
            properties = parameters["properties"]
            assert isinstance(properties, dict)
            properties[ADDED] = {"type": "string"}
            (folder / file.name).write_text(dump_exact(document))


def arguments() -> Iterator[tuple[str, str, str]]:
    """A name for each case, its tool, and the argument text with its hidden values."""
    for tool, text in ARGUMENTS.items():
        yield tool, tool, _with(text, {ADDED: CANARY})
    for tool, asked in ASKED.items():
        yield f"denied by the {asked}", tool, _with(ARGUMENTS[tool], {ADDED: CANARY})
    for ending in ("cut off", "broken", "stopped"):
        yield ending, "create_ticket", _before(ARGUMENTS["create_ticket"], {ADDED: CANARY})
    ticket = ARGUMENTS["create_ticket"]
    email: JsonObject = {"raw_customer_email": f"{CANARY}@example.com"}
    yield "hidden", "create_ticket", _with(ticket, email)
    yield "invalid", "create_ticket", _with(ticket, {"raw_customer_email": CANARY})
    yield "unknown field", "create_ticket", _with(ticket, {CANARY: CANARY})
    yield "raises", "look_up_invoice", _with(ARGUMENTS["look_up_invoice"], {ADDED: "raise"})
    yield "without a map", UNMAPPED, dump_exact({"report": CANARY, "to": [{"who": CANARY}]})


def tools() -> Registry:
    """``FORMWORK_TOOLS=tests.browser.canary_tools:tools``."""
    registry = Registry()
    for name, field_map in load_field_maps(Path(os.environ["FORMWORK_FIELD_MAPS"])).items():
        registry.tool(name)(_tool(list(field_map.parameters["properties"])))
    registry.tool(UNMAPPED)(_tool(["report", "to"]))
    return registry


def _with(text: str, more: JsonObject) -> str:
    return dump_exact({**parse_strict(text), **more})


def _before(text: str, more: JsonObject) -> str:
    return dump_exact({**more, **parse_strict(text)})


HIDDEN_RESULTS = ("account_manager", "internal_row", "ledger_entry", "query_ms", "file", "sha256")


def _tool(names: list[str]) -> Any:
    def run(context: CallContext, **given: Any) -> JsonObject:
        """Answer with what must not be seen."""
        if given.get(ADDED) == "raise":
            raise RuntimeError(CANARY)
        hidden: JsonObject = dict.fromkeys(HIDDEN_RESULTS, CANARY)
        return {
            "ticket_id": "TICK-1",
            "found": 1,
            "tickets": [{"ticket_id": "TICK-2", "unnamed": CANARY}],
            "lines": [{"text": "Paper", "cost": CANARY}, {CANARY: CANARY}],
            "call_id": CANARY,
            CANARY: CANARY,
            "unnamed": {"deep": [CANARY]},
            **hidden,
        }

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Any, default=None)
        for name in names
    ]
    run.__signature__ = inspect.Signature([context, *keywords])  # pyright: ignore[reportFunctionMemberAccess]
    return run
