"""Never one side alone: of two lines that contradict each other without a word on which one holds, both enter or none.

Half a contradiction in MEMORY.md is a wrong memory with a straight face. And a side of a contradiction replaces nothing: what
stands there may be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reverie.claim import Claim, Evidence
from reverie.model import Does, Finding, Snapshot
from reverie.phases.compose import composed, plain_line
from reverie.phases.questions import Conflict, conflicts, may_ask
from reverie.phases.worthy import reason_against
from reverie.sections import STABLE
from reverie.sense import same_sense
from reverie.terms import plain


def with_both_sides(snapshot: Snapshot, evidence: Evidence, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings, so that of every contradiction both sides come in, or neither; the order of the others is kept."""
    out = list(findings)
    for conflict in conflicts([one.claim for one in evidence.fresh if may_ask(one.claim)]):
        out = _held(snapshot, out, conflict)
    return tuple(out)


def _held(snapshot: Snapshot, findings: list[Finding], conflict: Conflict) -> list[Finding]:
    sides = (conflict.first, conflict.second)
    coming = [_coming(findings, side) for side in sides]
    if all(one is None for one in coming):
        return findings
    kept = [
        replace(one, does=Does.ADD, target=None, section=_home(one)) if _replaces(one, coming) else one
        for one in findings
    ]
    for side, mine, other in ((sides[0], coming[0], coming[1]), (sides[1], coming[1], coming[0])):
        if mine is None and other is not None and not _stands(snapshot, side):
            line = composed(side)
            if not line or reason_against(plain_line(side.text), side.context, side.origin, cleaned=line):
                return [one for one in kept if not _is(one, other)]
            why = f"the other side of what cannot be settled: {other.why}"
            kept.append(Finding(Does.ADD, other.tag, line, why, (side.source,), section=_home(other)))
    return kept


def _coming(findings: Sequence[Finding], side: Claim) -> Finding | None:
    """The finding that brings this side into MEMORY.md."""
    for one in findings:
        if one.does in (Does.ADD, Does.REPLACE) and one.sources and one.sources[0] == side.source:
            return one
    return None


def _replaces(one: Finding, coming: Sequence[Finding | None]) -> bool:
    return one.does is Does.REPLACE and any(other is one for other in coming)


def _is(one: Finding, other: Finding) -> bool:
    return one.text == other.text and one.sources == other.sources


def _home(one: Finding) -> str:
    if one.section or one.target is None:
        return one.section or STABLE
    return one.target.headings[-1] if one.target.headings else STABLE


def _stands(snapshot: Snapshot, side: Claim) -> bool:
    memory = snapshot.files.get(snapshot.memory_path)
    said = plain_line(side.text)
    return any(
        plain(plain_line(entry.text)) == plain(said) or same_sense(plain_line(entry.text), said)
        for entry in (memory.entries if memory else ())
    )
