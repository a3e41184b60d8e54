from __future__ import annotations

import click

from reverie.apply.saved import plan_as_dict
from reverie.night import engine
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import suggested


@command
@click.option("--prose", is_flag=True, help="Tell it in sentences instead of a diff.")
@click.option("--all", "everything", is_flag=True, help="Show the derived files too.")
def plan(asked: Asked, *, prose: bool, everything: bool) -> None:
    """Show what a night would change, and why. Writes nothing.

    With --json the plan can be saved and applied later: `dream plan --json > plan.json`, `dream apply plan.json`.
    """
    workspace = asked.workspace()
    night = engine.plan_dream(workspace, asked.clock(workspace.settings.timezone), on_read=asked.progress())
    lines = engine.prose_of(night) if prose or not night.plan.edits else engine.diff_of(night, everything=everything)
    asked.answer(plan_as_dict(night.plan), [*lines, *suggested(night)])
