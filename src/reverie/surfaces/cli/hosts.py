"""What hosts need of us: `integrate` writes into their settings, `hook` answers what they call."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput, NoWorkspace
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command, confirm
from reverie.text.lines import bare, split_lines

CALLING = ("claude-code", "codex", "gemini", "cursor", "hermes")  # hosts that start a program at their events
HOSTS = ("openclaw", *CALLING, "opencode")  # as `hosts.integration` knows them, which a hook does not load


class _HostName(click.Choice):  # type: ignore[type-arg]  # click 8.1 knows no `Choice[str]`
    """The name of a host, or the beginning of one alone: `claude` is claude-code."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        meant = [name for name in self.choices if name.startswith(f"{value.lower()}-")]
        return str(super().convert(meant[0] if len(meant) == 1 else value, param, ctx))


@command
@click.argument("host", required=False, type=_HostName(HOSTS))
@click.option("--project", metavar="PATH")
@click.option("--remove", is_flag=True)
@click.option("--dry-run", is_flag=True)
@click.option("--yes", is_flag=True)
def integrate(asked: Asked, *, host: str | None, project: str | None, remove: bool, dry_run: bool, yes: bool) -> None:
    from reverie.apply.folders import keep_in_mind
    from reverie.hosts import integration  # a hook is called with every prompt, and needs none of it

    if host is None:
        return _list_hosts(asked)
    place = Path(project).expanduser().resolve() if project else None
    if place and (not integration.HOSTS[host].in_projects or not place.is_dir()):
        raise BadInput(say("hosts.bad_project", path=place, host=host))
    first, memory = False, None
    if remove:
        wanted = integration.unwanted(host, os.environ, place)
    else:
        asked, first = _with_a_memory(asked, host)
        program = Path(sys.executable).with_name("dream.exe" if os.name == "nt" else "dream")
        memory = _memory(asked, host, place)
        wanted = integration.wanted(host, os.environ, str(program), memory, place)
        asked.show([("path", say("hosts.begins", path=asked.where))] if first else ())
    asked.show(_overview(wanted) if yes and not dry_run else _diff(wanted))
    if not dry_run:
        confirm(yes=yes)
        if first:
            _begin(asked)
        (integration.disintegrate if remove else integration.integrate)(wanted, os.environ, place)
        if memory is not None:
            keep_in_mind(memory, os.environ, nights=True)
    projected = () if remove or dry_run else _project(asked, wanted)
    files = [
        {"path": str(one.path), "created": one.before is None, "removed": one.after is None, "added": list(one.pieces)}
        for one in wanted.changes
    ]
    value = {
        "host": host,
        "files": files,
        "projected": [str(path) for path in wanted.projected],
        "written": not dry_run,
        "leads": wanted.leads or None,
        "yours": list(wanted.yours),
    }
    if dry_run:
        lines = [("plain", say("cli.dry"))]
    elif remove:
        lines = [("plain", say("cli.hosts.removed" if wanted.changes else "cli.hosts.nothing_there"))]
        lines += _yours_lines(wanted)
    else:
        lines = [*projected, *_written_lines(wanted, place)]
    asked.answer(value, lines)


def _with_a_memory(asked: Asked, host: str) -> tuple[Asked, bool]:
    """The same question with a folder for the memory, and whether that begins here: three commands lead from nothing to a night."""
    from reverie.surfaces.configure import present_folder
    from reverie.workspace.settings_files import openclaw_folder

    if asked.where or host == "claude-code":  # which keeps one for every project
        return asked, False
    with suppress(NoWorkspace):
        found = asked.workspace()
        if found.home is None or any(found.folder.glob("*.md")):  # what Claude Code has begun, it shares
            return asked, False
    first = openclaw_folder(os.environ) / "workspace" if host == "openclaw" else present_folder()
    return replace(asked, where=str(first)), True


def _begin(asked: Asked) -> None:
    """A first memory, as `dream init` makes it of no answers."""
    from reverie.night import commands
    from reverie.surfaces.configure import configured, made_root, present_folder

    workspace = configured(made_root(asked.where, os.environ, present_folder()), os.environ)
    commands.init(workspace, asked.clock(workspace.settings.timezone), {})


