"""Write a file below a root: whole or not at all, and never anywhere else.

How each way out is closed:

- The path is walked by handles, one folder at a time, each opened relative to the one before and
  without following a link. What happens to the names meanwhile cannot lead elsewhere. (Whoever
  can move a whole folder out of the root moves what is written to it then, too.)
- The content goes to a new file beside the target, is synced, and takes the target's place by one
  rename, which replaces a link instead of following it. Until then the old file is whole; a full
  disk, an error or a cancelled call leaves it as it was, and the new one is removed.
- A target that is anything but a regular file (a folder, a link, a device, a pipe) is refused.

A process that is killed in the middle leaves a file named ``.<random>.formwork-part`` behind.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from app.tools.file_names import name_fault

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PART = ".formwork-part"


class NotWritten(Exception):
    """Nothing was written. The message is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was done: whether the file is a new one, and its size in bytes.

    ``durable`` is false where the system could not promise that a power cut leaves it there.
    """

    created: bool
    size: int
    durable: bool


def write_below(
    root: Path,
    path: str,
    content: bytes,
    cancelled: Callable[[], bool] = lambda: False,
) -> Written:
    """Write ``content`` to the relative ``path`` below ``root``, making folders as needed.

    Raises :class:`NotWritten`; then the old file, if there was one, is as it was, and no folder is
    left that was made for this.
    """
    if fault := name_fault(path):
        raise NotWritten(fault)
    *folders, name = path.split("/")
    with contextlib.ExitStack() as stack:
        made: list[tuple[int, str]] = []
        try:
            folder = _open_root(root, stack)
            for part in folders:
                folder = _step(folder, part, made, stack)
            created = _replace(folder, name, content, cancelled)
        except OSError as error:
            _unmake(made)
            raise NotWritten(_sentence(error)) from error
        except BaseException:
            _unmake(made)
            raise
        durable = _synced([folder, *(parent for parent, _ in made)])
        return Written(created, len(content), durable)


def _open_root(root: Path, stack: contextlib.ExitStack) -> int:
    root.mkdir(parents=True, exist_ok=True)
    return _kept(os.open(root, _FOLDER), stack)


def _step(folder: int, part: str, made: list[tuple[int, str]], stack: contextlib.ExitStack) -> int:
    try:
        os.mkdir(part, 0o777, dir_fd=folder)
        made.append((folder, part))
    except FileExistsError:
        pass  # whatever it is, opening it without following links decides
    return _kept(os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder), stack)


def _kept(handle: int, stack: contextlib.ExitStack) -> int:
    stack.callback(os.close, handle)
    return handle


def _unmake(made: list[tuple[int, str]]) -> None:
    for folder, part in reversed(made):
        with contextlib.suppress(OSError):  # another call may have put something there
            os.rmdir(part, dir_fd=folder)


def _replace(folder: int, name: str, content: bytes, cancelled: Callable[[], bool]) -> bool:
    """Put the content at the name; whether there was nothing before."""
    old = _old(folder, name)
    with _part(folder, old) as (part, handle):
        _write_all(handle, content)
        os.fsync(handle)
        if cancelled():
            raise NotWritten("The call was stopped before the file was written.")
        os.rename(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    return old is None


def _synced(folders: list[int]) -> bool:
    """Make the names durable. The content is in place by now, whatever comes of this."""
    try:
        for folder in folders:
            os.fsync(folder)
    except OSError:
        return False
    return True


def _old(folder: int, name: str) -> os.stat_result | None:
    """What is at the name; None for nothing. Raises :class:`NotWritten` unless it is a file."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise NotWritten("The path leads over a link.")
    if not stat.S_ISREG(found.st_mode):
        raise NotWritten("There is something of that name that is no file.")
    if not found.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise NotWritten("The file is marked as read-only.")
    return found


@contextlib.contextmanager
def _part(folder: int, old: os.stat_result | None) -> Generator[tuple[str, int]]:
    """A new file beside the target, with the old one's mode and owner; removed unless renamed."""
    part = f".{secrets.token_hex(8)}{_PART}"
    handle = os.open(part, _NEW, 0o666 if old is None else 0o600, dir_fd=folder)
    try:
        if old is not None:
            _keep_owner(handle, old)
            os.fchmod(handle, stat.S_IMODE(old.st_mode) & 0o777)
        yield part, handle
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
        raise
    finally:
        os.close(handle)


def _keep_owner(handle: int, old: os.stat_result) -> None:
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(handle, old.st_uid, old.st_gid)


def _write_all(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


_SENTENCES = {
    errno.ENOSPC: "The disk is full.",
    errno.EDQUOT: "The disk quota is used up.",
    errno.EFBIG: "The file is larger than the system allows.",
    errno.EROFS: "The folder is read-only.",
    errno.EACCES: "The folder may not be written to.",
    errno.EPERM: "The file belongs to someone else.",
    errno.ELOOP: "The path leads over a link.",
    errno.ENOTDIR: "A part of the path is no folder.",
    errno.EISDIR: "There is a folder of that name.",
    errno.ENAMETOOLONG: "The path is too long.",
}


def _sentence(error: OSError) -> str:
    known = _SENTENCES.get(error.errno or 0, "The system could not write the file.")
    return f"{known} Nothing was changed."
