"""A lost worker is known at once by its lock, however it ended."""

import signal
import subprocess
import sys
from pathlib import Path

from app.records.worker_locks import WorkerLocks

_HOLDER = """
import sys, time
from pathlib import Path
from app.records.worker_locks import WorkerLocks
with WorkerLocks(Path(sys.argv[1])).held("w1"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_living_worker_is_not_gone(tmp_path: Path) -> None:
    locks = WorkerLocks(tmp_path / "workers")
    with locks.held("w1"):
        assert WorkerLocks(tmp_path / "workers").gone() == []


def test_a_worker_that_ended_in_good_order_leaves_nothing(tmp_path: Path) -> None:
    locks = WorkerLocks(tmp_path / "workers")
    with locks.held("w1"):
        pass
    assert locks.gone() == []
    assert list((tmp_path / "workers").iterdir()) == []


def test_a_killed_worker_is_gone_until_it_is_forgotten(tmp_path: Path) -> None:
    folder = tmp_path / "workers"
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    with holder, WorkerLocks(folder).held("w2"):
        assert holder.stdout.readline() == "held\n"
        assert WorkerLocks(folder).gone() == []
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert WorkerLocks(folder).gone() == ["w1"]
        WorkerLocks(folder).forget("w1")
        assert WorkerLocks(folder).gone() == []


def test_without_a_folder_nobody_is_gone(tmp_path: Path) -> None:
    assert WorkerLocks(tmp_path / "none").gone() == []
