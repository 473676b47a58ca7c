"""The shipped tools under their shipped maps, with a log of what they were really asked to do."""

from dataclasses import dataclass
from pathlib import Path

from app.calls.json_types import JsonObject, JsonValue
from app.display.field_map import FieldMap
from app.tools.map_files import load_field_maps, shipped_maps
from app.tools.registry import CallContext, Registry
from app.tools.shipped import shipped_tools


@dataclass(frozen=True, slots=True)
class Ran:
    name: str
    arguments: JsonObject
    call: str


class LoggedRegistry(Registry):
    """Another registry's tools; ``ran`` holds every call of one, in order."""

    def __init__(self, of: Registry) -> None:
        super().__init__()
        self.ran: list[Ran] = []
        for tool in of:
            register = self.tool(
                tool.name, scope=tool.scope, roles=tool.roles, idempotent=tool.idempotent
            )
            register(tool.run)

    async def run(self, name: str, arguments: JsonObject, context: CallContext) -> JsonValue:
        self.ran.append(Ran(name, arguments, context.call_id))
        return await super().run(name, arguments, context)


def logged_shipped_tools(data: Path, write_root: Path) -> LoggedRegistry:
    return LoggedRegistry(shipped_tools(data, write_root))


def shipped_field_maps() -> dict[str, FieldMap]:
    return load_field_maps(shipped_maps())
