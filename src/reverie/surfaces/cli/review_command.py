from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from reverie.core.errors import BadInput
from reverie.surfaces.cli.common import Asked, command

if TYPE_CHECKING:
    from reverie.core.ports import Clock
    from reverie.night.engine import Night
    from reverie.workspace.values import Workspace

Told = tuple[Any, list[tuple[str, str]]]


@command
@click.option("--dry-run", is_flag=True, help="Decide and show, but write nothing.")
@click.option("--force", is_flag=True, help="Apply what would otherwise only be proposed.")
@click.option(
    "--scheduled",
    is_flag=True,
    help="For cron: dream only if it is time. Silent; exit code 75 asks to be called again.",
)
@click.option("--all", "everywhere", is_flag=True, help="Every workspace of this machine.")
@click.option("--estimate", is_flag=True, help="With --dry-run: what a model would cost at most. Nobody is called.")
def review(asked: Asked, *, dry_run: bool, force: bool, scheduled: bool, everywhere: bool, estimate: bool) -> None:
    """The night: tidy MEMORY.md, archive what leaves, write down why."""
    if estimate and not dry_run:
        raise BadInput("--estimate tells what a night would cost. Say `dream review --dry-run --estimate`.")
    if scheduled and (dry_run or force):
        raise BadInput(
            "--scheduled decides by itself. Leave out --dry-run and --force, or call `dream review` without it."
        )
    codes: list[int] = []

    def one(workspace: Workspace) -> Told:
        if estimate:
            from reverie.surfaces.cli.estimates import estimated  # the prompts, only for those who ask what they cost

            return estimated(workspace, asked.clock(workspace.settings.timezone))
        if not scheduled:
            return _by_hand(asked, workspace, dry_run=dry_run, force=force)
        value, code = _by_schedule(asked, workspace)
        codes.append(code)
        return value, []

    if everywhere:
        from reverie.surfaces.cli.all_of_them import each  # one workspace needs none of it

        each(dataclasses.replace(asked, quiet=asked.quiet or scheduled), one)
    else:
        asked.answer(*one(asked.workspace()))
    if any(codes):
        raise SystemExit(max(codes))


def _by_schedule(asked: Asked, workspace: Workspace) -> tuple[dict[str, Any], int]:
    from reverie.features.schedule.nightwatch import (  # loads the rooms only when there is something to do
        idle_of,
        watch,
    )

    clock = asked.clock(workspace.settings.timezone)
    found = watch(workspace, clock, idle_of(workspace.settings, clock, os.environ))
    decision = found.decision
    value = {
        "workspace": str(workspace.root),
        "do": str(decision.do),
        "why": decision.why,
        "until": decision.until.isoformat(timespec="seconds") if decision.until else None,
        "night": decision.night.isoformat(timespec="seconds") if decision.night else None,
        "forced": decision.forced,
        "run": found.run.id if found.run else None,
        "proposed": found.proposed or None,
    }
    return value, found.exit_code


def _by_hand(asked: Asked, workspace: Workspace, *, dry_run: bool, force: bool) -> Told:
    from reverie.features.schedule import (
        proof,  # a scheduled call that has nothing to do is over before these would be loaded
    )
    from reverie.surfaces.cli.nights import night_as_dict

    clock = asked.clock(workspace.settings.timezone)
    unanswered = _unanswered(workspace, clock)
    night = proof.review(workspace, clock, dry_run=dry_run, force=force, on_read=asked.progress())
    came = None if dry_run else proof.outcome_of(workspace)
    value = night_as_dict(night, with_plan=dry_run) | {
        "outcome": str(came.outcome) if came else None,
        "notice": unanswered or None,
    }
    told = list(_summary(night, proof.headline(came) if came else _dry(night)))
    return value, [*told, *([("why", unanswered)] if unanswered else [])]


def _unanswered(workspace: Workspace, clock: Clock) -> str:
    """That the host agent should have judged this night and did not; most nights have no agent, and load nothing for it."""
    if workspace.settings.model.kind != "agent":
        return ""
    from reverie.night.agent import awaited

    return awaited(workspace, clock)


def _dry(night: Night) -> str:
    return "A dry run: nothing was applied." if night.derived else "A dry run: nothing was written."


def _summary(night: Night, headline: str) -> Iterator[tuple[str, str]]:
    from reverie.features.glance import is_on
    from reverie.surfaces.cli.nights import told

    if headline:
        yield "path", headline
    yield from told(night)
    if not is_on(night.snapshot.workspace.root):
        yield "why", "Dreaming is off; this night came because you asked. `dream on` switches it on."
