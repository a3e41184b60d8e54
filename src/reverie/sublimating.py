"""`dream sublimate`: which memories have ripened into knowledge, and, at the owner's word, the pages they become."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.counsel import Use
from reverie.model import Plan, Run, Snapshot, Workspace
from reverie.palaces import said_in
from reverie.phases.classify import classify
from reverie.phases.known import Known
from reverie.phases.palace import judged_notes
from reverie.phases.projects import projects_in
from reverie.phases.sublimate import knowledge_of
from reverie.phases.units import units_of
from reverie.plan.promises import check_promises
from reverie.plan.sublimate import sublimate_plan
from reverie.ports import Clock
from reverie.quoted import Page
from reverie.splice import changes_of
from reverie.workspace.reader import read_workspace


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
        from reverie.opinions import with_titles  # prompts and the asker, only for those who have a model

        pages, use = with_titles(workspace, clock, pages, keep=keep)
    plan = replace(sublimate_plan(snapshot, pages, clock.now()), use=use)
    check_promises(snapshot, plan)
    return Ripened(snapshot, pages, plan)


__all__ = ["Ripened", "sublimate"]
