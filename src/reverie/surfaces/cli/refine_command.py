from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.features.refine import refine as feature
from reverie.features.refine.refine import Refined, is_certain
from reverie.judge.operation import Op, Operation
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command
from reverie.workspace.values import Notice


@command
@click.option("--apply", "applied", is_flag=True, help="Mend what is certain, as a run.")
@click.option("--dry-run", is_flag=True, help="Write nothing, not even the report.")
def refine(asked: Asked, *, applied: bool, dry_run: bool) -> None:
    """Look again at what the last dreams wrote: is it still said, does it still hold. Writes a report; --apply mends."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    found = feature.refine(workspace, clock, apply=applied, dry_run=dry_run)
    asked.answer(_value(found), _lines(found, applied=applied, dry_run=dry_run))


def _value(found: Refined) -> dict[str, Any]:
    return {
        "workspace": str(found.snapshot.workspace.root),
        "looked": found.looked,
        "run": found.run.id if found.run else None,
        "report": found.path,
        "findings": [
            {
                "tag": one.tag,
                "certain": is_certain(one),
                "op": str(one.op) if isinstance(one, Operation) else None,
                "line": shown(feature.quoted(one)),
                "instead": shown(one.text) if isinstance(one, Operation) and one.op is Op.UPDATE else None,
                "where": str(one.target.source) if one.target else None,
                "why": shown(one.why),
                "sources": list(map(str, one.sources)),
            }
            for one in found.findings
        ],
        "belongs": {drawer: [str(at) for at, _ in lines] for drawer, lines in found.sorted.items()},
    }


def _lines(found: Refined, *, applied: bool, dry_run: bool) -> Iterator[tuple[str, str]]:
    for one in found.findings:
        yield "cut", f"- {one.tag}: {shown(feature.quoted(one))}" + (f" ({one.target.source})" if one.target else "")
        yield "why", f"    {shown(one.why)}"
        yield from _remedy(one)
    yield (
        "plain",
        f"Looked at: {found.looked} lines of the last dreams. Findings: {len(found.findings)}, certain: {len(found.certain)}.",
    )
    mends = found.run is not None and applied and bool(found.certain)
    if mends and found.run:
        yield "plain", f"Run {found.run.id}. `dream undo` takes it back."
    elif found.certain and not applied:
        yield "plain", "`dream refine --apply` mends what is certain; the rest is for you to decide."
    if not dry_run:
        yield "plain", f"The report is {found.path}."


def _remedy(one: Operation | Notice) -> Iterator[tuple[str, str]]:
    if isinstance(one, Operation) and one.op is Op.UPDATE:
        yield "add", f"    + {shown(one.text)}"
    elif isinstance(one, Operation):
        yield "plain", "    to the archive"
