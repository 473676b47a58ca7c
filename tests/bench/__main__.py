"""Print the named tables, or all of them.

A table is a module ``tests/bench/table_<name>.py`` with ``run() -> str``, a part of a Markdown
page. It is loaded only when it is asked for, so that one need not have another's packages.
"""

import sys
from importlib import import_module
from pathlib import Path

PREFIX = "table_"


def names() -> list[str]:
    files = sorted(Path(__file__).parent.glob(f"{PREFIX}*.py"))
    return [file.stem.removeprefix(PREFIX) for file in files]


def main(asked: list[str]) -> int:
    known = names()
    unknown = [name for name in asked if name not in known]
    if unknown:
        print(f"no such table: {', '.join(unknown)}; there are: {', '.join(known)}")
        return 2
    for name in asked or known:
        print(import_module(f"tests.bench.{PREFIX}{name}").run(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
