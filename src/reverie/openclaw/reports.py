"""The lines that light, REM and deep leave in a report or in the day's note. The peer's headings and fields; our words.

A lasting truth is a new statement that may matter for long, though nothing has promoted it yet: the judge says how likely it
is to last, days and questions say how often life came back to it. A line that something speaks against is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from reverie.core.layout import day_note, report
from reverie.core.ports import Embedder
from reverie.evidence.claims import Evidence, Observed
from reverie.features.diary.themes import Theme, ThemeLine, reflect, repeats
from reverie.judge.brief import Reflection
from reverie.judge.operation import Op, Operation
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, LineToWeigh, worth_of
from reverie.openclaw import phases
from reverie.openclaw.deep import recall_text
from reverie.openclaw.phases import MOST_TRUTHS, Truth, truth_line
from reverie.openclaw.score import each_once, reading_score
from reverie.plan.reports import one_line
from reverie.text.managed import managed_lines
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import PeerRecall, fixed
from reverie.workspace.values import Origin, Snapshot, Source, Statement

_KEEP, _DAYS, _ASKED = 0.6, 0.25, 0.15  # what the judge, the days and the questions contribute
_OFTEN = 3  # days or questions from which more say nothing new
_TRUSTED = frozenset({Origin.OWNER.value, Origin.SESSION.value})
_REM = "openclaw:dreaming:rem:start"


def lasting_truths(
    fresh: Sequence[Observed], promoted: Collection[Source], embedder: Embedder | None
) -> tuple[Truth, ...]:
    """The surest few of what is new, without what enters MEMORY.md tonight (`promoted`, by its places)."""
    open_ones = [
        one
        for one in _newest(fresh)
        if not set(one.sources or (one.claim.source,)) & set(promoted)
        and not unfit(one.claim.text, one.claim.context, one.claim.origin)
    ]
    embed = embedder.embed if embedder else None
    judged = worth_of([LineToWeigh(one.claim.text, one.claim.context) for one in open_ones], embed)
    found = [
        (_confidence(its.keep, len(one.days), one.queries), one.claim)
        for one, its in zip(open_ones, judged, strict=True)
        if its.keep >= THRESHOLDS["recalled"]
    ]
    found.sort(key=lambda one: (-one[0], one[1].path, one[1].first))
    return tuple(Truth(claim.key, claim.text, sure, _place(claim)) for sure, claim in found[:MOST_TRUTHS])


def _confidence(keep: float, days: int, queries: int) -> float:
    """From 0 to 1: worth, spread over days, and being asked for."""
    return _KEEP * keep + _DAYS * min(1.0, days / _OFTEN) + _ASKED * min(1.0, queries / _OFTEN)


def truth_lines(truths: Iterable[Truth], kinds: frozenset[str]) -> list[str]:
    return [truth_line(replace(one, text=one_line(one.text, kinds))) for one in truths]


def _newest(fresh: Iterable[Observed]) -> list[Observed]:
    """Of several wordings of one subject the last: it is the newest."""
    return list({one.subject or one.claim.key: one for one in fresh}.values())


def light_lines(
    fresh: Sequence[Observed], recalls: Iterable[PeerRecall], kinds: frozenset[str], most: int
) -> tuple[str, ...]:
    """What is new, each subject once, with its place, the peer's confidence, and how often it was said and asked for."""
    known = {plain(entry.snippet): entry.average for entry in each_once(recalls) if entry.signals}
    lines: list[str] = []
    for one in _newest(one for one in fresh if one.claim.origin in _TRUSTED)[:most]:
        lines += [
            f"- Candidate: {one_line(one.claim.text, kinds)}",
            f"  - confidence: {fixed(known.get(plain(recall_text(one.claim)), reading_score(one.claim.path)), 2)}",
            f"  - evidence: {_place(one.claim)}",
            f"  - recalls: {one.recalls}",
            f"  - signals: {len(one.days) + one.recalls}",
            "  - status: staged",
        ]
    return tuple(lines)


