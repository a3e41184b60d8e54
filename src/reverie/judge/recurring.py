"""What comes twice: a mistake that an agent logged twice becomes a lesson, and what left MEMORY.md and is said again comes back.

Logs: `memory/self-improving/*.jsonl` has one record a line. `.learnings/*.md` has plain lines, or entries `## [ERR-20260310-001]
name` with fields below headings (Summary, Suggested Fix, Metadata); of these only a summary, an advice and a count are read. All
records are compared as soon as one is new. The line is the fix where the log names one, else the correction (seed 001). What only
went wrong is no rule: it is suggested, and so is a decision that was logged.

Re-emergence (seed 000): only newer evidence counts, never the old lines read once more. Certain is only the same statement; what
a judge should look at is what seems to be about the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from itertools import groupby

import numpy as np

from reverie.core.ports import Embedder
from reverie.judge.brief import Brief, NoteLine, ReturnedLine
from reverie.judge.compose import Homes, at_home, composed, owner_words, plain_line, whole_sentences
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.relation import says_the_same
from reverie.judge.vetoes import is_statement, veto
from reverie.lang import words
from reverie.lang.lexicon import any_of, one_of
from reverie.lang.messages import said_with, say
from reverie.text.lines import plain_heading
from reverie.text.sections import CURRENT, LESSONS, STABLE, area_of
from reverie.text.terms import bag, is_negated, plain, shared, values_in
from reverie.workspace.values import MARK, STAYS_GONE, File, Origin, Removed, Source, Statement, stated

_ID = re.compile(r"^\W*(?P<kind>LRN|ERR|FEAT)-(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})-\w+\W*(?P<name>.*)$")
_TIMES = re.compile(r"(?:recurrence|occurrence)s?[ -]?(?:count)?\W{1,6}(\d{1,4})", re.I)
_KINDS = ("error", "correction", "best_practice", "decision", "request")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One record of a log."""

    text: str
    kind: str  # error, correction, best_practice, decision, request; a log that does not say is one of errors
    context: str
    day: str
    source: Source
    rule: str = ""  # what the record itself advises
    times: int = 1  # how often the record itself says it happened


def log_records(file: File) -> tuple[LogRecord, ...]:
    """The records of one log, in order. Lines that quote or only carry fields are none."""
    said = [entry for entry in file.entries if entry.origin is Origin.OWNER and entry.text.strip()]
    if file.path.endswith(".jsonl"):
        lines = groupby(said, key=lambda entry: entry.source.first)
        return tuple(_of_jsonl(file, list(entries)) for _, entries in lines)
    plain = [entry for entry in said if _name(entry) is None and not _field().match(entry.text)]
    return (*(_of_line(file, entry) for entry in plain), *_structured(said))


def _of_jsonl(file: File, entries: Sequence[Statement]) -> LogRecord:
    """The statements of one line: what happened, what is advised, or one of both."""
    first, advice = entries[0], next((one.text for one in entries if _under(one, "advice")), "")
    names = first.headings[:-1] if _under(first, "advice") else first.headings
    kind = _kind(names[0] if names else _stem(file))
    return LogRecord(first.text, kind, " ".join(names[1:]), str(first.day or ""), first.source, advice)


def _of_line(file: File, entry: Statement) -> LogRecord:
    kind = next((found for h in reversed(entry.headings) if (found := _kind(h, ""))), "") or _kind(_stem(file))
    return LogRecord(entry.text, kind, " > ".join(entry.headings[-1:]), str(entry.day or ""), entry.source)


def _structured(entries: Sequence[Statement]) -> Iterator[LogRecord]:
    """The entries with an id: their summary, with the advice and the count that stand below the same heading."""
    groups: dict[str, list[Statement]] = {}
    for entry in entries:
        if name := _name(entry):
            groups.setdefault(name[0], []).append(entry)
    for group in groups.values():
        named = _name(group[0])
        assert named is not None
        summary = next((one for one in group if _under(one, "summary")), None)
        advice = next((one.text for one in group if _under(one, "advice") and not _field().match(one.text)), "")
        times = max((int(found[1]) for one in group if (found := _TIMES.search(one.text))), default=1)
        if summary is not None:
            last = max(one.source.last for one in group if one is summary or one.text == advice)
            source = Source(summary.source.path, summary.source.first, max(summary.source.last, last))
            yield LogRecord(summary.text, named[1], named[2], named[3], source, advice, times)


def _name(entry: Statement) -> tuple[str, str, str, str] | None:
    """(heading, kind, name, day) of the entry with an id that this line stands in."""
    for heading in entry.headings:
        if found := _ID.match(heading):
            kind = _kind(found["name"], "") or _kind(found["kind"])
            return heading, kind, found["name"].strip(), f"{found['year']}-{found['month']}-{found['day']}"
    return None


