"""Sentences about results that are true of them: each is made of what the result itself says.

Only of fields that the shipped field maps show: a model that read a hidden field out would undo
what the map hides.
"""

from collections.abc import Callable, Iterator

from app.calls.json_types import JsonObject
from app.providers.demo_reply import Answered, Round
from app.providers.payload import as_list, as_object
from app.providers.wire_json import UnreadableJson, read

_QUOTED_CHARS = 300
_NOT_RUN = "Not run: "


def tell(answered: Round) -> str:
    """What the person is told of the results of a round, one sentence for each."""
    return " ".join(_sentence(one) for one in answered)


def _sentence(answered: Answered) -> str:
    if answered.is_error:
        content = _clip(answered.content)
        if content.startswith(_NOT_RUN):
            return f"{answered.name} was not run: {content.removeprefix(_NOT_RUN)}"
        return f"{answered.name} came back with an error: “{content}”"
    wording = _WORDINGS.get(answered.name)
    result = _object(answered.content)
    return (wording and wording(result)) or f"{answered.name} returned its result."


def _ticket(result: JsonObject) -> str | None:
    ticket = _text(result, "ticket_id")
    return ticket and f"The ticket is on record as {ticket}."


def _invoice(result: JsonObject) -> str | None:
    number, total = _text(result, "invoice_number"), _text(result, "total")
    if not number or not total:
        return None
    money = f"{total} {_text(result, 'currency') or ''}".rstrip()
    return f"Invoice {number} is {', '.join(_invoice_parts(result, money))}."


def _invoice_parts(result: JsonObject, money: str) -> Iterator[str]:
    if customer := _text(result, "customer"):
        yield f"made out to {customer}"
    yield f"for {money}"
    if due := _text(result, "due"):
        yield f"due on {due}"
    paid = result.get("paid")
    if isinstance(paid, bool):
        yield "and it is paid" if paid else "and it is not paid yet"


def _email(result: JsonObject) -> str | None:
    email, recipient = _text(result, "email_id"), _text(result, "recipient")
    return email and recipient and f"The e-mail to {recipient} is in the outbox as {email}."


def _refund(result: JsonObject) -> str | None:
    refund, amount = _text(result, "refund_id"), _text(result, "amount")
    if not refund or not amount:
        return None
    money = f"{amount} {_text(result, 'currency') or ''}".rstrip()
    left = _text(result, "left_to_refund")
    rest = f"; {left} could still be refunded" if left else ""
    return f"The refund of {money} is on record as {refund}{rest}."


def _file(result: JsonObject) -> str | None:
    path, size = _text(result, "path"), _text(result, "bytes")
    return path and size and f"{path} is written: {size} bytes."


def _tickets(result: JsonObject) -> str | None:
    found = _text(result, "found")
    if found is None:
        return None
    listed = [_text(as_object(ticket), "ticket_id") for ticket in as_list(result.get("tickets"))]
    names = ", ".join(name for name in listed[:5] if name)
    return f"The search found {found}{f', the first of them {names}' if names else ''}."


_WORDINGS: dict[str, Callable[[JsonObject], str | None]] = {
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
    """A member that is a text or a number, as it is written."""
    value = result.get(name)
    return None if value is None or isinstance(value, bool | dict | list) else str(value)


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED_CHARS else text[: _QUOTED_CHARS - 1] + "…"
