from __future__ import annotations

import sys
from pathlib import Path

import click

from reverie.apply.saved import plan_from_text
from reverie.core.errors import BadPlanFile
from reverie.night import engine
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told
from reverie.workspace.values import Plan


@command
@click.argument("file", metavar="[PLAN.json]", default="")
@click.option("--only", multiple=True, metavar="ID", help="Only this item; the others are declined. May be repeated.")
@click.option("--without", multiple=True, metavar="ID", help="Decline this item and apply the others. May be repeated.")
@click.option("--none", is_flag=True, help="Decline every item.")
@click.option("--force", is_flag=True, help="Apply a saved plan that changes most of MEMORY.md.")
def apply(asked: Asked, *, file: str, only: tuple[str, ...], without: tuple[str, ...], none: bool, force: bool) -> None:
    """Apply a plan that was saved with `dream plan --json`, or the proposal that waits when no file is named.

    “-” reads the plan from standard input. Items are named by the ids that `dream plan` shows; what is declined is not
    proposed again.
    """
    plan = _saved(file) if file else None
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    night = engine.apply_plan(workspace, plan, clock, only=only, without=without, none=none, force=force)
    asked.answer(night_as_dict(night, with_plan=False), told(night))


def _saved(file: str) -> Plan:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadPlanFile(f"{file} cannot be read ({reason}). Save a plan with `dream plan --json > {file}`.") from None
    return plan_from_text(text, file)
