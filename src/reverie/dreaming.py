"""EVIDENCE → FINDINGS → PLAN: the order of a night. A function of values; what a night decides is decided here.

Two lanes lead into MEMORY.md: distillation (what is new and will matter) and recall (what was asked for). Then lessons,
what comes back, what has ended, and last what fits. Each finding goes through the same build and the same promises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from reverie.apply.history import runs
from reverie.claim import Evidence
from reverie.counsel import candidates
from reverie.layout import place_of
from reverie.marks import is_history
from reverie.model import Does, Entry, Finding, Plan, Snapshot
from reverie.pages import Pages
from reverie.phases.custom_rules import parsed, reported, rule_for
from reverie.phases.doubts import find_doubts, find_unread
from reverie.phases.duplicates import find_duplicates
from reverie.phases.expired import find_expired, is_over
from reverie.phases.fit import Worth, fit_memory, with_room
from reverie.plan.asked import asked_before
from reverie.plan.build import build_plan
from reverie.plan.forget import owner_removed, tombstones_in
from reverie.plan.reemerged import removed_entries
from reverie.ports import Clock
from reverie.question import TAG as QUESTION
from reverie.question import question_of
from reverie.removed import is_reemerged
from reverie.reserve import dream_section
from reverie.sections import CURRENT, name_of
from reverie.terms import plain
from reverie.tombstones import forgotten

if TYPE_CHECKING:
    from reverie.phases.judge import Judged

Phase = Callable[[Snapshot, tuple[Finding, ...]], tuple[Finding, ...]]
Found = tuple[tuple[Finding, ...], Counter[str]]
LASTS = 0.5  # how likely a line that is often recalled must matter to enter
HOLDS = frozenset({"fact", "rule", "schedule", "decision", "person", "preference", "lesson"})  # kinds that hold
RETURNING = 0.15  # enough for a line that is more likely of such a kind than not: coming up again speaks for it
OLD_NEWS = 0.5  # a line that begins with its day tells what happened then; it is worth half of one that holds
LATEST_RUNS = 90  # runs whose lines are looked for: what the owner deleted longer ago is long gone from the notes too


def dream_over(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Plan:
    """The plan of a night over these values: a function, the same for the same."""
    findings, refused = decided(snapshot, evidence, clock)
    pages = _pages(snapshot, evidence, findings, clock, candidates(refused))
    return build_plan(snapshot, findings, clock.now(), refused, pages)


def decided(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Found:
    """Everything this night finds, what fits included, and how many candidates it refused, by reason."""
    findings, refused = _decided(snapshot, evidence, clock)
    findings, crowded = with_room(snapshot, findings, _worth(snapshot), _kept(snapshot))
    if crowded:
        refused["no room"] += crowded
    phases = _phases(snapshot)
    while True:  # what one phase takes out may show another something new; round by round until nothing more is found
        known = findings
        for phase in phases:
            findings += tuple(finding for finding in phase(snapshot, findings) if finding not in findings)
        if findings == known:
            return findings, refused


def _decided(snapshot: Snapshot, evidence: Evidence, clock: Clock) -> Found:
    """What is decided because of what is new; on a night without news only what has ended by its own word."""
    found: tuple[Finding, ...] = (*find_expired(snapshot, clock.now().date()), *find_unread(evidence))
    refused: Counter[str] = Counter()
    if evidence.fresh:
        found, refused = _because_of_news(snapshot, evidence, clock, found)
    from reverie.phases.deep import sleep_deep  # numpy, for those who have recalls to weigh

    if evidence.fresh or evidence.recalls:
        promoted, left = sleep_deep(snapshot, evidence, found, clock.now())
        worthy = _judged(evidence, promoted)
        found += worthy
        refused.update(left)
        if len(promoted) > len(worthy):
            refused["judged not to last"] += len(promoted) - len(worthy)
    found, refused = _wanted(snapshot, found, refused, clock.now().date())
    return (
        *found,
        *([] if evidence.counsel.rules_read else reported(snapshot.workspace.settings.custom_rules)),
    ), refused


def _judged(evidence: Evidence, promoted: Sequence[Finding]) -> tuple[Finding, ...]:
    """What was said or asked for often, without what the judge knows to pass: a job that runs every day is often said."""
    if not promoted:
        return ()
    from reverie.phases.compose import plain_line
    from reverie.phases.judge import Line, judge_lines

    said = {source: one.claim for one in evidence.fresh for source in one.sources}
    claims = [next((said[source] for source in one.sources if source in said), None) for one in promoted]
    lines = [
        Line(plain_line(claim.text), claim.context) if claim else Line(one.text)
        for one, claim in zip(promoted, claims, strict=True)
    ]
    judged = judge_lines(lines, evidence.embedder.embed if evidence.embedder else None)
    return tuple(
        replace(one, worth=verdict.keep) for one, verdict in zip(promoted, judged, strict=True) if _lasts(verdict)
    )


def _lasts(judged: Judged) -> bool:
    """Whether what returned may stay. A routine returns too, so the judge must take it for something that holds."""
    holds = sum(chance for kind, chance in judged.kinds.items() if kind in HOLDS)
    return judged.keep >= (RETURNING if holds >= LASTS else LASTS)


def _because_of_news(snapshot: Snapshot, evidence: Evidence, clock: Clock, ended: tuple[Finding, ...]) -> Found:
    # numpy and the judge's weights, only on nights that have something to judge
    from reverie.phases.both_sides import with_both_sides
    from reverie.phases.distill import distil
    from reverie.phases.lessons import find_lessons
    from reverie.phases.questions import find_questions
    from reverie.phases.reemerge import with_reemerged
    from reverie.phases.reworded import find_reworded

    distilled, refused = distil(snapshot, evidence, _by_hand(snapshot))
    targets = {id(one.target) for one in ended}
    found = (*ended, *(one for one in distilled if one.target is None or id(one.target) not in targets))
    found += find_lessons(snapshot, evidence, found)
    found = with_reemerged(snapshot, evidence, removed_entries(snapshot), found)
    found = with_both_sides(snapshot, evidence, found)
    found += find_reworded(snapshot, found, evidence.embedder, parsed(snapshot.workspace.settings.custom_rules))
    known = asked_before(snapshot)
    found = tuple(one for one in found if one.tag != QUESTION or question_of(one, "").id not in known)
    found += find_questions(
        snapshot, evidence, known | {question_of(one, "").id for one in found if one.tag == QUESTION}
    )
    return found, refused


def _wanted(snapshot: Snapshot, findings: Sequence[Finding], refused: Counter[str], today: date) -> Found:
    """Without what the owner forgot, deleted by hand or never wants kept, and what is over; each refusal is counted."""
    rules = parsed(snapshot.workspace.settings.custom_rules)
    coming = [one for one in findings if one.does in (Does.ADD, Does.REPLACE)]
    stones = tombstones_in(snapshot) if coming else ()
    by_hand = owner_removed(snapshot, runs(snapshot.workspace, LATEST_RUNS)) if coming else frozenset()
    kept: list[Finding] = []
    there = {plain(entry.text) for file in [snapshot.files.get(snapshot.memory_path)] if file for entry in file.entries}
    for one in findings:
        why = ""
        if one.does in (Does.ADD, Does.REPLACE) and plain(one.text) in there:
            continue  # both lanes may want the same line, and memory may hold it already
        if one.does in (Does.ADD, Does.REPLACE):
            there.add(plain(one.text))
            why = forgotten(one.text, stones, by_hand, _day(one))
            if not why and rule_for(one.text, rules) == "never":
                why = "a rule of DREAM.md"
            why = why or _at_odds(snapshot, one, today)
        if one.does is Does.ARCHIVE and one.tag in ("stale", "over budget") and rule_for(one.text, rules) == "keep":
            why = "a rule of DREAM.md"
        if why:
            refused[why] += 1
        else:
            kept.append(one)
    return tuple(kept), refused


def _at_odds(snapshot: Snapshot, finding: Finding, today: date) -> str:
    """Why this night itself would take the line out again: its end is past, or it would stand among our own lines."""
    target, memory = finding.target, snapshot.files.get(snapshot.memory_path)
    if target is not None and memory is not None:
        section = dream_section(memory.document)
        if section and section[0] <= target.block.first < section[1]:
            return "stands in the Dream section"
    headings = (name_of(CURRENT, "en"),) if finding.section == CURRENT else (finding.section,)
    return "over already" if is_over(finding.text, target.headings if target else headings, today) else ""


def _by_hand(snapshot: Snapshot) -> frozenset[str]:
    """Lines of ours that the owner took out of MEMORY.md."""
    return owner_removed(snapshot, runs(snapshot.workspace)[-LATEST_RUNS:])


def _day(finding: Finding) -> str:
    """The latest day of the notes it comes from."""
    days = (place_of(source.path).day for source in finding.sources)
    return max((day.isoformat() for day in days if day), default="")


def _phases(snapshot: Snapshot) -> tuple[Phase, ...]:
    """What looks at MEMORY.md itself; fit comes last."""
    return (find_doubts, find_duplicates, partial(fit_memory, worth=_worth(snapshot), kept=_kept(snapshot)))


def _kept(snapshot: Snapshot) -> Callable[[Entry], bool]:
    """Whether a rule of DREAM.md wants an entry to stay."""
    rules = parsed(snapshot.workspace.settings.custom_rules)
    return lambda entry: bool(rules) and rule_for(entry.text, rules) == "keep"


def _worth(snapshot: Snapshot) -> Worth:
    rules = parsed(snapshot.workspace.settings.custom_rules)

    def worth(entries: Sequence[Entry]) -> Sequence[float]:
        # numpy and the judge's weights, only when there is too little room
        from reverie.phases.judge import Line, judge_lines

        embed = snapshot.workspace.embedder.embed if snapshot.workspace.embedder else None
        lines = [Line(entry.text, " > ".join((*entry.headings[-2:], *entry.parents))) for entry in entries]
        return [
            1.0
            if rule_for(entry.text, rules) == "keep" or is_reemerged(entry.text)
            else one.keep * (OLD_NEWS if is_history(entry.text) else 1.0)
            for entry, one in zip(entries, judge_lines(lines, embed), strict=True)
        ]

    return worth


def _pages(
    snapshot: Snapshot, evidence: Evidence, findings: tuple[Finding, ...], clock: Clock, refused: Mapping[str, int]
) -> Pages:
    from reverie.phases.night import pages_of  # the diary's grammar, only when there is something to tell

    return pages_of(snapshot, evidence, findings, clock.now(), refused)
