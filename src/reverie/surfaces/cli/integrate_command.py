from __future__ import annotations

import difflib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.privacy.redact import shown
from reverie.surfaces import integrating
from reverie.surfaces.cli.common import COLOURS, Asked, command
from reverie.surfaces.integrating import HOSTS, Wanted, unwanted, wanted


@command
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--project", metavar="PATH", help="Claude Code: for one project only, in its own folder.")
@click.option("--remove", is_flag=True, help="Take away exactly what was written.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def integrate(asked: Asked, *, host: str, project: str | None, remove: bool, dry_run: bool, yes: bool) -> None:
    """Write into a host's settings what it needs to know about us: shows it first, and can take it away again."""
    place = Path(project).expanduser().resolve() if project else None
    if place and (host != "claude-code" or not place.is_dir()):
        raise BadInput(f"--project is for claude-code, and {place} must be a folder.")
    if remove:
        plan = unwanted(host, os.environ, place)
    else:
        program = Path(sys.executable).with_name("dream.exe" if os.name == "nt" else "dream")
        plan = wanted(host, os.environ, str(program), asked.workspace().root, place)
    if not (asked.json or asked.quiet):
        for role, line in _diff(plan):
            click.secho(line, fg=COLOURS.get(role), bold=role == "path" or None)
    if not dry_run:
        _ask(yes=yes)
        (integrating.disintegrate if remove else integrating.integrate)(plan, os.environ, place)
    asked.answer(_as_dict(plan, written=not dry_run), _outcome(plan, place, remove=remove, dry_run=dry_run))


def _diff(plan: Wanted) -> Iterator[tuple[str, str]]:
    for one in plan.changes:
        yield "path", str(one.path) + (" (new)" if one.before is None else " (goes)" if one.after is None else "")
        before, after = (one.before or "").splitlines(), (one.after or "").splitlines()
        for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
            role = "add" if line.startswith("+") else "cut" if line.startswith("-") else "plain"
            yield role, f"  {shown(line)}"


def _outcome(plan: Wanted, project: Path | None, *, remove: bool, dry_run: bool) -> Iterator[tuple[str, str]]:
    if dry_run:
        yield "plain", "A dry run: nothing was written."
        return
    if remove:
        yield "plain", "Taken away." if plan.changes else "Nothing of ours was there any more."
        return
    where = f" --project {shlex.quote(str(project))}" if project else ""
    yield "plain", f"Written. `dream integrate {plan.host}{where} --remove` takes exactly this away."
    if plan.leads == "agent":
        yield (
            "plain",
            'Your agent leads the nights from now on (model.kind is "agent"): `dream brief`, `dream answer`, `dream review`.',
        )
    elif plan.leads:
        yield (
            "plain",
            f'You have set model.kind = "{plan.leads}", so your agent does not lead the nights; "agent" would let it.',
        )
    if plan.yours:
        yield "path", "Left to you:"
        yield from (("plain", f"  {words}") for words in plan.yours)


def _as_dict(plan: Wanted, *, written: bool) -> dict[str, Any]:
    files = [
        {"path": str(one.path), "created": one.before is None, "removed": one.after is None, "added": list(one.pieces)}
        for one in plan.changes
    ]
    return {
        "host": plan.host,
        "files": files,
        "written": written,
        "leads": plan.leads or None,
        "yours": list(plan.yours),
    }


def _ask(*, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("Nothing was written: nobody is there to be asked. Look at it with --dry-run, then add --yes.")
    click.confirm("Write this?", abort=True)
