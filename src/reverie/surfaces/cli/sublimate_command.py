from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.features.sublimate import sublimate as feature
from reverie.features.sublimate.sublimate import Ripened
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--apply", "applied", is_flag=True, help="Write the pages, as a run.")
def sublimate(asked: Asked, *, applied: bool) -> None:
    """Propose pages of knowledge: postmortems, a work-style guide, a playbook, the tracker. Only --apply writes."""
    workspace = asked.workspace()
    found = feature.sublimate(workspace, asked.clock(workspace.settings.timezone), apply=applied)
    asked.answer(_value(found), _lines(found, applied=applied))


def _value(found: Ripened) -> dict[str, Any]:
    return {
        "workspace": str(found.snapshot.workspace.root),
        "run": found.run.id if found.run else None,
        "changed": bool(found.run),
        "pages": [
            {
                "path": page.path,
                "why": shown(page.about),
                "changes": page in found.proposed,
                "chapters": [{"title": shown(one.title), "lines": len(one.quotes)} for one in page.chapters],
                "sources": list(dict.fromkeys(str(quote.source) for quote in page.quotes)),
            }
            for page in found.pages
        ],
    }


def _lines(found: Ripened, *, applied: bool) -> Iterator[tuple[str, str]]:
    for page in found.proposed:
        yield "add", f"+ {page.path}"
        yield "why", f"    because of {shown(page.about)}"
        for chapter in page.chapters:
            yield "plain", f"    {shown(chapter.title)}: {len(chapter.quotes)} lines"
    if found.run:
        yield "plain", f"Run {found.run.id}. `dream undo` takes it back."
    elif not found.proposed:
        yield "plain", "Nothing has ripened: no finished project, no three related memories that are not written yet."
    elif not applied:
        yield "plain", "Proposed only. `dream sublimate --apply` writes these pages; nothing is deleted."
