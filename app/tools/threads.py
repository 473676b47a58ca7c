"""A thread of its own for one blocking call.

The loop's executor is not for tools: it has few threads, so that one tool that hangs would hold up
all others, and a stopping program waits for all of them. How many calls run at once is bounded by
whoever dispatches them.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class ThreadEnded(Exception):
    """The call tried to end its thread or the program (``SystemExit``, ``StopIteration``)."""


async def in_thread(call: Callable[[], T]) -> T:
    """Run the call in a thread of its own and return what it returns, or raise what it raises.

    Cancelling abandons the thread: it goes on, what it returns is dropped, and the program does
    not wait for it when it stops.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(result: T | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(call)
        except StopIteration as ended:
            error = ThreadEnded(type(ended).__name__).with_traceback(ended.__traceback__)
        except Exception as raised:  # noqa: BLE001 - handed over to whoever awaits
            error = raised
        except BaseException as ended:  # noqa: BLE001 - it is the thread's end, not the program's
            error = ThreadEnded(type(ended).__name__).with_traceback(ended.__traceback__)
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=work, name="tool", daemon=True).start()
    return await future
