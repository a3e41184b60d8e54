from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.openclaw.backfill import Backfilled, backfill, roll_back
from reverie.surfaces.cli.common import Asked, command

_COUNTS = (
    ("writtenEntries", "written"), ("replacedEntries", "replaced"), ("removedEntries", "removed"),
    ("stagedShortTermEntries", "staged"), ("replacedShortTermEntries", "replaced_lines"),
    ("removedShortTermEntries", "removed_lines"),
)  # fmt: skip


@command
@click.option("--path", type=click.Path(), help="The old notes: a file or a folder.")
@click.option("--stage-short-term", is_flag=True, help="Stage lasting lines as evidence, on a lane of their own.")
@click.option("--rollback", is_flag=True, help="Take the entries of all backfills out of the diary.")
@click.option("--rollback-short-term", is_flag=True, help="Take the staged lines out of the recall store.")
def rem_backfill(
    asked: Asked, *, path: str | None, stage_short_term: bool, rollback: bool, rollback_short_term: bool
) -> None:
    """Look back over old notes: entries for the diary, lines for the recall store; or take either back."""
    back = rollback or rollback_short_term
    if back and (path or stage_short_term):
        raise BadInput("A rollback takes no --path and stages nothing. Say one or the other.")
    if not back and not path:
        raise BadInput("Which notes? Name a file or a folder with --path, or take a backfill back with --rollback.")
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    if path and not back:
        result = backfill(workspace, clock, Path(path), stage=stage_short_term)
    else:
        result = roll_back(workspace, clock, diary=rollback, short_term=rollback_short_term)
    value = _value(str(workspace.root), result, back=back)
    asked.answer(value, _lines(value, result, back=back))


def _value(root: str, result: Backfilled, *, back: bool) -> dict[str, Any]:
    value: dict[str, Any] = {"workspaceDir": root}
    if not back:
        value |= {"sourcePath": str(result.source), "historicalFiles": result.notes}
        value["skippedPaths"] = [{"path": one.path, "why": one.why} for one in result.skipped]
    value |= {"rollback": result.removed is not None, "rollbackShortTerm": result.removed_lines is not None}
    value |= {name: count for name, field in _COUNTS if (count := getattr(result, field)) is not None}
    value |= {"dreamsPath": str(result.diary), "shortTermStorePath": str(result.store)}
    return value | {"run": result.run.id if result.run else None}


def _lines(value: dict[str, Any], result: Backfilled, *, back: bool) -> Iterator[tuple[str, str]]:
    yield "path", "REM Backfill (rollback)" if back else "REM Backfill"
    yield "plain", f"workspace={value['workspaceDir']}"
    if not back:
        yield "plain", f"sourcePath={value['sourcePath']}"
        yield "plain", f"historicalFiles={result.notes}"
    for one in result.skipped:
        yield "cut", f"passed over: {one.path} {one.why}"
    yield from (("plain", f"{name}={value[name]}") for name, _ in _COUNTS if name in value)
    yield "plain", f"dreamsPath={result.diary}"
    if result.removed_lines is not None or result.staged is not None:
        yield "plain", f"shortTermStorePath={result.store}"
    if result.run:
        undo = f"dream undo {result.run.id}" if back else "dream undo"  # a plain undo passes over undos
        yield "plain", f"Run {result.run.id}. `{undo}` takes it back."
