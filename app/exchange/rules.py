"""What the gate asks of tools, maps and the person: the parts' answers under one name."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from app.calls.json_types import JsonObject
from app.display.field_map import FieldMap
from app.exchange.offers import own_schema
from app.exchange.same_call import sameness
from app.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class Person:
    """On whose behalf an exchange runs."""

    id: str
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The gate's :class:`~app.calls.gate.Rules` for one person and one exchange."""

    registry: Registry
    maps: Mapping[str, FieldMap]
    person: Person
    denied: set[Hashable] = field(default_factory=set[Hashable])
    """Calls that a person denied in this exchange: see :mod:`app.exchange.same_call`."""

    def tool_names(self) -> Sequence[str]:
        return tuple(self.registry.names)

    def schema_faults(self, name: str, arguments: JsonObject) -> Sequence[str]:
        known = self.maps.get(name)
        if known is None:
            return own_schema(self.registry, name).faults(arguments)
        return known.schema_faults(arguments)

    def out_of_scope(self, name: str, arguments: JsonObject) -> str | None:
        return self.registry.out_of_scope(name, arguments)

    def authorised(self, name: str) -> bool:
        return self.registry.authorised(self.person.id, self.person.roles, name)

    def denied_before(self, name: str, arguments: JsonObject) -> bool:
        return sameness(name, arguments) in self.denied

    def asks(self, name: str, arguments: JsonObject) -> bool:
        known = self.maps.get(name)
        return known is not None and known.asks(arguments)
