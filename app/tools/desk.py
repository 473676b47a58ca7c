"""The local state that the shipped tools act on: one SQLite file of tickets, invoices, refunds.

It is made and seeded when first opened. Every method is one transaction of its own connection, so
that any thread and any process may call; ones that write take the call's idempotency key, under
which nothing happens twice.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

_FIRST_TICKET = 9001
_FIRST_REFUND = 501
_BUSY_MS = 10_000

_TABLES = """
CREATE TABLE IF NOT EXISTS tickets (
  number INTEGER PRIMARY KEY, call_key TEXT NOT NULL UNIQUE, project TEXT NOT NULL,
  title TEXT NOT NULL, priority TEXT NOT NULL, description TEXT NOT NULL,
  customer_email TEXT, status TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS invoices (
  number TEXT PRIMARY KEY, customer TEXT NOT NULL, issued TEXT NOT NULL, due TEXT NOT NULL,
  currency TEXT NOT NULL, paid INTEGER NOT NULL, account_manager TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS invoice_lines (
  invoice TEXT NOT NULL REFERENCES invoices(number), position INTEGER NOT NULL,
  text TEXT NOT NULL, quantity INTEGER NOT NULL, cents INTEGER NOT NULL,
  PRIMARY KEY (invoice, position)
);
CREATE TABLE IF NOT EXISTS refunds (
  number INTEGER PRIMARY KEY, call_key TEXT NOT NULL UNIQUE,
  invoice TEXT NOT NULL REFERENCES invoices(number), cents INTEGER NOT NULL,
  reason TEXT NOT NULL, created TEXT NOT NULL
);
"""

_INVOICES = (
    ("INV-2026-0287", "Ada's Bakery", "2026-02-02", "2026-03-04", "EUR", 1, "desk-2"),
    ("INV-2026-0298", "Northwind Cycles", "2026-02-16", "2026-03-18", "USD", 0, "desk-1"),
    ("INV-2026-0312", "Blue Harbour GmbH", "2026-03-02", "2026-04-01", "EUR", 1, "desk-1"),
    ("INV-2026-0313", "Blue Harbour GmbH", "2026-03-02", "2026-04-01", "EUR", 0, "desk-1"),
)

_LINES = (
    ("INV-2026-0287", 1, "Oven service", 1, 18_000),
    ("INV-2026-0298", 1, "Annual plan", 3, 144_000),
    ("INV-2026-0312", 1, "Team plan, March", 25, 100_000),
    ("INV-2026-0312", 2, "Storage, 500 GB", 1, 25_000),
    ("INV-2026-0312", 3, "Support hours", 5, 62_500),
    ("INV-2026-0313", 1, "Team plan, April", 25, 100_000),
)


class DeskFault(Exception):
    """What was asked cannot be done. The message is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Ticket:
    ticket_id: str
    project: str
    title: str
    priority: str
    status: str
    created: datetime


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    text: str
    quantity: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Invoice:
    """``refunded`` is what has been paid back so far, in the invoice's currency."""

    invoice_number: str
    customer: str
    issued: str
    due: str
    currency: str
    paid: bool
    lines: tuple[InvoiceLine, ...]
    refunded: Decimal
    account_manager: str

    @property
    def total(self) -> Decimal:
        return sum((line.amount for line in self.lines), Decimal("0.00"))


@dataclass(frozen=True, slots=True)
class Refund:
    refund_id: str
    ledger_entry: int
    amount: Decimal
    left_to_refund: Decimal


class Desk:
    """Tickets, invoices and refunds in the file at ``path``, which is made when missing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def open_ticket(
        self, key: str, project: str, title: str, priority: str, description: str, email: str | None
    ) -> Ticket:
        """Put a ticket on record; the one of the same key where there is one."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as db:
            db.execute(
                "INSERT INTO tickets (number, call_key, project, title, priority, description,"
                " customer_email, status, created)"
                " VALUES ((SELECT COALESCE(MAX(number), ?) + 1 FROM tickets),?,?,?,?,?,?,'open',?)"
                " ON CONFLICT (call_key) DO NOTHING",
                (_FIRST_TICKET - 1, key, project, title, priority, description, email, now),
            )
            row = db.execute("SELECT * FROM tickets WHERE call_key = ?", (key,)).fetchone()
        return _ticket(row)

    def tickets(self, words: str = "") -> list[Ticket]:
        """Tickets whose title or description has all the words, newest first."""
        with self._transaction() as db:
            rows = db.execute("SELECT * FROM tickets ORDER BY number DESC").fetchall()
        wanted = words.casefold().split()
        return [
            _ticket(row)
            for row in rows
            if all(word in f"{row['title']} {row['description']}".casefold() for word in wanted)
        ]

    def invoice(self, number: str) -> Invoice:
        """The invoice of that number. Raises :class:`DeskFault`."""
        with self._transaction() as db:
            return _invoice(db, number)

    def refund(self, key: str, number: str, amount: Decimal, currency: str, reason: str) -> Refund:
        """Pay back part of a paid invoice; the refund of the same key where there is one.

        Raises :class:`DeskFault` for an unknown or unpaid invoice, another currency, and more
        than is left.
        """
        cents = _cents(amount)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as db:
            invoice = _invoice(db, number)
            row = db.execute(
                "SELECT number, cents FROM refunds WHERE call_key = ?", (key,)
            ).fetchone()
            if row is None:
                _require_refundable(invoice, amount, currency)
                row = db.execute(
                    "INSERT INTO refunds (number, call_key, invoice, cents, reason, created)"
                    " VALUES ((SELECT COALESCE(MAX(number), ?) + 1 FROM refunds),?,?,?,?,?)"
                    " RETURNING number, cents",
                    (_FIRST_REFUND - 1, key, number, cents, reason, now),
                ).fetchone()
                invoice = _invoice(db, number)
        left = invoice.total - invoice.refunded
        return Refund(f"RF-{row['number']}", row["number"], _amount(row["cents"]), left)

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._path, timeout=_BUSY_MS / 1000, isolation_level=None)
        try:
            db.row_factory = sqlite3.Row
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("BEGIN IMMEDIATE")
            _prepare(db)
            yield db
            db.execute("COMMIT")
        finally:
            db.close()  # rolls back what was not committed


def _prepare(db: sqlite3.Connection) -> None:
    if db.execute("PRAGMA user_version").fetchone()[0]:
        return
    for statement in _TABLES.split(";\n"):
        db.execute(statement)
    db.executemany("INSERT INTO invoices VALUES (?,?,?,?,?,?,?)", _INVOICES)
    db.executemany("INSERT INTO invoice_lines VALUES (?,?,?,?,?)", _LINES)
    db.execute("PRAGMA user_version = 1")


def _ticket(row: sqlite3.Row) -> Ticket:
    return Ticket(
        ticket_id=f"TICK-{row['number']}",
        project=row["project"],
        title=row["title"],
        priority=row["priority"],
        status=row["status"],
        created=datetime.fromisoformat(row["created"]),
    )


def _invoice(db: sqlite3.Connection, number: str) -> Invoice:
    row = db.execute("SELECT * FROM invoices WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise DeskFault("There is no invoice of that number.")
    lines = db.execute(
        "SELECT * FROM invoice_lines WHERE invoice = ? ORDER BY position", (number,)
    ).fetchall()
    refunded = db.execute(
        "SELECT COALESCE(SUM(cents), 0) FROM refunds WHERE invoice = ?", (number,)
    ).fetchone()[0]
    return Invoice(
        invoice_number=row["number"],
        customer=row["customer"],
        issued=row["issued"],
        due=row["due"],
        currency=row["currency"],
        paid=bool(row["paid"]),
        lines=tuple(
            InvoiceLine(line["text"], line["quantity"], _amount(line["cents"])) for line in lines
        ),
        refunded=_amount(refunded),
        account_manager=row["account_manager"],
    )


def _require_refundable(invoice: Invoice, amount: Decimal, currency: str) -> None:
    if not invoice.paid:
        raise DeskFault("The invoice has not been paid, so there is nothing to pay back.")
    if currency != invoice.currency:
        raise DeskFault(f"The invoice is in {invoice.currency}.")
    left = invoice.total - invoice.refunded
    if amount > left:
        raise DeskFault(f"Only {left} {currency} of the invoice are left to pay back.")


def _amount(cents: int) -> Decimal:
    return Decimal(cents).scaleb(-2).quantize(Decimal("0.01"))


def _cents(amount: Decimal) -> int:
    cents = amount.scaleb(2)
    if cents <= 0 or cents != cents.to_integral_value():
        raise DeskFault("The amount must be in whole cents and more than nothing.")
    return int(cents)
