"""What nights got wrong, by labels: how much of it `dream refine` finds, and how much of what it finds is wrong.

    python benchmarks/refine.py [FOLDER …] [--show]

A folder holds cases (`benchmarks/second-look/README.md` is the format): a memory, notes, and what nights did, each operation labelled
right or wrong. The operations are carried out as real runs, without the checks that would stop them, and the second look is
taken on the last day. Of a wrong operation any finding about it counts, whatever it calls the mistake.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from reverie.apply.writer import write_run
from reverie.core.ports import fixed
from reverie.features.refine.mistakes import Mistake
from reverie.features.refine.refine import refine
from reverie.features.trial import interval
from reverie.judge.operation import Op, Operation
from reverie.plan.build import build_plan
from reverie.plan.splices import changes_of
from reverie.surfaces.configure import configured
from reverie.text.sections import OURS
from reverie.text.terms import plain
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Snapshot, Statement, Workspace, stated

SETS = Path(__file__).parent / "second-look"
Labelled = dict[str, Any]


@dataclass
class Count:
    wrong: int = 0
    found: int = 0
    right: int = 0
    false: int = 0
    kinds: Counter[tuple[str, bool]] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def add(self, one: Labelled, finding: Mistake | None, case: str) -> None:
        said = f"{finding.tag}: {finding.why}" if finding else ""
        shown = f"{case}, {one['op']}: {' + '.join(one.get('memory', []))} → {one.get('text', '')} | {said}"
        if one["label"] == "wrong":
            self.wrong, self.found = self.wrong + 1, self.found + (finding is not None)
            self.kinds[one["kind"], finding is not None] += 1
            self.told += [f"missed ({one['kind']}) {shown}"] if finding is None else []
        else:
            self.right, self.false = self.right + 1, self.false + (finding is not None)
            self.told += [f"false {shown}"] if finding else []


def workspace_of(case: Path, to: Path) -> Workspace:
    shutil.copytree(case, to, ignore=shutil.ignore_patterns("operations.json"))
    cache = Path(tempfile.gettempdir()) / "reverie-bench"  # the embedder's tables are made once
    return configured(to, {"HOME": str(to.parent), "XDG_CACHE_HOME": str(cache)})


def nights_of(workspace: Workspace, operations: list[Labelled]) -> Iterator[tuple[Labelled, str, str]]:
    """Carry out what the nights did; each operation with its run and one id of every decision that it became."""
    for night, group in groupby(operations, lambda one: str(one["night"])):
        its, snapshot = list(group), read_workspace(workspace)
        asked = [operation_of(snapshot, one) for one in its]
        plan = build_plan(snapshot, asked, datetime.fromisoformat(f"{night}T03:00:00+00:00"))
        run = write_run(workspace, plan, changes_of(snapshot, plan), None)
        for edit in plan.edits:
            if edit.path != snapshot.memory_path or not edit.op:
                continue
            for one, operation in zip(its, asked, strict=True):
                lines = " ".join((*edit.old, *edit.new))
                mine = operation.id if operation.op is Op.ADD else edit.id
                if any(
                    OURS.sub("", line).strip() in OURS.sub("", lines)
                    for line in (*one.get("memory", ()), one.get("text", "\0"))
                ):
                    yield one, run.id, mine


def operation_of(snapshot: Snapshot, one: Labelled) -> Operation:
    cites = tuple(_cited(cite) for cite in one.get("cites", ()))
    memory = tuple(_line(snapshot, line) for line in one.get("memory", ()))
    op, text = Op(one["op"]), str(one.get("text", "")).removeprefix("- ")
    tag = {Op.ADD: "added", Op.MERGE: "merged"}.get(op, str(one.get("tag", "superseded")))
    why = f"{one['op']} {' / '.join(one.get('memory', ()))} {text}"
    return Operation(op, why, cites, memory, text, section=str(one.get("section", "")).lstrip("# "), tag=tag)


def _cited(cite: str) -> Statement:
    path, _, span = cite.rpartition(":")
    first, _, last = span.partition("-")
    return stated(path, int(first), int(last or first), "")


def _line(snapshot: Snapshot, line: str) -> Statement:
    entries = snapshot.files[snapshot.memory_path].entries
    found = [one for one in entries if plain(OURS.sub("", one.text)) == plain(line.removeprefix("- "))]
    if not found:
        raise SystemExit(f"{snapshot.workspace.root.name}: MEMORY.md has no line {line!r} at that moment.")
    return found[0]


def counted(folder: Path) -> Count:
    count = Count()
    for case in sorted(path.parent for path in folder.rglob("operations.json")):
        labelled = json.loads((case / "operations.json").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as home:
            workspace = workspace_of(case, Path(home) / case.name)
            made = [(id(one), run, its_id) for one, run, its_id in nights_of(workspace, labelled["operations"])]
            found = refine(workspace, fixed(f"{labelled['today']}T20:00:00+00:00"), dry_run=True).findings
        seen = {(one.run, one.id): one for one in found if isinstance(one, Mistake)}
        for one in labelled["operations"]:
            its = [seen.get((run, its_id)) for number, run, its_id in made if number == id(one)]
            count.add(one, next(filter(None, its), None), case.name)
    return count


def shown(part: int, whole: int) -> str:
    """A share with Wilson's 95 % interval."""
    return "{:.2f} ({:.2f}–{:.2f})".format(part / whole, *interval(part, whole)) if whole else "–"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("folders", nargs="*", type=Path, default=[SETS / "tuned", SETS / "held"])
    asked.add_argument("--show", action="store_true")
    options = asked.parse_args()
    for folder in options.folders:
        count = counted(folder)
        flagged = count.found + count.false
        print(f"{folder.name}: {count.wrong} wrong, {count.right} right")
        print(f"  precision {shown(count.found, flagged)}  {count.found} of {flagged}")
        print(f"  recall    {shown(count.found, count.wrong)}  {count.found} of {count.wrong}")
        for kind in sorted({kind for kind, _ in count.kinds}):
            print(f"  {kind:<14}{count.kinds[kind, True]} of {count.kinds[kind, True] + count.kinds[kind, False]}")
        print("".join(f"    {line}\n" for line in count.told) if options.show else "", end="")


if __name__ == "__main__":
    main()
