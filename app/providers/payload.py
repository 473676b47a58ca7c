"""Looking into a provider's payload without trusting its shape.

An SDK's typed chunks say what the vendor documents; the field sends ``null``, ``""`` and missing
keys where they say otherwise. So adapters read the payloads themselves, and every look-up is a
question that may be answered with nothing.
"""

from collections.abc import Sequence

from app.calls.json_types import JsonObject, JsonValue
from app.providers.wire_json import readable


def as_object(value: JsonValue) -> JsonObject:
    """The object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def as_text(value: JsonValue) -> str:
    """The string, or ``""``: absent, null and empty mean the same on these wires."""
    return value if isinstance(value, str) else ""


def as_name(value: JsonValue) -> str | None:
    """An id or a name; None for an absent, null or empty one. Always text that can be encoded."""
    return readable(as_text(value)) or None


def as_integer(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
