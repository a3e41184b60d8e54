"""The commands of OpenClaw's recall lane: `promote`, `promote-explain`, `rem-harness`, `rem-backfill`.

Values have the peer's fields first and then ours. Lines of the form `key=value` and the headings are the peer's, and stay English.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.core.errors import BadInput
from reverie.lang.messages import said_with, say
from reverie.openclaw import harness, promotions
from reverie.openclaw.backfill import Backfilled, backfill, rendered, roll_back
from reverie.openclaw.deep import GATES, Weighed
from reverie.openclaw.recall_lane import Audit
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command, run_lines
from reverie.workspace.openclaw_format import fixed

if TYPE_CHECKING:
    from reverie.judge.worth import Worth
    from reverie.night import commands
    from reverie.openclaw.score import Gate, Profile
    from reverie.workspace.values import Workspace

_MOST_SKIPPED = 10
_GATES = {"signals": "recallCount", "queries": "uniqueQueries", "age": "maxAge"}  # as the peer calls what passes
_COUNTS = {
    "writtenEntries": "written",
    "replacedEntries": "replaced",
    "removedEntries": "removed",
    "stagedShortTermEntries": "staged",
    "replacedShortTermEntries": "replaced_lines",
    "removedShortTermEntries": "removed_lines",
}


@command
@click.option("--apply", "applied", is_flag=True)
@click.option("--limit", type=click.IntRange(1, 1000))
@click.option("--min-score", type=click.FloatRange(0, 1))
@click.option("--min-recall-count", type=click.IntRange(0, 1000))
@click.option("--min-unique-queries", type=click.IntRange(0, 1000))
@click.option("--include-promoted", is_flag=True)
def promote(asked: Asked, *, applied: bool, include_promoted: bool, **gates: Any) -> None:
    workspace, clock = asked.open()
    wanted = promotions.Gates(**gates)
    if not applied:
        found = promotions.ranking(workspace, clock, wanted, include_promoted=include_promoted)
        left = promotions.left_by_the_night(found, clock)
        value = _ranking_as_dict(found) | {"leftByTheNight": [one.key for one in left]}
        places = ", ".join(one.scored.entry.place for one in left)
        told = [("why", say("upkeep.left_by_the_night", n=len(left), places=places))] if left else []
        asked.answer(value, [*_ranking_lines(found), *told])
        return
    found, night = promotions.promote(workspace, clock, wanted, include_promoted=include_promoted)
    value = _ranking_as_dict(found) | {"apply": _applied_as_dict(found, night)}
    asked.answer(value, [*_ranking_lines(found), *_applied_lines(found, night)])


def _ranking_as_dict(found: promotions.Ranking) -> dict[str, Any]:
    audit = audit_as_dict(found.audit)
    return {
        "workspaceDir": str(found.snapshot.workspace.folder),
        "storePath": audit["storePath"],
        "lockPath": audit["lockPath"],
        "profile": found.profile.name,
        "audit": audit,
        "candidates": [_candidate_as_dict(one) for one in found.candidates],
    }


def _applied_as_dict(found: promotions.Ranking, night: commands.Night) -> dict[str, Any]:
    from reverie.surfaces.cli.nights import night_as_dict

    return {
        "memoryPath": str(found.snapshot.workspace.folder / found.snapshot.memory_path),
        "appended": sum(not one.reason for one in found.candidates),
        "reconciledExisting": sum(one.reason == "known" for one in found.candidates),
        "refused": dict(night.plan.refused),
        **night_as_dict(night, with_plan=False),
    }


def _ranking_lines(found: promotions.Ranking) -> Lines:
    yield "path", "Short-Term Promotion Candidates"
    yield "plain", f"Recall store: {found.audit.path}"
    yield "plain", f"Store health: {health(found.audit)}"
    yield from (("cut", f"⚠ {shown(doubt)}") for doubt in found.audit.doubts)
    for one in found.candidates:
        yield from _candidate_lines(one)
        yield "plain", ""
    if not found.candidates:
        yield "plain", say("cli.promote.none")
    if below := sum(one.reason in GATES for one in found.everything):
        yield "why", say("cli.promote.below", n=below)


def _applied_lines(found: promotions.Ranking, night: commands.Night) -> Lines:
    for word in night.recovered:
        yield "why", say("cli.night.recovered", what=word)
    for one in [one for one in found.candidates if one.reason][:_MOST_SKIPPED]:
        yield "cut", say("cli.promote.skipped", place=one.scored.entry.place, why=_why_out(one))
    if night.run is None:
        yield "plain", say("cli.promote.nothing")
        return
    count = sum(not one.reason for one in found.candidates)
    yield "add", say("cli.promote.entered", n=count, path=found.snapshot.memory_path)
    yield "plain", say("cli.run_story", run=night.run.id, undo="dream undo")


@command
@click.argument("selector", nargs=-1, required=True, metavar="SELECTOR")
@click.option("--include-promoted", is_flag=True)  # the peer's flag; promoted candidates are explained anyway
def promote_explain(asked: Asked, *, selector: tuple[str, ...], include_promoted: bool) -> None:
    found, one, worth = promotions.explain(*asked.open(), " ".join(selector))
    profile = found.profile
    value = {
        "workspaceDir": str(found.snapshot.workspace.folder),
        "profile": profile.name,
        "thresholds": {
            "minScore": profile.min_score,
            "minRecallCount": profile.min_signals,
            "minUniqueQueries": profile.min_queries,
            "maxAgeDays": profile.max_age_days,
        },
        "candidate": _candidate_as_dict(one),
        "passes": {_GATES.get(gate.name, gate.name): gate.passed for gate in one.scored.gates},
        "weights": asdict(one.scored.weights),
        "judge": {"keep": worth.keep, "kind": worth.kind, "kinds": dict(worth.kinds)},
    }
    asked.answer(value, _explain_lines(profile, one, worth))


def _explain_lines(profile: Profile, one: Weighed, worth: Worth) -> Lines:
    entry, scored = one.scored.entry, one.scored
    yield "path", "Promotion Explain"
    yield "plain", entry.key
    yield "plain", entry.place
    yield "plain", shown(entry.snippet)
    yield (
        "plain",
        f"score={fixed(scored.score, 3)} signals={scored.counted.signals} recalls={entry.recalls} "
        f"uniqueQueries={scored.counted.queries} ageDays={fixed(scored.age_days, 1)} profile={profile.name}",
    )
    for name, value in asdict(scored.components).items():
        weight = getattr(scored.weights, name)
        yield "plain", f"  {name:<14}{fixed(value, 3)} × {fixed(weight, 2)} = {fixed(value * weight, 3)}"
    yield "plain", f"  {'phase boost':<14}{fixed(scored.boost, 3)}"
    for gate in scored.gates:
        margin = ("+" if gate.margin >= 0 else "") + fixed(gate.margin, 3)
        figures = {"value": fixed(gate.value, 3), "threshold": fixed(gate.threshold, 3), "margin": margin}
        message = "cli.promote.gate_passed" if gate.passed else "cli.promote.gate_failed"
        yield "add" if gate.passed else "cut", "  " + say(message, name=f"{gate.name:<9}", **figures)
    likely = sorted(worth.kinds.items(), key=lambda pair: -pair[1])[:3]
    kinds = ", ".join(f"{kind} {fixed(chance, 2)}" for kind, chance in likely)
    yield "plain", "  " + say("cli.promote.judge", keep=fixed(worth.keep, 2), kinds=kinds)
    if entry.tags:
        yield "plain", f"concepts={shown(', '.join(entry.tags))}"
    yield _verdict(one)


def _candidate_as_dict(one: Weighed) -> dict[str, Any]:
    """The peer's fields of a candidate, then ours."""
    entry, scored = one.scored.entry, one.scored
    value: dict[str, Any] = {
        "key": entry.key,
        "path": entry.path,
        "startLine": entry.first,
        "endLine": entry.last,
        "source": "memory",
        "snippet": shown(entry.snippet),
        "recallCount": entry.recalls,
        "dailyCount": entry.daily,
        "groundedCount": entry.grounded,
        "signalCount": scored.counted.signals,
        "avgScore": entry.average,
        "maxScore": entry.max_score,
        "uniqueQueries": scored.counted.queries,
        "claimHash": entry.claim,
        "promotedAt": _stamp(entry.promoted),
        "firstRecalledAt": _stamp(entry.first_recalled),
        "lastRecalledAt": _stamp(entry.last_recalled),
        "ageDays": scored.age_days,
        "score": scored.score,
        "recallDays": [day.isoformat() for day in scored.counted.days],
        "conceptTags": list(entry.tags),
        "components": asdict(scored.components),
    }
    if entry.origin:
        value["provenance"] = {"originClass": entry.origin.origin_class, "sessionKind": entry.origin.session_kind}
    for field in ("claimHash", "promotedAt"):  # the peer leaves these out where they are empty
        if not value[field]:
            del value[field]
    return value | {
        "phaseBoost": scored.boost,
        "groundedLed": scored.grounded,
        "gates": [gate_as_dict(gate) for gate in scored.gates],
        "enters": shown(one.text) if not one.reason else None,
        "refusedFor": one.reason or None,
        "detail": shown(one.detail) or None,
    }


