from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.features.palace import palace as feature
from reverie.features.palace.palace import VIEWS, Palace
from reverie.plan.quoting import Page
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("view", required=False, type=click.Choice(VIEWS))
@click.option("--rebuild", is_flag=True, help="Write the views to memory/palace, as a run.")
def palace(asked: Asked, *, view: str | None, rebuild: bool) -> None:
    """Show the palace: views of the memory by time, project, technology and your own words. Only --rebuild writes."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    found = feature.rebuild(workspace, clock) if rebuild else feature.show(workspace)
    pages = [page for page in found.pages if view is None or page.path.endswith(f"/{view}.md")]
    asked.answer(_value(found, pages), _told(found, rebuilt=rebuild) if rebuild else _lines(pages))


def _value(found: Palace, pages: list[Page]) -> dict[str, Any]:
    return {
        "workspace": str(found.snapshot.workspace.root),
        "run": found.run.id if found.run else None,
        "views": [
            {
                "path": page.path,
                "title": page.title,
                "chapters": [
                    {
                        "title": chapter.title,
                        "level": chapter.level,
                        "lines": [
                            {"text": shown(one.text), "source": str(one.source), "day": one.day or None, "subject": one.subject or None}
                            for one in chapter.quotes
                        ],
                    }
                    for chapter in page.chapters
                ],
            }
            for page in pages
        ],
    }  # fmt: skip


def _lines(pages: list[Page]) -> Iterator[tuple[str, str]]:
    for page in pages:
        yield "path", f"── {shown(page.title)} ──"
        for chapter in page.chapters:
            yield "path", f"{'  ' * (chapter.level - 2)}{shown(chapter.title)}"
            for one in chapter.quotes:
                subject = f"{one.subject}: " if one.subject else ""
                yield "plain", f"{'  ' * (chapter.level - 1)}· {shown(subject + one.text)}"
                yield "why", f"{'  ' * chapter.level}{one.source}"
        if not page.chapters:
            empty = "No line belongs here yet."
            yield "plain", f"{empty} `palace.views` defines your own." if page.path.endswith("custom.md") else empty


def _told(found: Palace, *, rebuilt: bool) -> Iterator[tuple[str, str]]:
    for page in found.pages:
        yield "plain", f"{page.path}: {len(page.quotes)} lines"
    if found.run:
        yield "plain", f"Run {found.run.id}. `dream undo` takes it back."
    elif rebuilt:
        yield "plain", "Nothing changed: the views are as they were."
