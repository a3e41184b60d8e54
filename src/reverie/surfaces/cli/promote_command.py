from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.night import engine
from reverie.openclaw import promotions
from reverie.privacy.redact import shown
from reverie.surfaces.cli.candidates import audit_as_dict, candidate_as_dict, candidate_lines, health, verdict
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict

MOST_SKIPPED = 10


@command
@click.option("--apply", "applied", is_flag=True, help="Let the candidates enter MEMORY.md, as a run.")
@click.option("--limit", type=click.IntRange(1, 1000), help="At most so many candidates.")
@click.option("--min-score", type=click.FloatRange(0, 1), help="The score a candidate needs.")
@click.option("--min-recall-count", type=click.IntRange(0, 1000), help="The signals it needs.")
@click.option("--min-unique-queries", type=click.IntRange(0, 1000), help="The different questions and days it needs.")
@click.option("--include-promoted", is_flag=True, help="Show what was promoted before, too.")
def promote(
    asked: Asked,
    *,
    applied: bool,
    limit: int | None,
    min_score: float | None,
    min_recall_count: int | None,
    min_unique_queries: int | None,
    include_promoted: bool,
) -> None:
    """Rank what was recalled and repeated, and show what may enter MEMORY.md. Only --apply writes there."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    gates = promotions.Gates(
        min_score=min_score, min_recall_count=min_recall_count, min_unique_queries=min_unique_queries, limit=limit
    )
    if applied:
        found, night = promotions.promote(workspace, clock, gates, include_promoted=include_promoted)
        asked.answer(_value(found) | {"apply": _applied(found, night)}, [*_lines(found), *_told(found, night)])
    else:
        found = promotions.ranking(workspace, clock, gates, include_promoted=include_promoted)
        asked.answer(_value(found), _lines(found))


def _value(found: promotions.Ranking) -> dict[str, Any]:
    audit = audit_as_dict(found.audit)
    return {
        "workspaceDir": str(found.snapshot.workspace.root),
        "storePath": audit["storePath"],
        "lockPath": audit["lockPath"],
        "profile": found.profile.name,
        "audit": audit,
        "candidates": [candidate_as_dict(one) for one in found.candidates],
    }


def _applied(found: promotions.Ranking, night: engine.Night) -> dict[str, Any]:
    return {
        "memoryPath": str(found.snapshot.workspace.root / found.snapshot.memory_path),
        "appended": sum(not one.reason for one in found.candidates),
        "reconciledExisting": sum(one.reason == "known" for one in found.candidates),
        "refused": dict(night.plan.refused),
        **night_as_dict(night, with_plan=False),
    }


def _lines(found: promotions.Ranking) -> Iterator[tuple[str, str]]:
    yield "path", "Short-Term Promotion Candidates"
    yield "plain", f"Recall store: {found.audit.path}"
    yield "plain", f"Store health: {health(found.audit)}"
    yield from (("cut", f"⚠ {shown(doubt)}") for doubt in found.audit.doubts)
    for one in found.candidates:
        yield from candidate_lines(one)
        yield "plain", ""
    below = sum(one.reason in promotions.GATES for one in found.everything)
    if not found.candidates:
        yield "plain", "No candidate passes the gates."
    if below:
        yield "why", f"{below} more stay below a gate. `dream promote-explain WORDS` says by how much."


def _told(found: promotions.Ranking, night: engine.Night) -> Iterator[tuple[str, str]]:
    for word in night.recovered:
        yield "why", f"First: {word}."
    for one in [one for one in found.candidates if one.reason][:MOST_SKIPPED]:
        yield "cut", f"Skipped {one.scored.entry.place}: {verdict(one)[1].removeprefix('stays out: ')}."
    if night.run is None:
        yield "plain", "Nothing entered MEMORY.md."
        return
    count = sum(not one.reason for one in found.candidates)
    yield "add", f"{count} line{'s' if count != 1 else ''} entered {found.snapshot.memory_path}."
    yield "plain", f"Run {night.run.id}. `dream undo` takes it back; `dream why ID` tells a line's story."
