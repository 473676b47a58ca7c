"""Which workers of this machine are gone, known at once.

A lease tells only after a while that a process was lost; on the machine itself the kernel knows.
Each worker holds a lock on a file of its own for as long as it lives, however it ends. A file that
can be locked by somebody else belongs to a worker that is gone.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_SUFFIX = ".lock"


class WorkerLocks:
    """The lock files of one folder, which all workers on this machine share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, worker: str) -> Generator[None]:
        """Hold this worker's lock for the length of the block."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(worker)
        unlocked = path.with_suffix(".new")
        handle = os.open(unlocked, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            unlocked.rename(path)  # only now can others find it, and it is locked already
            yield
        finally:
            path.unlink(missing_ok=True)
            os.close(handle)

    def gone(self) -> list[str]:
        """Workers that ended without a word. Call :meth:`forget` once that has been dealt with."""
        if not self._folder.is_dir():
            return []
        return [path.stem for path in sorted(self._folder.glob(f"*{_SUFFIX}")) if _is_free(path)]

    def forget(self, worker: str) -> None:
        self._path(worker).unlink(missing_ok=True)

    def _path(self, worker: str) -> Path:
        return self._folder / f"{worker}{_SUFFIX}"


def _is_free(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False  # its worker has just ended in good order
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
