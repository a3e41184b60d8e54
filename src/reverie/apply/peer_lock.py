"""`memory/.dream_lock`, by which seed 001's tools know that one of them dreams: a file younger than half an hour.

A night of ours waits for theirs, and lays such a file down for its own time, so that they wait for ours. Only a file of our own is
ever taken away; an old one of theirs is passed over and stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from reverie.core.durable import open_plain, read_plain
from reverie.core.errors import Busy
from reverie.core.layout import PEER_LOCK
from reverie.lang.messages import say

RUNNING = 30  # minutes for which such a file means that somebody dreams
_OURS = b"reverie "


def peer_minutes(root: Path, now: datetime) -> int | None:
    """For how many minutes another tool has been dreaming here; None when none is."""
    path = root / PEER_LOCK
    try:
        age = (now.timestamp() - path.lstat().st_mtime) / 60
    except OSError:
        return None
    return None if abs(age) >= RUNNING or _is_ours(path) else max(0, int(age))


@contextmanager
def peers_wait(root: Path, now: datetime) -> Iterator[None]:
    """The time of a night, for a caller who holds the workspace. Raises Busy while another tool dreams."""
    minutes = peer_minutes(root, now)
    if minutes is not None:
        raise Busy(say("peer_lock.holder", path=PEER_LOCK, n=minutes))
    path = root / PEER_LOCK
    if _is_ours(path):  # of a night that was killed
        path.unlink()
    with suppress(OSError):  # what stands there is somebody's, or nothing can be written: then only they would not know
        handle = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(handle, _OURS + f"{os.getpid()}\n".encode())
        os.close(handle)
    try:
        yield
    finally:
        if _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    try:
        return read_plain(path).startswith(_OURS)
    except OSError:
        return False
