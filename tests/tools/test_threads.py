import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from app.tools.threads import ThreadEnded, in_thread

_WORD = contextvars.ContextVar[str]("word")


async def test_what_the_call_returns_or_raises_comes_back() -> None:
    _WORD.set("set")
    assert await in_thread(_WORD.get) == "set"
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


@pytest.mark.parametrize("ending", [SystemExit, StopIteration, KeyboardInterrupt])
async def test_a_call_can_end_its_thread_and_no_more(ending: type[BaseException]) -> None:
    def end() -> None:
        raise ending

    with pytest.raises(ThreadEnded, match=ending.__name__):
        await in_thread(end)


async def test_many_calls_that_block_hold_up_no_other() -> None:
    together = threading.Barrier(64, timeout=60)
    await asyncio.gather(*(in_thread(together.wait) for _ in range(64)))


async def test_an_abandoned_call_ends_unheard() -> None:
    started, release, ended = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        release.wait(60)
        ended.set()

    running = asyncio.create_task(in_thread(wait))
    while not started.is_set():
        await asyncio.sleep(0.005)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    release.set()
    while not ended.is_set():
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.01)


_HANGS = """
import asyncio, threading
from app.tools.threads import in_thread

async def main():
    try:
        await asyncio.wait_for(in_thread(threading.Event().wait), 0.1)
    except TimeoutError:
        print("given up")

asyncio.run(main())
"""


def test_a_call_that_hangs_does_not_hold_up_the_programs_end() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _HANGS], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.strip() == "given up"
    assert ran.stderr == ""