def _under(entry: Statement, group: str) -> bool:
    return bool(entry.headings) and plain_heading(entry.headings[-1]) in words(f"logs.{group}")


@cache
def _field() -> re.Pattern[str]:
    return re.compile(rf"^\W*{one_of('logs.fields')}\W{{0,4}}[:：]", re.I)


def _kind(word: str, otherwise: str = "error") -> str:
    plain = word.strip().casefold()
    return next((kind for kind in _KINDS if plain in words(f"logs.{kind}")), otherwise)


def _stem(file: File) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[0]


TWICE = 2
LIKE = 0.62  # cosine from which two records that share words tell of one mistake
SHARED = 0.25  # share of their words that they must have in common besides
MISTAKE, DECISION, RULE = (
    0.2,
    0.5,
    0.8,
)  # worth of a suggestion: what only went wrong; what was decided; what to do about it


def lessons(brief: Brief) -> Iterator[Operation]:
    """One addition for every mistake that was logged more than once, not all of it before the last night.

    It acts where the log says what to do; where it only tells what went wrong, somebody has to say what follows from it.
    """
    new = _new_lines(brief)
    for group in grouped([one for one in brief.logged if one.kind not in ("decision", "request")], brief):
        times = max(len({(one.day, plain(one.context)) for one in group}), *(one.times for one in group))
        if times < TWICE or not any(_is_new(one, new) for one in group):
            continue
        best = min(group, key=lambda one: (not one.rule, one.kind == "error", one.kind != "correction", -len(one.text)))
        last = max(one.day for one in group)
        why = say("why.logged" if last else "why.logged_undated", n=times, day=last)
        ordered = (best, *(one for one in group if one is not best))
        for wish in _entering(brief, best.rule or best.text, ordered, why):
            sure = replace(wish, section=Homes(brief).of_area(wish.text, LESSONS), tag="lesson")
            is_rule = best.rule or best.kind != "error"
            acts = is_rule and not _is_guarded(brief)
            yield sure if acts else replace(sure, level=Level.LIKELY, worth=RULE if is_rule else MISTAKE)


def _is_guarded(brief: Brief) -> bool:
    """Whether the owner protects the lessons, all of them: then a line among them is theirs to make."""
    there = [line.fixed for line in brief.memory if any(area_of(name) == LESSONS for name in line.entry.headings)]
    return bool(there) and all(there)


def decided(brief: Brief) -> Iterator[Operation]:
    """A suggestion for every decision that was logged since the last night."""
    new, homes = _new_lines(brief), Homes(brief)
    for one in brief.logged:
        if one.kind == "decision" and _is_new(one, new):
            why = say("why.decision_logged" if one.day else "why.decision_logged_undated", day=one.day)
            for wish in _entering(brief, one.text, (one,), why):
                section = homes.home_of(wish.text, "decision", one.context)
                yield replace(wish, section=section, tag="added", level=Level.LIKELY, worth=DECISION)


def _new_lines(brief: Brief) -> frozenset[tuple[str, int]]:
    return frozenset((note.claim.path, note.claim.first) for note in brief.notes)


def _entering(brief: Brief, text: str, records: Sequence[LogRecord], why: str) -> Iterator[Operation]:
    """The words of a log as a new line, if they may be one and memory does not say it yet."""
    line = whole_sentences(owner_words(text))
    if line and not veto(line) and not any(says_the_same(old.text, line) for old in brief.memory):
        cites = tuple(
            stated(one.source.path, one.source.first, one.source.last, one.rule or one.text, one.context, "", one.day)
            for one in records[:4]
        )
        yield Operation(Op.ADD, why, cites, text=line)


def grouped(records: Sequence[LogRecord], brief: Brief) -> list[list[LogRecord]]:
    """Records that tell of one mistake, each in one group; a record joins where it is like most of those there."""
    texts = [one.text for one in records]
    rows = np.asarray(brief.embedder.embed(texts)) if brief.embedder and texts else None
    groups: list[list[int]] = []
    for i, one in enumerate(texts):
        for group in groups:
            alike = sum(_alike(texts[j], one, None if rows is None else float(rows[i] @ rows[j])) for j in group)
            if alike and 2 * alike >= len(group):
                group.append(i)
                break
        else:
            groups.append([i])
    return [[records[i] for i in group] for group in groups]


def _alike(one: str, other: str, cosine: float | None) -> bool:
    if says_the_same(one, other):
        return True
    near = cosine is not None and cosine >= LIKE and is_negated(one) == is_negated(other)
    return near and shared(one, other) >= SHARED


