"""Putting one file in place while others may be writing to it: the owner's bytes win, whoever is faster.

The new file and the old one are exchanged in a single step, so the file that was really displaced can be looked at
afterwards. If somebody wrote into it in between, or still does, their words are carried over to the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from reverie.apply.files import Disk, hash_at, read_bytes
from reverie.core.errors import StalePlan
from reverie.core.layout import TEMPORARY
from reverie.plan.splices import carried, spliced
from reverie.text.lines import split_lines
from reverie.workspace.values import ABSENT, Change, Edit, hash_bytes, to_bytes, to_text

PATIENCE = 200  # exchanges against a program that never stops writing, before we leave the file to it


def put(target: Path, change: Change, edits: Sequence[Edit], fresh: Path, old: Path, disk: Disk) -> Sequence[Edit]:
    """Bring the file to its new bytes. Returns the edits that were left out, because the owner changed those lines."""
    left: Sequence[Edit] = ()
    disk.make_folder(target.parent)
    if hash_at(target) == change.after_hash and _is_another(read_bytes(fresh), change):
        disk.swap(fresh, target)  # a crash came between displacing the owner's latest words and giving them back
    for _ in range(PATIENCE):
        data = read_bytes(target)
        here = ABSENT if data is None else hash_bytes(data)
        if here == change.after_hash:
            break
        if here == change.before:
            done = _exchange(target, data, change.after, fresh, old, disk)
        elif change.after is None or hash_at(fresh) != change.after_hash or _was_carried(fresh):
            # The new file has left its place, so it was put here before a crash; what is here now is the owner's.
            left = edits if change.after is None else ()
            break
        else:  # the owner was here after COMMIT
            text, left = carried(edits, to_text(data or b""))
            if to_bytes(text) == (data or b""):
                break
            done = _exchange(target, data, to_bytes(text), _beside(fresh, to_bytes(text)), old, disk, fresh)
        if done:
            break
    else:
        left = edits
    for ours in (*_all_beside(fresh), fresh):  # displaced just before a crash, or never needed
        _set_aside(ours, change, old, disk)
    disk.sync_folder(target.parent)
    return left


def _exchange(
    target: Path, expected: bytes | None, wanted: bytes | None, fresh: Path, old: Path, disk: Disk, staged: Path | None = None
) -> bool:  # fmt: skip
    """One attempt. True if what was displaced is what we expected, or that and more; else all is as it was before."""
    if wanted is None:
        disk.rename(target, fresh)  # an undo takes the file away, but keeps it at hand for the check
        if read_bytes(fresh) == expected:
            _move(fresh, _named(old, expected or b""), disk)
            return True
        disk.place(fresh, target)
        return False
    if hash_at(fresh) != hash_bytes(wanted):
        disk.write(fresh, wanted, target.stat() if expected is not None else None)
    if expected is None:
        try:
            disk.place(fresh, target)
        except FileExistsError:
            return False
        return True
    disk.swap(fresh, target)
    displaced = read_bytes(fresh)
    if displaced is None or displaced.startswith(expected):
        if staged is not None:
            disk.remove(
                staged
            )  # first of all: while it is there, a start after a crash would carry the edits over again
        _move(fresh, _named(old, expected), disk)  # what came after is looked at by `left_behind`
        return True
    disk.swap(fresh, target)  # somebody saved another file here: give it back, with what was said meanwhile
    ours = read_bytes(fresh) or b""
    if ours.startswith(wanted):
        _say(target, ours[len(wanted) :], disk)
    else:  # edited while it stood there: two versions of the owner's, of which one can stand; the other is kept
        _move(fresh, old.with_name(f"{old.name.replace('old-', 'kept-')}-{hash_bytes(ours)[:8]}"), disk)
    if ours != wanted:
        disk.write(fresh, wanted, target.stat())
    return False


def left_behind(target: Path, edits: Sequence[Edit] | None, old: Path, disk: Disk) -> None:
    """Carry over what was appended to the displaced files after they were displaced, each line once for every time it
    was said: not again after a crash, but also when the same words stood in the file before. Without edits, the run took
    the file away.

    If such a file was rewritten instead, its bytes stay beside the run as `kept-…`: nothing is lost.
    """
    for late in sorted(old.parent.glob(f"{old.name}-*")):
        size, mark = late.name.removeprefix(f"{old.name}-").split("-")
        data = read_bytes(late) or b""
        known, words = data[: int(size)], data[int(size) :]
        if hash_bytes(known)[:8] != mark:
            disk.rename(late, late.with_name(late.name.replace("old-", "kept-")))
        elif words:
            _say(target, _not_yet_said(target, edits, known, words), disk)
            disk.rename(late, _named(old, data))  # known from now on: the owner may take the words out again


def _not_yet_said(target: Path, edits: Sequence[Edit] | None, known: bytes, words: bytes) -> bytes:
    """The late lines that did not arrive: those that the file does not hold beside the lines it was to hold anyway."""
    decided = "" if edits is None else _with_edits(to_text(known), edits)
    arrived = _lines(to_text(read_bytes(target) or b"")) - _lines(decided)
    missing = []
    for line in split_lines(to_text(words)):
        arrived[line] -= 1
        if arrived[line] < 0:
            missing.append(line)
    return to_bytes("".join(missing))


def _with_edits(text: str, edits: Sequence[Edit]) -> str:
    try:
        return spliced(text, edits)
    except StalePlan:  # the owner was here after COMMIT
        return carried(edits, text)[0]


def _lines(text: str) -> Counter[str]:
    return Counter(split_lines(text))


def _say(target: Path, words: bytes, disk: Disk) -> None:
    """Append as the others do: in one write at the end of whatever stands there."""
    if words:
        before = read_bytes(target) or b""
        disk.append(target, (b"" if not before or before.endswith((b"\n", b"\r")) else b"\n") + words)


def _is_another(data: bytes | None, change: Change) -> bool:
    """Neither our new file nor the one we read, grown or not: somebody saved it."""
    if data is None or hash_bytes(data) == change.after_hash or change.after is None:
        return False
    return hash_bytes(data[: change.size]) != change.before


def _beside(fresh: Path, wanted: bytes) -> Path:
    """Another name than the staged file's, which stays until the edits are in place. It tells what was put there."""
    return fresh.with_name(fresh.name.replace(TEMPORARY, f"-2-{hash_bytes(wanted)[:8]}{TEMPORARY}"))


