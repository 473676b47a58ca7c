"""Names of tools as a provider takes them back.

A model may call a tool by a name that nobody offered (leaked control tokens, a bracket). Such a
call was refused and answered, and stays in history; but a provider refuses the whole next request
for a name outside of its own alphabet, and the conversation would be dead.
"""

import re

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MOST_CHARS = 64
"""OpenAI's bound, the narrowest."""


def wire_name(name: str) -> str:
    """The name in the alphabet and length that every dialect takes; never empty."""
    return _FOREIGN.sub("_", name)[:_MOST_CHARS] or "_"
