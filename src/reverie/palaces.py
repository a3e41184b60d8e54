"""`dream palace`: the views of a memory, shown or written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.layout import LEDGER
from reverie.model import Intent, Plan, Run, Snapshot, Source, Workspace
from reverie.phases.palace import VIEWS, palace_of
from reverie.phases.sayings import Archived, sayings
from reverie.plan.build import plan_of
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.plan.palace import palace_edits, palace_text
from reverie.plan.promises import check_promises
from reverie.ports import Clock
from reverie.quoted import Page, Said
from reverie.splice import changes_of, hashes_after, texts_after
from reverie.workspace.reader import read_workspace, reread


@dataclass(frozen=True, slots=True)
class Palace:
    """The views of one moment, and the run that wrote them, if one did."""

    snapshot: Snapshot
    pages: tuple[Page, ...]
    run: Run | None = None

    def text_of(self, page: Page) -> str:
        return palace_text(page, self.snapshot)


def show(workspace: Workspace) -> Palace:
    """The views as they would be written now. Writes nothing."""
    snapshot = read_workspace(workspace)
    return Palace(snapshot, pages_of(snapshot))


def rebuild(workspace: Workspace, clock: Clock, *, disk: Disk | None = None) -> Palace:
    """Write the views of memory/palace. A memory that did not change gives the same bytes, and then no run."""
    with held(workspace.root, "palace", clock.now().isoformat(timespec="seconds"), workspace.settings.lock_wait):
        recover(workspace, disk)
        snapshot = read_workspace(workspace)
        pages = pages_of(snapshot)
        plan = plan_of(snapshot, Intent.PALACE, palace_edits(snapshot, pages), clock.now())
        plan = replace(plan, counts=MappingProxyType({"views": len(plan.paths)}))
        check_promises(snapshot, plan)
        run = write_run(workspace, plan, changes_of(snapshot, plan), disk) if plan.edits else None
        return Palace(snapshot, pages, run)


def with_views(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan of a night with the views of the memory it leaves. A second night finds them as they must be."""
    after = reread(snapshot, texts_after(snapshot, plan), hashes_after(snapshot, plan))
    edits = palace_edits(after, pages_of(after))
    base = {**plan.base, **{edit.path: snapshot.hash_of(edit.path) for edit in edits}}
    return replace(plan, edits=(*plan.edits, *edits), base=MappingProxyType(base))


def pages_of(snapshot: Snapshot) -> tuple[Page, ...]:
    embedder = snapshot.workspace.embedder
    return palace_of(snapshot, said_in(snapshot), embedder.embed if embedder else None)


def said_in(snapshot: Snapshot) -> tuple[Said, ...]:
    """Everything the workspace and its archive say that may be told again."""
    return sayings(snapshot, _archived(snapshot))


def _archived(snapshot: Snapshot) -> list[Archived]:
    text = snapshot.text_of(LEDGER)
    return [
        (Source(LEDGER, line + 4, line + 4), block.content[0], block.archived, block.category)
        for block, line in zip(read_ledger(text), ledger_lines(text), strict=True)
    ]


__all__ = ["VIEWS", "Palace", "pages_of", "rebuild", "said_in", "show", "with_views"]
