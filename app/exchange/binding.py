"""What binds a dispatch to what was judged, and an approval to what was shown.

One digest over the tool's name, its schema and the exact arguments: where any of them is another
at dispatch than it was at the gate or in the prompt, the call does not run.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from app.calls.exact_json import digest, dump_exact
from app.calls.json_types import JsonObject
from app.display.field_map import FieldMap

VERSION_CHARS = 12
"""Of a schema's digest: enough to tell versions of one schema apart, and to be read out."""


@dataclass(frozen=True, slots=True)
class Binding:
    """Makes digests under the maps in force."""

    maps: Mapping[str, FieldMap]

    def schema_version(self, tool: str) -> str:
        """Changes with the schema of the tool's map; empty for a tool without one."""
        known = self.maps.get(tool)
        if known is None:
            return ""
        return digest(json.dumps(known.parameters, sort_keys=True, default=str))[:VERSION_CHARS]

    def digest(self, tool: str, arguments: JsonObject) -> str:
        """64 hexadecimal digits."""
        return digest(dump_exact([tool, self.schema_version(tool), arguments]))
