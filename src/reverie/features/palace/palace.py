"""`dream palace`: the views of a memory, shown or written down.

The views of the palace as files: rendered whole, changed only where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.core.layout import LEDGER
from reverie.core.ports import Clock
from reverie.features.palace.sayings import Archived, sayings
from reverie.features.palace.views import VIEWS, palace_of
from reverie.plan.build import plan_of
from reverie.plan.composed import PALACE
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.plan.promises import check_promises
from reverie.plan.quoting import Page, Said, page_lines
from reverie.plan.splices import changes_of, difference, hashes_after, texts_after
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Edit, Intent, Plan, Run, Snapshot, Source, Workspace


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


NOTE = "<!-- Written by `dream palace --rebuild`; what is changed here is lost at the next one. -->"


def palace_text(page: Page, snapshot: Snapshot) -> str:
    """A view as Markdown; the days stand in the headings of the timeline and nowhere else there."""
    lines = page_lines(page, snapshot.workspace, dated=not page.path.endswith("timeline.md"))
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join([f"# {page.title}", "", NOTE, "", *lines, ""])


def palace_edits(snapshot: Snapshot, pages: Sequence[Page]) -> list[Edit]:
    """The edits that bring the views up to date; none where they are. A link in the place of a view costs that view."""
    refused = {refusal.path for refusal in snapshot.refused}
    why = "the palace shows what memory says now"
    edits: list[Edit] = []
    for page in pages:
        if page.path not in refused:
            text, before = palace_text(page, snapshot), snapshot.text_of(page.path)
            edits += difference(page.path, before, text, id=PALACE, tag=PALACE, why=why, sources=())
    return edits


__all__ = ["VIEWS", "Palace", "pages_of", "rebuild", "said_in", "show", "with_views"]
