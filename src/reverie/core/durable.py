"""Calls to the operating system that both packages that write (`apply`, `evidence`) need, so that they cannot differ."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from pathlib import Path

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)  # no link, no child


class NotPlain(OSError):
    """A pipe, a device or a folder stands where a plain file should."""


_NO_FILE = frozenset(
    {errno.ENXIO, errno.EISDIR, errno.EOPNOTSUPP, errno.ENODEV}
)  # a socket, a pipe, a folder, a device


def open_plain(path: Path | str, flags: int = os.O_RDONLY, mode: int = 0o600, *, follow: bool = False) -> int:
    """A handle of a real file, opened so that neither a link nor a waiting pipe can trick us. `follow`: a link may lead to it."""
    plain = PLAIN & ~getattr(os, "O_NOFOLLOW", 0) if follow else PLAIN
    try:
        handle = os.open(path, flags | plain | getattr(os, "O_NONBLOCK", 0), mode)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise _not_plain(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _not_plain(path)
    return handle


def read_plain(path: Path | str, *, follow: bool = False) -> bytes:
    """All bytes of a real file. Raises OSError: NotPlain for what is none, and it never waits for a writer."""
    with os.fdopen(open_plain(path, follow=follow), "rb") as file:
        return file.read()


def is_plain_database(path: Path) -> bool:
    """Whether SQLite may open this: it, its log and what stands beside it are real files or not there."""
    return all(_is_plain_or_missing(f"{path}{end}") for end in ("", "-wal", "-shm", "-journal"))


def _is_plain_or_missing(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _not_plain(path: Path | str) -> NotPlain:
    return NotPlain(errno.EINVAL, os.strerror(errno.EINVAL), str(path))


def sync_folder(path: Path) -> None:
    """Without this a power cut can forget a name in the folder. Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def locked(handle: int, wait: float, pause: float = 0.05) -> bool:
    """Lock an open file for this process alone, waiting at most so many seconds; False if somebody else keeps it.

    The operating system holds the lock and gives it back when the file is closed or the process dies.
    """
    deadline = time.monotonic() + wait
    while not _try_lock(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, 1 << 20, os.SEEK_SET)  # beyond the text, which others must be able to read
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
