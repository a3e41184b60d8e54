from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.features.projections import projections
from reverie.features.projections.projections import Projected
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command

MEASURES = {"openclaw": "characters", "claude-code": "bytes", "hermes": "characters", "agents-md": "characters"}


@command
@click.option("--dry-run", is_flag=True, help="Show each text as it would be, but write nothing.")
def project(asked: Asked, *, dry_run: bool) -> None:
    """Write this memory for other hosts, each within its own limits. `[[project]]` in your reverie.toml names them.

    Nights do this by themselves. What does not fit is left out by worth, never cut; no projection is ever read back.
    """
    workspace = asked.workspace()
    found = projections.project(workspace, asked.clock(workspace.settings.timezone), dry_run=dry_run)
    asked.answer(_value(str(workspace.root), found, dry_run=dry_run), _lines(found, dry_run=dry_run))
    if any(one.outcome == projections.REFUSED for one in found):
        raise SystemExit(projections.REFUSED_CODE)


def _value(root: str, found: tuple[Projected, ...], *, dry_run: bool) -> dict[str, Any]:
    return {
        "workspace": root,
        "projections": [
            {
                "path": one.path, "host": one.host, "outcome": one.outcome, "why": one.why or None,
                "size": one.size, "limit": one.limit, "lines": one.lines,
                "entries": one.entries, "omitted": one.omitted, "withheld": one.withheld,
                **({"text": shown(one.text)} if dry_run else {}),
            }
            for one in found
        ],
    }  # fmt: skip


def _lines(found: tuple[Projected, ...], *, dry_run: bool) -> Iterator[tuple[str, str]]:
    for one in found:
        yield "path", f"{one.path} ({one.host})"
        if one.why:
            yield "cut", f"  Not written: {one.why}"
            continue
        does = {"written": "would be written" if dry_run else "written", "unchanged": "as it was"}[one.outcome]
        measure = MEASURES[one.host]
        yield (
            "plain",
            f"  {does}: {one.size:,} of {one.limit:,} {measure}, {one.lines:,} lines, {one.entries:,} entries",
        )
        if one.omitted:
            yield "plain", f"  left out for want of room: {one.omitted:,}"
        if one.withheld:
            yield "plain", f"  kept to itself because it holds a secret or personal data: {one.withheld:,}"
        if dry_run:
            yield from (("plain", f"  | {shown(line)}") for line in one.text.rstrip("\n").split("\n"))
    if not found:
        yield (
            "plain",
            "No other host gets this memory. `[[project]]` in your reverie.toml names one: a path and a host.",
        )
