"""Durable steps on a disk, each as small as a power cut can be.

A step that returns has happened, but only what was synced is certain to survive: a file by `sync`, a name
(creation, rename, removal) by `sync_folder` of the folder that holds it. Tests cut the power between any two.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from reverie.core import durable
from reverie.core.errors import RefusedFile
from reverie.core.layout import TEMPORARY, Kind, place_of
from reverie.core.sealing import from_disk, is_as_marked, to_append, to_disk
from reverie.lang.messages import say
from reverie.workspace.values import ABSENT, Workspace, hash_bytes


class Disk:
    """The steps of which every write is made."""

    def make_folder(self, path: Path) -> None:
        """A folder whose name is certain: a power cut must not forget it and keep what points into it."""
        missing = []
        while not path.is_dir():
            missing.append(path)
            path = path.parent
        for folder in reversed(missing):
            durable.make_folder(folder)
            self.sync_folder(folder.parent)

    def create(self, path: Path, data: bytes, like: os.stat_result | None = None) -> None:
        """A new file with these bytes, with the permissions (and owner, if we may) of another."""
        with suppress(FileNotFoundError):
            path.unlink()  # a leftover of a crash under the same name
        data = to_disk(path, data)
        mode = durable.new_mode(path) if like is None else 0o600  # until it has the permissions it is to have
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | durable.PLAIN, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if like is not None:
            path.chmod(stat.S_IMODE(like.st_mode))
            if hasattr(os, "chown") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
                with suppress(PermissionError):
                    os.chown(path, like.st_uid, like.st_gid)

    def sync(self, path: Path) -> None:
        """Without this the file's name may survive a power cut and its bytes may not."""
        handle = durable.open_plain(path, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rename(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def swap(self, fresh: Path, target: Path) -> None:
        """Exchange two files in one step: afterwards `fresh` names whatever stood at `target` at that instant.

        A plain rename would destroy an edit that arrived between our last look and the rename. Where the system
        has no exchange, the old file gets a second name first, which leaves a gap of microseconds.
        """
        if not _exchange(fresh, target):
            aside = fresh.with_name(fresh.name + "-old")
            aside.unlink(missing_ok=True)
            with suppress(OSError, NotImplementedError):  # file systems without a second name do without
                os.link(target, aside, follow_symlinks=False)
            os.replace(fresh, target)
            if aside.exists():
                os.replace(aside, fresh)

    def place(self, fresh: Path, target: Path) -> None:
        """Give a new file its name; FileExistsError if somebody else was quicker."""
        try:
            os.link(fresh, target, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            os.replace(fresh, target)
        else:
            fresh.unlink()

    def append(self, path: Path, data: bytes) -> None:
        """At the end of whatever stands there, in one write, certain once this returns."""
        data = to_append(path, data)
        mode = 0o600 if path.exists() else durable.new_mode(path)
        handle = durable.open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        try:
            os.write(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        with suppress(OSError):
            path.rmdir()

    def sync_folder(self, path: Path) -> None:
        """Without this a power cut can forget the rename itself."""
        durable.sync_folder(path)

    def write(self, path: Path, data: bytes, like: os.stat_result | None = None) -> None:
        """Bytes that are certain once this returns, except for the name: sync its folder."""
        self.create(path, data, like)
        self.sync(path)


def real_path(workspace: Workspace, path: str) -> Path:
    """Where a path of the layout lies. A link anywhere below the root is refused, never followed."""
    here, name = workspace.lies(path)
    if place_of(path).kind is Kind.CONTEXT:
        raise RefusedFile(say("write.outside", path=path))
    if here.is_symlink():  # the owner's own choice of a linked vault was resolved when the settings were read
        raise RefusedFile(say("write.vault_link", name=here.name))
    for part in name.split("/"):
        if part in ("", ".", ".."):
            raise RefusedFile(say("write.outside", path=path))
        here = here / part
        if here.is_symlink():
            raise RefusedFile(say("write.link", path=path))
    return here


def read_bytes(path: Path) -> bytes | None:
    """The bytes of a regular file; None when nothing is there."""
    with opened(path) as handle:
        if handle is None:
            return None
        return from_disk(path, read_all(handle))


@contextmanager
def opened(path: Path) -> Iterator[int | None]:
    """A handle on the file that stands here now; it stays on these bytes when the name moves on."""
    try:
        handle = durable.open_plain(path)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    except durable.NotPlain:
        raise RefusedFile(say("write.special", name=path.name)) from None
    try:
        yield handle
    finally:
        os.close(handle)


def read_all(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    pieces = []
    while piece := os.read(handle, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def bring_under_seal(path: Path, disk: Disk) -> bool:
    """Exchange a file for itself, sealed or plain as its mark says. False when it is so already."""
    if (data := read_bytes(path)) is None or is_as_marked(path):
        return False
    temporary = path.with_name(f".{path.name}{TEMPORARY}")
    disk.write(temporary, data, path.stat())
    disk.rename(temporary, path)
    disk.sync_folder(path.parent)
    return True


def hash_at(path: Path) -> str:
    data = read_bytes(path)
    return ABSENT if data is None else hash_bytes(data)


def _exchange(one: Path, other: Path) -> bool:
    """Let the kernel exchange two names, if it can."""
    call = _exchange_call()
    return call is not None and call(os.fsencode(one), os.fsencode(other)) == 0


@cache
def _exchange_call() -> Callable[[bytes, bytes], int] | None:
    import ctypes  # only a run that writes needs it

    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return lambda one, other: int(libc.renamex_np(one, other, 2))
        swap = libc.renameat2
    except (OSError, AttributeError, TypeError):
        return None
    return lambda one, other: int(swap(-100, one, -100, other, 2))  # both relative to the working folder, exchange
