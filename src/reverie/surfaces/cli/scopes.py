"""What comes in from other systems and what goes out to others: `import`, `share`."""

from __future__ import annotations

from pathlib import Path

import click

from reverie.core.errors import BadInput
from reverie.core.layout import place_of
from reverie.features import imports
from reverie.features import share as sharing
from reverie.lang.messages import say
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, at_a_terminal, command, run_lines
from reverie.workspace.exports import KINDS
from reverie.workspace.values import Author


def _caller() -> Author:
    return Author("owner" if at_a_terminal() else "agent", "cli")


@command
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--from", "kind", type=click.Choice(KINDS))
@click.option("--replies", is_flag=True)
@click.option("--dry-run", is_flag=True)
def import_command(asked: Asked, *, path: Path, kind: str | None, replies: bool, dry_run: bool) -> None:
    workspace, clock = asked.open()
    done = imports.import_from(workspace, clock, path, kind or "", by=_caller(), replies=replies, dry_run=dry_run)
    value = {
        "lines": done.lines,
        "notes": dict(done.notes),
        "already": done.already,
        "left_out": dict(done.left_out),
        "dry_run": dry_run,
        "run": done.run,
    }
    asked.answer(value, _import_lines(done, dry_run=dry_run))


def _import_lines(done: imports.Imported, *, dry_run: bool) -> Lines:
    if done.notes:
        noted = {str(place_of(path).day) for path in done.notes}
        first, last = min(noted), max(noted)
        days = first if first == last else say("imports.days", first=first, last=last)
        told = "imports.would" if dry_run else "imports.done"
        yield "plain", say(told, n=done.lines, notes=len(done.notes), days=days)
    else:
        yield "plain", say("imports.nothing")
    if done.already:
        yield "why", say("imports.already", n=done.already)
    left = [say(f"imports_left_out.{why}", n=n) for why, n in done.left_out.items()]
    if left:
        yield "why", say("imports.left_out", what=say("found.comma").join(left))
    if "reply" in done.left_out:
        yield "why", say("imports.only_yours")
    yield from run_lines(done.run)


@command
@click.argument("line", nargs=-1, required=True, metavar="ID|TEXT")
@click.option("--dry-run", is_flag=True)
def share(asked: Asked, *, line: tuple[str, ...], dry_run: bool) -> None:
    workspace, clock = asked.open()
    if not (dry_run or at_a_terminal()):
        raise BadInput(say("share.owner_shares"))
    done = sharing.share(workspace, clock, " ".join(line), by=_caller(), dry_run=dry_run)
    value = {
        "file": done.file,
        "text": shown(done.text),
        "known": done.known or None,
        "dry_run": dry_run,
        "run": done.run,
    }
    asked.answer(value, _share_lines(done, dry_run=dry_run))


def _share_lines(done: sharing.Shared, *, dry_run: bool) -> Lines:
    if done.known:
        yield "plain", say("share.known", place=done.known)
        return
    yield "add", f"+ {shown(done.text)}"
    yield "plain", say("share.would" if dry_run else "share.done", file=done.file)
    yield from run_lines(done.run)
