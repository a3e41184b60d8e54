"""The runs that happened, and plans as JSON: to save, to send, to apply later, and as the record of a run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reverie.core.durable import read_plain
from reverie.core.errors import BadPlanFile, UnknownRun
from reverie.core.layout import RUNS, Kind, place_of
from reverie.core.model_calls import use_as_dict, use_from_dict
from reverie.lang.messages import say
from reverie.workspace.values import Edit, Intent, Notice, Plan, Run, Source, Workspace, hexadecimal, lettered

VERSION = 1


def run_folders(workspace: Workspace) -> list[Path]:
    """The folders of all runs, oldest first. Numbers, not clocks, say which came first."""
    runs = workspace.root / RUNS
    found = [folder for folder in runs.iterdir() if folder.name[:1].isdigit()] if runs.is_dir() else []
    return sorted(found, key=number_of)


def number_of(folder: Path) -> int:
    """The number a run's folder begins with; 0 for what is no run."""
    head = folder.name.partition("-")[0]
    return int(head) if head.isdigit() else 0


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
    except (KeyError, TypeError, ValueError, AttributeError) as error:
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
        **({"op": edit.op, "by": edit.by} if edit.op else {}),
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
    )  # fmt: skip


def _source(text: str) -> Source:
    path, _, span = text.rpartition(":")
    first, _, last = span.partition("-")
    return Source(path, int(first), int(last or first))


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
        raise UnknownRun(say("runs.none"))
    number = name.partition("-")[0]
    fits = [run for run in known if run.id == name] or [
        run for run in known if re.fullmatch(r"[0-9]{1,9}", name) and int(run.id.partition("-")[0]) == int(number)
    ]
    if not fits:
        raise UnknownRun(say("runs.unknown", name=name))
    if fits[0].undone_by:
        raise UnknownRun(say("runs.undone", id=fits[0].id, undone_by=fits[0].undone_by))
    if _is_purge(fits[0]):
        raise UnknownRun(say("runs.purge", id=fits[0].id))
    return fits[0]


def _only_tells(run: Run) -> bool:
    """The schedule's line, or the report of a second look: whoever says `undo` means the night before it."""
    told = all(place_of(path).kind is Kind.REPORT for path in run.plan.paths)
    return run.plan.intent is Intent.WATCH or (run.plan.intent is Intent.REFINE and told)


def _is_purge(run: Run) -> bool:
    """A purge keeps no edit of its own on record."""
    return run.plan.intent is Intent.FORGET and not run.plan.edits


def _read(folder: Path) -> Run:
    try:
        plan = plan_from_text(read_plain(folder / "plan.json").decode(), f"runs/{folder.name}/plan.json")
        done = json.loads(read_plain(folder / "DONE"))
        return Run(
            folder.name, plan, plan.made, dict(done["after"]), tuple((str(path), int(at)) for path, at in done["left"])
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadPlanFile(say("runs.damaged", name=folder.name)) from None
