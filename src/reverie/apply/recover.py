"""What a start does first: finish or forget what a crash left, and look once more at replaced files.

A record may come from a stranger, or from a disk that lost half of it. So a run is only finished if its plan still keeps the
promises (`apply/promised.py`); a record that cannot be finished, forgotten or read stays as it is, stops no command, and is named
by `dream doctor`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from reverie.apply.files import Disk, hash_at, read_bytes, real_path
from reverie.apply.promised import Committed, committed, keep_promises
from reverie.apply.replace import left_behind
from reverie.apply.runs import read_mark, read_plan, read_run, run_folders, run_records
from reverie.apply.seal import settle_seal
from reverie.apply.writer import finish, forget, staged
from reverie.core.errors import BadPlanFile, RefusedFile, RefusedPlan, StalePlan, WriteFailed
from reverie.core.layout import RUNS, SET_ASIDE, STATE_DIR, TEMPORARY, Kind, place_of
from reverie.lang.messages import say
from reverie.plan.splices import spliced, turned_round
from reverie.workspace.values import ABSENT, Change, Plan, Workspace, hash_text, to_bytes, to_text

LOOK_BACK = 3  # every start recovers, so only the newest runs can be unfinished
_DAMAGE = (BadPlanFile, RefusedFile, RefusedPlan, StalePlan)  # what a record can be wrong about


@dataclass(frozen=True, slots=True)
class Damaged:
    """A run whose record nobody can use: its name, and the files it changed, as far as anything in it still tells."""

    name: str
    paths: tuple[str, ...] = ()


def recover(workspace: Workspace, disk: Disk | None = None) -> tuple[str, ...]:
    """Bring the workspace to a state that a run left whole. Returns what was done, in words."""
    disk = disk or Disk()
    told: list[str] = []
    undecided: list[str] = []
    try:
        settle_seal(workspace, disk)
        for folder in run_folders(workspace)[-LOOK_BACK:]:
            try:
                told += _recovered(workspace, folder, disk)
            except _DAMAGE as damage:  # one bad record must not keep every command from working
                if not _has(folder, "DONE"):
                    undecided.append(folder.name)
                    told.append(say("records.left_alone", name=folder.name, why=damage))
        _sweep(workspace, undecided, disk)
    except OSError as error:
        raise WriteFailed(say("write.unrecovered", strerror=error.strerror)) from None
    return tuple(told)


def _recovered(workspace: Workspace, folder: Path, disk: Disk) -> Iterator[str]:
    if _has(folder, "DONE"):
        _look_again(workspace, folder, disk)
    elif _has(folder, "COMMIT"):
        plan, changes = _decided(workspace, folder)
        finish(workspace, plan, changes, folder, disk)
        yield say("write.recovered", name=folder.name)
    else:
        paths = _planned_paths(workspace, folder)
        forget(workspace, folder, paths, disk)
        if _has(folder.parent, folder.name):
            raise BadPlanFile(say("records.not_forgotten", name=folder.name))
        yield say("write.dropped", name=folder.name)


def unfinished_runs(workspace: Workspace) -> tuple[str, ...]:
    """The runs that a crash left and the next start finishes or forgets."""
    return tuple(folder.name for folder in run_folders(workspace)[-LOOK_BACK:] if _is_recoverable(workspace, folder))


def damaged_runs(workspace: Workspace) -> tuple[Damaged, ...]:
    """Every record that is neither a finished run nor one that the next start finishes or forgets."""
    newest = set(run_folders(workspace)[-LOOK_BACK:])
    return tuple(
        Damaged(item.name, _told_paths(item))
        for item in run_records(workspace)
        if not (item.is_dir() and not item.is_symlink() and read_run(item))
        and not (item in newest and _is_recoverable(workspace, item))
    )


def _is_recoverable(workspace: Workspace, folder: Path) -> bool:
    if _has(folder, "DONE"):
        return False
    try:
        _decided(workspace, folder) if _has(folder, "COMMIT") else _planned_paths(workspace, folder)
    except _DAMAGE:
        return False
    return True


def set_aside_run(workspace: Workspace, name: str, disk: Disk | None = None) -> str:
    """Move a record that nobody can use out of the runs, with what it staged; returns where it is now."""
    disk = disk or Disk()
    source, home = real_path(workspace, RUNS) / name, real_path(workspace, SET_ASIDE)
    try:
        disk.make_folder(home)
        names = (f"{name}{f'-{number}' if number else ''}" for number in count())
        target = home / next(free for free in names if not _has(home, free))
        if source.is_dir() and not source.is_symlink():
            for item in _half_written(workspace):  # it may be the owner's file, displaced a moment before the crash
                if f".{name}" in item.name:
                    disk.rename(item, source / item.name.lstrip("."))
        disk.rename(source, target)
        disk.sync_folder(home)
        disk.sync_folder(source.parent)
    except OSError as error:
        raise WriteFailed(say("write.not_set_aside", path=f"{RUNS}/{name}", strerror=error.strerror)) from None
    return f"{SET_ASIDE}/{target.name}"


def _has(folder: Path, name: str) -> bool:
    """Whether anything at all stands there, be it a folder or a link to nowhere."""
    return os.path.lexists(folder / name)


def _sweep(workspace: Workspace, undecided: Collection[str], disk: Disk) -> None:
    """Half-written files that no run knows any more: a power cut can forget the record and keep the file."""
    for item in _half_written(workspace):
        if not any(f".{name}" in item.name for name in undecided) and not item.is_dir():
            disk.remove(item)


def _half_written(workspace: Workspace) -> Iterator[Path]:
    vault, state = workspace.vault, workspace.root / STATE_DIR
    index = vault / "obsidian-index"
    home = [workspace.home, *workspace.home.rglob("*/")] if workspace.home is not None else []
    for folder in (*home, workspace.root, state.parent, state, vault, vault / "meta", index, index / "topics"):
        if folder.is_dir() and not folder.is_symlink():
            yield from sorted(folder.glob(f".*{TEMPORARY}*"))


def _decided(workspace: Workspace, folder: Path) -> tuple[Plan, list[Change]]:
    """The plan and the bytes of a committed run, from the staged files or from the edits themselves."""
    plan = read_plan(folder)
    files = committed(folder, plan)
    keep_promises(workspace, plan, files, folder)
    return plan, [_change(workspace, plan, folder, one) for one in files]


def _change(workspace: Workspace, plan: Plan, folder: Path, one: Committed) -> Change:
    target = real_path(workspace, one.path)
    if one.after == ABSENT:
        return Change(one.path, one.before, None, one.size)
    for place in (staged(target, folder), target):
        data = read_bytes(place)
        if data is not None and hash_at(place) == one.after:
            return Change(one.path, one.before, data, one.size)
    text = to_text(read_bytes(target) or b"") if hash_at(target) == one.before else ""
    if hash_text(text) == one.before or one.before == ABSENT:
        edits = [edit for edit in plan.edits if edit.path == one.path]
        return Change(one.path, one.before, to_bytes(spliced(text, edits)), one.size)
    # The owner changed it in between: `put` carries the edits over to what is there now.
    return Change(one.path, one.before, b"", one.size, decided=one.after)


def _look_again(workspace: Workspace, folder: Path, disk: Disk) -> None:
    """Late words in a displaced file are carried over; then its second name goes."""
    olds = sorted(folder.glob("old-*"))
    if not olds:
        return
    files = read_mark(folder, "COMMIT").get("files")
    plan = read_plan(folder)
    for number in sorted({_number(folder, old) for old in olds}):
        path, after = _looked_at(folder, files, number)
        edits = None if after == ABSENT else [edit for edit in plan.edits if edit.path == path]
        left_behind(real_path(workspace, path), edits, folder / f"old-{number}", disk)
    for old in sorted(folder.glob("old-*")):
        disk.remove(old)


def _number(folder: Path, old: Path) -> int:
    """Of which file this is the displaced one; its name also tells how much of it is known (`replace.py`)."""
    parts = old.name.split("-")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts[1:3]) or len(parts[2]) > 15:
        raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/{old.name}"))
    return int(parts[1])


def _looked_at(folder: Path, files: Any, number: int) -> tuple[str, str]:
    """The path and the hash of a file of the run; only where a run of ours could have written."""
    try:
        path, after = str(files[number]["path"]), str(files[number]["after"])
    except (LookupError, TypeError):
        raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/COMMIT")) from None
    if place_of(path).kind in (Kind.FOREIGN, Kind.STATE, Kind.CONFIG):
        raise BadPlanFile(say("promise.outside", path=path))
    return path, after


def _planned_paths(workspace: Workspace, folder: Path) -> tuple[str, ...]:
    """The files that a run without COMMIT was to change. Raises BadPlanFile if it did change one: then it lost its COMMIT."""
    try:
        plan = read_plan(folder)
    except BadPlanFile:
        return ()  # cut before the plan was whole, so nothing was staged either
    for path in plan.paths:
        text = to_text(read_bytes(real_path(workspace, path)) or b"")
        back = turned_round(edit for edit in plan.edits if edit.path == path)
        try:
            before = spliced(text, back)
        except StalePlan:
            continue
        if back and before != text and hash_text(before) == plan.base.get(path):
            raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/COMMIT"))
    return plan.paths


def _told_paths(item: Path) -> tuple[str, ...]:
    """Which files a damaged record still names."""
    if item.is_symlink() or not item.is_dir():
        return ()
    try:
        return read_plan(item).paths
    except BadPlanFile:
        pass
    found: Any
    for name, part in (("COMMIT", "files"), ("DONE", "after")):
        try:
            found = read_mark(item, name).get(part)
        except BadPlanFile:
            continue
        if not isinstance(found, (list, dict)):
            continue
        named = [one.get("path") if isinstance(one, dict) else one for one in found]
        if paths := sorted(path for path in named if isinstance(path, str) and path.isprintable()):
            return tuple(paths)
    return ()
