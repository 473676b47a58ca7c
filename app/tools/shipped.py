"""The six tools that come with the program, on local state that can be looked at.

``data_folder`` holds the desk (``desk.sqlite3``) and the outbox (``outbox/*.eml``); files are
written below ``write_root`` and nowhere else.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from app.calls.json_types import JsonObject
from app.tools.desk import Desk, DeskFault, Ticket
from app.tools.file_names import name_fault
from app.tools.file_writing import NotWritten, write_below
from app.tools.outbox import NotAnEmail, put_email
from app.tools.registry import CallContext, Registry, ToolFault

MOST_FILE_BYTES = 1024 * 1024
"""As much as the arguments of one call may hold by default."""

Project = Literal["BILLING", "CORE", "WEB"]
Priority = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which tickets: all of what is given must hold."""

    status: Literal["open", "closed"] | None = None
    since: date = date.min
    text: str = ""


@dataclass(frozen=True, slots=True)
class SortBy:
    """One rule of order; earlier ones weigh more."""

    field: Literal["created", "priority", "project"]
    descending: bool = False


def shipped_tools(
    data_folder: Path, write_root: Path, most_file_bytes: int = MOST_FILE_BYTES
) -> Registry:
    """A registry of the six tools. Nothing is made on disk before one is used."""
    tools = Registry()
    desk = Desk(data_folder / "desk.sqlite3")
    _add_tickets(tools, desk)
    _add_invoices(tools, desk)
    _add_email(tools, data_folder / "outbox")
    _add_files(tools, write_root, most_file_bytes)
    return tools


def _add_tickets(tools: Registry, desk: Desk) -> None:
    @tools.tool("create_ticket", idempotent=True)
    def create_ticket(
        context: CallContext,
        project: Project,
        title: str,
        priority: Priority,
        description: str = "",
        raw_customer_email: str | None = None,
    ) -> JsonObject:
        """Open a ticket in the tracker. Returns the new ticket's id."""
        ticket = desk.open_ticket(
            context.idempotency_key, project, title, priority, description, raw_customer_email
        )
        return {
            "ticket_id": ticket.ticket_id,
            "status": ticket.status,
            "customer_email": raw_customer_email,
            "call_id": context.call_id,
        }

    @tools.tool("search_tickets", idempotent=True)
    def search_tickets(
        context: CallContext,
        filter: Filter = Filter(),
        projects: list[Project] | None = None,
        sort: list[SortBy] | None = None,
        limit: int = 20,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Find tickets by state, date, project and words."""
        began = time.monotonic()
        found = _sorted(_matching(desk, filter, projects), sort or [])
        return {
            "found": len(found),
            "tickets": [] if dry_run else found[:limit],
            "query_ms": round((time.monotonic() - began) * 1000),
            "call_id": context.call_id,
        }


def _matching(desk: Desk, wanted: Filter, projects: list[Project] | None) -> list[Ticket]:
    since = datetime.combine(wanted.since, datetime.min.time(), UTC)
    return [
        ticket
        for ticket in desk.tickets(wanted.text)
        if wanted.status in (None, ticket.status)
        and ticket.created >= since
        and (not projects or ticket.project in projects)
    ]


_PRIORITIES = ("low", "medium", "high")

_SORT_KEYS: dict[str, Callable[[Ticket], Any]] = {
    "created": lambda ticket: ticket.created,
    "priority": lambda ticket: _PRIORITIES.index(ticket.priority),
    "project": lambda ticket: ticket.project,
}


def _sorted(tickets: list[Ticket], rules: list[SortBy]) -> list[Ticket]:
    for rule in reversed(rules):
        tickets = sorted(tickets, key=_SORT_KEYS[rule.field], reverse=rule.descending)
    return tickets


def _add_invoices(tools: Registry, desk: Desk) -> None:
    @tools.tool("look_up_invoice", idempotent=True)
    def look_up_invoice(context: CallContext, invoice_number: str) -> dict[str, Any]:
        """Find an invoice by its number."""
        try:
            invoice = desk.invoice(invoice_number)
        except DeskFault as fault:
            raise ToolFault(str(fault)) from fault
        return {
            "invoice_number": invoice.invoice_number,
            "customer": invoice.customer,
            "issued": invoice.issued,
            "due": invoice.due,
            "lines": invoice.lines,
            "total": invoice.total,
            "currency": invoice.currency,
            "refunded": invoice.refunded,
            "paid": invoice.paid,
            "account_manager": invoice.account_manager,
            "call_id": context.call_id,
        }

    @tools.tool("refund", idempotent=True)
    def refund(
        context: CallContext, invoice_number: str, amount: Decimal, currency: str, reason: str
    ) -> dict[str, Any]:
        """Pay back all or part of a paid invoice."""
        try:
            made = desk.refund(context.idempotency_key, invoice_number, amount, currency, reason)
        except DeskFault as fault:
            raise ToolFault(str(fault)) from fault
        return {
            "refund_id": made.refund_id,
            "invoice_number": invoice_number,
            "amount": made.amount,
            "currency": currency,
            "left_to_refund": made.left_to_refund,
            "ledger_entry": made.ledger_entry,
            "call_id": context.call_id,
        }


def _add_email(tools: Registry, outbox: Path) -> None:
    @tools.tool("send_email", idempotent=True)
    def send_email(context: CallContext, to: str, subject: str, body: str) -> JsonObject:
        """Send a plain-text email from the support address."""
        try:
            email_id = put_email(outbox, context.idempotency_key, to, subject, body)
        except (NotAnEmail, NotWritten) as fault:
            raise ToolFault(str(fault)) from fault
        return {
            "email_id": email_id,
            "recipient": to,
            "file": f"outbox/{email_id}.eml",
            "call_id": context.call_id,
        }


def _add_files(tools: Registry, root: Path, most_bytes: int) -> None:
    @tools.tool("write_file", scope=_outside)
    def write_file(context: CallContext, path: str, content: str) -> JsonObject:
        """Write a text file, whole or not at all."""
        data = content.encode()
        if len(data) > most_bytes:
            raise ToolFault(f"The file would have {len(data)} bytes; {most_bytes} are allowed.")
        try:
            written = write_below(root, path, data, context.cancelled.is_set)
        except NotWritten as fault:
            raise ToolFault(str(fault)) from fault
        return {
            "path": path,
            "bytes": written.size,
            "created": written.created,
            "durable": written.durable,
            "sha256": hashlib.sha256(data).hexdigest(),
            "call_id": context.call_id,
        }


def _outside(arguments: JsonObject) -> str | None:
    path = arguments.get("path")
    return name_fault(path) if isinstance(path, str) else None
