"""Calls to the operating system that both packages that write (`apply`, `evidence`) need, so that they cannot differ."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from reverie.core.layout import CORPUS, OWN_OUTPUT, SHARE_LOCK, STATE_DIR, Kind, place_of
from reverie.core.sealing import from_disk

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)  # no link, no child


_FOLDERS = ("memory", "knowledge", ".learnings")  # below which sources stand


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


def new_mode(path: Path) -> int:
    """The permissions of a file that is made here: nobody may read it who may not read every source of its workspace.

    The sources are the workspace's folder and whatever in it is read and not our own output; outside every workspace there is
    nothing to go by, and only the owner may read. The system takes off what the umask forbids.
    """
    if os.name == "nt":
        return 0o666
    if (
        path.name == SHARE_LOCK or (path.parent / SHARE_LOCK).exists()
    ):  # a team's folder: for those who may read the folder
        return 0o600 | path.parent.stat().st_mode & 0o066
    root = next((one for one in path.parents if (one / "MEMORY.md").exists() or (one / "memory").is_dir()), None)
    if root is None:
        return 0o600
    about = root.stat()
    group = about.st_gid if about.st_mode & stat.S_ISGID else os.getegid()
    bits = 0o600 | (about.st_mode & 0o066)
    for source in _sources(root, "", deep=False):
        try:
            its = source.stat(follow_symlinks=False)
        except OSError:
            continue
        bits &= 0o600 | its.st_mode
        if its.st_gid != group:  # other people than those who would read the new file
            bits &= 0o606
        if bits == 0o600:
            break
    return bits


def _sources(folder: Path, prefix: str, *, deep: bool) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as listed:
            items = list(listed)
    except OSError:
        return
    for item in items:
        path = prefix + item.name
        if item.is_dir(follow_symlinks=False):
            state = path.startswith(f"{STATE_DIR}/") and not path.startswith(CORPUS)  # ours; of it only what was heard
            if (deep or item.name in _FOLDERS) and not state:
                yield from _sources(folder / item.name, f"{path}/", deep=True)
        elif (kind := place_of(path).kind) is not Kind.FOREIGN and kind not in OWN_OUTPUT:
            yield item


def make_folder(path: Path) -> None:
    """A folder that only those may look into who may read what will stand in it."""
    bits = new_mode(path)
    path.mkdir(0o700 | bits & 0o066 | (bits & 0o044) >> 2, exist_ok=True)


def make_folders(path: Path) -> None:
    """This folder and those above it, where they are missing."""
    for missing in reversed([one for one in (path, *path.parents) if not one.exists()]):
        make_folder(missing)


def close_to_others(folder: Path) -> None:
    """Take from a folder of machine state what its sources do not allow; it may be older than the most private of them."""
    bits = new_mode(folder / "x")
    here = stat.S_IMODE(folder.stat().st_mode)
    allowed = here & (0o7700 | bits & 0o066 | (bits & 0o044) >> 2)
    if allowed != here:
        with suppress(OSError):  # somebody else's folder
            folder.chmod(allowed)


def read_plain(path: Path | str, *, follow: bool = False) -> bytes:
    """All bytes of a real file. Raises OSError: NotPlain for what is none, and it never waits for a writer."""
    with os.fdopen(open_plain(path, follow=follow), "rb") as file:
        return from_disk(path, file.read())


def is_utf16(data: bytes) -> bool:
    """Whether these bytes are what some editors call Unicode: no line of them would be read as it was meant."""
    return data[:2] in (b"\xff\xfe", b"\xfe\xff") and b"\0" in data[:64]


def is_plain_database(path: Path) -> bool:
    """Whether SQLite may open this: it, its log and what stands beside it are real files or not there."""
    return all(is_plain_or_missing(f"{path}{end}") for end in ("", "-wal", "-shm", "-journal"))


def is_plain_or_missing(path: Path | str) -> bool:
    """Whether a real file stands there, or nothing (any more): the log of a database goes when its last reader does."""
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
