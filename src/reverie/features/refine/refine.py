"""`dream refine`: the second, independent look. Reads, compares, reports; at the owner's word it mends what is certain.

A run like any other: through the promises and the one writer, and `dream undo` takes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from reverie.apply.files import Disk
from reverie.apply.history import runs
from reverie.apply.lock import held
from reverie.apply.recover import recover
from reverie.apply.writer import write_run
from reverie.core.errors import RefusedFile, StalePlan
from reverie.core.layout import report
from reverie.core.ports import Clock
from reverie.evidence.claims import claims_of
from reverie.features.classify.known import Known
from reverie.features.classify.sorting import Sort, classify
from reverie.features.classify.units import units_of
from reverie.features.projections.projections import refreshed
from reverie.features.refine.findings import Compose, Found, Written, conflicting, overtaken, said_in, verified
from reverie.features.refine.plan import Sorted, is_certain, refine_plan
from reverie.judge.compose import composed
from reverie.judge.expired import find_expired, missing_files
from reverie.judge.vetoes import unfit
from reverie.plan.promises import check_promises
from reverie.plan.splices import changes_of
from reverie.text.lines import bare
from reverie.text.sections import OURS, own_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Notice, Plan, Run, Snapshot, Source, Statement, Workspace

TRIES = 5
_ELSEWHERE = {Sort.STATE: "work in progress", Sort.REFUSED: "not to be saved"}
LATEST_RUNS = 90  # a season of nights; what has stood longer was looked at often enough


@dataclass(frozen=True, slots=True)
class Refined:
    """What the second look found, how many lines it looked at, and the run that wrote the report and mended."""

    snapshot: Snapshot
    looked: int
    findings: tuple[Found, ...]
    sorted: Sorted
    plan: Plan
    run: Run | None = None

    @property
    def certain(self) -> tuple[Found, ...]:
        return tuple(filter(is_certain, self.findings))

    @property
    def path(self) -> str:
        """Where the report stands."""
        return report("verify", date.fromisoformat(self.plan.made[:10]))


def refine(
    workspace: Workspace, clock: Clock, *, apply: bool = False, dry_run: bool = False, disk: Disk | None = None
) -> Refined:
    """Hold what the last dreams wrote against its sources and write the report; with `apply` mend what is certain."""
    if dry_run:
        return look(read_workspace(workspace), clock, mend=apply)
    with held(workspace.root, "refine", clock.now().isoformat(timespec="seconds"), workspace.settings.lock_wait):
        recover(workspace, disk)
        previous = None
        for attempt in range(1, TRIES + 1):
            found = look(read_workspace(workspace, previous), clock, mend=apply)
            if not found.plan.edits:
                return found
            try:
                run = write_run(workspace, found.plan, changes_of(found.snapshot, found.plan), disk)
                if found.snapshot.memory_path in found.plan.paths:
                    refreshed(workspace, disk)
                return replace(found, run=run)
            except StalePlan:
                if attempt == TRIES:
                    raise
                previous = found.snapshot
    raise AssertionError("a second look is written or refused")


def look(snapshot: Snapshot, clock: Clock, *, mend: bool = False) -> Refined:
    """The findings and the plan they lead to. Writes nothing."""
    for refusal in snapshot.refused:
        if refusal.path.lower() == "memory.md" or refusal.path == "memory":
            raise RefusedFile(f"{refusal.path} {refusal.why}. Put a real file there, then run again.")
    history = runs(snapshot.workspace, LATEST_RUNS)
    written = written_lines(snapshot, history)
    findings = findings_in(snapshot, written, clock)
    newest = max((one.run for one in written), default="")
    fresh = _sorted(snapshot, [one for one in written if one.run == newest])
    plan = refine_plan(snapshot, findings, len(written), fresh, clock.now(), mend=mend)
    check_promises(snapshot, plan)
    return Refined(snapshot, len(written), findings, fresh, plan)


def quoted(finding: Found) -> str:
    """The line that a finding is about, without our mark."""
    return said_in(finding.target.text if finding.target else finding.text)


def written_lines(snapshot: Snapshot, history: Sequence[Run]) -> tuple[Written, ...]:
    """The lines of MEMORY.md that bear our mark and that a run still knows."""
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return ()
    known = {
        mark[1]: (run.id, said_in(bare(line)), edit.sources)
        for run in history
        if not run.undone_by and not run.plan.undoes
        for edit in run.plan.edits
        if edit.path == snapshot.memory_path and edit.sources
        for line in edit.new
        if (mark := OURS.search(bare(line)))
    }
    section = set(own_lines(memory.document))
    found = []
    for entry in memory.entries:
        mark = OURS.search(entry.text)
        if mark and mark[1] in known and entry.block.first not in section:
            run, recorded, sources = known[mark[1]]
            found.append(Written(entry, mark[1], run, recorded, sources))
    return tuple(found)


def findings_in(snapshot: Snapshot, written: Sequence[Written], clock: Clock) -> tuple[Found, ...]:
    """What is wrong, one finding a line, the surest first; then what has ended by its own word."""
    looks = (
        verified(snapshot, written, _compose(snapshot)),
        overtaken(snapshot, written),
        conflicting(snapshot, written),
        _ended(snapshot, clock.now().date()),
    )
    found: dict[int, Found] = {}
    for finding in (finding for findings in looks for finding in findings if finding.target):
        found.setdefault(finding.target.block.first, finding)  # type: ignore[union-attr]
    return tuple(found.values())


def _ended(snapshot: Snapshot, today: date) -> tuple[Notice, ...]:
    """What has ended by its own word: the night's work, only pointed out here."""
    ended = find_expired(snapshot.files.get(snapshot.memory_path), today)
    return (
        *(Notice(one.tag, one.memory[0].text, one.why, one.sources, one.memory[0]) for one in ended),
        *missing_files(snapshot),
    )


def _compose(snapshot: Snapshot) -> Compose:
    """How a statement of a note would be written by a night; empty when it may not stand in memory."""
    kinds = snapshot.workspace.settings.privacy.kinds

    def compose(entry: Statement) -> str:
        file = snapshot.files.get(entry.source.path)
        claims = [one for one in claims_of(file, kinds) if one.source == entry.source] if file else []
        line = composed(claims[0]) if claims else ""
        return "" if not line or unfit(line, "", entry.origin.value) else line

    return compose


def _sorted(snapshot: Snapshot, fresh: Sequence[Written]) -> Sorted:
    """Into which drawer each line of the last run belongs, as `dream classify` would sort it."""
    memory = snapshot.files.get(snapshot.memory_path)
    wanted = {one.entry.block.first for one in fresh}
    units = [unit for unit in units_of(memory) if unit.first in wanted] if memory and wanted else []
    embedder = snapshot.workspace.embedder
    found: dict[str, list[tuple[Source, str]]] = {}
    for verdict in classify(units, Known(snapshot.files.values()), embedder.embed if embedder else None):
        drawer = verdict.kind if verdict.sort is Sort.MEMORY else _ELSEWHERE.get(verdict.sort, "")
        if drawer:
            found.setdefault(drawer, []).append((verdict.unit.source, verdict.unit.text))
    return dict(sorted(found.items()))


__all__ = ["Refined", "findings_in", "is_certain", "look", "quoted", "refine", "written_lines"]