def gate_as_dict(gate: Gate) -> dict[str, Any]:
    return {name: getattr(gate, name) for name in ("name", "value", "threshold", "margin", "passed")}


def audit_as_dict(audit: Audit) -> dict[str, Any]:
    """The peer's audit of its store."""
    return {
        "storePath": audit.path,
        "lockPath": audit.lock,
        "updatedAt": _stamp(audit.updated),
        "exists": audit.exists,
        "entryCount": audit.entries,
        "promotedCount": audit.promoted,
        "spacedEntryCount": audit.spaced,
        "conceptTaggedEntryCount": audit.tagged,
        "conceptTagScripts": {f"{name}EntryCount": count for name, count in audit.scripts.items()},
        "invalidEntryCount": 0,
        "groundedEntryCount": audit.grounded,
        "groundedPromotedCount": audit.grounded_promoted,
        "lightHits": audit.light,
        "remHits": audit.rem,
        "issues": [shown(doubt) for doubt in audit.doubts],
    }


def health(audit: Audit) -> str:
    """The peer's line about its store."""
    scripts = ", ".join(f"{count} {name}" for name, count in audit.scripts.items() if count)
    return (
        f"{audit.entries} entries · {audit.promoted} promoted · {audit.tagged} concept-tagged · {audit.spaced} spaced"
        + (f" · scripts={scripts}" if scripts else "")
    )