def _is_new(one: LogRecord, new: Set[tuple[str, int]]) -> bool:
    """A record of several lines is new as soon as one of its lines is."""
    return any((one.source.path, line) in new for line in range(one.source.first, one.source.last + 1))


ALIKE = 0.5  # worth of a card for what comes back in other words
NEAR, WORDS = 0.6, 0.5  # cosine, and share of words, from which a judge should look
MOST = 20  # lines of the archive that a brief shows
_NIGHT = 6  # a removal before this hour is a night's; that day's note is later


def returned_lines(
    removed: Sequence[Removed], notes: Sequence[NoteLine], embedder: Embedder | None
) -> tuple[ReturnedLine, ...]:
    """What left and what a newer note seems to say again, each with the note that says it best."""
    gone = [one for one in removed if one.category not in STAYS_GONE]
    said = [note for note in notes if not note.quoted and note.claim.day]
    if not gone or not said:
        return ()
    olds, news = [removed_words(one.text) for one in gone], [plain_line(note.text) for note in said]
    rows = np.asarray(embedder.embed([*olds, *news])) if embedder else np.zeros((len(olds) + len(news), 1))
    near = rows[: len(olds)] @ rows[len(olds) :].T
    found = []
    for i, old in enumerate(gone):
        later = [j for j, note in enumerate(said) if said_after(note, old)]
        again = [j for j in later if says_it_again(olds[i], news[j], float(near[i, j]))]
        if again:
            best = max(again, key=lambda j: float(near[i, j]) + shared(olds[i], news[j]))
            found.append((float(near[i, best]) + shared(olds[i], news[best]), old, said[best].id))
    known: dict[str, tuple[float, Removed, str]] = {}
    for one in found:  # of two wordings of one entry the nearer
        known[one[1].id] = max(known.get(one[1].id, one), one, key=lambda it: it[0])
    kept = list(known.values())[:MOST]
    return tuple(ReturnedLine(f"a{n}", old, note) for n, (_, old, note) in enumerate(kept, 1))


def returning(brief: Brief) -> Iterator[Operation]:
    """What is said again in the same words comes back as the note says it now; in other words it may, if somebody says yes."""
    notes = {note.id: note for note in brief.notes}
    for line in brief.returned:
        note, old = notes[line.note], line.removed
        before, now = removed_words(old.text), plain_line(note.text)
        same = _is_the_same(before, now)
        if (same or not _doubted(before, now)) and is_statement(now) and (text := composed(note.claim)):
            why = say("why.said_again" if same else "why.said_much_alike", day=note.claim.day) + had_left(old)
            homes = Homes(brief)
            area = CURRENT if old.category in ("stale", "completed") else STABLE
            section = old.section if homes.is_open(old.section) else homes.of_area(text, area)
            yield Operation(
                Op.ADD, why, (note.claim,), text=f"{MARK} {at_home(text, section, note.claim)}", section=section, tag="re-emerged",
                level=Level.CERTAIN if same else Level.LIKELY, worth=1.0 if same else ALIKE,
            )  # fmt: skip


def had_left(old: Removed) -> str:
    """The end of a reason: when and why a line had left. The ledger knows what came back by the id in brackets."""
    return say("why.had_left", day=old.at[:10], tag=said_with("tags", old.category), id=old.id)


def _is_the_same(old: str, new: str) -> bool:
    """The same statement without a word more: "maybe" and "is cancelled" are such words."""
    return says_the_same(old, new) and bag(old) == bag(new)


def _doubted(old: str, new: str) -> bool:
    """Whether only the new one has a word of doubt or of an end: that says something else of the same thing."""
    return any(
        any_of(group).search(new) and not any_of(group).search(old) for group in ("forms.ended", "announced.perhaps")
    )


def removed_words(text: str) -> str:
    """The words of what left, without list marker, marks of ours and the sign of an earlier return."""
    return plain_line(text.lstrip(" \t-*+")).replace(MARK, "").strip()


def said_after(note: NoteLine, old: Removed) -> bool:
    """Said after the removal. Of the same day only what follows a night; what was forgotten by hand waits a day longer."""
    try:
        left, said = date.fromisoformat(old.at[:10]), date.fromisoformat(note.claim.day)
    except ValueError:
        return False
    by_night = old.category != "forgotten" and old.at[11:13].isdecimal() and int(old.at[11:13]) < _NIGHT
    return said >= left + timedelta(days=0 if by_night else 1)


def says_it_again(old: str, new: str, cosine: float) -> bool:
    """Whether a new line seems to say what a removed one said: the same values and sense, and much in common."""
    if values_in(old) != values_in(new) or is_negated(old) != is_negated(new):
        return False
    return says_the_same(old, new) or (cosine >= NEAR and shared(old, new) >= WORDS)
