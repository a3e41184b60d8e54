"""The runs that happened: listing them, and finding one by its number or name."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from reverie.apply.saved import plan_from_text
from reverie.apply.writer import run_folders
from reverie.core.errors import BadPlanFile, UnknownRun
from reverie.core.layout import Kind, place_of
from reverie.workspace.values import Intent, Run, Workspace


def runs(workspace: Workspace, last: int = 0) -> tuple[Run, ...]:
    """Every finished run, oldest first, each knowing whether a later one took it back; or only the `last` ones.

    Only a later run can undo one, so that the last ones know all about themselves.
    """
    found = [_read(folder) for folder in run_folders(workspace)[-last:] if (folder / "DONE").exists()]
    undone: dict[str, str] = {}
    for run in found:
        if run.plan.undoes:
            undone[run.plan.undoes] = run.id
            undone.pop(run.id, None)
    # Undoing an undo brings the first run back to life.
    taken_back = {old: new for old, new in undone.items() if new not in undone}
    return tuple(replace(run, undone_by=taken_back.get(run.id, "")) for run in found)


def find_run(workspace: Workspace, name: str = "") -> Run:
    """The run of this name or number; without one, the newest that is not undone and is no undo itself."""
    known = runs(workspace)
    if not name:
        for run in reversed(known):
            if not run.undone_by and not run.plan.undoes and not _is_purge(run) and not _only_tells(run):
                return run
        raise UnknownRun("There is no run to undo. `dream runs` lists them all.")
    number = name.partition("-")[0]
    fits = [run for run in known if run.id == name] or [
        run for run in known if re.fullmatch(r"[0-9]{1,9}", name) and int(run.id.partition("-")[0]) == int(number)
    ]
    if not fits:
        raise UnknownRun(f"There is no run {name!r}. `dream runs` lists them all.")
    if fits[0].undone_by:
        raise UnknownRun(f"The run {fits[0].id} was already undone by {fits[0].undone_by}.")
    if _is_purge(fits[0]):
        raise UnknownRun(f"The run {fits[0].id} was a purge. What it erased is nowhere, so it cannot be undone.")
    return fits[0]


def _only_tells(run: Run) -> bool:
    """The schedule's line, or the report of a second look: whoever says `undo` means the night before it."""
    told = all(place_of(path).kind is Kind.REPORT for path in run.plan.paths)
    return run.plan.intent is Intent.WATCH or (run.plan.intent is Intent.REFINE and told)


def _is_purge(run: Run) -> bool:
    """A purge keeps no edit of its own on record."""
    return run.plan.intent is Intent.FORGET and not run.plan.edits


def _read(folder: Path) -> Run:
    plan = plan_from_text((folder / "plan.json").read_text("utf-8"), f"runs/{folder.name}/plan.json")
    try:
        done = json.loads((folder / "DONE").read_text("utf-8"))
        return Run(
            folder.name, plan, plan.made, dict(done["after"]), tuple((str(path), int(at)) for path, at in done["left"])
        )
    except (ValueError, KeyError, TypeError):
        raise BadPlanFile(f"runs/{folder.name}/DONE is damaged. Move that folder away, then run again.") from None
