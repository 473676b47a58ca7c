"""The types of a JSON document as the rest of the program meets it.

Numbers are exact: an integer is an ``int``, any other number a ``Decimal``. No binary float
ever stands for something a model wrote.
"""

from decimal import Decimal
from typing import TypeAlias

JsonValue: TypeAlias = "str | int | Decimal | bool | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]

Path: TypeAlias = tuple[str | int, ...]
"""Object keys and array indexes that lead to a value, outermost first."""


def dotted(path: Path) -> str:
    """A path as a page's ``data-field`` mark and its forms give it: ``lines.0.amount``."""
    return ".".join(str(step) for step in path)
