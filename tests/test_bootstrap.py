"""The program as it is put together: it opens, and whenever it is told to, it ends."""

import asyncio
from pathlib import Path

import pytest

from app.bootstrap import assemble
from app.settings import Settings


@pytest.mark.timeout(60)
@pytest.mark.parametrize("turns_of_the_loop", [0, 1, 2, 5, 20, 100])
def test_a_program_that_is_stopped_at_once_comes_to_its_end(
    tmp_path: Path, turns_of_the_loop: int
) -> None:
    """Housekeeping is at the store just then; cut off there, it would hold the end up for ever."""

    async def open_and_close() -> None:
        async with assemble(Settings(data=tmp_path)):
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)

    asyncio.run(open_and_close())
