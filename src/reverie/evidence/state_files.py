"""Files of machine state under `memory/.dreams`: the small steps by which they are written, their lock, and how they are read.

A link on the way there, or anything that is not a plain file where one should be, is refused. A file is appended to, or
replaced whole in one step, so that a power cut leaves the old bytes or the new ones. What cannot be understood counts as
empty: state is there to save work, and a night goes on without it. Tests cut the power between any two steps.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reverie.core import durable
from reverie.core.errors import Busy, RefusedFile
from reverie.core.layout import OWN_CORPUS, RUNS, STATE_DIR, TEMPORARY
from reverie.core.sealing import from_disk, is_sealed, to_append, to_disk
from reverie.lang.messages import say
from reverie.workspace.values import json_object

PAUSE = 0.02


class Steps:
    """What happens on the disk. A step that returned has happened; only what was synced is certain to last."""

    def make_folder(self, path: Path) -> None:
        durable.make_folder(path)

    def append(self, path: Path, data: bytes) -> None:
        """All bytes in one write at the end of the file, wherever that is by now."""
        data = to_append(path, data)
        handle = open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            while data:  # a full disk or a signal may take less than was offered
                data = data[os.write(handle, data) :]
        finally:
            os.close(handle)

    def cut(self, path: Path, size: int) -> None:
        """Drop what a crash left behind the last complete line; of a sealed file nobody was shown a torn piece."""
        handle = open_plain(path, os.O_RDWR)
        try:
            if not is_sealed(os.read(handle, 64)):
                os.ftruncate(handle, size)
        finally:
            os.close(handle)

    def create(self, path: Path, data: bytes, mode: int) -> None:
        data = to_disk(path, data)
        handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)

    def sync(self, path: Path) -> None:
        """Without this the file's name may survive a power cut and its bytes may not."""
        handle = open_plain(path, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def move(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def sync_folder(self, path: Path) -> None:
        """Without this a power cut can forget the name itself."""
        durable.sync_folder(path)


def open_plain(path: Path, flags: int, mode: int = 0o600) -> int:
    """A handle of a real file; a link, a pipe or a device is refused. Raises FileNotFoundError."""
    try:
        return durable.open_plain(path, flags, mode)
    except OSError as error:
        if isinstance(error, durable.NotPlain) or path.is_symlink() or (path.exists() and not path.is_file()):
            raise _refused(path) from None
        raise


def read_plain(path: Path) -> bytes | None:
    """The bytes of a real file, or None where there is none."""
    try:
        handle = open_plain(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        return from_disk(path, file.read())


def replace_file(
    target: Path, data: bytes, steps: Steps, mode: int | None = None, *, expected: bytes | None = None
) -> None:
    """All of a file in one step: whoever looks sees the old bytes or the new ones. `expected`: only where these still stand.

    A file that is there keeps its permissions; a new one gets those of its sources, or fewer."""
    fresh = target.with_name(f".{target.name}{TEMPORARY}")
    if mode is None:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else durable.new_mode(target)
    steps.create(fresh, data, mode)
    steps.sync(fresh)
    if expected is not None and (read_plain(target) or b"") != expected:
        fresh.unlink()
        return
    steps.move(fresh, target)
    steps.sync_folder(target.parent)


def json_lines(data: bytes | None) -> Iterator[dict[str, Any]]:
    """The objects of a file with one in each line; a torn or foreign line is passed over."""
    return filter(None, map(json_object, (data or b"").split(b"\n")))


def refuse_links(root: Path, path: str) -> None:
    """Every folder from the workspace down to this path must be a real one (or not be there yet)."""
    here = root
    for part in path.split("/"):
        here = here / part
        if here.is_symlink() or (here.exists() and not here.is_dir()):
            raise _refused(here)


def make_real_folder(root: Path, path: str, steps: Steps) -> Path:
    """The folder at this path, made where it is missing, its name certain."""
    refuse_links(root, path)
    here = root
    for part in path.split("/"):
        above, here = here, here / part
        if not here.exists():
            steps.make_folder(here)
            steps.sync_folder(above)
    return here


@contextmanager
def alone(path: Path, wait: float = 60.0) -> Iterator[None]:
    """Hold this lock file; the operating system gives it back when the process dies."""
    handle = open_plain(path, os.O_RDWR | os.O_CREAT)
    try:
        if not durable.locked(handle, wait, PAUSE):
            raise Busy(say("state.busy"))
        yield
    finally:
        os.close(handle)


def _refused(path: Path) -> RefusedFile:
    return RefusedFile(say("state.refused", path=path, folder=STATE_DIR))


_LAST_RUNS = 4  # a start looks at three; a new one may have come
_PASSING = ("lock", ".lock", "-wal", "-shm", "-journal")  # how locks and a database at work end; they say nothing
Stamps = Mapping[str, tuple[int, int, int]]  # size, moment of the last change and number of the file, by its path


def stamps_of(root: Path) -> Stamps:
    """The files of machine state as they are now: with `changed_since`, what a command brought up to date."""
    try:
        runs = sorted(item.name for item in (root / RUNS).iterdir())[-_LAST_RUNS:]
    except OSError:
        runs = []
    folders = (STATE_DIR, OWN_CORPUS, *(f"{RUNS}/{name}" for name in runs))
    return {path: stamp for folder in folders for path, stamp in _stamps_in(root, folder)}


def changed_since(root: Path, before: Stamps) -> tuple[str, ...]:
    """The files that are new, gone or written anew since then, by name; of a run the folder, which is what people know."""
    now = stamps_of(root)
    changed = (path for path in {*before, *now} if before.get(path) != now.get(path))
    return tuple(sorted({path.rpartition("/")[0] if path.startswith(f"{RUNS}/") else path for path in changed}))


def _stamps_in(root: Path, folder: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    try:
        items = sorted((root / folder).iterdir())
    except OSError:
        return
    for item in items:
        if item.name.startswith(".") or item.name.endswith(_PASSING) or not item.is_file():
            continue
        try:
            about = item.lstat()
        except OSError:  # gone between the list and the look
            continue
        yield f"{folder}/{item.name}", (about.st_size, about.st_mtime_ns, about.st_ino)
