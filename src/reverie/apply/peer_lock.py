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
from reverie.core.layout import SEED_LOCK, STATE_DIR, TEMPORARY
from reverie.lang.messages import say

RUNNING = 30  # minutes for which such a file means that somebody dreams
_OURS = b"reverie "


def peer_minutes(root: Path, now: datetime) -> int | None:
    """For how many minutes another tool has been dreaming here; None when none is."""
    path = root / SEED_LOCK
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
        raise Busy(say("peer_lock.holder", path=SEED_LOCK, n=minutes))
    path = root / SEED_LOCK
    if _is_ours(path):  # of a night that was killed
        path.unlink()
    with suppress(OSError):  # what stands there is somebody's, or nothing can be written: then only they would not know
        _lay_down(path)
    try:
        yield
    finally:
        if _is_ours(path):
            path.unlink()


def _lay_down(path: Path) -> None:
    """The file with our name in it, at once: a moment without it, and a killed night would look like somebody else's."""
    half = path.parent / STATE_DIR.rpartition("/")[2] / f"{path.name}{TEMPORARY}"  # swept at the next start
    handle = open_plain(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        os.write(handle, _OURS + f"{os.getpid()}\n".encode())
        os.link(half, path)  # fails where something stands
    finally:
        os.close(handle)
        half.unlink()


def _is_ours(path: Path) -> bool:
    try:
        return read_plain(path).startswith(_OURS)
    except OSError:
        return False
