"""Findings → plan: every decision becomes splices, each with its reason and its sources.

What leaves MEMORY.md enters the ledger in the same plan; what is derived from the ledger is rendered anew by
`plan/views.py`. Nothing here decides what should leave: that was the phases' business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from reverie.counsel import candidates
from reverie.language import language_of
from reverie.layout import LEDGER
from reverie.lines import appended, bare, split_lines
from reverie.markdown import MIXED_ENDINGS
from reverie.model import Does, Edit, File, Finding, Intent, Plan, Snapshot, short_id
from reverie.pages import NO_PAGES, Pages
from reverie.plan import views
from reverie.plan.dream_log import distill_edits, log_edits
from reverie.plan.enter import entering, replaced
from reverie.plan.ledger import Archived, block
from reverie.plan.reports import page_edits
from reverie.sections import AREAS, name_of
from reverie.splice import with_neighbours


def build_plan(
    snapshot: Snapshot,
    findings: Sequence[Finding],
    now: datetime,
    refused: Mapping[str, int] = MappingProxyType({}),
    pages: Pages = NO_PAGES,
) -> Plan:
    """The plan of a night. Without findings and without new material it is empty and touches nothing."""
    from reverie.plan.asked import question_edits  # these two make plans of their own with `plan_of`
    from reverie.plan.reemerged import with_events

    memory = snapshot.files.get(snapshot.memory_path)
    leaving = [f for f in findings if f.does in (Does.ARCHIVE, Does.REPLACE) and f.target]
    coming = [finding for finding in findings if finding.does is Does.ADD]
    if memory and MIXED_ENDINGS in memory.document.doubts:
        leaving, coming = [], []  # flagged by the doubts; no line can be taken out and put back for certain
    leaving = _outermost(leaving)
    flags = tuple(finding for finding in findings if finding.does is Does.FLAG)
    archived = [_archived(memory, finding, now) for finding in leaving] if memory else []
    removals = (
        [_removal(memory, finding, entry.id) for finding, entry in zip(leaving, archived, strict=True)]
        if memory
        else []
    )
    gone = {i for edit in removals for i in range(edit.at, edit.at + len(edit.old))}
    coming_edits = entering(snapshot, coming, _names(memory), gone, now.date())
    edits = [*removals, *coming_edits, *_archive(snapshot, leaving, archived)]
    told = page_edits(snapshot, pages, now)
    lines = candidates(refused)
    told += log_edits(snapshot, findings, [*removals, *coming_edits], lines, now)
    told += [*distill_edits(snapshot, now), *question_edits(snapshot, flags, now)]
    edits += views.night_edits(snapshot, archived, [*removals, *coming_edits], now, sum(lines.values()), told)
    edits = with_events(snapshot, [*edits, *told], coming, now)
    return plan_of(snapshot, Intent.DREAM, edits, now, flags=flags, refused=refused)


def _names(memory: File | None) -> dict[str, str]:
    """What sections of ours are called in this memory: in the language its owner writes."""
    language = language_of([entry.text for entry in memory.entries]) if memory else "en"
    return {area: name_of(area, language) for area in AREAS}


def _outermost(leaving: Sequence[Finding]) -> list[Finding]:
    """Without the findings whose lines already leave with another's: a finished item takes its repeated child along."""
    kept: list[Finding] = []
    end = 0
    for finding in sorted(leaving, key=lambda f: (f.target.block.first, -f.target.block.tail)):  # type: ignore[union-attr]
        assert finding.target is not None
        if finding.target.block.first >= end:
            kept.append(finding)
            end = finding.target.block.tail
    return [finding for finding in leaving if finding in kept]


def plan_of(
    snapshot: Snapshot, intent: Intent, edits: Sequence[Edit], now: datetime, *, flags: tuple[Finding, ...] = (), undoes: str = "",
    refused: Mapping[str, int] = MappingProxyType({}),
) -> Plan:  # fmt: skip
    """A plan that names the bytes it was decided on and can find its places again."""
    placed = [
        edit
        for path in dict.fromkeys(edit.path for edit in edits)
        for edit in with_neighbours([e for e in edits if e.path == path], split_lines(snapshot.text_of(path)))
    ]
    base = {path: snapshot.hash_of(path) for path in sorted({edit.path for edit in placed})}
    counts = Counter(edit.tag for edit in placed if edit.path == snapshot.memory_path and edit.tag != views.TAG)
    return Plan(
        intent, now.isoformat(timespec="seconds"), MappingProxyType(base), tuple(placed),
        flags=flags, counts=MappingProxyType(dict(counts)), undoes=undoes, refused=MappingProxyType(dict(refused)),
    )  # fmt: skip


def _archived(memory: File, finding: Finding, now: datetime) -> Archived:
    assert finding.target is not None
    target = finding.target.block
    end = target.end if finding.does is Does.REPLACE else target.tail
    content = tuple(bare(line) for line in memory.document.lines[target.first : end])
    return Archived(
        id=short_id("\n".join(content)),
        archived=f"{now:%Y-%m-%d %H:%M}",
        category=finding.tag,
        content=content,
        source=", ".join(map(str, finding.sources)),
        note=finding.why,
    )


def _removal(memory: File, finding: Finding, its_id: str) -> Edit:
    """Take the entry's lines out, with one of two blank lines that would otherwise meet."""
    assert finding.target is not None
    if finding.does is Does.REPLACE:
        return replaced(memory, finding)
    lines, first, end = memory.document.lines, finding.target.block.first, finding.target.block.tail
    blank_above = first == 0 or not lines[first - 1].strip()
    if blank_above and end < len(lines) and not lines[end].strip():
        end += 1
    return Edit(its_id, memory.path, first, lines[first:end], (), finding.tag, finding.why, finding.sources)


def _archive(snapshot: Snapshot, leaving: Sequence[Finding], archived: Sequence[Archived]) -> list[Edit]:
    lines = split_lines(snapshot.text_of(LEDGER))
    edits: list[Edit] = []
    for finding, entry in zip(leaving, archived, strict=True):
        at, old, new = appended(lines, block(entry)) if not edits else (len(lines), (), _fresh(lines, entry))
        edits.append(Edit(entry.id, LEDGER, at, old, new, finding.tag, finding.why, finding.sources))
    return edits


def _fresh(lines: Sequence[str], entry: Archived) -> tuple[str, ...]:
    """Lines for the end of a ledger whose last line an earlier edit already closed."""
    return appended([line for line in lines[:1] if line.endswith(("\n", "\r"))], block(entry))[2]