def _candidate_lines(one: Weighed) -> Lines:
    entry, scored = one.scored.entry, one.scored
    yield "path", f"{fixed(scored.score, 3)} {entry.place}"
    yield (
        "plain",
        f"signals={scored.counted.signals} recalls={entry.recalls} avg={fixed(entry.average, 3)} "
        f"queries={scored.counted.queries} age={fixed(scored.age_days, 1)}d "
        f"consolidate={fixed(scored.components.consolidation, 2)} conceptual={fixed(scored.components.conceptual, 2)}",
    )
    if scored.grounded:
        yield "plain", say("cli.promote.grounded")
    if entry.tags:
        yield "plain", f"concepts={shown(', '.join(entry.tags))}"
    yield "plain", shown(entry.snippet)
    yield _verdict(one)


def _verdict(one: Weighed) -> tuple[str, str]:
    if one.reason:
        return "cut", say("cli.promote.out", why=_why_out(one))
    return "add", say("cli.promote.enters", text=shown(one.text))


def _why_out(one: Weighed) -> str:
    return f"{said_with('reasons', one.reason)} ({shown(one.detail)})"


def _stamp(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None


@command
@click.option("--path", type=click.Path())
@click.option("--grounded", is_flag=True)
@click.option("--include-promoted", is_flag=True)
def rem_harness(asked: Asked, *, path: str | None, grounded: bool, include_promoted: bool) -> None:
    workspace, clock = asked.open()
    where = Path(path) if path else None
    found = harness.rehearse(workspace, clock, where, grounded=grounded, include_promoted=include_promoted)
    asked.answer(_rehearsal_as_dict(workspace, path, found), _rehearsal_lines(workspace, path, found))


def _rehearsal_as_dict(workspace: Workspace, path: str | None, found: harness.Rehearsal) -> dict[str, Any]:
    past, settings = found.historical, workspace.settings
    imported = past and {
        "importedFileCount": found.imported[0],
        "importedSignalCount": found.imported[1],
        "skippedPaths": [{"path": one.path, "why": one.why} for one in past.skipped],
    }
    return {
        "workspaceDir": str(workspace.folder),
        "sourcePath": path,
        "issues": [shown(doubt) for doubt in found.doubts],
        "sourceFiles": [file.path for file in past.files] if past else [],
        "historicalImport": imported,
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
        "grounded": _grounded_as_dict(workspace, found.grounded) if found.grounded is not None else None,
        "deep": {"candidateCount": len(found.deep), "candidates": [_candidate_as_dict(one) for one in found.deep]},
    }


def _grounded_as_dict(workspace: Workspace, found: Any) -> dict[str, Any]:
    def listed(lines: Any) -> list[dict[str, Any]]:
        return [{"text": shown(line.text), "refs": list(line.refs)} for line in lines]

    return {
        "workspaceDir": str(workspace.folder),
        "scannedFiles": len(found),
        "files": [
            {
                "path": path,
                "facts": listed(note.facts),
                "reflections": listed(note.reflections),
                "memoryImplications": listed(note.lasting),
                "candidates": [
                    {"text": shown(line.text), "refs": list(line.refs), "lean": line.lean} for line in note.candidates
                ],
                "renderedMarkdown": shown(rendered(note)),
            }
            for path, note in found.items()
        ],
    }


def _rehearsal_lines(workspace: Workspace, path: str | None, found: harness.Rehearsal) -> Lines:
    yield "path", "REM Harness"
    yield "plain", f"workspace={workspace.folder}"
    yield from (("cut", f"⚠ {shown(doubt)}") for doubt in found.doubts)
    if found.historical:
        yield "plain", f"sourcePath={path}"
        files, lines = found.imported
        yield "plain", f"historicalFiles={len(found.historical.files)} importedFiles={files} importedSignals={lines}"
        for one in found.historical.skipped:
            yield "cut", say("cli.promote.passed_over", path=one.path, why=one.why)
    yield "plain", f"recentRecallEntries={found.lines} deepCandidates={len(found.deep)}"
    yield "path", "\nREM Preview"
    yield from (("plain", shown(line)) for line in found.body)
    if found.grounded is not None:
        yield "path", "\nGrounded REM"
        for name, note in found.grounded.items():
            yield "path", name
            yield "plain", shown(rendered(note)) + "\n"
    yield "path", "\nDeep Candidates"
    for weighed in found.deep:
        entry = weighed.scored.entry
        yield "plain", f"{fixed(weighed.scored.score, 3)} {shown(entry.snippet)} [{entry.place}]"


@command
@click.option("--path", type=click.Path())
@click.option("--stage-short-term", is_flag=True)
@click.option("--rollback", is_flag=True)
@click.option("--rollback-short-term", is_flag=True)
def rem_backfill(
    asked: Asked, *, path: str | None, stage_short_term: bool, rollback: bool, rollback_short_term: bool
) -> None:
    back = rollback or rollback_short_term
    if back and (path or stage_short_term):
        raise BadInput(say("cli.promote.one_or_other"))
    if not back and not path:
        raise BadInput(say("cli.promote.which_notes"))
    workspace, clock = asked.open()
    if path and not back:
        result = backfill(workspace, clock, Path(path), stage=stage_short_term)
    else:
        result = roll_back(workspace, clock, diary=rollback, short_term=rollback_short_term)
    counts = {name: count for name, field in _COUNTS.items() if (count := getattr(result, field)) is not None}
    value: dict[str, Any] = {"workspaceDir": str(workspace.folder)}
    if not back:
        value |= {"sourcePath": str(result.source), "historicalFiles": result.notes}
        value["skippedPaths"] = [{"path": one.path, "why": one.why} for one in result.skipped]
    value |= {"rollback": result.removed is not None, "rollbackShortTerm": result.removed_lines is not None} | counts
    if result.staged is not None:
        value["notStaged"] = result.unstaged or None
    value |= {"dreamsPath": str(result.diary), "shortTermStorePath": str(result.store)}
    value["run"] = result.run.id if result.run else None
    asked.answer(value, _backfill_lines(str(workspace.folder), counts, result, back=back))


def _backfill_lines(root: str, counts: dict[str, int], result: Backfilled, *, back: bool) -> Lines:
    yield "path", "REM Backfill (rollback)" if back else "REM Backfill"
    yield "plain", f"workspace={root}"
    if not back:
        yield "plain", f"sourcePath={result.source}"
        yield "plain", f"historicalFiles={result.notes}"
    for one in result.skipped:
        yield "cut", say("cli.promote.passed_over", path=one.path, why=one.why)
    yield from (("plain", f"{name}={count}") for name, count in counts.items())
    if result.unstaged:
        yield "cut", result.unstaged
    yield "plain", f"dreamsPath={result.diary}"
    if result.removed_lines is not None or result.staged is not None:
        yield "plain", f"shortTermStorePath={result.store}"
    if result.run and back:
        yield "plain", say("cli.run_by_id", run=result.run.id)  # a plain undo passes over undos
    else:
        yield from run_lines(result.run.id if result.run else None)
