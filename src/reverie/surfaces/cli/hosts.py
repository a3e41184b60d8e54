"""What hosts need of us: `integrate` writes into their settings, `hook` answers what they call."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command, confirm


@command
@click.argument("host", type=click.Choice(["openclaw", "claude-code"]))
@click.option("--project", metavar="PATH")
@click.option("--remove", is_flag=True)
@click.option("--dry-run", is_flag=True)
@click.option("--yes", is_flag=True)
def integrate(asked: Asked, *, host: str, project: str | None, remove: bool, dry_run: bool, yes: bool) -> None:
    from reverie.hosts import integration  # a hook is called with every prompt, and needs none of it

    place = Path(project).expanduser().resolve() if project else None
    if place and (host != "claude-code" or not place.is_dir()):
        raise BadInput(say("cli.hosts.bad_project", path=place))
    if remove:
        wanted = integration.unwanted(host, os.environ, place)
    else:
        program = Path(sys.executable).with_name("dream.exe" if os.name == "nt" else "dream")
        wanted = integration.wanted(host, os.environ, str(program), asked.workspace().folder, place)
    asked.show(_diff(wanted))
    if not dry_run:
        confirm(yes=yes)
        (integration.disintegrate if remove else integration.integrate)(wanted, os.environ, place)
    files = [
        {"path": str(one.path), "created": one.before is None, "removed": one.after is None, "added": list(one.pieces)}
        for one in wanted.changes
    ]
    value = {
        "host": host,
        "files": files,
        "written": not dry_run,
        "leads": wanted.leads or None,
        "yours": list(wanted.yours),
    }
    if dry_run:
        lines = [("plain", say("cli.dry"))]
    elif remove:
        lines = [("plain", say("cli.hosts.removed" if wanted.changes else "cli.hosts.nothing_there"))]
    else:
        lines = list(_written_lines(wanted, place))
    asked.answer(value, lines)


def _diff(wanted: Any) -> Lines:
    from reverie.privacy.redact import shown

    for one in wanted.changes:
        mark = "cli.hosts.new_file" if one.before is None else "cli.hosts.old_file" if one.after is None else ""
        yield "path", f"{one.path} {say(mark)}" if mark else str(one.path)
        before, after = (one.before or "").splitlines(), (one.after or "").splitlines()
        for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
            role = "add" if line.startswith("+") else "cut" if line.startswith("-") else "plain"
            yield role, f"  {shown(line)}"


def _written_lines(wanted: Any, project: Path | None) -> Lines:
    where = f" --project {shlex.quote(str(project))}" if project else ""
    yield "plain", say("cli.hosts.written", command=f"dream integrate {wanted.host}{where} --remove")
    if wanted.leads:
        yield (
            "plain",
            say("cli.hosts.agent_leads" if wanted.leads == "agent" else "cli.hosts.other_leads", kind=wanted.leads),
        )
    if wanted.yours:
        yield "path", say("cli.hosts.left_to_you")
        yield from (("plain", f"  {words}") for words in wanted.yours)


@command
@click.argument("host", type=click.Choice(["claude-code"]))
def hook(asked: Asked, *, host: str) -> None:
    from reverie.surfaces.hooks import answered

    try:
        event = json.loads(sys.stdin.read())
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise BadInput(say("cli.hosts.no_event", example='{"hook_event_name": …}'))
    answer = answered(*asked.open(), event)
    asked.answer(answer, [("plain", json.dumps(answer))] if answer else [])
