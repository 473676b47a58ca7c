"""``formwork delete``: a conversation and all that belongs to it, for good."""

import argparse
import asyncio

from app.bootstrap import StartRefused, records_of
from app.cli.errors import cannot
from app.records.errors import ConversationBusy, NotFound
from app.settings import BadSetting, Settings, read_settings

SUMMARY = "delete a conversation for good"
DESCRIPTION = """Deletes a conversation and all that belongs to it: messages, turns, calls and
results. What its calls did stays done. One in which the assistant is at work is left alone."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("conversation", help="its id: what follows /c/ in its address")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    try:
        asyncio.run(_delete(read_settings(), arguments.conversation))
    except (BadSetting, StartRefused, NotFound, ConversationBusy) as error:
        return cannot(error)
    print(f"deleted {arguments.conversation}")
    return 0


async def _delete(settings: Settings, conversation: str) -> None:
    records = await records_of(settings)
    try:
        if await records.delete_conversation_at_rest(conversation):
            return
        if await records.conversation(conversation) is None:
            raise NotFound("conversation", conversation)
        raise ConversationBusy(conversation)
    finally:
        await records.close()
