"""What a start does first: finish or forget what a crash left, and look once more at replaced files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reverie.apply.files import Disk, hash_at, read_bytes, real_path
from reverie.apply.replace import left_behind
from reverie.apply.runs import plan_from_text, run_folders
from reverie.apply.writer import finish, forget, staged
from reverie.core.durable import read_plain
from reverie.core.errors import BadPlanFile, WriteFailed
from reverie.core.layout import STATE_DIR, TEMPORARY
from reverie.lang.messages import say
from reverie.plan.splices import spliced
from reverie.workspace.values import ABSENT, Change, Plan, Workspace, hash_text, to_bytes, to_text

LOOK_BACK = 3  # every start recovers, so only the newest runs can be unfinished


def recover(workspace: Workspace, disk: Disk | None = None) -> tuple[str, ...]:
    """Bring the workspace to a state that a run left whole. Returns what was done, in words."""
    disk = disk or Disk()
    told: list[str] = []
    try:
        for folder in run_folders(workspace)[-LOOK_BACK:]:
            if (folder / "DONE").exists():
                _look_again(workspace, folder, disk)
            elif (folder / "COMMIT").exists():
                plan, changes = _decided(workspace, folder)
                finish(workspace, plan, changes, folder, disk)
                told.append(say("write.recovered", name=folder.name))
            else:
                forget(workspace, folder, _planned_paths(folder), disk)
                told.append(say("write.dropped", name=folder.name))
        _sweep(workspace, disk)
    except OSError as error:
        raise WriteFailed(say("write.unrecovered", strerror=error.strerror)) from None
    return tuple(told)


def _sweep(workspace: Workspace, disk: Disk) -> None:
    """Half-written files that no run knows any more: a power cut can forget the record and keep the file."""
    vault, state = workspace.vault, workspace.root / STATE_DIR
    index = vault / "obsidian-index"
    for folder in (workspace.root, state.parent, state, vault, vault / "meta", index, index / "topics"):
        if folder.is_dir() and not folder.is_symlink():
            for item in sorted(folder.glob(f".*{TEMPORARY}*")):
                disk.remove(item)


def _decided(workspace: Workspace, folder: Path) -> tuple[Plan, list[Change]]:
    """The plan and the bytes of a committed run, from the staged files or from the edits themselves."""
    plan = _plan(folder)
    files = _committed(folder)
    return plan, [_change(workspace, plan, folder, item) for item in files]


def _change(workspace: Workspace, plan: Plan, folder: Path, item: dict[str, Any]) -> Change:
    path, before, after, size = item["path"], item["before"], item["after"], item["size"]
    target = real_path(workspace, path)
    if after == ABSENT:
        return Change(path, before, None, size)
    for place in (staged(target, folder), target):
        data = read_bytes(place)
        if data is not None and hash_at(place) == after:
            return Change(path, before, data, size)
    text = to_text(read_bytes(target) or b"") if hash_at(target) == before else ""
    if hash_text(text) == before or before == ABSENT:
        return Change(path, before, to_bytes(spliced(text, [edit for edit in plan.edits if edit.path == path])), size)
    # The owner changed it in between: `put` carries the edits over to what is there now.
    return Change(path, before, b"", size, decided=after)


def _look_again(workspace: Workspace, folder: Path, disk: Disk) -> None:
    """Late words in a displaced file are carried over; then its second name goes."""
    olds = sorted(folder.glob("old-*"))
    if not olds:
        return
    files = _committed(folder)
    plan = _plan(folder)
    for number in sorted({int(old.name.split("-")[1]) for old in olds}):
        path = files[number]["path"]
        edits = None if files[number]["after"] == ABSENT else [edit for edit in plan.edits if edit.path == path]
        left_behind(real_path(workspace, path), edits, folder / f"old-{number}", disk)
    for old in sorted(folder.glob("old-*")):
        disk.remove(old)


def _committed(folder: Path) -> list[dict[str, Any]]:
    """The files of a committed run, or a sentence about its damaged record."""
    try:
        return list(json.loads(read_plain(folder / "COMMIT"))["files"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadPlanFile(say("runs.damaged", name=folder.name)) from None


def _plan(folder: Path) -> Plan:
    return plan_from_text(read_plain(folder / "plan.json").decode("utf-8", "replace"), f"runs/{folder.name}/plan.json")


def _planned_paths(folder: Path) -> tuple[str, ...]:
    try:
        return _plan(folder).paths
    except (OSError, BadPlanFile, UnicodeDecodeError):
        return ()  # cut before the plan was whole, so nothing was staged either
