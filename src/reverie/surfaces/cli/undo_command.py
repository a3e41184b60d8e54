from __future__ import annotations

import click

from reverie import engine
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told


@command
@click.argument("run", default="", metavar="[RUN]")
@click.option("--dry-run", is_flag=True, help="Show what would come back, but write nothing.")
def undo(asked: Asked, *, run: str, dry_run: bool) -> None:
    """Take a run back, byte for byte: the newest, or the one named by its number or id.

    An older run is undone around later, unrelated changes; where they collide, nothing is written and the line is
    named. An undo is a run itself and can be undone.
    """
    workspace = asked.workspace()
    night = engine.undo(workspace, asked.clock(workspace.settings.timezone), run, dry_run=dry_run)
    asked.answer(night_as_dict(night, with_plan=dry_run), told(night))
