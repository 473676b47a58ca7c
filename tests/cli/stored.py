"""A data folder as a server left it, with one conversation."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from app.calls.states import CallState
from app.records.rows import Outcome
from app.records.store import Records
from tests.records.making import new_call, open_with_calls

T = TypeVar("T")


def in_store(data: Path, work: Callable[[Records], Coroutine[Any, Any, T]]) -> T:
    """Do something with the store of a data folder."""

    async def done() -> T:
        records = await Records.open(f"sqlite:///{data / 'formwork.sqlite3'}")
        try:
            return await work(records)
        finally:
            await records.close()

    return asyncio.run(done())


def use(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    """Let commands work on this data folder."""
    monkeypatch.setenv("FORMWORK_DATA", str(data))


def conversation_in(data: Path, *, at_work: bool = False) -> str:
    """The id of a conversation with one call, which ran; ``at_work`` leaves its exchange open."""

    async def made(records: Records) -> str:
        opened = await open_with_calls(records, [new_call(arguments={"number": 7})])
        assert await records.claim_call(opened.call_ids[0], "w", opened.digests[0])
        await records.record_result(
            opened.call_ids[0], "w", CallState.DONE, "12.50", "12.50", False, 3
        )
        if not at_work:
            await records.end_exchange(opened.exchange_id, Outcome.ANSWERED)
        return opened.conversation_id

    return in_store(data, made)
