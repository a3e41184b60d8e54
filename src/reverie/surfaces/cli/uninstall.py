"""`dream uninstall`: shows what is ours on this machine, asks, takes it away, looks again and tells what is left and why."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from reverie.core.errors import Busy, ReverieError, SomeFailed
from reverie.features import uninstall as feature
from reverie.features.uninstall import Part, Piece
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, at_a_terminal, command, confirm
from reverie.surfaces.configure import cache_folder, configured, discovered, find_workspace, present_folder
from reverie.surfaces.daemon import heartbeat_file, last_beat
from reverie.workspace.settings_files import known_folders
from reverie.workspace.values import Workspace

MOST = 3  # files of a folder that are named


@command
@click.option("--settings-too", is_flag=True)
@click.option("--workspace-too", is_flag=True)
@click.option("--archive-too", is_flag=True)
@click.option("--dry-run", is_flag=True)
@click.option("--yes", is_flag=True)
def uninstall(
    asked: Asked, *, settings_too: bool, workspace_too: bool, archive_too: bool, dry_run: bool, yes: bool
) -> None:
    beat = last_beat(heartbeat_file(os.environ))
    if beat and beat.is_alive(asked.clock().now()) and not dry_run:
        raise Busy(say("cli.schedule.other_daemon", pid=beat.pid, since=beat.started))
    memories = _memories(asked)
    before = feature.found(os.environ, cache_folder(os.environ), memories)
    wanted = {Part.MACHINE, *([Part.ARCHIVE] if archive_too else [])}
    for part, said in ((Part.SETTINGS, settings_too), (Part.WORKSPACE, workspace_too)):
        there = any(one.part is part for one in before)
        if said or (there and not (yes or dry_run) and at_a_terminal() and click.confirm(say(f"uninstall.ask_{part}"))):
            wanted.add(part)
    going = [one for one in before if one.part in wanted]
    asked.show(_found_lines(before, wanted))
    troubles: list[str] = []
    if going and not dry_run:
        confirm(yes=yes, question="uninstall.ask")
        troubles = feature.remove(going, os.environ)
    now = feature.found(os.environ, cache_folder(os.environ), memories)
    left = now if dry_run else feature.left_of(going, now)
    value = {
        "found": [_as_dict(one) for one in before],
        "removed": not dry_run,
        "left": [_as_dict(one) for one in left],
        "troubles": troubles,
    }
    asked.answer(value, _left_lines(going, left, troubles, wanted, dry_run=dry_run))
    if troubles:
        raise SystemExit(SomeFailed.exit_code)


def _memories(asked: Asked) -> list[Workspace]:
    """Every workspace of this machine, every folder that a command of ours wrote in, and the one that is meant here."""
    known = (folder for folder in known_folders(os.environ) if folder.is_dir())
    found = [configured(one, os.environ) for one in dict.fromkeys((*discovered(), *known))]
    try:
        here = find_workspace(asked.where, os.environ, present_folder())
    except ReverieError:  # most have none here, and what is broken is no reason to stay
        return found
    return [*found, *([] if any(one.root == here.root for one in found) else [here])]


def _as_dict(one: Piece) -> dict[str, Any]:
    return {
        "part": str(one.part),
        "what": one.what,
        "name": one.name or None,
        "place": str(one.place),
        "files": list(map(str, one.files)),
    }


def _found_lines(pieces: Sequence[Piece], wanted: set[Part]) -> Lines:
    for part in Part:
        group = [one for one in pieces if one.part is part]
        if group:
            yield "path", say(f"uninstall.{part}") + ("" if part in wanted else f" ({say(f'uninstall.keeps_{part}')})")
        for one in group:
            yield "plain", "  " + _told(one)


def _told(one: Piece) -> str:
    about = say(f"uninstall.{one.what}", name=one.name, place=one.place)
    if one.what in ("timer", "taken_back"):
        return about
    names = ", ".join(str(file.relative_to(one.place)) if file.is_relative_to(one.place) else str(file) for file in one.files[:MOST])  # fmt: skip
    more = "" if len(one.files) <= MOST else " …"
    return say("uninstall.files", about=about, files=len(one.files), names=names + more)


def _left_lines(
    going: Sequence[Piece], left: Sequence[Piece], troubles: Sequence[str], wanted: set[Part], *, dry_run: bool
) -> Lines:
    for trouble in troubles:
        yield "cut", f"⚠ {trouble}"
    if dry_run:
        yield "plain", say("cli.dry")
        return
    yield (
        "add",
        say("uninstall.done", n=sum(max(1, len(one.files)) for one in going)) if going else say("uninstall.none"),
    )
    if left:
        yield "path", say("uninstall.left")
    for one in left:
        why = (
            say("uninstall.stuck")
            if one.part in wanted
            else say(f"uninstall.keeps_{one.what if one.what == 'folders' else one.part}")
        )
        yield "plain", f"  {_told(one)}" + ("" if one.what == "taken_back" else f": {why}")
    if not left:
        yield "add", say("uninstall.nothing_left")
    yield "plain", say("uninstall.yours")
    yield "plain", say("uninstall.package")
