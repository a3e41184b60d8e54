"""`dream classify`: where each memory belongs, and, at the owner's word, the files it then has.

Reads, sorts, plans, promises, writes; a run like any other, which `dream undo` takes back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reverie.apply.files import Disk
from reverie.core.errors import BadInput, OverBudget, RefusedFile
from reverie.core.layout import Kind
from reverie.core.model_calls import Use
from reverie.core.ports import Clock
from reverie.features.classify.filing import LONGEST_LINK, classify_plan, filing_of
from reverie.features.classify.memories import units_of
from reverie.features.classify.sorting import Known, Sort, Sorted, classify
from reverie.judge.worth import Embed
from reverie.night.transaction import transact
from reverie.plan.promises import check_promises
from reverie.plan.splices import texts_after
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Plan, Run, Snapshot, Workspace, hash_text

TRIES = 5
SHORTER = (LONGEST_LINK, 110, 80)  # characters of a link, tried in this order until MEMORY.md is within its limits


@dataclass(frozen=True, slots=True)
class Classified:
    """What was decided about every memory, the plan it leads to, and the run if it was applied."""

    snapshot: Snapshot
    verdicts: tuple[Sorted, ...]
    plan: Plan
    run: Run | None = None

    @property
    def unlinked(self) -> tuple[str, ...]:
        """In the index shape, classified files that MEMORY.md does not name: nobody finds them by reading it."""
        if self.snapshot.workspace.settings.memory.shape != "index":
            return ()
        memory = texts_after(self.snapshot, self.plan).get(self.snapshot.memory_path, "")
        text = memory or self.snapshot.text_of(self.snapshot.memory_path)
        there = (path for path, file in self.snapshot.files.items() if file.place.kind is Kind.CLASSIFIED)
        return tuple(sorted(path for path in there if f"]({path})" not in text))

    def of(self, sort: Sort) -> tuple[Sorted, ...]:
        return tuple(one for one in self.verdicts if one.sort is sort)


def sort_memories(workspace: Workspace, clock: Clock, *, apply: bool = False, disk: Disk | None = None) -> Classified:
    """Sort the entries of MEMORY.md into user, feedback, project and reference. Without `apply` nothing is written."""
    if not apply:
        return _decided(read_workspace(workspace), clock, keep=False)

    def decide(snapshot: Snapshot) -> tuple[Classified, Plan]:
        found = _decided(snapshot, clock, keep=True)
        return found, found.plan

    done = transact(workspace, clock, "classify", decide, disk=disk)
    return replace(done.told, run=done.run)


def sort_statement(workspace: Workspace, text: str, heading: str = "") -> Sorted:
    """Where one statement would belong, as if it stood in MEMORY.md (under `heading`). Writes nothing."""
    said = " ".join(text.split())
    if not said:
        raise BadInput("There is nothing to classify. Say `dream classify TEXT`, or leave TEXT out for MEMORY.md.")
    snapshot = read_workspace(workspace)
    path = snapshot.memory_path
    alone = f"# Memory\n\n## {heading or '-'}\n- {said}\n"
    units = units_of(reread(snapshot, {path: alone}, {path: hash_text(alone)}).files[path])
    if not units:
        raise BadInput("That is a link or a line of ours, not a statement.")
    return classify(units, Known(snapshot.files.values()), _embed(workspace))[0]


def _decided(snapshot: Snapshot, clock: Clock, *, keep: bool) -> Classified:
    for refusal in snapshot.refused:
        if refusal.path.lower() == "memory.md" or refusal.path == "memory":
            raise RefusedFile(f"{refusal.path} {refusal.why}. Put a real file there, then run again.")
    memory = snapshot.files.get(snapshot.memory_path)
    units = units_of(memory) if memory else ()
    verdicts = classify(units, Known(snapshot.files.values()), _embed(snapshot.workspace))
    use: Use | None = None
    if snapshot.workspace.model is not None:
        from reverie.features.classify.opinions import (  # prompts and the asker, only for those who have a model
            opinions_on,
            taken,
        )

        opinions, use = opinions_on(snapshot.workspace, clock, verdicts, keep=keep)
        if opinions:
            verdicts = classify(units, Known(snapshot.files.values()), _embed(snapshot.workspace), opinions)
        use = taken(use, opinions, verdicts) if use else None
    filings = [filing_of(verdict) for verdict in verdicts]
    for longest in SHORTER:  # an index of a long memory fits with shorter hooks
        plan = classify_plan(snapshot, filings, clock.now(), longest)
        try:
            check_promises(snapshot, plan)
            break
        except OverBudget:
            if longest == SHORTER[-1]:
                raise
    return Classified(snapshot, verdicts, replace(plan, use=use))


def _embed(workspace: Workspace) -> Embed | None:
    return workspace.embedder.embed if workspace.embedder else None


__all__ = ["Classified", "Sort", "Sorted", "sort_memories", "sort_statement"]
