"""The runs that happened, and plans as JSON: to save, to send, to apply later, and as the record of a run."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.apply.files import read_bytes
from reverie.apply.spool import QUEUED
from reverie.core.errors import BadPlanFile, RefusedFile, UnknownRun
from reverie.core.layout import RUNS, SET_ASIDE, STATE_DIR, Kind, holds_memory, place_of
from reverie.core.model_calls import use_as_dict, use_from_dict
from reverie.lang.messages import say
from reverie.plan.splices import VIEW
from reverie.workspace.values import Edit, Intent, Notice, Plan, Run, Source, Workspace, hexadecimal, lettered

VERSION = 1


_NAME = re.compile(r"[0-9]{1,9}(?:-[0-9A-Za-z_-]*)?\Z", re.A)
_FAR = 100_000_000  # no workspace has so many runs: a folder with such a number was put there by somebody else


def run_folders(workspace: Workspace) -> list[Path]:
    """The folders of all runs, oldest first. Numbers, not clocks, say which came first."""
    return [item for item in run_records(workspace) if stat.S_ISDIR(item.lstat().st_mode)]


def run_records(workspace: Workspace) -> list[Path]:
    """Whatever has the name of a run, oldest first; a file, a link or a pipe may stand where a folder should."""
    return sorted((item for item in _inside(workspace, RUNS) if _NAME.match(item.name)), key=_order)


def next_number(workspace: Workspace) -> int:
    """A number that no run had, not even one whose record was set aside: others may speak of it by its name."""
    names = [*run_records(workspace), *(item for item in _inside(workspace, SET_ASIDE) if _NAME.match(item.name))]
    return max((number for item in names if (number := number_of(item)) < _FAR), default=0) + 1


def _inside(workspace: Workspace, folder: str) -> list[Path]:
    """What lies in a folder of ours; nothing where it cannot be looked at or is reached through a link."""
    places = [workspace.root / "memory", workspace.root / STATE_DIR, workspace.root / folder]
    if any(place.is_symlink() for place in places):
        return []
    try:
        return list(places[-1].iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def number_of(folder: Path) -> int:
    """The number a run's folder begins with; 0 for what is no run."""
    return int(folder.name.partition("-")[0]) if _NAME.match(folder.name) else 0


def _order(item: Path) -> tuple[int, str]:
    return number_of(item), item.name


def plan_as_dict(plan: Plan) -> dict[str, Any]:
    """A plan as plain values; `plan_from_dict` gives the same plan back."""
    return {
        "version": VERSION,
        "intent": str(plan.intent),
        "made": plan.made,
        "undoes": plan.undoes,
        "counts": dict(plan.counts),
        "refused": dict(plan.refused),
        "probes": {"before": plan.probes[0], "after": plan.probes[1]} if plan.probes else None,
        "model": use_as_dict(plan.use) if plan.use else None,
        "base": {path: lettered(digest) for path, digest in plan.base.items()},
        "removes": list(plan.removes),
        "edits": [_edit(edit) for edit in plan.edits],
        "flags": [
            {"tag": f.tag, "text": f.text, "why": f.why, "sources": [str(s) for s in f.sources]} for f in plan.flags
        ],
    }


