"""Files are written below the root, whole or not at all, whatever happens meanwhile."""

import contextlib
import hashlib
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from app.tools.file_writing import NotWritten, write_below


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("old")
    return folder


def tree(folder: Path) -> dict[str, str]:
    """Every entry below a folder with its kind and, for a file, its content's digest."""
    entries: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        kind = stat.S_IFMT(mode)
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""
        entries[str(path.relative_to(folder))] = f"{kind} {stat.S_IMODE(mode)} {digest}"
    return entries


def test_a_new_file_is_written_with_its_folders(root: Path) -> None:
    written = write_below(root, "a/b/notes.txt", b"text")
    assert (written.created, written.size, written.durable) == (True, 4, True)
    assert (root / "a/b/notes.txt").read_bytes() == b"text"
    assert sorted(tree(root)) == ["a", "a/b", "a/b/notes.txt"]


def test_the_root_is_made_when_it_is_missing(tmp_path: Path) -> None:
    write_below(tmp_path / "x/y", "a.txt", b"")
    assert (tmp_path / "x/y/a.txt").read_bytes() == b""


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_is_replaced_and_keeps_its_mode(root: Path, mode: int) -> None:
    file = root / "a.txt"
    file.write_text("old")
    file.chmod(mode)
    assert not write_below(root, "a.txt", b"new").created
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert sorted(tree(root)) == ["a.txt"]


def test_a_set_id_bit_does_not_pass_to_new_content(root: Path) -> None:
    file = root / "a"
    file.write_text("old")
    file.chmod(0o4755)
    write_below(root, "a", b"new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


def test_another_name_of_the_same_file_keeps_the_old_content(root: Path, outside: Path) -> None:
    os.link(outside / "secret.txt", root / "a.txt")
    write_below(root, "a.txt", b"new")
    assert (outside / "secret.txt").read_text() == "old"


def link_file(root: Path, outside: Path) -> str:
    (root / "a.txt").symlink_to(outside / "secret.txt")
    return "a.txt"


def link_folder(root: Path, outside: Path) -> str:
    (root / "sub").symlink_to(outside)
    return "sub/secret.txt"


def link_deep_folder(root: Path, outside: Path) -> str:
    (root / "x").mkdir()
    (root / "x/sub").symlink_to(outside)
    return "x/sub/y/new.txt"


def link_to_nothing(root: Path, outside: Path) -> str:
    (root / "a.txt").symlink_to(outside / "new.txt")
    return "a.txt"


def link_folder_to_nothing(root: Path, outside: Path) -> str:
    (root / "sub").symlink_to(outside / "new")
    return "sub/a.txt"


def link_within(root: Path, outside: Path) -> str:
    (root / "real").mkdir()
    (root / "sub").symlink_to("real")
    return "sub/a.txt"


def folder(root: Path, outside: Path) -> str:
    (root / "a.txt").mkdir()
    return "a.txt"


def file_as_folder(root: Path, outside: Path) -> str:
    (root / "a.txt").write_text("old")
    return "a.txt/b.txt"


def pipe(root: Path, outside: Path) -> str:
    os.mkfifo(root / "pipe")
    return "pipe"


def read_only(root: Path, outside: Path) -> str:
    (root / "a.txt").write_text("old")
    (root / "a.txt").chmod(0o444)
    return "a.txt"


def device(root: Path, outside: Path) -> str:
    try:
        os.mknod(root / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("a device file cannot be made here")
    return "null"


def listener(root: Path, outside: Path) -> str:
    place = os.getcwd()
    os.chdir(root)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket")
    finally:
        os.chdir(place)
    return "socket"


def plain_escape(root: Path, outside: Path) -> str:
    return "../outside/secret.txt"


@pytest.mark.parametrize(
    "make",
    [
        link_file, link_folder, link_deep_folder, link_to_nothing, link_folder_to_nothing,
        link_within, folder, file_as_folder, pipe, read_only, device, listener, plain_escape,
    ],
)  # fmt: skip
def test_what_is_no_plain_file_below_the_root_is_left_alone(
    root: Path, outside: Path, make: Callable[[Path, Path], str]
) -> None:
    path = make(root, outside)
    before = tree(root), tree(outside)
    with pytest.raises(NotWritten):
        write_below(root, path, b"new")
    assert (tree(root), tree(outside)) == before


def test_a_stopped_call_leaves_everything_as_it_was(root: Path) -> None:
    (root / "a.txt").write_text("old")
    before = tree(root)
    for path in ("a.txt", "b/c/d.txt"):
        with pytest.raises(NotWritten, match="stopped"):
            write_below(root, path, b"new", lambda: True)
    assert tree(root) == before


@contextlib.contextmanager
def swapping(name: Path, outside: Path) -> Generator[None]:
    """Makes ``name`` by turns a folder and a link out of the root, until the block ends."""
    done = threading.Event()
    real = name.with_name("real")

    def swap() -> None:
        while not done.is_set():
            with contextlib.suppress(OSError):
                os.rename(name, real)
                os.symlink(outside, name)
            with contextlib.suppress(OSError):
                os.unlink(name)
                os.rename(real, name)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_folder_swapped_for_a_link_between_check_and_use_leads_nowhere(
    root: Path, outside: Path
) -> None:
    (root / "sub").mkdir()
    before = tree(outside)
    written = 0
    with swapping(root / "sub", outside):
        for count in range(400):
            with contextlib.suppress(NotWritten):
                write_below(root, "sub/secret.txt", b"%d" % count)
                written += 1
    assert tree(outside) == before
    assert written > 0


def test_a_target_swapped_for_a_link_is_replaced_and_not_followed(
    root: Path, outside: Path
) -> None:
    before = tree(outside)
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            with contextlib.suppress(FileExistsError):
                os.symlink(outside / "secret.txt", root / "a.txt")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(root / "a.txt")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(400):
            with contextlib.suppress(NotWritten):
                write_below(root, "a.txt", b"new")
    finally:
        done.set()
        thread.join()
    assert tree(outside) == before


def test_many_writers_of_one_file_leave_one_of_their_texts_whole(root: Path) -> None:
    texts = [bytes([65 + index]) * 100_000 for index in range(8)]
    threads = [threading.Thread(target=write_below, args=(root, "a/b.txt", text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (root / "a/b.txt").read_bytes() in texts
    assert sorted(tree(root)) == ["a", "a/b.txt"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_leaves_the_old_file_whole(small_disk: Path) -> None:
    write_below(small_disk, "a.txt", b"old")
    before = tree(small_disk)
    for path in ("a.txt", "new/b.txt"):
        with pytest.raises(NotWritten, match="disk is full"):
            write_below(small_disk, path, b"x" * 200_000)
        assert tree(small_disk) == before
    write_below(small_disk, "a.txt", b"fits")


_LIMITED = """
import resource, signal, sys
from pathlib import Path
from app.tools.file_writing import NotWritten, write_below

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    write_below(Path(sys.argv[1]), "a.txt", b"x" * 10_000)
except NotWritten as fault:
    print(fault)
"""


def test_a_write_that_the_system_cuts_short_leaves_the_old_file_whole(root: Path) -> None:
    write_below(root, "a.txt", b"old")
    before = tree(root)
    ran = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(root)], capture_output=True, text=True, check=True
    )
    assert "larger than the system allows" in ran.stdout
    assert tree(root) == before
