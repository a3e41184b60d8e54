"""One writer at a time. The system's own lock: it dies with its holder and cannot be stolen."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from reverie.errors import Busy
from reverie.store.disk import DISK, opening
from reverie.workspace.layout import LOCK, Layout

PATIENCE = 10.0  # seconds that a command waits for another one
_held: set[Path] = set()  # a process may open its own lock twice, so it has to know


@contextmanager
def held(layout: Layout, command: str, wait: float = PATIENCE) -> Iterator[None]:
    """Hold the workspace; Busy says who else does."""
    path = layout.real(LOCK)
    DISK.make_folder(path.parent)
    with opening(path, os.O_RDWR | os.O_CREAT) as handle:
        until = time.monotonic() + wait
        while path in _held or not locked(handle):
            if time.monotonic() >= until:
                raise Busy(f"This workspace is held by {_holder(handle)}. Try again when it has finished.")
            time.sleep(0.05)
        _held.add(path)
        try:
            _tell(handle, {"pid": os.getpid(), "command": command, "since": f"{datetime.now():%Y-%m-%d %H:%M:%S}"})
            yield
        finally:
            _held.discard(path)
            _tell(handle, None)


def locked(handle: int) -> bool:
    """Take the system's lock on an open file, if nobody has it."""
    with suppress(OSError):
        if os.name == "nt":
            import msvcrt

            os.lseek(handle, 1 << 20, os.SEEK_SET)  # behind the text, which must stay readable
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _tell(handle: int, holder: dict[str, object] | None) -> None:
    """Who holds it, for people only: a full disk must not cost the lock."""
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(holder).encode() if holder else b"", 0)


def _holder(handle: int) -> str:
    with suppress(ValueError, KeyError, TypeError, OSError):
        holder = json.loads(os.pread(handle, 400, 0))
        return f"`dream {holder['command']}` (process {holder['pid']} since {holder['since']})"
    return "another command"
