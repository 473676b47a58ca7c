"""Sentences about results that are true of them: each is made of what the result itself says."""

from collections.abc import Callable

from app.calls.json_types import JsonObject, JsonValue
from app.providers.demo_reply import Answered, Round
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
    result = _object(answered.content)
    wording = _WORDINGS.get(answered.name)
    if result is None:
        return f"{answered.name} returned: “{_clip(answered.content)}”"
    return (wording and wording(result)) or f"{answered.name} returned {_listed(result)}."


def _ticket(result: JsonObject) -> str | None:
    ticket = _text(result, "ticket_id")
    return ticket and f"The ticket is open as {ticket}."


def _invoice(result: JsonObject) -> str | None:
    number, amount = _text(result, "invoice_number"), _text(result, "amount")
    if not number or not amount:
        return None
    parts = [
        f"made out to {customer}" if (customer := _text(result, "customer")) else "",
        f"for {amount} {_text(result, 'currency') or ''}".rstrip(),
        f"due on {due}" if (due := _text(result, "due_date")) else "",
        f"with the status “{status}”" if (status := _text(result, "status")) else "",
    ]
    return f"Invoice {number} is {', '.join(part for part in parts if part)}."


_WORDINGS: dict[str, Callable[[JsonObject], str | None]] = {
    "create_ticket": _ticket,
    "look_up_invoice": _invoice,
}


def _object(content: str) -> JsonObject | None:
    try:
        value = read(content)
    except UnreadableJson:
        return None
    return value if isinstance(value, dict) and value else None


def _text(result: JsonObject, name: str) -> str | None:
    value = result.get(name)
    return None if value is None or isinstance(value, dict | list) else _shown(value)


def _listed(result: JsonObject) -> str:
    return _clip(", ".join(f"{name.replace('_', ' ')}: {_shown(v)}" for name, v in result.items()))


def _shown(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return f"{len(value)} fields"
    if isinstance(value, list):
        return f"{len(value)} entries"
    return "none" if value is None else str(value)


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED_CHARS else text[: _QUOTED_CHARS - 1] + "…"
