"""The views of the palace as files: rendered whole, changed only where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from reverie.model import Edit, Snapshot
from reverie.plan.composed import PALACE
from reverie.plan.quoting import page_lines
from reverie.quoted import Page
from reverie.splice import difference

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
