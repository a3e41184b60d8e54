from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from reverie.openclaw import harness
from reverie.privacy.redact import shown
from reverie.surfaces.cli.candidates import candidate_as_dict
from reverie.surfaces.cli.common import Asked, command
from reverie.workspace.recalls import fixed
from reverie.workspace.values import Workspace


@command
@click.option("--path", type=click.Path(), help="Old notes instead of the last days: a file or a folder.")
@click.option("--grounded", is_flag=True, help="Also what each note gives, line by line with its place.")
@click.option("--include-promoted", is_flag=True, help="Weigh also what stands in MEMORY.md already.")
def rem_harness(asked: Asked, *, path: str | None, grounded: bool, include_promoted: bool) -> None:
    """Preview REM: themes, possible lasting truths, and what deep would weigh. Writes nothing."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    where = Path(path) if path else None
    found = harness.rehearse(workspace, clock, where, grounded=grounded, include_promoted=include_promoted)
    asked.answer(_value(workspace, path, found), _lines(workspace, path, found))


def _value(workspace: Workspace, path: str | None, found: harness.Rehearsal) -> dict[str, Any]:
    """The peer's fields."""
    past, settings = found.historical, workspace.settings
    return {
        "workspaceDir": str(workspace.root),
        "sourcePath": path,
        "issues": [shown(doubt) for doubt in found.doubts],
        "sourceFiles": [file.path for file in past.files] if past else [],
        "historicalImport": {
            "importedFileCount": found.imported[0],
            "importedSignalCount": found.imported[1],
            "skippedPaths": [{"path": one.path, "why": one.why} for one in past.skipped],
        }
        if past
        else None,
        "remConfig": {
            "lookbackDays": settings.dreaming.rem_lookback_days,
            "storage": {"mode": settings.storage.mode, "separateReports": settings.storage.in_files},
        },
        "deepConfig": {
            "minScore": found.profile.min_score,
            "minRecallCount": found.profile.min_signals,
            "minUniqueQueries": found.profile.min_queries,
            "recencyHalfLifeDays": found.profile.half_life_days,
            "maxAgeDays": found.profile.max_age_days,
        },
        "rem": {
            "skipped": False,
            "sourceEntryCount": found.lines,
            "reflections": [shown(line) for line in found.reflections],
            "candidateTruths": [
                {"snippet": shown(one.text), "confidence": one.confidence, "evidence": one.place}
                for one in found.truths
            ],
            "candidateKeys": [one.key for one in found.truths],
            "bodyLines": [shown(line) for line in found.body],
        },
        "grounded": _grounded(workspace, found.grounded) if found.grounded is not None else None,
        "deep": {"candidateCount": len(found.deep), "candidates": [candidate_as_dict(one) for one in found.deep]},
    }


def _grounded(workspace: Workspace, found: Any) -> dict[str, Any]:
    def told(lines: Any) -> list[dict[str, Any]]:
        return [{"text": shown(line.text), "refs": list(line.refs)} for line in lines]

    return {
        "workspaceDir": str(workspace.root),
        "scannedFiles": len(found),
        "files": [
            {
                "path": path,
                "facts": told(note.facts),
                "reflections": told(note.reflections),
                "memoryImplications": told(note.lasting),
                "candidates": [
                    {"text": shown(line.text), "refs": list(line.refs), "lean": line.lean} for line in note.candidates
                ],
                "renderedMarkdown": shown(harness.rendered(note)),
            }
            for path, note in found.items()
        ],
    }


def _lines(workspace: Workspace, path: str | None, found: harness.Rehearsal) -> Iterator[tuple[str, str]]:
    yield "path", "REM Harness"
    yield "plain", f"workspace={workspace.root}"
    yield from (("cut", f"⚠ {shown(doubt)}") for doubt in found.doubts)
    if found.historical:
        yield "plain", f"sourcePath={path}"
        files, lines = found.imported
        yield "plain", f"historicalFiles={len(found.historical.files)} importedFiles={files} importedSignals={lines}"
        for one in found.historical.skipped:
            yield "cut", f"passed over: {one.path} {one.why}"
    yield "plain", f"recentRecallEntries={found.lines} deepCandidates={len(found.deep)}"
    yield "path", "\nREM Preview"
    yield from (("plain", shown(line)) for line in found.body)
    if found.grounded is not None:
        yield "path", "\nGrounded REM"
        for name, note in found.grounded.items():
            yield "path", name
            yield "plain", shown(harness.rendered(note)) + "\n"
    yield "path", "\nDeep Candidates"
    for weighed in found.deep:
        entry = weighed.scored.entry
        yield "plain", f"{fixed(weighed.scored.score, 3)} {shown(entry.snippet)} [{entry.place}]"
