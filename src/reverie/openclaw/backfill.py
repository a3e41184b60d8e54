"""Looking back over old notes: what they say that may still matter, as diary entries and recall lines, each reversible.

By our own rules the judge weighs each line by its words and what it stands under, in any language; a line that was said on
two days weighs more, and what something certain speaks against is not retold. The peer's rules (its profiles only) count
English words. A rollback takes out what backfills brought and nothing else: the ordinary diary and live recall keep every byte.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType

from reverie.apply.files import Disk
from reverie.core.errors import RefusedFile
from reverie.core.layout import RECALLS, diary_path
from reverie.core.ports import Clock
from reverie.evidence.claims import claims_of
from reverie.evidence.recall_store import CANDIDATE, LANE, LASTING, OldLine, stage_grounded, unstage_grounded
from reverie.features.diary.entry import long_day
from reverie.features.diary.themes import Theme, ThemeLine, find_themes, reflect
from reverie.judge.forgotten import without_forgotten
from reverie.judge.vetoes import unfit
from reverie.judge.worth import THRESHOLDS, Embed, Worth, worth_of
from reverie.judge.worth import LineToWeigh as Asked
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.messages import say
from reverie.night.live_lines import forgotten_of, recall_state
from reverie.night.transaction import transaction
from reverie.openclaw.deep import recall_text
from reverie.openclaw.rehydrate import heading_of, without_mark
from reverie.plan.build import plan_of
from reverie.plan.reports import is_damaged, one_line, with_backfill, without_backfill
from reverie.plan.splices import VIEW, difference
from reverie.privacy.redact import redacted
from reverie.text.lines import split_lines
from reverie.workspace.reader import Historical, read_historical, read_workspace
from reverie.workspace.values import Intent, Origin, Plan, Refusal, Run, Snapshot, Statement, Workspace

WORTH = (  # a group of words, where it is looked for, and the points it brings: the peer's, the words are our own
    ("persistence", "text", 3.2), ("memory", "both", 2.4), ("person", "text", 2.3), ("prefers", "text", 1.8),
    ("operator_rule", "text", 1.6), ("stable_person", "both", 1.5), ("persistent_title", "title", 1.2),
    ("monitoring", "both", -4.2), ("situational", "text", -2.8), ("travel", "title", -2.6), ("metadata", "text", -2.4),
    ("process", "text", -2.4), ("project_meta", "text", -2.2), ("tooling", "text", -2.1), ("transient", "text", -2.0),
    ("incident", "text", -1.6), ("logistics", "text", -1.4), ("task", "both", -1.2), ("specific", "text", -1.2),
    ("transient_title", "title", -1.2), ("build", "text", -0.8), ("path_or_url", "text", -0.8),
)  # fmt: skip
_SHAPES = {
    "path_or_url": re.compile(r"https?://|(?:^|\s)[~.]?/[\w.-]+/"),
    "specific": re.compile(r"\b\d{1,2}:\d{2}\b|\b[0-9a-f]{7,}\b"),
}
MOST = 4
MOST_LASTING = 3
MOST_CLAIMS = 3
PER_SECTION = 2
SHORTEST = 10
FACT, CANDIDATE_SCORE, DURABLE, SITUATIONAL = 1.4, 1.8, 4.0, 0.25
RULE_STATED = "A lasting rule or preference was put into words here, so it need not be guessed later."
NO_FACTS = "No grounded facts were extracted."
NO_REFLECTIONS = "No grounded reflections emerged from this note yet."
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SUBJECT = re.compile(r"(.{1,60}?)\s+[—–]\s+(.+)", re.S)


@dataclass(frozen=True, slots=True)
class BackfilledLine:
    """A statement, where it stands, and what its words are worth."""

    text: str
    refs: tuple[str, ...]
    score: float = 0.0
    lean: str = "unclear"


@dataclass(frozen=True, slots=True)
class Grounded:
    """What one note gives."""

    facts: tuple[BackfilledLine, ...]
    reflections: tuple[BackfilledLine, ...]
    candidates: tuple[BackfilledLine, ...]
    lasting: tuple[BackfilledLine, ...]


@cache
def _words(group: str) -> re.Pattern[str]:
    return _SHAPES.get(group) or re.compile(rf"\b(?:{'|'.join(words(f'grounded.{group}'))})\b", re.I)


def durability(text: str, title: str = "") -> tuple[float, str]:
    """How much the words speak for lasting, and which way that leans."""
    where = {"text": text, "title": title, "both": f"{title} {text}"}
    score = round(sum(points for group, part, points in WORTH if _words(group).search(where[part])), 6)
    if score >= DURABLE:
        return score, "likely_durable"
    if score <= SITUATIONAL or _words("situational").search(text) or _words("transient").search(text):
        return score, "likely_situational"
    return score, "unclear"


def atomised(text: str) -> tuple[str, ...]:
    """One line as its claims: split at semicolons outside brackets, and at commas after `subject — `."""
    claims: list[str] = []
    for part in _split(text, ";"):
        match = _SUBJECT.fullmatch(part)
        if match:
            claims += [f"{match[1]} — {said}" for said in _split(match[2], ",")]
        else:
            claims.append(part)
    return tuple(claims[:MOST_CLAIMS])


def _split(text: str, at: str) -> list[str]:
    depth, parts, current = 0, [], ""
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == at and depth <= 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    return [part for part in (*parts, current.strip()) if part]


def grounded(note: str, path: str) -> Grounded:
    """The facts, candidates and lasting updates of a note, strongest first."""
    facts: list[BackfilledLine] = []
    candidates: list[BackfilledLine] = []
    for title, snippets in _sections(note.split("\n")):
        scored = [_scored(title, text, f"{path}:{number}") for number, text in snippets]
        remembered = [(0.6 if _words("memory").search(f"{title} {one.text}") else 0.0) for one in scored]
        strong = [one for one, more in zip(scored, remembered, strict=True) if one.score + more >= FACT]
        strong = sorted(strong, key=lambda one: -one.score)[:PER_SECTION]
        facts += strong
        claims = [_scored(title, claim, *one.refs, bare=True) for one in strong for claim in atomised(one.text)]
        candidates += [claim for claim in claims if claim.score >= CANDIDATE_SCORE]
    facts.sort(key=lambda one: -one.score)
    candidates.sort(key=lambda one: -one.score)
    lasting = [one for one in candidates if one.lean == "likely_durable"][:MOST_LASTING]
    refs = tuple(dict.fromkeys(ref for one in lasting for ref in one.refs))
    reflections = (BackfilledLine(RULE_STATED, refs),) if lasting else ()
    return Grounded(tuple(facts[:MOST]), reflections, tuple(candidates[:MOST]), tuple(lasting))


def _scored(title: str, text: str, *refs: str, bare: bool = False) -> BackfilledLine:
    shown = text if bare or _words("generic_title").fullmatch(title) else f"{title}: {text}"
    said = text.removeprefix(f"{title}: ")
    score, lean = durability(said, title)
    return BackfilledLine(shown, refs, score, lean)


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """The titles below the first level and their snippets with line numbers; no code, no tables."""
    title, snippets, fenced = "", list[tuple[int, str]](), False
    for number, line in enumerate(lines, 1):
        fenced ^= bool(_FENCE.match(line))
        level, heading = (0, "") if fenced else heading_of(line)
        if level:
            if title and snippets:
                yield title, snippets
            title, snippets = (heading if level > 1 else ""), []
        elif title and not fenced and not _FENCE.match(line) and not line.lstrip().startswith(("|", "<!--")):
            text = without_mark(line)
            if len(text) >= SHORTEST:
                snippets.append((number, text))
    if title and snippets:
        yield title, snippets


def rendered(found: Grounded) -> str:
    """The preview in the peer's layout."""
    lines = ["## What Happened", *_numbered(found.facts, NO_FACTS), ""]
    lines += ["## Reflections", *_numbered(found.reflections, NO_REFLECTIONS)]
    if found.candidates:
        lines += ["", "## Candidates", *(f"- [{one.lean}] {_with_refs(one)}" for one in found.candidates)]
    if found.lasting:
        lines += ["", "## Possible Lasting Updates", *(f"- {_with_refs(one)}" for one in found.lasting)]
    return "\n".join(lines)