def _memory(asked: Asked, host: str, project: Path | None) -> Path | None:
    """Whose memory a host is told of; None where Claude Code shall take that of each project it works in."""
    from reverie.surfaces.configure import is_kept_per_project, looks_like_a_workspace
    from reverie.workspace.claude_memory import memory_folder

    if host == "claude-code" and not asked.where:
        if project is not None:
            return project if looks_like_a_workspace(project) else memory_folder(project, os.environ)
        if is_kept_per_project(os.environ, Path.cwd()):
            return None
    return Path(asked.where).resolve() if asked.where and not Path(asked.where).exists() else asked.workspace().folder


def _list_hosts(asked: Asked) -> None:
    """Which hosts this machine has, and the command for each."""
    from reverie.hosts.integration import found

    hosts = found(os.environ)
    value = [
        {"host": one.host.name, "title": one.host.title, "here": one.here, "integrated": one.integrated}
        for one in hosts
    ]
    width = max(len(one.host.title) for one in hosts)
    here = [one for one in hosts if one.here or one.integrated]
    lines = [("path", say("hosts.here" if here else "hosts.none_here"))]
    for one in here:
        done = f" --remove  ({say('hosts.integrated')})" if one.integrated else ""
        lines.append(("plain", f"  {one.host.title:<{width}}  dream integrate {one.host.name}{done}"))
    if rest := [one.host.name for one in hosts if one not in here]:
        lines.append(("plain", say("hosts.not_here", names=", ".join(rest))))
    asked.answer(value, lines)


def _project(asked: Asked, wanted: Any) -> list[tuple[str, str]]:
    """Fill the files that every night will fill from now on, and say what stands there."""
    if not wanted.projected:
        return []
    from reverie.features.projections.projections import project
    from reverie.workspace.projection import REFUSED

    named = {str(path) for path in wanted.projected}
    done = [one for one in project(*asked.open()) if one.path in named]
    return [line for one in done for line in _projected_lines(one, refused=one.outcome == REFUSED)]


def _projected_lines(one: Any, *, refused: bool) -> Lines:
    if refused:
        yield "plain", one.why
        return
    yield "plain", say("hosts.projected", path=one.path, n=one.entries, size=one.size, limit=one.limit)
    if one.withheld:
        yield "why", say("hosts.withheld", n=one.withheld)


def _overview(wanted: Any) -> Lines:
    """The files and how many lines each gets, for somebody who has said yes already."""
    for one in wanted.changes:
        more = len(split_lines(one.after or "")) - len(split_lines(one.before or ""))
        mark = "cli.hosts.new_file" if one.before is None else "cli.hosts.old_file" if one.after is None else ""
        yield "plain", " ".join(filter(None, (str(one.path), say("hosts.lines", n=more), say(mark) if mark else "")))


def _diff(wanted: Any) -> Lines:
    from reverie.privacy.redact import shown

    for one in wanted.changes:
        mark = "cli.hosts.new_file" if one.before is None else "cli.hosts.old_file" if one.after is None else ""
        yield "path", f"{one.path} {say(mark)}" if mark else str(one.path)
        before, after = ([bare(line) for line in split_lines(text or "")] for text in (one.before, one.after))
        for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
            role = "add" if line.startswith("+") else "cut" if line.startswith("-") else "plain"
            yield role, f"  {shown(line)}"
    for path in wanted.projected:
        yield "path", say("hosts.will_project", path=path)


def _written_lines(wanted: Any, project: Path | None) -> Lines:
    where = f" --project {shlex.quote(str(project))}" if project else ""
    yield "plain", say("cli.hosts.written", command=f"dream integrate {wanted.host}{where} --remove")
    if wanted.leads:
        yield (
            "plain",
            say("cli.hosts.agent_leads" if wanted.leads == "agent" else "cli.hosts.other_leads", kind=wanted.leads),
        )
    yield from _yours_lines(wanted)


def _yours_lines(wanted: Any) -> Lines:
    if wanted.yours:
        yield "path", say("cli.hosts.left_to_you")
        yield from (("plain", f"  {words}") for words in wanted.yours)


@command
@click.argument("host", type=click.Choice(CALLING))
def hook(asked: Asked, *, host: str) -> None:
    from reverie.surfaces.hooks import answered

    try:
        event = json.loads(sys.stdin.read())
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise BadInput(say("cli.hosts.no_event", example='{"hook_event_name": …}'))
    answer = answered(*asked.open(), event, host)
    asked.answer(answer, [("plain", json.dumps(answer))] if answer else [])
