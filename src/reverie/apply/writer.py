"""The one writer: all files of a run change together, or none does. The order of the files is the design.

    memory/.dreams/runs/0007-2026-11-15/
        plan.json     what and why: the old and new lines of every edit      synced
    <folder>/.<name>.0007-2026-11-15.dream-tmp   every new file, whole       synced
        COMMIT        the hashes before and after; now the run is certain    synced
    <folder>/<name>   exchanged one by one, MEMORY.md last                   synced
        old-N-…       the file that stood there, until the next start has looked at it once more
        DONE          the hashes that were decided, and what was the owner's in the end

Before COMMIT a crash means that nothing happened; after it, that everything did: `recover` finishes or forgets.
All that needs room on the disk is written before COMMIT, so a full disk stops a run while it can still stop.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from reverie.apply.files import Disk, bring_under_seal, hash_at, read_bytes, real_path
from reverie.apply.replace import left_behind, put
from reverie.apply.runs import next_number, plan_as_dict
from reverie.core.errors import RefusedFile, StalePlan, WriteFailed
from reverie.core.layout import HOLDS_MEMORY, RUNS, TEMPORARY, Kind, place_of
from reverie.core.sealing import is_as_marked
from reverie.lang.messages import say
from reverie.privacy.redact import holds_secret
from reverie.workspace.values import Change, Plan, Run, Workspace, to_bytes, to_text


def write_run(workspace: Workspace, plan: Plan, changes: Sequence[Change], disk: Disk | None = None) -> Run:
    """Make the plan happen. Raises StalePlan or WriteFailed with nothing changed, or returns the finished run."""
    disk = disk or Disk()
    ordered = sorted(changes, key=_order)
    _still_as_read(workspace, ordered)
    folder = _next_folder(workspace, plan)
    try:
        _stage(workspace, plan, ordered, folder, disk)
        _still_as_read(workspace, ordered)
        mark(folder, "COMMIT", {"files": [_record(change) for change in ordered]}, disk)
    except OSError as error:
        forget(workspace, folder, [change.path for change in ordered], disk)
        if (folder / "COMMIT").exists():  # it was written, and the disk would not let us take it back
            raise _unfinished(folder, error) from None
        what = Path(str(error.filename)).name if error.filename else say("write.disk")
        raise WriteFailed(say("write.failed_at", what=what, strerror=error.strerror)) from None
    except (StalePlan, RefusedFile):
        forget(workspace, folder, [change.path for change in ordered], disk)
        raise
    try:
        return finish(workspace, plan, ordered, folder, disk)
    except OSError as error:
        raise _unfinished(folder, error) from None


def _unfinished(folder: Path, error: OSError) -> WriteFailed:
    return WriteFailed(say("write.unfinished", name=folder.name, strerror=error.strerror))


def finish(workspace: Workspace, plan: Plan, changes: Sequence[Change], folder: Path, disk: Disk) -> Run:
    """Put every file in place and write DONE. Safe to do again after a crash at any point of it."""
    left: list[tuple[str, int]] = []
    for number, change in enumerate(changes):
        target = real_path(workspace, change.path)
        edits = [edit for edit in plan.edits if edit.path == change.path]
        out = put(target, change, edits, staged(target, folder), folder / f"old-{number}", disk)
        left += [(change.path, edit.at) for edit in out]
    for number, change in enumerate(changes):  # a program that held the old file open may have written a moment later
        its = None if change.after is None else [edit for edit in plan.edits if edit.path == change.path]
        left_behind(real_path(workspace, change.path), its, folder / f"old-{number}", disk)
        for old in folder.glob(f"old-{number}-*"):
            if not is_as_marked(old) or holds_secret(to_text(read_bytes(old) or b"")):
                disk.remove(old)  # a second copy of somebody's secret is worse than a line written a second too late
    for kept in folder.glob("kept-*"):
        bring_under_seal(kept, disk)
    # The hashes that were decided: a file that somebody else changed meanwhile is known by not having its own.
    after = {change.path: change.after_hash for change in changes}
    mark(folder, "DONE", {"after": after, "left": left}, disk)
    return Run(folder.name, plan, plan.made, after, tuple(left))


def forget(workspace: Workspace, folder: Path, paths: Sequence[str], disk: Disk) -> None:
    """Take away what a run left that was never committed. What cannot be removed now is swept at the next start."""
    targets = _real_paths(workspace, paths)
    with suppress(OSError):
        for target in targets:
            with suppress(NotADirectoryError):  # a file stands where its folder should be, so nothing was staged
                disk.remove(staged(target, folder))
        for place in sorted({target.parent for target in targets}):
            if place.is_dir():
                disk.sync_folder(place)  # before the record of what was staged goes
        for item in sorted(folder.iterdir()):
            disk.remove(item)
        disk.remove_folder(folder)
        disk.sync_folder(folder.parent)


def _real_paths(workspace: Workspace, paths: Sequence[str]) -> list[Path]:
    """Where these paths lie; what lies behind a link was never staged."""
    found = []
    for path in paths:
        with suppress(RefusedFile):
            found.append(real_path(workspace, path))
    return found


def mark(folder: Path, name: str, value: Mapping[str, object], disk: Disk) -> None:
    """A file that is there whole or not at all, and stays."""
    temporary = folder / f"{name}{TEMPORARY}"
    disk.write(temporary, json.dumps(value, indent=1).encode() + b"\n")
    disk.rename(temporary, folder / name)
    disk.sync_folder(folder)


def staged(target: Path, folder: Path) -> Path:
    return target.with_name(f".{target.name}.{folder.name}{TEMPORARY}")


def _next_folder(workspace: Workspace, plan: Plan) -> Path:
    return real_path(workspace, f"{RUNS}/{next_number(workspace):04d}-{plan.made[:10]}")


def _stage(workspace: Workspace, plan: Plan, changes: Sequence[Change], folder: Path, disk: Disk) -> None:
    disk.make_folder(folder)
    disk.write(folder / "plan.json", to_bytes(json.dumps(plan_as_dict(plan), indent=1)) + b"\n")
    disk.sync_folder(folder)
    for above in (folder.parent, *folder.parent.parents):  # the lock may just have made them
        disk.sync_folder(above)
        if above == workspace.root:
            break
    for change in changes:
        if change.after is not None:
            target = real_path(workspace, change.path)
            disk.make_folder(target.parent)
            like = target.stat() if target.exists() else None
            disk.write(staged(target, folder), change.after, like)
            disk.sync_folder(target.parent)


def _still_as_read(workspace: Workspace, changes: Sequence[Change]) -> None:
    for change in changes:
        if hash_at(real_path(workspace, change.path)) != change.before:
            raise StalePlan(change.path)


def _record(change: Change) -> dict[str, object]:
    return {"path": change.path, "before": change.before, "after": change.after_hash, "size": change.size}


def _order(change: Change) -> tuple[bool, bool, str]:
    """The archive before everything, memory last: at no moment is a line in neither of them."""
    kind = place_of(change.path).kind
    return kind in HOLDS_MEMORY, kind is not Kind.LEDGER, change.path