def _numbered(found: Sequence[BackfilledLine], empty: str) -> list[str]:
    return [f"{nth}. {_with_refs(one)}" for nth, one in enumerate(found, 1)] or [f"1. {empty}"]


def _with_refs(line: BackfilledLine) -> str:
    return f"{line.text} [{', '.join(line.refs)}]"


KEPT = ("decision", "correction", "preference", "rule", "lesson", "project", "person", "fact", "schedule", "update")
SURE, LIKELY = THRESHOLDS["sure"], THRESHOLDS["likely"]
_HAPPENED = frozenset({*KEPT, "event", "plan", "task"})  # kinds that tell the day's story; the rest is noise
_TOLD = 0.1  # below it a line is chatter even of its day
OFTEN = 3  # days on which the same was written down: life has judged, and a doubtful judge gives way
MOST_REFLECTIONS = 2


def look_back(
    notes: Mapping[str, Sequence[Statement]], kinds: frozenset[str], embed: Embed | None, told_in: str = ""
) -> dict[str, Grounded]:
    """What each note gives: what happened, what may last, which themes it takes part in."""
    open_ones = [claim for claims in notes.values() for claim in claims if _may_be_told(claim)]
    judged = worth_of([Asked(claim.text, claim.context) for claim in open_ones], embed)
    days: dict[str, set[str]] = defaultdict(set)
    for claim in open_ones:
        days[claim.key].add(claim.day)
    weighed: dict[str, list[tuple[Statement, Worth, str]]] = {path: [] for path in notes}
    for claim, its in zip(open_ones, judged, strict=True):
        weighed[claim.path].append((claim, its, _lean(its, len(days[claim.key]))))
    themes, language = _themes_by_path(open_ones), told_in or language_of(claim.text for claim in open_ones)
    return {
        path: _of_note(
            found,
            [BackfilledLine(" ".join(reflect((theme,), (), language=language)), (path,)) for theme in themes[path]],
            kinds,
        )
        for path, found in weighed.items()
    }