def _all_beside(fresh: Path) -> list[Path]:
    return sorted(fresh.parent.glob(fresh.name.replace(TEMPORARY, f"-2-*{TEMPORARY}")))


def _was_carried(fresh: Path) -> bool:
    """Whether edits were carried over already: then such a file holds what was displaced, not what its name tells."""
    return any(hash_at(path)[:8] not in path.name for path in _all_beside(fresh))


def _named(old: Path, expected: bytes) -> Path:
    """The name of a displaced file tells how much of it is known already."""
    return old.with_name(f"{old.name}-{len(expected)}-{hash_bytes(expected)[:8]}")


def _set_aside(ours: Path, change: Change, old: Path, disk: Disk) -> None:
    """A file of ours that is still beside the target: the displaced one (a crash came first), or a copy nobody needs."""
    data = read_bytes(ours)
    if data is None:
        return
    if hash_bytes(data) != change.after_hash and hash_bytes(data[: change.size]) == change.before:
        _move(ours, _named(old, data[: change.size]), disk)
    else:
        disk.remove(ours)


def _move(displaced: Path, aside: Path, disk: Disk) -> None:
    """Beside the run; on another disk than the workspace it cannot be kept, so it is let go."""
    with suppress(OSError):
        disk.rename(displaced, aside)
        return
    disk.remove(displaced)
