"""The tools as the model is told of them."""

from collections.abc import Iterator, Mapping

from app.display.exact_schema import ExactSchema
from app.display.field_map import FieldMap
from app.providers.provider import ToolOffer
from app.tools.registry import Registry


def offers(registry: Registry, maps: Mapping[str, FieldMap]) -> Iterator[ToolOffer]:
    """Every tool, under its map's words and schema; one without a map under its own."""
    for tool in registry:
        known = maps.get(tool.name)
        if known is None:
            yield ToolOffer(tool.name, tool.description, tool.signature.schema())
        else:
            yield ToolOffer(tool.name, known.description, known.parameters, known.streams)


def own_schema(registry: Registry, name: str) -> ExactSchema:
    """The schema that a tool without a map is held to: that of its own signature."""
    return ExactSchema(registry[name].signature.schema())