def backfill_entry(path: str, day: date, found: Grounded) -> str:
    """An entry of the diary about a day long past, marked so that it can be taken back; empty for a note without news."""
    if not (found.facts or found.candidates or found.lasting):
        return ""
    body = rendered(found).replace("\n## ", "\n").removeprefix("## ")
    mark = f"<!-- openclaw:dreaming:backfill-entry day={day} source={path.replace('>', '')} -->"
    return "\n".join(("---", "", f"*{long_day(day)}*", "", mark, "", body, "", ""))


def _may_be_told(claim: Statement) -> bool:
    return claim.origin == Origin.OWNER.value and not unfit(claim.text, claim.context, claim.origin)


def _lean(its: Worth, days: int) -> str:
    often = days >= OFTEN and its.kind in KEPT and its.keep >= _TOLD
    if often or its.keep >= SURE or (its.keep >= LIKELY and days > 1):
        return "likely_durable"
    return "unclear" if its.keep >= LIKELY else "likely_situational"


def _of_note(
    weighed: Sequence[tuple[Statement, Worth, str]], reflections: Sequence[BackfilledLine], kinds: frozenset[str]
) -> Grounded:
    lines = {claim.key: (_line(claim, its, lean, kinds), its) for claim, its, lean in weighed}
    best = sorted(lines.values(), key=lambda pair: -pair[0].score)
    facts = [line for line, its in best if its.keep >= LIKELY or (its.kind in _HAPPENED and its.keep >= _TOLD)][:MOST]
    candidates = [line for line, _ in best if line.lean != "likely_situational"]
    lasting = [line for line in candidates if line.lean == "likely_durable"]
    in_order = [line for line, _ in lines.values() if line in facts]
    return Grounded(
        tuple(in_order), tuple(reflections[:MOST_REFLECTIONS]), tuple(candidates[:MOST]), tuple(lasting[:MOST_LASTING])
    )


