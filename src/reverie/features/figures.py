"""The memory in figures: how good it is, how it grew, how far memories have come, how often a question found an answer.

What tidies at night counts here: junk, stale, repeated and contradicting lines, room, and a score made of them. What is only
perhaps wrong (a chance below a half) is not counted: a figure that cries wolf is worth nothing. The stages are seed 003's (sensory, short-term,
working, long-term), as far as they are on disk. Nothing is decided and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from reverie.core.errors import ReverieError
from reverie.core.layout import LEDGER, SUGGESTIONS, Kind
from reverie.core.ports import Clock
from reverie.evidence.journal import events
from reverie.features.classify.memories import items_of
from reverie.judge.compose import plain_line
from reverie.judge.leaving import find_duplicates, find_expired, missing_files
from reverie.judge.operation import Op
from reverie.judge.relation import says_otherwise, says_the_same
from reverie.judge.vetoes import is_chatter, veto
from reverie.lang.messages import say
from reverie.night.live_lines import recall_state
from reverie.plan.asked import open_questions
from reverie.plan.ledger import read_ledger
from reverie.plan.suggested import OUTDATED, line_words, open_suggestions, operation_of, outdated_lines
from reverie.text.lines import count_units, split_lines
from reverie.text.markdown import STATEMENTS
from reverie.text.marks import is_done, is_history
from reverie.text.sections import own_lines
from reverie.text.terms import plain
from reverie.workspace.news import unjudged
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Snapshot, Statement, Workspace

DAYS = 90
BARS = "▁▂▃▄▅▆▇█"
# In a memory that people keep, labels, questions and commands have their place; these never do.
JUNK = frozenset({"instruction", "untrusted"})
WORST = 0.2  # a fifth of the lines: the part of the score is lost
WEIGHTS = {"junk": 25, "stale": 20, "duplicates": 20, "contradictions": 20, "room": 15}
WEEK = 7  # days of working memory (seed 003)
SEASON = 30  # days of questions that the hit rate counts
_PEOPLE = frozenset({Origin.OWNER, Origin.SESSION})
_NIGHT = re.compile(r"^### (\d{4}-\d{2}-\d{2}) \d{2}:\d{2}\n[^\n]*\nMEMORY\.md chars: \d+ → (\d+)", re.M)


@dataclass(frozen=True, slots=True)
class CountedLine:
    """A line that a figure counts: where it stands, what it says, and the other line or the reason that it is counted for."""

    place: str
    text: str
    against: str = ""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of the score: what was counted, how much of its points it kept, and why in a sentence."""

    name: str
    count: int
    points: int
    of: int
    why: str
    lines: tuple[CountedLine, ...] = ()  # the very lines that were counted


