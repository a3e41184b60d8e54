"""`dream refine`: the second, independent look. Reads, compares, reports; at the owner's word it mends what is certain.

A run like any other: through the promises and the one writer, and `dream undo` takes it back. The cursors of a night stay
where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.core.layout import LEDGER, LEDGER_INDEX, REMOVED, report
from reverie.core.ports import Clock
from reverie.features.classify.memories import items_of
from reverie.features.classify.sorting import Sort, classify
from reverie.features.refine.findings import (
    Finding,
    WrittenLine,
    conflicting,
    not_said,
    words_in_line,
)
from reverie.features.refine.mistakes import Mistake, mistakes, standing_decisions
from reverie.judge.leaving import find_expired, missing_files
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import said_with, say
from reverie.night.claude_index import leading_lines
from reverie.night.live_lines import read_remembered
from reverie.night.night import memory_is_readable
from reverie.night.transaction import transact
from reverie.plan.asked import open_questions
from reverie.plan.build import build_plan, plan_of
from reverie.plan.promises import check_promises
from reverie.plan.splices import VIEW, difference
from reverie.privacy.redact import shown
from reverie.text.lines import bare
from reverie.text.sections import OURS, own_lines
from reverie.workspace.values import Edit, Intent, Notice, Plan, Run, Snapshot, Source, Workspace

_LATEST_RUNS = 90  # a season of nights; what has stood longer was looked at often enough
_LONGEST = 160  # characters of a line that is quoted
_NO_KIND = {Sort.STATE: "work in progress", Sort.REFUSED: "not to be saved"}
Belongs = Mapping[str, Sequence[tuple[Source, str]]]  # kind of memory → the new lines that belong there


@dataclass(frozen=True, slots=True)
class Refined:
    """What the second look found, how many lines it looked at, and the run that wrote the report and mended."""

    snapshot: Snapshot
    looked: int
    findings: tuple[Finding | Mistake, ...]
    belongs: Belongs
    plan: Plan
    run: Run | None = None

    @property
    def certain(self) -> tuple[Operation, ...]:
        """What `--apply` mends; the rest is only pointed out."""
        return _certain(self.findings)

    @property
    def path(self) -> str:
        """Where the report stands."""
        return report("verify", date.fromisoformat(self.plan.made[:10]))


def refine(
    workspace: Workspace, clock: Clock, *, apply: bool = False, dry_run: bool = False, disk: Disk | None = None
) -> Refined:
    """Compare what the last dreams wrote with its sources and write the report; with `apply` mend what is certain."""
    if dry_run:
        return _decided(read_remembered(workspace), clock, mend=apply)

    def decide(snapshot: Snapshot) -> tuple[Refined, Plan]:
        found = _decided(snapshot, clock, mend=apply)
        return found, found.plan

    done = transact(workspace, clock, "refine", decide, disk=disk, read=read_remembered)
    return replace(done.told, run=done.run)


def _decided(snapshot: Snapshot, clock: Clock, *, mend: bool) -> Refined:
    memory_is_readable(snapshot)
    history = runs(snapshot.workspace, _LATEST_RUNS)
    written = written_lines(snapshot, history)
    findings = _findings(snapshot, history, written, clock.now().date())
    newest = max((one.run for one in written), default="")
    belongs = _kinds_of(snapshot, [one for one in written if one.run == newest])
    changed = [one for one in standing_decisions(snapshot, history) if one.op is Op.UPDATE and one.target is None]
    looked = len(written) + len(changed)  # a line whose value was exchanged bears no mark of ours
    lines = (*_report(findings, looked, belongs, mended=mend), *_open_questions(snapshot))
    plan = _plan(snapshot, findings, lines, clock.now(), mend=mend)
    check_promises(snapshot, plan)
    return Refined(snapshot, looked, findings, belongs, plan)


def written_lines(snapshot: Snapshot, history: Sequence[Run]) -> tuple[WrittenLine, ...]:
    """The lines of MEMORY.md that bear our mark and that a run still knows."""
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return ()
    known = {
        mark[1]: (run.id, words_in_line(bare(line)), edit.sources)
        for run in history
        if not run.undone_by and not run.plan.undoes
        for edit in run.plan.edits
        if edit.path == snapshot.memory_path and edit.sources
        for line in edit.new
        if (mark := OURS.search(bare(line)))
    }
    section = set(own_lines(memory.document))
    marked = ((entry, OURS.search(entry.text)) for entry in memory.entries if entry.block.first not in section)
    return tuple(WrittenLine(entry, mark[1], *known[mark[1]]) for entry, mark in marked if mark and mark[1] in known)


def _findings(
    snapshot: Snapshot, history: Sequence[Run], written: Sequence[WrittenLine], today: date
) -> tuple[Finding | Mistake, ...]:
    """What is wrong, one finding a line, the surest first; then what has ended by its own word, which the night will end."""
    kept = leading_lines(snapshot)
    expired = find_expired(snapshot.files.get(snapshot.memory_path), today)
    ended = [one for one in expired if one.memory[0].source not in kept]
    found: dict[int | str, Finding | Mistake] = {}
    for finding in chain(
        not_said(snapshot, written),
        mistakes(snapshot, history),
        conflicting(snapshot, written),
        (Notice(one.tag, one.memory[0].text, one.why, one.sources, one.memory[0]) for one in ended),
        missing_files(snapshot),
    ):
        if finding.target is not None:
            found.setdefault(finding.target.block.first, finding)
        elif isinstance(finding, Mistake):
            found.setdefault(finding.id, finding)
    return tuple(found.values())


def _kinds_of(snapshot: Snapshot, fresh: Sequence[WrittenLine]) -> Belongs:
    """Which kind of memory each line of the last run is, as `dream classify` would sort it."""
    wanted = {one.statement.block.first for one in fresh}
    items = [item for item in items_of(snapshot.files.get(snapshot.memory_path)) if item.first in wanted]
    embedder = snapshot.workspace.embedder
    found: dict[str, list[tuple[Source, str]]] = {}
    for one in classify(items, snapshot.files.values(), embedder.embed if embedder else None):
        kind = one.kind if one.sort is Sort.MEMORY else _NO_KIND.get(one.sort, "")
        if kind:
            found.setdefault(kind, []).append((one.item.source, one.item.text))
    return dict(sorted(found.items()))


def _plan(
    snapshot: Snapshot, findings: Sequence[Finding | Mistake], lines: Sequence[str], now: datetime, *, mend: bool
) -> Plan:
    """The report as it should stand today, and with `mend` what is certain. Nothing, if all that is written already."""
    path = report("verify", now.date())
    text = "\n".join((*lines, ""))
    edits: list[Edit] = [
        *difference(path, snapshot.text_of(path), text, id="report", tag=VIEW, why=say("refine.second_look"))
    ]
    if mend and (certain := _certain(findings)):
        ours = (snapshot.memory_path, LEDGER, LEDGER_INDEX, REMOVED)
        edits += [edit for edit in build_plan(snapshot, certain, now).edits if edit.path in ours]
    plan = plan_of(snapshot, Intent.REFINE, edits, now)
    return replace(plan, counts=MappingProxyType({**plan.counts, "findings": len(findings)}))


def _certain(findings: Sequence[Finding | Mistake]) -> tuple[Operation, ...]:
    return tuple(one for one in findings if isinstance(one, Operation))


def quoted(finding: Finding | Mistake) -> str:
    """The line that a finding is about, without our mark."""
    return words_in_line(finding.target.text if finding.target else finding.text)


# The report


def _report(findings: Sequence[Finding | Mistake], looked: int, belongs: Belongs, *, mended: bool) -> Iterator[str]:
    """What is certain, what a person should look at, and where the new lines belong. The same for the same."""
    certain = _certain(findings)
    wrong = [one for one in findings if isinstance(one, Mistake)]
    unsure = [one for one in findings if one not in certain and one not in wrong]
    yield from (f"# {say('refine.title')}", f"<!-- {say('refine.generated')} -->", "")
    yield say("refine.compared", lines=looked, findings=len(findings))
    for title, group in (("mended" if mended else "certain", certain), ("wrong", wrong), ("look", unsure)):
        yield from ("", f"## {say(f'refine.{title}')}", "") if group else ()
        for finding in group:
            yield from map(shown, _finding_lines(finding))
    yield from ("", f"## {say('refine.belong')}", "") if belongs else ()
    for kind, lines in belongs.items():
        yield from (shown(f"- {said_with('kinds', kind)}: {_short(text)} ({at})") for at, text in lines)


def _open_questions(snapshot: Snapshot) -> Iterator[str]:
    """What the nights asked and nobody answered: two lines that cannot both hold."""
    questions = open_questions(snapshot)
    yield from ("", f"## {say('refine.open')}", "") if questions else ()
    for one in questions:
        yield shown(f"- {one.id}: {_short(one.first)} / {_short(one.second)}")


def _finding_lines(finding: Finding | Mistake) -> Iterator[str]:
    place = f" ({finding.target.source})" if finding.target else ""
    text = finding.target.text if finding.target else finding.text
    yield f"- {said_with('tags', finding.tag)}: {_short(text)}{place}"
    yield f"  - {_short(finding.why, 2 * _LONGEST)}"
    if isinstance(finding, Operation) and finding.op is Op.UPDATE:
        yield f"  - {say('refine.instead', text=_short(finding.text))}"
    elif isinstance(finding, Mistake):
        yield f"  - `{finding.command}`"


def _short(text: str, most: int = _LONGEST) -> str:
    """On one line, without our mark: what is quoted here must not look like a line of memory."""
    said = " ".join(OURS.sub("", text).replace("<!--", "‹").replace("-->", "›").split())
    return said if len(said) <= most else said[: most - 1] + "…"