def _line(claim: Statement, its: Worth, lean: str, kinds: frozenset[str]) -> BackfilledLine:
    return BackfilledLine(
        one_line(recall_text(claim), kinds), (f"{claim.path}:{claim.first}",), round(its.keep, 3), lean
    )


def _themes_by_path(claims: Sequence[Statement]) -> dict[str, list[Theme]]:
    seen = [
        ThemeLine(one.text, one.path, date.fromisoformat(one.day) if one.day else None, one.context) for one in claims
    ]
    found: dict[str, list[Theme]] = defaultdict(list)
    for theme in find_themes(seen):
        for path in dict.fromkeys(path for path, _ in theme.sources):
            found[path].append(theme)
    return found


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What a backfill or a rollback came to. A count is None where nobody asked for it."""

    diary: Path
    store: Path
    source: Path | None = None
    notes: int = 0
    written: int | None = None
    replaced: int | None = None
    removed: int | None = None
    staged: int | None = None
    unstaged: str = ""  # why nothing was staged that should have been
    replaced_lines: int | None = None
    removed_lines: int | None = None
    skipped: tuple[Refusal, ...] = ()
    run: Run | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class LookBack:
    """What these old notes would bring: entries of the diary and lines for the recall store, each with its note."""

    historical: Historical
    found: Mapping[str, Grounded]  # by note, those that bring an entry
    entries: tuple[str, ...]
    staged: tuple[OldLine, ...]
    unstaged: str  # why no line would be staged, if none would

    @property
    def notes(self) -> int:
        return len(self.historical.files)


def look_over(workspace: Workspace, path: Path) -> LookBack:
    """What a backfill of these notes would write. Writes nothing."""
    historical = _remembered(workspace, read_historical(workspace, path))
    found = findings_in(workspace, historical)
    dated = [(file.path, file.place.day) for file in historical.files if file.place.day]
    entries = {path: entry for path, day in dated if (entry := backfill_entry(path, day, found[path]))}
    lasting = _old_lines(historical, found)
    staged = tuple(line for line in lasting if line.path in historical.inside)
    told, why = {path: found[path] for path in entries}, "" if staged else _why_unstaged(historical, len(lasting))
    return LookBack(historical, told, tuple(entries.values()), staged, why)


def _why_unstaged(historical: Historical, lasting: int) -> str:
    if not historical.files:
        return say("claws.no_notes")
    return say("claws.all_outside", n=lasting) if lasting else say("claws.none_lasts")


def backfilled_entries(workspace: Workspace) -> int:
    """How many entries of the diary came from a look back, and would leave with a reset."""
    return without_backfill(_text(read_workspace(workspace)))[1]


def staged_lines(workspace: Workspace) -> int:
    """How many lines of the recall store stand there for a look back alone."""
    return sum(key.startswith(LANE) for key in recall_state(workspace).recalls)


def backfill(
    workspace: Workspace, clock: Clock, path: Path, *, stage: bool = False, disk: Disk | None = None
) -> Backfilled:
    """Write what these old notes tell into the diary, in place of what an earlier backfill wrote; with `stage` also into
    the recall store, as far as the notes stand in this workspace: what cannot be found again is never promoted."""
    with transaction(workspace, clock, "rem-backfill", disk) as work:
        seen = look_over(workspace, path)

        def decide(snapshot: Snapshot) -> tuple[Backfilled, Plan | None]:
            after, replaced = with_backfill(_text(snapshot), seen.entries)
            about = replace(_about(workspace, snapshot), replaced=replaced)
            return about, _plan(snapshot, after, clock.now(), Intent.BACKFILL)

        about, run = work.write(decide)
        result = replace(
            about, source=path, notes=seen.notes, written=len(seen.entries), skipped=seen.historical.skipped, run=run
        )
        if not stage:
            return result
        staged, before = stage_grounded(workspace.root, seen.staged, clock.now())
        return replace(result, staged=staged, unstaged=seen.unstaged, replaced_lines=before)


def roll_back(
    workspace: Workspace, clock: Clock, *, diary: bool, short_term: bool, disk: Disk | None = None
) -> Backfilled:
    """Take out the entries and the staged lines that backfills brought, whichever is asked for."""
    with transaction(workspace, clock, "rem-backfill", disk) as work:

        def decide(snapshot: Snapshot) -> tuple[Backfilled, Plan | None]:
            if not diary:
                return _about(workspace, snapshot), None
            after, removed = without_backfill(_text(snapshot))
            about = replace(_about(workspace, snapshot), removed=removed)
            return about, _plan(snapshot, after, clock.now(), Intent.UNDO)

        about, run = work.write(decide)
        result = replace(about, run=run)
        return replace(result, removed_lines=unstage_grounded(workspace.root)) if short_term else result


def _remembered(workspace: Workspace, historical: Historical) -> Historical:
    """Without what was forgotten for ever, however old the note is that says it."""
    gone = forgotten_of(workspace)
    if not gone.for_good:
        return historical
    texts = [
        "".join("\n" if gone.is_gone(line) else line for line in split_lines(file.text)) for file in historical.files
    ]
    files = (replace(file, text=text) for file, text in zip(historical.files, texts, strict=True))
    return replace(historical, files=tuple(without_forgotten(file, gone) for file in files))


def findings_in(workspace: Workspace, historical: Historical) -> Mapping[str, Grounded]:
    """What each of these notes gives, by the rules of the owner's profile."""
    kinds = workspace.settings.privacy.kinds
    if workspace.settings.dreaming.profile != "default":
        return {file.path: grounded(redacted(file.text, kinds), file.path) for file in historical.files}
    embed = workspace.embedder.embed if workspace.embedder else None
    told_in = workspace.settings.diary.language or workspace.settings.language
    return look_back({file.path: tuple(claims_of(file, kinds)) for file in historical.files}, kinds, embed, told_in)


