"""Parts of the README made from the program; ``python -m tests.readme_parts`` writes them."""

import re
from pathlib import Path

from app.calls.states import FINAL_STATES, INITIAL_STATES, TRANSITIONS
from app.settings import PREFIX, Settings, shown_default

README = Path(__file__).parents[1] / "README.md"


def states_picture() -> str:
    """The life of a call as a Mermaid diagram, from the one table of states."""
    lines = ["stateDiagram-v2"]
    lines += [f"    [*] --> {state}: announced" for state in sorted(INITIAL_STATES)]
    lines += [
        f"    {before} --> {after}: {event}"
        for (before, event), after in TRANSITIONS.items()
        if before is not after
    ]
    lines += [f"    {state} --> [*]" for state in sorted(FINAL_STATES)]
    return "\n".join(lines)


def settings_list() -> str:
    """Every setting with its default and its meaning, as a table."""
    lines = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default = f"`{shown_default(name)}`" if shown_default(name) else ""
        meaning = (field.description or "").replace("|", "\\|")
        lines.append(f"| `{PREFIX}{name.upper()}` | {default} | {meaning} |")
    return "\n".join(lines)


def main() -> None:
    """Write the parts into the README."""
    text = README.read_text()
    for name, part in (
        ("states", f"```mermaid\n{states_picture()}\n```"),
        ("settings", settings_list()),
    ):
        pattern = rf"(?s)(<!-- {name} -->\n).*?(\n?<!-- /{name} -->)"
        text = re.sub(
            pattern, lambda found, part=part: f"{found[1]}{part}\n{found[2].strip()}", text
        )
    README.write_text(text)


if __name__ == "__main__":
    main()
