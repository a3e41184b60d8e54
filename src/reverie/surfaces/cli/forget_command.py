from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from reverie.features.forget import forget as feature
from reverie.features.forget.forget import Forgotten
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("description", nargs=-1, metavar="DESCRIPTION")
@click.option("--dry-run", is_flag=True, help="Show what would leave, but write nothing.")
@click.option("--forever", is_flag=True, help="Leave a tombstone: it never comes back, whoever says it again.")
@click.option("--purge", is_flag=True, help="Erase it everywhere, the archive and our records included. No way back.")
def forget(asked: Asked, *, description: tuple[str, ...], dry_run: bool, forever: bool, purge: bool) -> None:
    """Take what a description means out of MEMORY.md and the notes, at once.

    What is clearly meant leaves; what is only near is named, with an id by which it can be forgotten too. The archive
    keeps its records unless --purge is given. `dream undo` brings everything else back.
    """
    text = sys.stdin.read().strip() if description == ("-",) else " ".join(description)
    workspace = asked.workspace()
    if purge and not dry_run and not asked.quiet:
        click.echo("A purge cannot be undone. It erases from notes, memory, archive, index and records.", err=True)
    clock = asked.clock(workspace.settings.timezone)
    gone = feature.forget(workspace, clock, text, dry_run=dry_run, forever=forever, purge=purge)
    asked.answer(forgotten_as_dict(gone, forever=forever, purge=purge), _lines(gone, dry_run=dry_run, purge=purge))


def forgotten_as_dict(gone: Forgotten, *, forever: bool, purge: bool) -> dict[str, Any]:
    def listed(lines: tuple[feature.Gone, ...]) -> list[dict[str, Any]]:
        return [
            {"id": one.id, "path": one.path, "line": one.line, "text": shown(one.text), "why": one.why or None}
            for one in lines
        ]

    return {
        "removed": listed(gone.removed), "stays": listed(gone.stays), "near": listed(gone.near), "archive": list(gone.archive),
        "forever": forever or purge, "purged": purge, "run": gone.run or None, "erased": list(gone.erased), "left": list(gone.left),
    }  # fmt: skip


def _lines(gone: Forgotten, *, dry_run: bool, purge: bool) -> Iterator[tuple[str, str]]:
    for one in gone.removed:
        yield "cut", f"- {one.path}:{one.line}  {shown(one.text)}"
    for one in gone.stays:
        yield "plain", f"It stays in {one.path}:{one.line} ({one.why}): {shown(one.text)}"
    if gone.near:
        yield "plain", "Near, but not clearly meant; left where it is:"
    for one in gone.near:
        yield "plain", f"  [{one.id}] {one.path}:{one.line}  {shown(one.text)}"
    yield "plain", _outcome(gone, dry_run=dry_run, purge=purge)
    for where in gone.left:
        yield "plain", f"Not erased: {where}."
    if gone.run and not purge:
        yield "plain", f"Run {gone.run}. `dream undo` brings it back."


def _outcome(gone: Forgotten, *, dry_run: bool, purge: bool) -> str:
    if dry_run:
        return f"{_count(len(gone.removed), 'statement')} would leave. Nothing was written."
    if purge and (gone.run or gone.erased):
        found = "" if gone.left else " Every file was searched: it is in none of them."
        return f"Erased from memory, archive and records. This cannot be undone.{found}"
    if not gone.removed:
        only = f" The permanent archive holds it ({', '.join(gone.archive)})." if gone.archive else ""
        kept = " A tombstone keeps it from coming back." if gone.run else ""
        return f"Nothing was removed.{only}{kept}"
    return "Removed from memory. The permanent archive is unaffected."


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
