"""``formwork export``: a conversation as JSON."""

import argparse
import asyncio

from app.bootstrap import StartRefused, records_of
from app.calls.exact_json import dump_exact
from app.calls.json_types import JsonObject
from app.cli.errors import cannot
from app.records.errors import NotFound
from app.settings import BadSetting, Settings, read_settings

SUMMARY = "print a conversation as JSON"
DESCRIPTION = """Prints everything that was said, called and answered in a conversation as one JSON
object. The server may be running meanwhile."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("conversation", help="its id: what follows /c/ in its address")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        document = asyncio.run(_exported(read_settings(), arguments.conversation))
    except (BadSetting, StartRefused, NotFound) as error:
        return cannot(error)
    print(dump_exact(document))
    return 0


async def _exported(settings: Settings, conversation: str) -> JsonObject:
    records = await records_of(settings)
    try:
        return await records.export(conversation)
    finally:
        await records.close()
