"""`dream snapshot` and `dream restore`: the whole memory kept under a name, and brought back."""

from __future__ import annotations

from typing import Any

import click

from reverie.apply.snapshots import Kept, snapshots
from reverie.features import snapshots as feature
from reverie.lang.messages import say
from reverie.night.commands import diff_of
from reverie.surfaces.cli.common import Asked, Lines, command, confirm, run_lines


@command
@click.argument("name", default="")
@click.option("--list", "listed", is_flag=True)
def snapshot(asked: Asked, name: str, *, listed: bool) -> None:
    workspace, clock = asked.open()
    if listed:
        found = snapshots(workspace)
        asked.answer([_as_dict(one) for one in found], _listed(found))
        return
    taken = feature.take(workspace, clock, name)
    asked.answer(_as_dict(taken.kept) | {"left_out": taken.left_out}, _taken(taken))


@command
@click.argument("name")
@click.option("--dry-run", is_flag=True)
@click.option("--yes", is_flag=True)
def restore(asked: Asked, name: str, *, dry_run: bool, yes: bool) -> None:
    workspace, clock = asked.open()
    night = feature.restore(workspace, clock, name, dry_run=True)
    if not night.plan.edits:
        asked.answer({"name": name, "run": None, "files": []}, iter([("plain", say("snapshot.same", name=name))]))
        return
    asked.show(diff_of(night))
    run = None
    if not dry_run:
        confirm(yes=yes)
        done = feature.restore(workspace, clock, name)
        run = done.run.id if done.run else None
    asked.answer({"name": name, "run": run, "files": list(night.plan.paths)}, run_lines(run))


def _as_dict(one: Kept) -> dict[str, Any]:
    return {"name": one.name, "made": one.made, "files": list(one.files), "lines": _count(one)}


def _count(one: Kept) -> int:
    return sum(map(len, one.files.values()))


def _listed(found: tuple[Kept, ...]) -> Lines:
    for one in found:
        yield "plain", say("snapshot.line", name=one.name, made=one.made[:16].replace("T", " "), n=_count(one))
    yield "plain", say("snapshot.how" if found else "snapshot.none")


def _taken(taken: feature.Taken) -> Lines:
    yield "path", say("snapshot.done", name=taken.kept.name, n=_count(taken.kept), files=len(taken.kept.files))
    if taken.left_out:
        yield "why", say("snapshot.left_out", n=taken.left_out)
    yield "plain", say("snapshot.back", name=taken.kept.name)
