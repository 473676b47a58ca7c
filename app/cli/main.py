"""The commands and their arguments."""

import argparse
import sys
from collections.abc import Sequence

from app.cli import (
    check_maps,
    delete_conversation,
    draft_map,
    export_conversation,
    replay,
    serve,
)
from app.settings import settings_table


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    sys.path.insert(0, "")  # tools of the folder we are in, as with `python -m app`
    arguments = _parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except BrokenPipeError:
        return 0  # the reader of our output has what it wanted
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="formwork", description="A chat front end for assistants that call tools."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    served = commands.add_parser(
        "serve",
        help="start the server",
        description="Start the server. It is configured by environment variables alone.",
        epilog=f"settings (environment variables):\n{settings_table()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    served.set_defaults(run=serve.run)
    for name, command in (
        ("replay", replay),
        ("check", check_maps),
        ("map", draft_map),
        ("export", export_conversation),
        ("delete", delete_conversation),
    ):
        command.configure(
            commands.add_parser(name, help=command.SUMMARY, description=command.DESCRIPTION)
        )
    return parser