@dataclass(frozen=True, slots=True)
class Quality:
    """The figures of one memory."""

    entries: int
    parts: tuple[ScorePart, ...]
    characters: int
    limit: int
    lines: int
    max_lines: int
    growth: tuple[tuple[date, int], ...]  # characters after each night of the last ninety days

    @property
    def score(self) -> int | None:
        """From 0 to 100; nothing can be said about a memory without a line."""
        return sum(part.points for part in self.parts) if self.entries else None


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: how many statements are in it, and in words what they are."""

    name: str
    count: int
    what: str


@dataclass(frozen=True, slots=True)
class Hits:
    """How many questions were asked of the memory, and how many it had an answer for."""

    asked: int
    answered: int

    @property
    def rate(self) -> float | None:
        return self.answered / self.asked if self.asked else None


def quality(workspace: Workspace, clock: Clock) -> Quality:
    """How good the memory is."""
    snapshot, now = read_workspace(workspace), clock.now()
    memory, limits = snapshot.files.get(snapshot.memory_path), snapshot.workspace.settings.memory
    text = snapshot.text_of(snapshot.memory_path)
    ours = set(own_lines(memory.document)) if memory else set()
    entries = [
        entry
        for entry in (memory.entries if memory else ())
        if entry.block.shape in STATEMENTS and entry.block.first not in ours and entry.origin is not Origin.FENCED
    ]
    lines = {
        "junk": [CountedLine(str(entry.source), entry.text) for entry in entries if _is_junk(entry)],
        "stale": _outdated(snapshot, now.date()),
        "duplicates": _repeated(snapshot, entries),
        "contradictions": [*_contradicting(entries), *_asked(snapshot)],
    }
    size = count_units(text)
    parts = (
        *(_part(name, found, len(entries)) for name, found in lines.items()),
        _room(size, limits.hard_limit, limits.warn),
    )
    return Quality(
        len(entries), parts, size, limits.hard_limit, len(split_lines(text)), limits.max_lines,
        growth(_logs(snapshot), now.date()),
    )  # fmt: skip


def _is_junk(entry: Statement) -> bool:
    """What no memory should hold: a chat turn, a message id, a dream's own words, a machine's routine."""
    if entry.protected:
        return False
    if entry.origin in (Origin.MACHINE, Origin.TRANSPORT, Origin.RECALLED):
        return True
    text = plain_line(entry.text)  # a title that speaks to the agent taints none of its lines
    return veto(text) in JUNK or is_chatter(text)


def _outdated(snapshot: Snapshot, today: date) -> list[CountedLine]:
    """Lines whose own last day is past, that name a note which is gone, or that a note more likely than not changes or ends."""
    over = find_expired(snapshot.files.get(snapshot.memory_path), today)
    ended = [CountedLine(str(one.memory[0].source), one.memory[0].text, one.why) for one in over]
    ended += [CountedLine(str(one.sources[0]), one.text, one.why) for one in missing_files(snapshot)]
    known, doubts = {one.place for one in ended}, outdated_lines(snapshot.text_of(SUGGESTIONS))
    lines = [(one, plain(line_words(one.text))) for file in snapshot.memories for one in file.entries]
    doubted = [CountedLine(str(one.source), one.text, doubts[words].why) for one, words in lines if words in doubts]
    return ended + [one for one in doubted if one.place not in known]


def _repeated(snapshot: Snapshot, entries: Sequence[Statement]) -> list[CountedLine]:
    """Copies, lines that say what another says in nearly the same words under the same heading, and what waits to be merged."""
    copies = {
        one.target.block.first: CountedLine(str(one.target.source), one.target.text, one.why)
        for one in find_duplicates(snapshot.files.get(snapshot.memory_path))
        if one.target
    }
    told = [(entry, plain_line(entry.text)) for entry in entries if entry.origin is Origin.OWNER]
    for i, (later, text) in enumerate(told):
        alike = (earlier for earlier, said in told[:i] if _same_place(earlier, later) and says_the_same(said, text))
        if later.block.first not in copies and (earlier := next(alike, None)):
            copies[later.block.first] = CountedLine(str(later.source), later.text, earlier.text)
    merges = [one for one in open_suggestions(snapshot) if one.op == Op.MERGE and one.worth >= OUTDATED]
    for wish in filter(None, (operation_of(snapshot, one) for one in merges)):
        for one in wish.memory[1:]:
            copies.setdefault(one.block.first, CountedLine(str(one.source), one.text, wish.why))
    return list(copies.values())


def _contradicting(entries: Sequence[Statement]) -> list[CountedLine]:
    """The same key with another value in the same place."""
    # "Done: …" twice is two things done
    keyed = [e for e in entries if not is_history(e.text) and not is_done(e.text, checked=None)]
    others = (
        (
            later,
            next((one for one in keyed[:i] if _same_place(one, later) and says_otherwise(one.text, later.text)), None),
        )
        for i, later in enumerate(keyed)
    )
    return [CountedLine(str(later.source), later.text, one.text) for later, one in others if one]


def _asked(snapshot: Snapshot) -> list[CountedLine]:
    """What the nights asked about and nobody answered."""
    try:
        return [CountedLine(one.first_source, one.first, one.second) for one in open_questions(snapshot)]
    except ReverieError:  # a damaged list is the doctor's business
        return []


def _same_place(one: Statement, other: Statement) -> bool:
    return one.headings == other.headings and one.block.parent == other.block.parent


def _part(name: str, lines: Sequence[CountedLine], entries: int) -> ScorePart:
    count = len(lines)
    rate = count / entries if entries else 0.0
    points = round(WEIGHTS[name] * (1 - min(1.0, rate / WORST)))
    why = say("figures.of_lines", count=count, n=entries, rate=rate)
    return ScorePart(name, count, points, WEIGHTS[name], why, tuple(lines))


def _room(size: int, limit: int, warn: float) -> ScorePart:
    """Full points below the warning, none from the point on where the host begins to cut."""
    share, most = size / limit if limit else 0.0, WEIGHTS["room"]
    lost = min(1.0, max(0.0, (share - warn) / (1.1 - warn)))
    why = say("figures.of_room", size=size, limit=limit, share=share)
    return ScorePart("room", size, round(most * (1 - lost)), most, why)


def _logs(snapshot: Snapshot) -> Iterable[str]:
    return (
        snapshot.text_of(path)
        for path, file in sorted(snapshot.files.items())
        if file.place.kind is Kind.REVIEW_LOG and path.startswith("vault:")
    )


def growth(logs: Iterable[str], today: date) -> tuple[tuple[date, int], ...]:
    """The size of MEMORY.md after each night of the last ninety days, as the nights themselves told it."""
    found: dict[date, int] = {}
    for log in logs:
        for day, size in _NIGHT.findall(log.replace("\r\n", "\n")):
            try:
                found[date.fromisoformat(day)] = int(size)
            except ValueError:
                continue
    return tuple((day, size) for day, size in sorted(found.items()) if today - timedelta(days=DAYS) < day <= today)


def chart(points: Sequence[tuple[date, int]], today: date, width: int = 30) -> str:
    """The growth as a row of bars, the newest at the right; blank before the first night."""
    if not points:
        return ""
    sizes = [size for _, size in points]
    low, high = min(sizes), max(sizes)
    bars, step = [], timedelta(days=DAYS / width)
    for n in range(width):
        until = today - step * (width - 1 - n)
        known = [size for day, size in points if day <= until]
        level = (len(BARS) - 1) * (known[-1] - low) // (high - low) if known and high > low else 0
        bars.append(BARS[level] if known else " ")
    return "".join(bars)


def stages(workspace: Workspace, clock: Clock) -> tuple[Stage, ...]:
    """The four stages with their counts, in the order in which a memory passes them."""
    snapshot = read_workspace(workspace)
    memory = snapshot.files.get(snapshot.memory_path)
    lasting = len(items_of(memory)) if memory else 0
    files = sum(1 for file in snapshot.files.values() if file.place.kind is Kind.CLASSIFIED)
    archive = len(read_ledger(snapshot.text_of(LEDGER)))
    notes, lines = _of_the_week(snapshot, clock.now())
    fresh = sum(1 for file in unjudged(snapshot) for entry in file.entries if entry.origin in _PEOPLE)
    recalled = len(recall_state(workspace).recalls)
    lasts = say("figures.long_term", lasting=lasting, files=files, archive=archive)
    return (
        Stage("sensory", fresh, say("figures.sensory")),
        Stage("short-term", recalled, say("figures.short_term")),
        Stage("working", lines, say("figures.working", n=notes, days=WEEK)),
        Stage("long-term", lasting + files, lasts),
    )


def hits(workspace: Workspace, clock: Clock) -> Hits:
    """The questions of the last month, as the recall journal has them."""
    since = clock.now().astimezone(UTC) - timedelta(days=SEASON)
    counts = [count for moment, count in _questions(workspace) if moment >= since]
    return Hits(len(counts), sum(count > 0 for count in counts))


def questions_by_day(workspace: Workspace, today: date, days: int) -> tuple[tuple[date, int, int], ...]:
    """For each of so many days on which something was asked: how many questions, and how many of them found an answer."""
    found: dict[date, tuple[int, int]] = {}
    for moment, count in _questions(workspace):
        day = moment.date()
        if today - timedelta(days=days) < day <= today:
            asked, answered = found.get(day, (0, 0))
            found[day] = asked + 1, answered + (count > 0)
    return tuple((day, *counts) for day, counts in sorted(found.items()))


def _questions(workspace: Workspace) -> Iterator[tuple[datetime, int]]:
    """When something was asked, and how many results it had."""
    for event in events(workspace.root):
        if event.get("type") == "memory.recall.recorded":
            yield _moment(event.get("timestamp")), int(event.get("resultCount") or 0)


def growth_of(workspace: Workspace, today: date) -> tuple[tuple[date, int], ...]:
    """The size of MEMORY.md after each night of the last ninety days."""
    return growth(_logs(read_workspace(workspace)), today)


def _of_the_week(snapshot: Snapshot, now: datetime) -> tuple[int, int]:
    since = now.date() - timedelta(days=WEEK - 1)
    kinds = (Kind.DAILY, Kind.SESSION)
    notes = [f for f in snapshot.files.values() if f.place.kind in kinds and f.place.day and f.place.day >= since]
    return len(notes), sum(1 for file in notes for entry in file.entries if entry.origin in _PEOPLE)


def _moment(said: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(said))
    except ValueError:  # a line somebody else wrote
        return datetime.min.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