def plan_from_text(text: str, where: str) -> Plan:
    """Read a saved plan, or say what is wrong with it and where."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise BadPlanFile(say("runs.bad_json", where=where, line=line)) from None
    try:
        return plan_from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadPlanFile(say("runs.no_plan", where=where, error=error)) from None


def plan_from_dict(value: dict[str, Any]) -> Plan:
    if value["version"] != VERSION:
        raise ValueError(f"version {value['version']!r}; this is version {VERSION}")
    return Plan(
        intent=Intent(value["intent"]),
        made=str(value["made"]),
        base=MappingProxyType({str(path): hexadecimal(str(digest)) for path, digest in value["base"].items()}),
        edits=tuple(_read_edit(item) for item in value["edits"]),
        removes=tuple(map(str, value.get("removes", ()))),
        flags=tuple(
            Notice(f["tag"], f["text"], f["why"], tuple(map(_source, f["sources"]))) for f in value.get("flags", ())
        ),
        counts=MappingProxyType({str(tag): int(n) for tag, n in value.get("counts", {}).items()}),
        refused=MappingProxyType({str(why): int(n) for why, n in value.get("refused", {}).items()}),
        undoes=str(value.get("undoes", "")),
        use=use_from_dict(used) if (used := value.get("model")) else None,
        probes=(int(asked["before"]), int(asked["after"])) if (asked := value.get("probes")) else None,
    )


def _edit(edit: Edit) -> dict[str, Any]:
    return {
        "id": edit.id,
        "path": edit.path,
        "at": edit.at,
        "old": list(edit.old),
        "new": list(edit.new),
        "tag": edit.tag,
        "why": edit.why,
        "sources": [str(source) for source in edit.sources],
        "around": list(map(lettered, edit.around)),
        **({"op": edit.op} if edit.op else {}),
        **({"by": edit.by} if edit.op or edit.by else {}),
        **({"detail": edit.detail} if edit.detail else {}),
        **({"drops": list(edit.drops)} if edit.drops else {}),
    }


def _read_edit(item: dict[str, Any]) -> Edit:
    lines = item["old"], item["new"]
    if not all(isinstance(line, str) for group in lines for line in group) or not isinstance(item["at"], int):
        raise ValueError("an edit needs a line number and lines of text")
    if any(
        "\ud800" <= char <= "\udc7f" or "\udd00" <= char <= "\udfff"
        for group in lines
        for line in group
        for char in line
    ):
        raise ValueError("a line holds what is no text")
    if item["at"] < 0:
        raise ValueError("an edit stands before the first line")
    above, below = item.get("around", ("", ""))
    return Edit(
        id=str(item["id"]), path=str(item["path"]), at=item["at"], old=tuple(lines[0]), new=tuple(lines[1]),
        tag=str(item["tag"]), why=str(item["why"]), sources=tuple(map(_source, item["sources"])),
        around=(hexadecimal(str(above)), hexadecimal(str(below))), op=str(item.get("op", "")), by=str(item.get("by", "")),
        detail=str(item.get("detail", "")), drops=tuple(map(str, item.get("drops", ()))),
    )  # fmt: skip


def _source(text: str) -> Source:
    path, _, span = text.rpartition(":")
    first, _, last = span.partition("-")
    return Source(path, int(first), int(last or first))


def runs(workspace: Workspace, last: int = 0) -> tuple[Run, ...]:
    """Every finished run, oldest first, each knowing whether a later one took it back; or only the `last` ones.

    Only a later run can undo one, so that the last ones know all about themselves. A record that cannot be read is left out:
    `dream doctor` names it (`recover.damaged_runs`), and everything else goes on without it.
    """
    found = [run for folder in run_folders(workspace)[-last:] if (run := read_run(folder)) is not None]
    undone: dict[str, str] = {}
    for run in found:
        if run.plan.undoes:
            undone[run.plan.undoes] = run.id
            undone.pop(run.id, None)
    # Undoing an undo brings the first run back to life.
    taken_back = {old: new for old, new in undone.items() if new not in undone}
    return tuple(replace(run, undone_by=taken_back.get(run.id, "")) for run in found)


def runs_since(workspace: Workspace, day: str) -> Iterator[Run]:
    """The finished runs since a day (as YYYY-MM-DD), oldest first, by the day in their names."""
    for folder in run_folders(workspace):
        if folder.name.partition("-")[2][:10] >= day and (run := read_run(folder)) is not None:
            yield run


def last_night(workspace: Workspace) -> tuple[Run, ...]:
    """The last night that changed something and what the owner's yes and answers did since, without what was taken back.

    Where such a word followed a night that changed nothing, it alone. Reads no older record than it must."""
    undone: set[str] = set()
    found: list[Run] = []
    for folder in reversed(run_folders(workspace)):
        run = read_run(folder)
        if run is None:
            continue
        changes = _changes_memory(run)
        if run.id not in undone:
            undone.add(run.plan.undoes)
            if changes and run.plan.intent in (Intent.DREAM, Intent.SUGGESTION, Intent.ANSWER):
                found.append(run)
        if run.plan.intent is Intent.DREAM and (found or changes):
            break
    return tuple(reversed(found))


def find_run(workspace: Workspace, name: str = "") -> Run:
    """The run of this name or number; without one, the newest that is not undone and is no undo itself."""
    if not name:
        known = runs(workspace)
        may = [run for run in known if not (run.undone_by or run.plan.undoes or _is_purge(run) or _was_queued(run))]
        meant = next((run for run in reversed(may) if not _only_tells(run)), None)
        night = next((run for run in reversed(may) if run.plan.intent is Intent.DREAM), None)
        if meant is not None and (
            night is None or meant.plan.intent is Intent.DREAM or may.index(night) < may.index(meant)
        ):
            return meant
        if night is not None:  # one that only tells is passed over for an earlier night, never for what its owner did
            return night
        undo = next((run for run in reversed(known) if run.plan.undoes and not run.undone_by), None)
        raise UnknownRun(say("runs.only_undone", undone=undo.plan.undoes, undo=undo.id) if undo else say("runs.none"))
    run = named_run(workspace, name)
    if run.undone_by:
        raise UnknownRun(say("runs.undone", id=run.id, undone_by=run.undone_by))
    if _is_purge(run):
        raise UnknownRun(say("runs.purge", id=run.id))
    if run.plan.intent is Intent.SCRUB:
        raise UnknownRun(say("scrub.no_undo", id=run.id))
    return run


def passed_over(workspace: Workspace, undone: str) -> list[str]:
    """The runs after one that was undone without its name being said, that changed no line of memory and so stay."""
    later = [run for run in runs(workspace) if number_of(Path(run.id)) > number_of(Path(undone))]
    return [
        run.id
        for run in later
        if run.plan.intent in (Intent.REFINE, Intent.DREAM) and not run.undone_by and _only_tells(run)
    ]


def named_run(workspace: Workspace, name: str) -> Run:
    """The run of this name or number, whatever became of it."""
    known = runs(workspace)
    fits = [run for run in known if run.id == name] or [
        run for run in known if int(run.id.partition("-")[0]) == _number(name)
    ]
    if not fits and any(item.name == name or number_of(item) == _number(name) for item in run_records(workspace)):
        raise UnknownRun(say("records.no_record", name=name))
    if not fits:
        raise UnknownRun(say("runs.unknown", name=name))
    return fits[0]


def _number(name: str) -> int:
    return int(name) if re.fullmatch(r"[0-9]{1,9}", name) else -1


def _only_tells(run: Run) -> bool:
    """The schedule's line, the report of a second look, a night that changed no memory: whoever says `undo` means one before."""
    if run.plan.intent is Intent.DREAM:
        return not _changes_memory(run)
    told = all(place_of(path).kind is Kind.REPORT for path in run.plan.paths)
    return run.plan.intent in (Intent.WATCH, Intent.SCRUB) or (run.plan.intent is Intent.REFINE and told)


