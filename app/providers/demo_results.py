"""Sentences about results that are true of them: each is made of what the result itself says.

Only of fields that the shipped field maps show (a test compares): a model that read a hidden field
out would undo what the map hides.
"""

from calendar import month_name
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from app.calls.json_types import JsonObject, JsonValue
from app.providers.demo_errors import tell_error
from app.providers.demo_reply import Answered, Round
from app.providers.payload import as_list, as_object
from app.providers.wire_json import UnreadableJson, read

_MOST_TICKETS = 3


def tell(answered: Round) -> str:
    """What the person is told of the results of a round, result by result."""
    return " ".join(_told(one) for one in answered)


def _told(answered: Answered) -> str:
    if answered.is_error:
        return tell_error(answered)
    wording = _WORDINGS.get(answered.name)
    told = wording and wording(_object(answered.content))
    return told or f"The tool {answered.name} has returned its result."


def _ticket(result: JsonObject) -> str | None:
    ticket, status = _text(result, "ticket_id"), _text(result, "status")
    if not ticket:
        return None
    state = f" Its status is “{status}”." if status else ""
    return f"The ticket is on record as {ticket}.{state}"


def _invoice(result: JsonObject) -> str | None:
    number, total = _text(result, "invoice_number"), _money(result, "total")
    if not number or not total:
        return None
    customer = _text(result, "customer")
    addressed = f" to {customer}" if customer else ""
    return f"Invoice {number}{addressed} comes to {total}.{_due(result)}{_refunded(result)}"


def _due(result: JsonObject) -> str:
    facts: list[str] = []
    if due := _day(result, "due"):
        facts.append(f"is due on {due}")
    paid = result.get("paid")
    if isinstance(paid, bool):
        facts.append("has been paid" if paid else "has not been paid yet")
    return f" It {' and '.join(facts)}." if facts else ""


def _refunded(result: JsonObject) -> str:
    refunded = result.get("refunded")
    if not isinstance(refunded, int | Decimal) or isinstance(refunded, bool) or not refunded:
        return ""
    return f" {_money(result, 'refunded')} of it has been refunded."


def _email(result: JsonObject) -> str | None:
    email, recipient = _text(result, "email_id"), _text(result, "recipient")
    return email and recipient and f"The e-mail to {recipient} is in the outbox as {email}."


def _refund(result: JsonObject) -> str | None:
    refund, amount = _text(result, "refund_id"), _money(result, "amount")
    if not refund or not amount:
        return None
    invoice, left = _text(result, "invoice_number"), _money(result, "left_to_refund")
    of = f" on invoice {invoice}" if invoice else ""
    rest = f" {left} could still be refunded." if left else ""
    return f"The refund of {amount}{of} is on record as {refund}.{rest}"


def _file(result: JsonObject) -> str | None:
    path, size = _text(result, "path"), _number(result, "bytes")
    if not path or not size:
        return None
    created = result.get("created")
    kind = "The new file" if created is True else "The file"
    deed = "has been replaced" if created is False else "has been written"
    return f"{kind} {path} {deed}; it has {size} bytes."


def _tickets(result: JsonObject) -> str | None:
    found = _number(result, "found")
    if found is None:
        return None
    listed = [_listed(as_object(ticket)) for ticket in as_list(result.get("tickets"))]
    names = [name for name in listed if name][:_MOST_TICKETS]
    lead = ":" if found == str(len(names)) else ", among them"
    tail = f"{lead} {_joined(names)}" if names else ""
    count = {"0": "no tickets", "1": "one ticket"}.get(found, f"{found} tickets")
    return f"The search found {count}{tail}."


def _listed(ticket: JsonObject) -> str | None:
    identity, title = _text(ticket, "ticket_id"), _text(ticket, "title")
    return f"{identity} (“{title}”)" if identity and title else identity


def _joined(names: list[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


_WORDINGS: Mapping[str, Callable[[JsonObject], str | None]] = {
    "create_ticket": _ticket,
    "look_up_invoice": _invoice,
    "send_email": _email,
    "refund": _refund,
    "write_file": _file,
    "search_tickets": _tickets,
}


def _object(content: str) -> JsonObject:
    try:
        return as_object(read(content))
    except UnreadableJson:
        return {}


def _text(result: JsonObject, name: str) -> str | None:
    value = result.get(name)
    return value if isinstance(value, str) and value else None


def _number(result: JsonObject, name: str) -> str | None:
    """A number with its own digits, in groups of three."""
    value: JsonValue = result.get(name)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return f"{value:,}"


def _money(result: JsonObject, name: str) -> str | None:
    amount, currency = _number(result, name), _text(result, "currency")
    return f"{amount} {currency}" if amount and currency else amount


def _day(result: JsonObject, name: str) -> str | None:
    """A date as people write it; another text as it is."""
    written = _text(result, name)
    try:
        day = date.fromisoformat(written or "")
    except ValueError:
        return written
    return f"{day.day} {month_name[day.month]} {day.year}"
