"""One dream at a time in a workspace. The lock names its holder, dies with it, and is never stolen.

The operating system keeps the lock, so a killed process leaves nothing behind that somebody would have to judge
stale; the text in the file only tells people who holds it, or who was killed at work.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from reverie.core import durable
from reverie.core.errors import Busy, RefusedFile, WriteFailed
from reverie.core.layout import LOCK
from reverie.lang.messages import say


@contextmanager
def held(root: Path, command: str, since: str, wait: float, lock: str = LOCK) -> Iterator[None]:
    """Hold the workspace, or with another `lock` a folder that is shared, waiting at most `wait` seconds; raises Busy with the holder's name."""
    path = root / lock
    for part in (path, *path.parents[:2]):
        if part.is_symlink():
            raise RefusedFile(say("lock.link", LOCK=lock))
    try:
        if lock == LOCK:
            durable.make_folders(path.parent)
            durable.close_to_others(path.parent)
        mode = 0o600 if path.exists() else durable.new_mode(path)
        handle = durable.open_plain(path, os.O_RDWR | os.O_CREAT, mode)
    except OSError as error:
        raise WriteFailed(say("lock.unopened", LOCK=path, strerror=error.strerror)) from None
    try:
        if not durable.locked(handle, wait):
            raise Busy(_holder(handle))
        about = {"pid": os.getpid(), "host": socket.gethostname(), "command": command, "since": since}
        with suppress(OSError):  # the text is only for people; a full disk must not cost the lock
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, json.dumps(about).encode() + b"\n")
        try:
            yield
        finally:  # also after a refusal: a name that is left means somebody was killed
            with suppress(OSError):
                os.ftruncate(handle, 0)
    finally:
        os.close(handle)  # and with it the lock


def _holder(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        about = json.loads(os.read(handle, 4096))
        return say("lock.holder", command=about["command"], pid=about["pid"], host=about["host"], since=about["since"])
    except (ValueError, KeyError, TypeError, RecursionError, OSError):
        return say("lock.another")


def holder_of(root: Path) -> tuple[str, str]:
    """(who holds it now, whose name stands in a lock that nobody holds any more); one of them or both are empty."""
    try:
        handle = durable.open_plain(root / LOCK, os.O_RDWR)
    except OSError:
        return "", ""
    try:
        free = durable.locked(handle, 0.0)  # given back at once, with the handle
        name = _name(os.read(handle, 4096))
    except OSError:
        return "", ""
    finally:
        os.close(handle)
    if free:
        return "", name
    return name or say("lock.another"), ""


def _name(text: bytes) -> str:
    if not text.strip():
        return ""
    try:
        about = json.loads(text)
        name = "lock.holder_here" if about["host"] == socket.gethostname() else "lock.holder"
        return say(name, command=about["command"], pid=about["pid"], host=about["host"], since=about["since"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return say("lock.another")
