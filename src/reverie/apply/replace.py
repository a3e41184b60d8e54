"""Putting one file in place while others may be writing to it: the owner's bytes win, whoever is faster.

The new file and the old one are exchanged in a single step, so the file that was really displaced can be looked
at afterwards. If it is not the one we read, somebody wrote in between, and their words are carried over.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reverie.apply.files import Disk, hash_at, read_bytes
from reverie.layout import TEMPORARY
from reverie.model import ABSENT, Change, Edit, hash_bytes, to_bytes, to_text
from reverie.splice import carried

PATIENCE = 50  # exchanges against a program that never stops writing, before we leave the file to it


def put(target: Path, change: Change, edits: Sequence[Edit], fresh: Path, old: Path, disk: Disk) -> bool:
    """Bring the file to its new bytes. False if the owner changed the same lines meanwhile and they were left."""
    whole = True
    for _ in range(PATIENCE):
        data = read_bytes(target)
        here = ABSENT if data is None else hash_bytes(data)
        if here == change.after_hash:
            break
        wanted = change.after
        if here != change.before:  # the owner was here after COMMIT
            text, whole = carried(edits, to_text(data or b"")) if wanted is not None else (to_text(data or b""), False)
            wanted = to_bytes(text)
            if wanted == (data or b""):
                break
        if _exchange(target, here, wanted, fresh, disk):
            break
    else:
        whole = False
    _keep(fresh, old, disk)
    disk.sync_folder(target.parent)
    return whole


def _exchange(target: Path, expected: str, wanted: bytes | None, fresh: Path, disk: Disk) -> bool:
    """One attempt. True if what was displaced is what we expected; otherwise all is as it was before."""
    if wanted is None:
        disk.rename(target, fresh)  # an undo takes the file away, but keeps it at hand for the check
        if hash_at(fresh) == expected:
            return True
        disk.place(fresh, target)
        return False
    if hash_at(fresh) != hash_bytes(wanted):
        disk.write(fresh, wanted, target.stat() if expected != ABSENT else None)
    if expected == ABSENT:
        try:
            disk.place(fresh, target)
        except FileExistsError:
            return False
        return True
    disk.swap(fresh, target)
    if not fresh.exists() or hash_at(fresh) == expected:
        return True
    disk.swap(fresh, target)  # somebody was quicker: give them their file back and look again
    return False


def left_behind(target: Path, change: Change, edits: Sequence[Edit], old: Path, disk: Disk) -> None:
    """Carry over what was written into the displaced file after it was displaced.

    Appended lines are appended again. Any other late edit is laid under ours if the file is still as we left it;
    if not, the displaced bytes stay beside the run as `kept-…`. In every case nothing is lost.
    """
    late = read_bytes(old)
    if late is None or hash_bytes(late) in (change.before, change.after_hash):
        return
    grew = hash_bytes(late[: change.size]) == change.before
    fresh = target.with_name(f".{target.name}.late{TEMPORARY}")
    for _ in range(PATIENCE):
        data = read_bytes(target)
        here = ABSENT if data is None else hash_bytes(data)
        if not grew and here != change.after_hash:
            break
        wanted = _joined(data or b"", late[change.size :]) if grew else to_bytes(carried(edits, to_text(late))[0])
        if _exchange(target, here, wanted, fresh, disk):
            disk.remove(fresh)
            disk.sync_folder(target.parent)
            disk.remove(old)
            return
    disk.remove(fresh)
    disk.rename(old, old.with_name(old.name.replace("old-", "kept-")))


def _joined(first: bytes, second: bytes) -> bytes:
    return first + (b"" if not first or first.endswith((b"\n", b"\r")) else b"\n") + second


def _keep(fresh: Path, old: Path, disk: Disk) -> None:
    """Move the displaced file beside the run; on another disk than the workspace it is looked at and let go."""
    if not fresh.exists() or old.exists():
        disk.remove(fresh)
        return
    with suppress(OSError):
        disk.rename(fresh, old)
        return
    disk.remove(fresh)
