from __future__ import annotations

import sys
from pathlib import Path

import click

from reverie import engine
from reverie.errors import BadPlanFile
from reverie.saved import plan_from_text
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told


@command
@click.argument("file", metavar="PLAN.json")
def apply(asked: Asked, *, file: str) -> None:
    """Apply a plan that was saved with `dream plan --json`. “-” reads it from standard input."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadPlanFile(f"{file} cannot be read ({reason}). Save a plan with `dream plan --json > {file}`.") from None
    plan = plan_from_text(text, file)
    workspace = asked.workspace()
    night = engine.apply_plan(workspace, plan, asked.clock(workspace.settings.timezone))
    asked.answer(night_as_dict(night, with_plan=False), told(night))