def rem_lines(
    snapshot: Snapshot,
    evidence: Evidence,
    changes: Sequence[Operation],
    themes: Sequence[Theme],
    said: Sequence[tuple[ThemeLine, Statement]],
    language: str,
    now: datetime,
    reflections: Sequence[Reflection] = (),
) -> tuple[str, ...]:
    """A judge's reflections, else themes with their evidence or a word that they are last night's; then what may last."""
    promoted = {source for one in changes for source in one.sources}
    truths = lasting_truths(evidence.fresh, promoted, evidence.embedder)
    if not (themes or truths or reflections):
        return ()
    mine = _judged(reflections) or reflection_lines(themes, said, _told_before(snapshot, now), language)
    return tuple(phases.rem_lines(mine, truth_lines(truths, snapshot.workspace.settings.privacy.kinds)))


def _judged(reflections: Sequence[Reflection]) -> list[str]:
    """A judge's sentences with the places of the notes they are about."""
    lines: list[str] = []
    for one in reflections:
        places = [str(claim.source) for claim in one.cites]
        lines += [f"- Theme: {one.text}", f"  - evidence: {', '.join(places[-3:])}", "  - note: reflection"]
    return lines


def reflection_lines(
    themes: Sequence[Theme], said: Sequence[tuple[ThemeLine, Statement]], told: Sequence[str], language: str
) -> list[str]:
    """A theme, how strongly it returned and where; or one line that says that last night told the same."""
    sentences = reflect(themes, told, language=language)
    if themes and repeats(themes, told, language=language):
        return [f"- Reflection: {sentence}" for sentence in sentences]
    lines: list[str] = []
    for theme, sentence in zip(themes, sentences, strict=True):
        places = [str(said[number][1].source) for _, number in theme.sources]
        lines += [
            f"- Theme: {sentence}",
            f"  - confidence: {fixed(theme.strength, 2)}",
            f"  - evidence: {', '.join(places[-3:])}",
            "  - note: reflection",
        ]
    return lines


def _told_before(snapshot: Snapshot, now: datetime) -> tuple[str, ...]:
    """The reflections of the last night that left some, in a file or in a note."""
    nights: list[tuple[date, list[str]]] = []
    for path, file in snapshot.files.items():
        day = file.place.day or _day(path)
        if day is None or day > now.date():
            continue
        lines = file.text.split("\n")
        if path == report("rem", day):
            nights.append((day, lines))
        elif path == day_note(day) and _REM in file.text:
            nights.append((day, [lines[i] for i in sorted(managed_lines(lines))]))
    if not nights:
        return ()
    last = max(day for day, _ in nights)
    leads = ("- Theme: ", "- Reflection: ")
    return tuple(
        line.rstrip("\r").removeprefix(lead)
        for day, lines in nights
        if day == last
        for line in lines
        for lead in leads
        if line.startswith(lead)
    )


def _day(path: str) -> date | None:
    try:
        return date.fromisoformat(path.rpartition("/")[2].removesuffix(".md"))
    except ValueError:
        return None


def deep_lines(changes: Sequence[Operation], refused: Mapping[str, int]) -> tuple[str, ...]:
    """How many were weighed, what became of them, and why the rest did not enter."""
    does = Counter(one.op for one in changes)
    entered = does[Op.ADD] + does[Op.UPDATE]
    held = sum(refused.values())
    if not entered and not held and not does[Op.END]:
        return ()
    lines = [
        f"- Ranked {entered + held} candidate(s) for durable promotion.",
        f"- Promoted {entered} candidate(s) into MEMORY.md.",
    ]
    if grounded := sum(one.promoted is not None and one.promoted.grounded for one in changes):
        lines.append(f"- {grounded} of them led by grounded evidence from old notes.")
    if does[Op.UPDATE]:
        lines.append(f"- Replaced {does[Op.UPDATE]} line(s) that they supersede.")
    if does[Op.END]:
        lines.append(f"- Archived {does[Op.END]} line(s) in the ledger.")
    if held:
        reasons = ", ".join(f"{why} {n}" for why, n in sorted(refused.items(), key=lambda item: (-item[1], item[0])))
        lines.append(f"- Not promoted: {held} ({reasons}).")
    return tuple(lines)


def _place(claim: Statement) -> str:
    return f"{claim.path}:{claim.first}-{claim.last}"
