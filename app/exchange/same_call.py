"""Whether a model makes the same call again: equal arguments, in whatever order and spelling."""

from collections.abc import Hashable

from app.calls.json_types import JsonValue


def sameness(tool: str, arguments: JsonValue) -> Hashable:
    """Equal for calls that ask the same of the same tool: ``1250`` is ``1250.00``, ``1`` is not
    ``true``, and the order of an object's members does not count."""
    return tool, _frozen(arguments)


def _frozen(value: JsonValue) -> Hashable:
    match value:
        case dict():
            return "object", frozenset((key, _frozen(member)) for key, member in value.items())
        case list():
            return "array", tuple(_frozen(element) for element in value)
        case bool():
            return "boolean", value
        case _:
            return value
