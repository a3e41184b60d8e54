from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.features.schedule.outlook import outlook
from reverie.hosts.timer_texts import Kind
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.timers import WRITTEN, Timer, best_kind, install, is_installed, remove, started_by, timer

KINDS = [str(kind) for kind in Kind]


@command
@click.argument("action", type=click.Choice(["install", "remove", "show"]))
@click.option("--kind", type=click.Choice(KINDS), help="What starts it; without it, the best this machine has.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def schedule(asked: Asked, *, action: str, kind: str | None, dry_run: bool, yes: bool) -> None:
    """Let the machine call the scheduled night: install, remove or show its timer."""
    if action == "show":
        asked.answer(*_state(asked))
        return
    if action == "remove":
        _remove(asked, kind, dry_run=dry_run)
        return
    wanted = _timer(asked, Kind(kind) if kind else best_kind(os.environ))
    value = _as_dict(wanted)
    for role, line in _texts(wanted):
        if not (asked.json or asked.quiet):
            click.secho(line, bold=role == "path" or None)
    if wanted.shown or dry_run:
        asked.answer(value | {"installed": False}, [("plain", _unwritten(wanted))])
        return
    _ask(yes=yes)
    troubles = install(wanted, os.environ)
    lines = [
        ("add", "Installed. `dream schedule remove` takes exactly this away."),
        *(("cut", f"⚠ {one}") for one in troubles),
    ]
    asked.answer(value | {"installed": True, "troubles": troubles}, lines)


def _remove(asked: Asked, kind: str | None, *, dry_run: bool) -> None:
    kinds = [Kind(kind)] if kind else list(WRITTEN)
    there = [one for one in (_timer(asked, each) for each in kinds) if is_installed(one, os.environ)]
    gone: list[str] = []
    for one in there:
        gone += _names(one) if dry_run else remove(one, os.environ)
    verb = "Would take away" if dry_run else "Took away"
    asked.answer(
        {"removed": gone}, [("plain", f"{verb} {name}.") for name in gone] or [("plain", "Nothing was installed.")]
    )


def _state(asked: Asked) -> tuple[dict[str, Any], Iterator[tuple[str, str]]]:
    """What starts the nights, and what the schedule says about this workspace now."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    by = started_by(os.environ, clock.now())
    seen, decision = outlook(workspace, clock)
    until = decision.until.isoformat(timespec="seconds") if decision.until else None
    value = {
        "started_by": by, "cron": workspace.settings.schedule.cron, "state": str(seen.state), "do": str(decision.do),
        "why": decision.why, "until": until, "kinds": {str(k): is_installed(_timer(asked, k), os.environ) for k in WRITTEN},
    }  # fmt: skip

    def lines() -> Iterator[tuple[str, str]]:
        yield (
            "plain",
            f"Started by {by}." if by else "Nothing on this machine starts it. `dream schedule install` does.",
        )
        yield "plain", f"Nights: {workspace.settings.schedule.cron} ({seen.state})."
        yield "plain", f"Now: {decision.do}, because {decision.why}." + (f" Next look: {until}." if until else "")

    return value, lines()


def _timer(asked: Asked, kind: Kind) -> Timer:
    """For every workspace of the machine, or for the one named."""
    program = Path(sys.executable).with_name("dream.exe" if os.name == "nt" else "dream")
    where = ["--workspace", str(asked.workspace().root)] if asked.where else ["--all"]
    base = [str(program), "review", "--scheduled", *where]
    if kind is not Kind.OPENCLAW:
        return timer(kind, os.environ, base)
    settings = asked.workspace().settings
    return timer(kind, os.environ, base, settings.schedule.cron, settings.timezone)


def _ask(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("Nothing was written: nobody is there to be asked. Look at it with --dry-run, then add --yes.")
    click.confirm("Write this?", abort=True)


def _names(one: Timer) -> list[str]:
    return [str(path) for path, _ in one.files] or ["the lines in your crontab"]


def _texts(one: Timer) -> Iterator[tuple[str, str]]:
    for path, text in one.files:
        yield "path", str(path)
        yield "plain", text
    if one.crontab:
        yield "path", "Added to your crontab"
        yield "plain", one.crontab
    if one.shown:
        yield "path", "To be run by you" if one.kind is Kind.OPENCLAW else "To be put into HEARTBEAT.md by you"
        yield "plain", one.shown
    for words in one.enable:
        yield "plain", f"$ {' '.join(words)}"


def _unwritten(one: Timer) -> str:
    return "Nothing was written: this is yours to decide." if one.shown else "A dry run: nothing was written."


def _as_dict(one: Timer) -> dict[str, Any]:
    return {
        "kind": str(one.kind), "files": {str(path): text for path, text in one.files}, "crontab": one.crontab or None,
        "shown": one.shown or None, "commands": [list(words) for words in one.enable],
    }  # fmt: skip