def _old_lines(historical: Historical, found: Mapping[str, Grounded]) -> list[OldLine]:
    """What may last: lasting lines, and candidates that lean the same way."""
    lines = []
    for file in historical.files:
        if file.place.day is None:
            continue
        its = found[file.path]
        durable = [line for line in its.candidates if line.lean == "likely_durable" and line not in its.lasting]
        day = file.place.day.isoformat()
        for kind, group in ((LASTING, its.lasting), (CANDIDATE, durable)):
            for line in group:
                number = int(line.refs[0].rpartition(":")[2])
                lines.append(OldLine(file.path, number, number, day, line.text, kind))
    return lines


def _plan(snapshot: Snapshot, after: str | None, now: datetime, intent: Intent) -> Plan | None:
    """Make the diary so; None takes the file away, which is an undo's right."""
    path = diary_path(snapshot.files)
    before = _text(snapshot)
    if after == before:
        return None
    edits = difference(path, before or "", after or "", id="diary", tag=VIEW, why=say("backfill.why"))
    plan = plan_of(snapshot, intent, edits, now)
    if after is None:
        plan = replace(plan, removes=(path,), base=MappingProxyType({path: snapshot.hash_of(path)}))
    return plan


def _text(snapshot: Snapshot) -> str | None:
    """The diary as it is; None where there is none. One that cannot be read for certain is not touched."""
    path = diary_path(snapshot.files)
    refused = next((refusal for refusal in snapshot.refused if refusal.path == path), None)
    if refused:
        raise RefusedFile(say("backfill.not_a_file", path=path, why=refused.why))
    text = snapshot.files[path].text if path in snapshot.files else None
    if text is not None and is_damaged(text):
        raise RefusedFile(say("backfill.damaged", path=path))
    return text


def _about(workspace: Workspace, snapshot: Snapshot) -> Backfilled:
    return Backfilled(workspace.root / diary_path(snapshot.files), workspace.root / RECALLS)
