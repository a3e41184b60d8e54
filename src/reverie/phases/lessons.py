"""Lessons: what an agent got wrong twice, or was corrected in twice, becomes one rule in the owner's words (seed 001).

Read are the logs of an agent about itself, all of them, as soon as one has something new: the second mistake may stand in
another file than the first. Two records are one lesson when they tell the same subject (`telling`); a rule is not made of
one record twice, nor of what MEMORY.md or the archive says already. A single decision enters when the judge is sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np

from reverie.claim import Evidence, Observed
from reverie.cues import says
from reverie.dates import absolute
from reverie.layout import LEDGER, Kind, place_of
from reverie.marks import days_in
from reverie.model import Does, Finding, Snapshot
from reverie.phases.compose import plain_line, shortened, without_personal
from reverie.phases.judge import LIKELY, Line, judge_lines
from reverie.phases.learnt import Learnt, learnt_in
from reverie.phases.place import Homes
from reverie.phases.telling import in_common, related, told_again
from reverie.phases.worthy import reason_against
from reverie.sections import LESSONS, area_of
from reverie.sense import same_sense
from reverie.terms import plain

TAG = "lesson"
TWICE = 2
MOST = 1_000  # newest records that are compared; a mistake that comes back does so before that
FAR = 0.2  # below this cosine two lines are about different things, whatever words they share
_PREFIX = re.compile(
    r"^[^:：，,。.]{1,24}?\s?(?:corrected|corrects|correction|told|says|reminded|pointed out|korrigiert\w*|corrigió|corrigé|corrigiu|поправил\w*|"
    r"纠正|更正|指出|提醒|说|訂正|指摘|정정|지적)(?:\s(?:me|us|you|it|that|mich|uns))?\s*[:：，,]\s*",
    re.I,
)
_SWITCH = re.compile(r"(?<!\w)--?[a-z][\w-]+|`[^`\n]{2,40}`")
_LABEL = re.compile(
    r"^(?:error|correction|best practice|lesson|rule|fix|错误|纠正|教训|经验|规则|fehler|lehre)\s*[:：]\s*", re.I
)


def find_lessons(snapshot: Snapshot, evidence: Evidence, so_far: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    """The rules that the logs have come to, and the decisions in them that matter. Nothing while no log is new."""
    fresh = {one.claim.path for one in evidence.fresh if place_of(one.claim.path).kind is Kind.LOG}
    if not fresh:
        return ()
    records = [one for one in _records(snapshot) if one.kind != "decision"]
    found = [
        finding
        for group in clusters(records, evidence)
        if any(one.path in fresh for one in group) and (finding := _rule(snapshot, group, so_far, evidence))
    ]
    return (*found, *_decisions(snapshot, evidence, (*so_far, *found)))


def clusters(records: Sequence[Learnt], evidence: Evidence) -> list[list[Learnt]]:
    """Records that tell one lesson, each in one group; a record joins where it is linked to most of those there."""
    near = _nearness([one.text for one in records], evidence)
    groups: list[list[int]] = []
    for i, one in enumerate(records):
        home = None
        for group in groups:
            linked = sum(same_lesson(records[j].text, one.text, float(near[i, j])) for j in group)
            if 2 * linked >= len(group) and linked:
                home = group
                break
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return [[records[i] for i in group] for group in groups]


def same_lesson(one: str, other: str, cosine: float = 1.0) -> bool:
    """Whether two records tell of the same mistake: much in common, not only a word of the trade."""
    if one == other:
        return True
    if cosine < FAR or not related(one, other):
        return False
    weight, share = in_common(one, other)
    if weight < 2:
        return False
    if share >= 0.3 and _switches(one) & _switches(other):
        return True  # the same switch of the same program
    return share >= 0.5 or cosine >= 0.5 or (share >= 0.3 and (weight >= 2.5 or told_again(other)))


def _switches(text: str) -> frozenset[str]:
    return frozenset(_SWITCH.findall(text))


def _records(snapshot: Snapshot) -> list[Learnt]:
    found = [
        one
        for _, file in sorted(snapshot.files.items())
        if file.place.kind is Kind.LOG
        for one in learnt_in(file)
        if not reason_against(plain_line(one.text), cleaned=line_of(one))
    ]
    return sorted(found, key=lambda one: (one.day, one.path, one.source.first))[-MOST:]


def _rule(snapshot: Snapshot, group: Sequence[Learnt], so_far: Iterable[Finding], evidence: Evidence) -> Finding | None:
    times = len({(one.day, plain(one.context)) for one in group})
    times = max([times, *(one.times for one in group)])
    if times < TWICE or not any(one.kind != "request" for one in group):
        return None
    if _is_told(snapshot, group, so_far, evidence):
        return None
    for one in sorted(group, key=lambda one: _ruliness(one, group), reverse=True):
        if line := line_of(one):
            days = sorted({one.day for one in group if one.day})
            when = f", {days[0]} to {days[-1]}" if len(days) > 1 else ""
            sources = tuple(dict.fromkeys((one.source, *(other.source for other in group))))
            return Finding(Does.ADD, TAG, line, f"learnt {times} times{when}", sources, section=LESSONS)
    return None


def line_of(one: Learnt) -> str:
    """The record as a line of MEMORY.md: without who said it; nothing if its words hold on its own day only."""
    text = plain_line(one.rule or one.text)
    for rule in (_LABEL, _PREFIX):
        text = rule.sub("", text, count=1)
    if one.day and not _holds_any_day(text, date.fromisoformat(one.day)):
        return ""
    text = shortened(without_personal(text))
    return "" if reason_against(text) else text


def _holds_any_day(text: str, day: date) -> bool:
    """No word of it means a certain day; "as many as yesterday", in a rule, means any day."""
    named = set(days_in(absolute(text, day))) - set(days_in(text))
    general = says("condition", text) or says("obligation", text)
    return absolute(text, day) == text or (general and bool(named) and max(named) < day)


def _ruliness(one: Learnt, group: Sequence[Learnt]) -> tuple[float, float, float]:
    """A wording that says what to do comes first; then the one that has most in common with the others."""
    kinds = {"rule": 3.0, "best_practice": 3.0, "correction": 2.0}
    line = one.rule or one.text
    worth = kinds.get(one.kind, 1.0) + 1.5 * says("obligation", line) + (2.0 if one.rule else 0.0)
    worth -= told_again(line)  # "again…" tells of an occasion
    near = [in_common(line, other.text)[1] for other in group if other is not one]
    return worth, sum(near), -len(line)


def _is_told(snapshot: Snapshot, group: Sequence[Learnt], so_far: Iterable[Finding], evidence: Evidence) -> bool:
    """Whether MEMORY.md, another finding of this night or the archive says it already."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = memory.entries if memory else ()
    said = [(plain_line(e.text), any(area_of(h) == LESSONS for h in e.headings)) for e in entries]
    said += [(one.text, one.tag == TAG) for one in so_far if one.does in (Does.ADD, Does.REPLACE)]
    lines = [line for one in group for line in (one.text, line_of(one)) if line]
    ledger = plain(snapshot.text_of(LEDGER)) if LEDGER in snapshot.files else ""
    if any(plain(line) in ledger for line in lines if ledger):
        return True
    near = _nearness([*lines, *(text for text, _ in said)], evidence)
    for i, line in enumerate(lines):
        for j, (text, lesson) in enumerate(said, len(lines)):
            if plain(text) == plain(line) or same_sense(text, line):
                return True
            if (lesson or says("obligation", text)) and same_lesson(line, text, float(near[i, j])):
                return True
    return False


