"""`dream trial`: did it help? The same questions asked of three memories: as it is, without the last nights, without any night.

Questions are the owner's own (what was searched and recalled, what was asked in conversations) and lines of the notes: their words are the
question, their value the answer. Answered means that what the host injects, MEMORY.md cut at its budget, or what recall tells has the
newest value beside the words of the question; outdated, that it has an older value instead. No model, no clock, no chance: the
same files give the same table. Few questions tell nothing, and then that is said instead of a share.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from math import comb, sqrt

from reverie.apply.files import Disk
from reverie.apply.runs import runs
from reverie.apply.state import put_trial
from reverie.core.durable import read_plain
from reverie.core.errors import RefusedFile
from reverie.core.layout import TRIAL, Kind
from reverie.core.ports import Clock
from reverie.evidence.claims import claims_of
from reverie.evidence.journal import events
from reverie.evidence.search import Scanned
from reverie.features.as_of import without_run
from reverie.features.recall.facts import BARS, Query, facts_for
from reverie.features.search import found, last_night
from reverie.judge.compose import plain_line
from reverie.judge.relation import Later, key_of, says_otherwise, says_the_same
from reverie.judge.specifics import SpecificKind, missing, specifics_of
from reverie.lang.messages import say
from reverie.night.live_lines import claims_in, forgotten_of
from reverie.text.lines import count_units, short_id, split_lines
from reverie.text.sections import OURS
from reverie.text.terms import bag, plain
from reverie.workspace.reader import read_workspace, reread
from reverie.workspace.values import Intent, Origin, Run, Snapshot, Statement, Workspace, hash_text, json_object

NIGHTS = 7
MOST = 40  # probes; each is asked of five texts
FEWEST = 12  # probes below which nothing is said
DIFFER = 6  # probes answered by one memory alone, below which no sign test can tell them apart
SURE = 0.05
_HALF = 0.5  # of a question's words, that must stand beside the value
_WORDS, _RAREST = 2, 6  # words that a question made of a note must have, and has
_READINGS = 3  # older values from which a line is a reading that changes with every note, and no fact
_ASKS = ("?", "？")
_VALUES = frozenset({*SpecificKind} - {SpecificKind.NAME, SpecificKind.QUOTE})
QUESTION, NOTE = "question", "note"


@dataclass(frozen=True, slots=True)
class Probe:
    """A question, the note that answers it, its values, and what notes said before it."""

    question: str
    answer: str
    values: tuple[str, ...]
    older: tuple[str, ...] = ()
    of: str = NOTE


@dataclass(frozen=True, slots=True)
class Row:
    """How one memory did: answered by what is injected, by that or recall, and how often only an outdated value was there."""

    name: str
    injected: int
    recalled: int | None  # none: without dreaming nobody recalls
    outdated: int


@dataclass(frozen=True, slots=True)
class Trial:
    """The table: a row for each memory, and on how many questions what is injected now does better or worse than before.

    Recall reads the notes too, with or without nights; so the nights are judged by what stands before every conversation.
    """

    made: str
    nights: int
    questions: int
    notes: int
    rows: tuple[Row, ...] = ()
    better: int = 0
    worse: int = 0

    @property
    def probes(self) -> int:
        return self.questions + self.notes

    @property
    def chance(self) -> float:
        """How likely so uneven a result is by chance alone: the two-sided sign test."""
        n, least = self.better + self.worse, min(self.better, self.worse)
        return min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n) if n else 1.0

    @property
    def verdict(self) -> str:
        """helped, harmed, no-difference or too-few."""
        if not self.nights or self.probes < FEWEST or self.better + self.worse < DIFFER:
            return "too-few"
        return "no-difference" if self.chance > SURE else "helped" if self.better > self.worse else "harmed"


def interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.96, part / whole
    middle, spread = share + z * z / (2 * whole), z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    return max(0.0, middle - spread) / (1 + z * z / whole), (middle + spread) / (1 + z * z / whole)


def trial_of(workspace: Workspace, clock: Clock, nights: int = NIGHTS, disk: Disk | None = None) -> Trial:
    """Ask, count, and keep the table for the page."""
    snapshot, history = read_workspace(workspace), runs(workspace)
    dreamt = [run for run in history if _is_night(run, snapshot.memory_path)]
    probes = probes_of(snapshot, workspace)
    now = clock.now()
    made = Trial(
        now.isoformat(timespec="seconds"),
        min(nights, len(dreamt)),
        sum(one.of == QUESTION for one in probes),
        sum(one.of == NOTE for one in probes),
    )
    if probes:
        ask = Asking(snapshot, probes, last_night(workspace, now), now.date())
        text = snapshot.text_of(snapshot.memory_path)
        before, never = (without(text, snapshot.memory_path, its) for its in (dreamt[-nights:], dreamt))
        rows = [
            ask.row("never", never, recall=False), ask.row("before", before), ask.row("now", text),
        ]  # fmt: skip
        made = _compared(made, rows)
    put_trial(workspace, json.dumps(asdict(made), indent=1) + "\n", disk)
    return made


def _compared(made: Trial, rows: Sequence[tuple[Row, tuple[bool, ...]]]) -> Trial:
    (_, before), (_, now) = rows[1:]
    better = sum(one and not other for one, other in zip(now, before, strict=True))
    worse = sum(other and not one for one, other in zip(now, before, strict=True))
    return replace(made, rows=tuple(row for row, _ in rows), better=better, worse=worse)


def share(made: Trial, answered: int | None) -> str:
    """How many of the probes a memory answered, with the interval of their share."""
    if answered is None:
        return "–"
    low, high = interval(answered, made.probes)
    return say("trial.share", n=answered, of=made.probes, low=f"{low:.0%}", high=f"{high:.0%}")


def verdict_of(made: Trial) -> str:
    """What the table says, in one sentence."""
    told = {"better": made.better, "worse": made.worse, "chance": f"{made.chance:.3f}"}
    return say(f"trial.{made.verdict.replace('-', '_')}", **told)


def last_trial(workspace: Workspace) -> Trial | None:
    """The table that was kept; none if there is none that can be read."""
    try:
        value = json_object(read_plain(workspace.root / TRIAL))
    except (OSError, RefusedFile):
        return None
    try:
        return Trial(**{**value, "rows": tuple(Row(**row) for row in value["rows"])})
    except (KeyError, TypeError):
        return None


def _is_night(run: Run, path: str) -> bool:
    standing = run.plan.intent is Intent.DREAM and not run.undone_by and not run.plan.undoes
    return standing and path in run.plan.paths


def without(text: str, path: str, nights: Sequence[Run]) -> str:
    """A memory without what these nights did to it; what stands otherwise since (the owner typed) stays as it is."""
    for run in reversed(nights):
        text = without_run(run, path, text)
    return text


# Probes


def probes_of(snapshot: Snapshot, workspace: Workspace) -> tuple[Probe, ...]:
    """The owner's questions first, the newest first; then facts of the notes that changed, were said again, or stand under a key.

    What was noted once in passing is no probe: a memory does well to leave it out.
    """
    notes = tuple(_notes(snapshot))
    later, rarity = Later(notes), Counter(word for one in notes for word in bag(plain_line(one.text)))
    older: dict[str, list[str]] = defaultdict(list)
    days: dict[str, set[str]] = defaultdict(set)
    current: dict[str, Statement] = {}
    for one in notes:
        text = plain_line(one.text)
        days[plain(text)].add(one.day)
        newer = later.changing(text, one.day)
        if newer is None:
            current[plain(text)] = one
        else:
            older[plain(plain_line(newer.text))].append(text)
    asked = [probe for text in _questions(snapshot, workspace) if (probe := _asked(text, current, older))]
    lasting = [
        key
        for key in current
        if 0 < len(older.get(key, ())) <= _READINGS or len(days[key]) > 1 or key_of(plain_line(current[key].text))
    ]
    told = [probe for key in sorted(lasting, key=short_id) if (probe := _told(current[key], older, rarity))]
    once = {
        plain(one.answer): one for one in (*reversed(told), *reversed(asked))
    }  # of two with one answer the owner's own
    return tuple(one for one in (*asked, *told) if once[plain(one.answer)] is one)[:MOST]


def _notes(snapshot: Snapshot) -> Iterator[Statement]:
    kinds = snapshot.workspace.settings.privacy.kinds
    for file in snapshot.files.values():
        if file.place.kind is Kind.DAILY:
            yield from (one for one in claims_of(file, kinds) if one.origin is Origin.OWNER and one.day)


def _questions(snapshot: Snapshot, workspace: Workspace) -> list[str]:
    """What was searched and recalled, and what was asked in conversations; each once, the newest first."""
    logged = [str(event["query"]) for event in events(workspace.root) if event.get("query")]
    spoken = [
        plain_line(one.text)
        for file in snapshot.files.values()
        if file.place.kind in (Kind.SESSION, Kind.CORPUS)
        for one in claims_of(file, workspace.settings.privacy.kinds)
        if one.origin is Origin.OWNER and one.text.rstrip().endswith(_ASKS)
    ]
    return list({plain(text): text for text in reversed([*spoken, *logged])}.values())


def _asked(question: str, notes: Mapping[str, Statement], older: Mapping[str, Sequence[str]]) -> Probe | None:
    """A question with the note that answers it, if one surely does and tells a value."""
    if not notes:
        return None
    today = max(date.fromisoformat(one.day) for one in notes.values())
    hits = found(_near(question, tuple(notes.values())), question, 3, today=today).hits
    sure = [hit for hit in hits if hit.chance >= BARS["balanced"].strong and hit.current is not False]
    text = plain_line(sure[0].claim.text) if sure else ""
    values = _values(text)
    return Probe(question, text, values, tuple(older.get(plain(text), ())), QUESTION) if values else None


def _told(note: Statement, older: Mapping[str, Sequence[str]], rarity: Mapping[str, int]) -> Probe | None:
    """The rarest words of a note as a question for its value; none if it has no value, several, or nothing besides."""
    text = plain_line(note.text)
    values, question = _values(text), text
    for value in values:
        question = question.replace(value, " ", 1)
    if not 1 <= len(values) <= 2 or len(bag(question)) < _WORDS or text.rstrip().endswith(_ASKS):
        return None
    telling = [word for word in question.split() if bag(word)]
    kept = set(sorted(telling, key=lambda word: min(rarity[part] for part in bag(word)))[:_RAREST])
    return Probe(" ".join(word for word in telling if word in kept), text, values, tuple(older.get(plain(text), ())))


def _near(question: str, claims: Sequence[Statement]) -> Scanned:
    """What shares a word with a question: the others cannot be its answer, and a scan weighs every line."""
    wanted = bag(question)
    return Scanned([one for one in claims if wanted & bag(f"{one.context} {one.text}")], "")


def _values(text: str) -> tuple[str, ...]:
    return tuple(one.shown for one in specifics_of(text) if one.kind in _VALUES)


# Answers

Line = tuple[str, str]  # what a line stands under, and the line


@dataclass(frozen=True)
class Asking:
    """The probes, and the workspace whose memory is exchanged for each row."""

    snapshot: Snapshot
    probes: Sequence[Probe]
    since: str
    today: date

    def row(self, name: str, memory: str, *, recall: bool = True) -> tuple[Row, tuple[bool, ...]]:
        """How a memory does, and which probes it answers by itself."""
        limit = self.snapshot.workspace.settings.memory.truncation
        lines = [
            (" ".join((*one.headings, *one.parents)), plain_line(OURS.sub("", one.text)))
            for one in self._with(_cut(memory, limit)).files[self.snapshot.memory_path].entries
        ]
        claims = self._claims(memory) if recall else []
        told = [self._recalled(one, claims) if recall else [] for one in self.probes]
        injected = [_has(one, lines) for one in self.probes]
        answered = tuple(had or _has(one, its) for one, had, its in zip(self.probes, injected, told, strict=True))
        wrong = (
            not good and _is_outdated(one, [*lines, *its])
            for one, good, its in zip(self.probes, answered, told, strict=True)
        )
        return Row(name, sum(injected), sum(answered) if recall else None, sum(wrong)), tuple(injected)

    def _with(self, memory: str) -> Snapshot:
        path = self.snapshot.memory_path
        return reread(self.snapshot, {path: memory}, {path: hash_text(memory)})

    def _claims(self, memory: str) -> list[Statement]:
        workspace = self.snapshot.workspace
        kinds, gone = workspace.settings.privacy.kinds, forgotten_of(workspace)
        return [claim for file in self._with(memory).files.values() for claim in claims_in(file, kinds, gone)]

    def _recalled(self, probe: Probe, claims: Sequence[Statement]) -> list[Line]:
        view = _near(probe.question, claims)
        facts = facts_for(view, Query(probe.question), None, "balanced", "always", self.since, self.today).facts
        return [("", fact.text) for fact in facts]


def _cut(memory: str, limit: int) -> str:
    """What the host injects: as many whole lines as fit."""
    kept, size = list[str](), 0
    for line in split_lines(memory):
        size += count_units(line)
        if size > limit:
            break
        kept.append(line)
    return "".join(kept)


def _has(probe: Probe, lines: Sequence[Line]) -> bool:
    """Whether a line has the values of the answer beside half of the question's words."""
    wanted = bag(probe.question)
    for above, line in lines:
        beside = len(wanted & bag(f"{above} {line}")) >= _HALF * len(wanted)
        if beside and not any(missing(value, (line,)) for value in probe.values):
            return True
    return False


def _is_outdated(probe: Probe, lines: Sequence[Line]) -> bool:
    """Whether a line is the answer with another value, or what notes said before it."""
    return any(
        says_otherwise(line, probe.answer) or any(says_the_same(line, old) for old in probe.older) for _, line in lines
    )