def _changes_memory(run: Run) -> bool:
    return any(holds_memory(edit.path) and edit.tag != VIEW for edit in run.plan.edits)


def _was_queued(run: Run) -> bool:
    """A note that this very command may have taken in: whoever says `undo` means what was done before it."""
    return run.plan.intent is Intent.NOTE and any(edit.id.startswith(QUEUED) for edit in run.plan.edits)


def _is_purge(run: Run) -> bool:
    """A purge keeps no edit of its own on record."""
    return run.plan.intent is Intent.FORGET and not run.plan.edits


def read_run(folder: Path) -> Run | None:
    """The finished run that is recorded here; None for one that is not finished, or whose record is damaged."""
    if not os.path.lexists(folder / "DONE"):
        return None
    try:
        plan, done = read_plan(folder), read_mark(folder, "DONE")
        datetime.fromisoformat(plan.made)  # others reckon with it
        after = {str(path): str(digest) for path, digest in done["after"].items()}
        return Run(folder.name, plan, plan.made, after, tuple((str(path), int(at)) for path, at in done["left"]))
    except (BadPlanFile, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None


def read_plan(folder: Path) -> Plan:
    """The plan of a run, finished or not; BadPlanFile if it cannot be read."""
    return plan_from_text(_text(folder / "plan.json"), f"runs/{folder.name}/plan.json")


def read_mark(folder: Path, name: str) -> dict[str, Any]:
    """What COMMIT or DONE says; BadPlanFile if it cannot be read."""
    try:
        found = json.loads(_text(folder / name))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BadPlanFile(say("records.no_mark", where=f"runs/{folder.name}/{name}"))
    return found


def _text(path: Path) -> str:
    """The text of a plain file of a record. A failing disk is no damaged record: that is told as what it is."""
    try:
        return (read_bytes(path) or b"").decode("utf-8")
    except (RefusedFile, PermissionError, UnicodeDecodeError):
        return ""
    except OSError as error:
        if error.errno != errno.ELOOP:  # a link stands there
            raise
        return ""
