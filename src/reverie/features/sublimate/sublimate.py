"""`dream sublimate`: which memories have ripened into knowledge, and, at the owner's word, the pages they become.

`dream sublimate`: pages of knowledge, each with our block in it and the owner's words around it as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.core.layout import TRACKER
from reverie.core.model_calls import Use
from reverie.core.ports import Clock
from reverie.features.classify.known import Known
from reverie.features.classify.plan import tracker_edits
from reverie.features.classify.sorting import classify
from reverie.features.classify.units import units_of
from reverie.features.palace.palace import said_in
from reverie.features.palace.projects import projects_in
from reverie.features.palace.views import judged_notes
from reverie.features.sublimate.topics import knowledge_of
from reverie.plan.build import plan_of
from reverie.plan.composed import SUBLIMATE
from reverie.plan.promises import check_promises
from reverie.plan.quoting import Page, block_edits, page_lines
from reverie.plan.splices import changes_of
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Workspace


@dataclass(frozen=True, slots=True)
class Ripened:
    """The pages that are worth making, the plan that writes what they do not say yet, and the run if it was applied."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    plan: Plan
    run: Run | None = None

    @property
    def proposed(self) -> tuple[Page, ...]:
        """The pages that would change."""
        return tuple(page for page in self.pages if page.path in self.plan.paths)


def sublimate(workspace: Workspace, clock: Clock, *, apply: bool = False, disk: Disk | None = None) -> Ripened:
    """Propose pages of knowledge, or write them. Sources are linked, and nothing is deleted."""
    if not apply:
        return _ripened(workspace, clock, keep=False)
    with held(workspace.root, "sublimate", clock.now().isoformat(timespec="seconds"), workspace.settings.lock_wait):
        recover(workspace, disk)
        found = _ripened(workspace, clock, keep=True)
        if not found.plan.edits:
            return found
        run = write_run(workspace, found.plan, changes_of(found.snapshot, found.plan), disk)
        return Ripened(found.snapshot, found.pages, found.plan, run)


def _ripened(workspace: Workspace, clock: Clock, *, keep: bool) -> Ripened:
    snapshot = read_workspace(workspace)
    embed = workspace.embedder.embed if workspace.embedder else None
    said = said_in(snapshot)
    memory = snapshot.files.get(snapshot.memory_path)
    verdicts = classify(units_of(memory), Known(()), embed) if memory else ()
    pages = knowledge_of(snapshot, said, verdicts, projects_in(snapshot, said), judged_notes(said, embed))
    use: Use | None = None
    if workspace.model is not None:
        from reverie.features.classify.opinions import (
            with_titles,  # prompts and the asker, only for those who have a model
        )

        pages, use = with_titles(workspace, clock, pages, keep=keep)
    plan = replace(sublimate_plan(snapshot, pages, clock.now()), use=use)
    check_promises(snapshot, plan)
    return Ripened(snapshot, pages, plan)


def sublimate_plan(snapshot: Snapshot, pages: Sequence[Page], now: datetime) -> Plan:
    """The edits that write these pages; none for a page that says it all already."""
    refused = {refusal.path for refusal in snapshot.refused}
    edits: list[Edit] = []
    for page in pages:
        if page.path == TRACKER:
            edits += tracker_edits(snapshot, page.quotes, SUBLIMATE, page.about)
        elif page.path not in refused:
            body = page_lines(page, snapshot.workspace)
            edits += block_edits(snapshot.text_of(page.path), page, body, SUBLIMATE, page.about)
    plan = plan_of(snapshot, Intent.SUBLIMATE, edits, now)
    return replace(plan, counts=MappingProxyType({"pages": len(plan.paths)}))


__all__ = ["Ripened", "sublimate"]
