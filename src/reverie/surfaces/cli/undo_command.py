from __future__ import annotations

import click

from reverie.night import engine
from reverie.night.taking_back import take_back
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told


@command
@click.argument("run", default="", metavar="[RUN]")
@click.option("--only", default="", metavar="ID", help="Only this decision of the run; the others stay.")
@click.option("--dry-run", is_flag=True, help="Show what would come back, but write nothing.")
def undo(asked: Asked, *, run: str, only: str, dry_run: bool) -> None:
    """Take a run back, byte for byte: the newest, or the one named by its number or id.

    An older run is undone around later, unrelated changes; where they collide, nothing is written and the line is
    named. An undo is a run itself and can be undone. With --only one decision is taken back, by the id that `dream why` and
    `dream plan` show; no later night makes it again.
    """
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    if only:
        night = take_back(workspace, clock, run, only, dry_run=dry_run)
    else:
        night = engine.undo(workspace, clock, run, dry_run=dry_run)
    asked.answer(night_as_dict(night, with_plan=dry_run), told(night))