def _decisions(snapshot: Snapshot, evidence: Evidence, so_far: Sequence[Finding]) -> list[Finding]:
    """Decisions of the logs that are new, worthy, and sure enough to enter after one mention."""
    new = {one.claim.source: one for one in evidence.fresh if place_of(one.claim.path).kind is Kind.LOG}
    found: list[tuple[Learnt, Observed]] = [
        (one, new[one.source]) for one in _records(snapshot) if one.kind == "decision" and one.source in new
    ]
    embed = evidence.embedder.embed if evidence.embedder else None
    judged = judge_lines([Line(line_of(one), one.context) for one, _ in found], embed)
    homes = Homes(snapshot, evidence)
    out: list[Finding] = []
    for (one, _), verdict in zip(found, judged, strict=True):
        line = line_of(one)
        if line and verdict.keep >= LIKELY and not _is_told(snapshot, [one], (*so_far, *out), evidence):
            section = homes.home_of(line, verdict.kind)
            why = f"a decision of {one.day or 'the log'}; worth keeping {verdict.keep:.2f}"
            out.append(Finding(Does.ADD, "decision", line, why, (one.source,), section=section))
    return out


def _nearness(texts: Sequence[str], evidence: Evidence) -> np.ndarray:
    """Cosines of every two texts; without an embedder their words alone must do."""
    if evidence.embedder is None or not texts:
        return np.full((len(texts), len(texts)), FAR)
    rows = np.asarray(evidence.embedder.embed(texts))
    return np.asarray(rows @ rows.T)
