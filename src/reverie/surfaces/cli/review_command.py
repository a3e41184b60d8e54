from __future__ import annotations

from collections.abc import Iterator

import click

from reverie import engine
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told


@command
@click.option("--dry-run", is_flag=True, help="Decide and show, but write nothing.")
@click.option("--force", is_flag=True, help="Apply what would otherwise only be proposed.")
def review(asked: Asked, *, dry_run: bool, force: bool) -> None:
    """The night: tidy MEMORY.md, archive what leaves, write down why."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    night = engine.review(workspace, clock, dry_run=dry_run, force=force, on_read=asked.progress())
    asked.answer(night_as_dict(night, with_plan=dry_run), _summary(night, dry_run=dry_run))


def _summary(night: engine.Night, *, dry_run: bool) -> Iterator[tuple[str, str]]:
    if dry_run:
        yield "path", "A dry run: nothing was written."
    elif night.run:
        yield "path", "🌙 Distillation complete"
    yield from told(night)
