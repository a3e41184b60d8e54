"""What a night did and the notes speak against: every decision of the last runs, held against all that was said since.

Five questions, one a kind of mistake: a line left and a note goes on with it; a value was replaced and a newer note is back at the
old one; a note says otherwise than a new line; a new line had ended before the night; a merge or an update lost a specific. The
learned judge says whether a note is about the line, words and values say the rest. Found means likely, never certain: each is told
with its reason and the one command that takes the decision back, and nothing happens by itself. A decision that was taken back, or
that memory does not show any more, is nobody's concern.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher

from reverie.core.layout import Kind, holds_memory, place_of
from reverie.dates.context import begins_with, last_word, tense
from reverie.dates.relative import find_dates
from reverie.evidence.claims import claims_of
from reverie.judge.changes import Effect, Pair, effects_of
from reverie.judge.compose import plain_line
from reverie.judge.figures import Figure
from reverie.judge.leaving import DUPLICATE, end_of
from reverie.judge.operation import Op
from reverie.judge.relation import says_otherwise
from reverie.judge.retractions import retractions
from reverie.judge.specifics import Specific, SpecificKind, lost, missing, specifics_of
from reverie.judge.worth import about_same
from reverie.judge.written_dates import days_in
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED, any_of
from reverie.lang.messages import say
from reverie.night.commands import decided
from reverie.openclaw.recall_lane import TAKEN_BACK
from reverie.plan.part import is_replacement
from reverie.plan.splices import VIEW
from reverie.text.lines import bare
from reverie.text.marks import is_history
from reverie.text.sections import OURS
from reverie.text.terms import bag, is_negated, plain, shared, terms, values_in
from reverie.workspace.values import Edit, Intent, Origin, Run, Snapshot, Source, Statement

REMOVED, AGAIN, CONTRADICTED, EXPIRED, LOST = "removed", "again", "contradicted", "expired", "lost"  # tags
_NIGHTS = frozenset({Intent.DREAM, Intent.NOTE})
_NO_TRUTH = frozenset(
    {"over budget", "forgotten"}
)  # what left for want of room, or at the owner's word, was not called untrue
_NEAREST = 8  # notes that a decision is held against
_ABOUT = 0.4  # chance of being about the same thing, from which a note may speak for or against a line
_MENTIONS = 0.5  # chance of doing nothing to a line, from which a note only mentions its matter
_AFFIRMS = 0.35  # chance of saying the same or more
_DENIES = 0.6  # chance of taking a line back
_ENDS = 0.5
_COVERS = 0.5  # of a line's words, that a note must have to give another value for it
_TOUCHES = 0.3  # … and to go on with it
_HARDLY = 0.1  # chance of being about the same thing that is enough where the note names a value and says "back"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A decision that a night seems to have got wrong, why, and how it is taken back."""

    tag: str
    text: str
    why: str
    sources: tuple[Source, ...]
    run: str
    id: str
    target: Statement | None = None  # where its line stands now; none for what left

    @property
    def command(self) -> str:
        return f"dream undo {self.run} --only {self.id}"


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision of a run about memory: the words that left, and those that came."""

    run: str
    id: str
    op: Op
    old: str
    new: str
    night: date
    sources: tuple[Source, ...]
    by_night: bool
    target: Statement | None = None
    drops: tuple[str, ...] = ()  # what its judge left out on purpose

    @property
    def day(self) -> str:
        """The last day on which its sources said it; without any, the day before the night."""
        days = [day for source in self.sources if (day := place_of(source.path).day)]
        return max(days, default=self.night - timedelta(days=1)).isoformat()


@dataclass(frozen=True, slots=True)
class Heard:
    """A note beside a line: whether it is about it, and what it may do to it."""

    note: Statement
    about: float
    effect: Effect
    retracts: float

    @property
    def text(self) -> str:
        return plain_line(self.note.text)

    @property
    def is_back(self) -> bool:
        """It says that something stays, or is again, as it was."""
        return bool(any_of("refine.again").search(self.text))

    @property
    def is_past(self) -> bool:
        return bool(any_of("refine.past").search(self.text)) and not self.is_back

    @property
    def is_of_a_day(self) -> bool:
        """It tells what happened on a day ("today at 7:40"), and not how things are."""
        return bool(find_dates(self.text, date.fromisoformat(self.note.day)))


Listen = Callable[[Decided, str], Sequence[Heard]]  # the notes since a decision that are about a line, newest first


def mistakes(snapshot: Snapshot, history: Sequence[Run]) -> Iterator[Mistake]:
    """One finding for every decision that something speaks against, oldest first."""
    listen = Notes(snapshot).heard
    for one in standing_decisions(snapshot, history):
        for tag, ask in _QUESTIONS[one.op]:
            if (answer := ask(snapshot, one, listen)) is not None:
                why, sources = answer
                yield Mistake(tag, one.new or one.old, why, sources, one.run, one.id, one.target)
                break


def standing_decisions(snapshot: Snapshot, history: Sequence[Run]) -> tuple[Decided, ...]:
    """The decisions that memory still shows."""
    return tuple(one for one in decisions_of(snapshot, history) if _still_shows(snapshot, one))


def decisions_of(snapshot: Snapshot, history: Sequence[Run]) -> Iterator[Decided]:
    """What the runs that still stand decided about memory, without what was taken back one by one."""
    standing = [run for run in history if not run.undone_by and not run.plan.undoes]
    taken = {edit.id for run in standing for edit in run.plan.edits if edit.tag == TAKEN_BACK}
    marked = {
        mark[1]: entry
        for file in snapshot.memories
        for entry in file.entries
        if (mark := OURS.search(entry.text)) and entry.origin is not Origin.DREAM
    }
    for run in standing:
        if run.plan.intent not in _NIGHTS:
            continue
        for edit in run.plan.edits:
            if holds_memory(edit.path) and edit.tag != VIEW and (edit.path, edit.at) not in run.left:
                yield from (one for one in _decided(run, edit, marked) if one.id not in taken)


def _decided(run: Run, edit: Edit, marked: Mapping[str, Statement]) -> Iterator[Decided]:
    night, by_night = date.fromisoformat(run.at[:10]), run.plan.intent is Intent.DREAM
    sources = tuple(source for source in edit.sources if not holds_memory(source.path))
    if edit.new and not is_replacement(edit):
        for line in edit.new:
            if (mark := OURS.search(bare(line))) and mark[1] in decided(edit):
                new = _words((line,))
                yield Decided(run.id, mark[1], Op.ADD, "", new, night, sources, by_night, marked.get(mark[1]))
    elif edit.tag not in _NO_TRUTH:
        merges = edit.op == Op.MERGE or edit.tag == DUPLICATE
        op = Op.MERGE if merges else Op.UPDATE if edit.new else Op.END
        name = next((found[1] for line in edit.new if (found := OURS.search(bare(line)))), "")
        old, new = _words(edit.old), _words(edit.new)
        yield Decided(run.id, edit.id, op, old, new, night, sources, by_night, marked.get(name), edit.drops)


def _words(lines: Iterable[str]) -> str:
    return " ".join(filter(None, (plain_line(OURS.sub("", bare(line)).strip().lstrip("-*+ \t")) for line in lines)))


def _still_shows(snapshot: Snapshot, one: Decided) -> bool:
    """Whether memory is as the decision made it: what left is not there, and what came is."""
    said = [plain(OURS.sub("", entry.text)) for file in snapshot.memories for entry in file.entries]
    if one.op is Op.ADD:
        return one.target is not None or plain(one.new) in said
    if plain(one.old) in said:
        return False
    came = plain(one.new)
    return one.op is not Op.UPDATE or any(came in text or shared(came, text) >= _STANDS for text in said)


_STANDS = 0.6  # shared words from which a line of memory is what a later run made of a new one


class Notes:
    """The owner's notes by their words, and what the learned judge thinks of each beside a line."""

    def __init__(self, snapshot: Snapshot) -> None:
        kinds = snapshot.workspace.settings.privacy.kinds
        daily = (file for file in snapshot.files.values() if file.place.kind is Kind.DAILY)
        said = (claim for file in daily for claim in claims_of(file, kinds))
        self._notes = [one for one in said if one.origin in (Origin.OWNER, Origin.SESSION) and one.day]
        self._embed = snapshot.workspace.embedder.embed if snapshot.workspace.embedder else None
        self._at: dict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self._notes):
            for word in set(terms(plain_line(one.text))):
                self._at[word].append(number)

    def heard(self, decided: Decided, line: str) -> list[Heard]:
        """The notes since the day of a decision, besides those it rests on, that are about a line; the newest first."""
        near = self._near(decided, line)
        pairs = [(line, plain_line(one.text)) for one in near]
        about = about_same(pairs, self._embed)
        effects = effects_of([Pair(line, "", text) for _, text in pairs]) if self._embed else [_UNKNOWN] * len(near)
        takes = retractions(pairs, about) if self._embed else [0.0] * len(near)
        rows = (Heard(*row) for row in zip(near, about, effects, takes, strict=True))
        found = [one for one in rows if one.about >= (_HARDLY if one.is_back else _ABOUT) or _whole(line, one.text)]
        return sorted(found, key=lambda one: (one.note.day, one.note.first), reverse=True)

    def _near(self, decided: Decided, line: str) -> list[Statement]:
        met: dict[int, float] = defaultdict(float)
        for word in set(terms(line)):
            for number in self._at.get(word, ()):
                met[number] += 1 / len(self._at[word])
        since = decided.day
        new = (n for n in met if self._notes[n].day >= since and not _rests_on(decided, self._notes[n]))
        return [self._notes[n] for n in sorted(new, key=lambda n: -met[n])[:_NEAREST]]


_UNKNOWN = Effect(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _rests_on(decided: Decided, note: Statement) -> bool:
    """Whether a decision cites a note. A new value is newer than what stands above it; what left was said on the whole day."""
    same = [source for source in decided.sources if source.path == note.path]
    return any(
        note.first <= source.last and (decided.op is not Op.END or source.first <= note.first) for source in same
    )


Answer = tuple[str, tuple[Source, ...]] | None


def _told(key: str, one: Heard, **more: str) -> Answer:
    return say(f"refine.{key}", where=str(one.note.source), said=one.text, **more), (one.note.source,)


def _goes_on(snapshot: Snapshot, done: Decided, listen: Listen) -> Answer:
    """A note goes on with what left. The newest note that says something of it decides."""
    for one in listen(done, done.old):
        mentions = one.effect.none >= _MENTIONS and not one.is_back and not _whole(done.old, one.text)
        far = one.about < _ABOUT and not _whole(done.old, one.text)
        if one.is_past or mentions or far or _covered(done.old, one.text) < _TOUCHES or _clash(done.old, one.text):
            continue
        denies = is_negated(one.text) and not is_negated(done.old)
        says_so = (one.effect.same + one.effect.richer >= _AFFIRMS or _whole(done.old, one.text)) and not denies
        return _told("goes_on", one) if (says_so or one.is_back) and one.effect.ends < _ENDS else None
    return None


def _is_back(snapshot: Snapshot, done: Decided, listen: Listen) -> Answer:
    """A newer note is back at the value that was replaced. The newest that names either value decides."""
    olds, news = _exchanged(done.old, done.new)
    if not olds:
        return None
    by_source = {one.note.source: one for line in (done.new, done.old) for one in listen(done, line)}
    for one in sorted(by_source.values(), key=lambda one: (one.note.day, one.note.first), reverse=True):
        old, new = _named(olds, done.old, one.text), _named(news, done.new, one.text)
        if one.is_past or not (old or new):
            continue
        if not old or (new and not _back_at(one.text, old, new)):
            return None
        passing = one.effect.none >= _MENTIONS or (is_negated(one.text) and not is_negated(done.old))
        return None if passing and not one.is_back else _told("is_back", one)
    return None


def _says_otherwise(snapshot: Snapshot, done: Decided, listen: Listen) -> Answer:
    """A note says otherwise than a new line. The newest that gives a value decides."""
    if is_history(done.new):
        return None
    for one in listen(done, done.new):
        if says_otherwise(done.new, one.text):
            return _told("otherwise", one)
        denies = is_negated(one.text) and not is_negated(done.new)
        if one.about < _ABOUT or one.is_past:
            continue
        if _clash(done.new, one.text, besides=denies):
            stands = _covered(done.new, one.text) >= _COVERS and not one.is_of_a_day
            return _told("otherwise", one) if stands or one.retracts >= _DENIES else None
        if values_in(done.new) & values_in(one.text) and not denies:
            return None
        if denies and one.retracts >= _DENIES:
            return _told("otherwise", one)
    return None


def _was_over(snapshot: Snapshot, done: Decided, listen: Listen) -> Answer:
    """A new line had ended by its own words before the night."""
    if not done.by_night or is_history(done.new) or tense(done.new, language_of((done.new,))) < 0:
        return None
    end = end_of(done.new) or _last_day(done)
    if end is None or end >= done.night:
        return None
    return say("refine.was_over", day=end.isoformat(), night=done.night.isoformat()), done.sources


def _last_day(done: Decided) -> date | None:
    """The day of a short line that tells of one day alone; not of what begins then, nor of an anniversary."""
    named, seat = days_in(done.new, language_of((done.new,))), date.fromisoformat(done.day)
    if len(named) != 1 or not (named[0].month and named[0].day) or len(_TOKEN.findall(done.new)) > _SHORT:
        return None
    before, after = done.new[: named[0].start], done.new[named[0].end :]
    if begins_with(before, after) or last_word(before) in words("dates.since"):
        return None
    day = _nearest(named[0].year, named[0].month, named[0].day, seat)
    return day if day and abs((day - seat).days) <= _SOON else None


_SHORT = 16  # words, or characters of a script without spaces
_SOON = 60  # days: an anniversary or a birthday lies far from the day on which it is noted


def _nearest(year: int, month: int, day: int, seat: date) -> date | None:
    found = []
    for one in (year,) if year else (seat.year - 1, seat.year, seat.year + 1):
        try:
            found.append(date(one, month, day))
        except ValueError:  # 31 February
            return None
    return min(found, key=lambda one: abs((one - seat).days))


def _loses(snapshot: Snapshot, done: Decided, listen: Listen) -> Answer:
    """A specific of the old words stands nowhere near any more, though its judge did not say so, nothing of its kind took its
    place, and no note calls it outdated."""
    entries = [entry for file in snapshot.memories for entry in file.entries]
    near = [OURS.sub("", one.text) for one in entries if one is done.target or _is_near(one.text, done.old)]
    gone = list(lost((done.old,), " ".join((done.new, *near)), done.drops))
    kinds = {one.shown: one.kind for one in specifics_of(done.old)}
    fresh = [one.kind for one in specifics_of(done.new) if one.shown not in done.old]
    for kind in fresh:  # a value that another of its kind took the place of is no loss
        replaced = next((word for word in gone if kinds.get(word) is kind), None)
        gone = [word for word in gone if word != replaced]
    if done.op is Op.UPDATE and fresh == []:
        gone = [word for word in gone if not any(word in part for part in _exchanged(done.old, done.new)[0])]
    if not gone or any(_clash(done.old, one.text) for one in listen(done, done.old)):
        return None
    return say("refine.loses", parts=", ".join(f"“{word}”" for word in gone[:3])), done.sources


_NEAR, _INSIDE = 0.3, 0.6  # shared words, or words of a line, from which it may hold what another one lost


def _is_near(line: str, old: str) -> bool:
    return shared(line, old) >= _NEAR or len(bag(line) & bag(old)) >= max(1, _INSIDE * len(bag(line)))


_QUESTIONS = {
    Op.ADD: ((EXPIRED, _was_over), (CONTRADICTED, _says_otherwise)),
    Op.UPDATE: ((AGAIN, _is_back), (LOST, _loses), (CONTRADICTED, _says_otherwise)),
    Op.END: ((REMOVED, _goes_on),),
    Op.MERGE: ((LOST, _loses),),
}


# Values of two lines


def _clash(line: str, note: str, *, besides: bool = False) -> bool:
    """Whether a note gives another value of a kind that the line has; `besides`: though it names the line's own ("38, not 42")."""
    mine, its = specifics_of(line), [one for one in specifics_of(note) if one in missing(note, (line,))]
    gone = mine if besides else missing(line, (note,))
    return any(_measure(one) == _measure(other) for one in gone for other in its) and (
        besides or len(gone) == len(mine)
    )


def _measure(one: Specific) -> tuple[str, str]:
    """What kind of value it is; names and quotations are never each other's values."""
    if isinstance(one.value, Figure):
        return str(one.kind), str(one.value.dimension or one.value.unit)
    return str(one.kind), one.shown if one.kind in _NAMES else ""


_NAMES = frozenset({SpecificKind.NAME, SpecificKind.QUOTE, SpecificKind.CODE, SpecificKind.PATH, SpecificKind.ADDRESS})


def _covered(line: str, note: str) -> float:
    """How much of a line's words a note has."""
    return len(bag(line) & bag(note)) / max(1, len(bag(line)))


def _whole(line: str, note: str) -> bool:
    """Whether a note has all words and all values of a line."""
    return bool(bag(line)) and bag(line) <= bag(note) and values_in(line) <= values_in(note)


_TOKEN = re.compile(rf"[{GLUED}]|(?:(?![{GLUED}])[^\W_])+(?:[.,:'’-](?:(?![{GLUED}])[^\W_])+)*")


def _exchanged(old: str, new: str) -> tuple[list[str], list[str]]:
    """The words of two lines that stand in each other's place; of a script without spaces with a neighbour."""
    mine, its = list(_TOKEN.finditer(old)), list(_TOKEN.finditer(new))
    match = SequenceMatcher(None, [m[0].casefold() for m in mine], [m[0].casefold() for m in its], autojunk=False)
    olds, news = list[str](), list[str]()
    for what, a, b, c, d in match.get_opcodes():
        if what == "replace":
            olds.append(old[mine[a].start() : mine[b - 1].end()])
            news.append(new[its[c].start() : its[d - 1].end()])
    return olds, news


def _named(parts: Sequence[str], line: str, note: str) -> list[str]:
    """Those of some words of a line that a note says; a single character counts with a neighbour it has in the line."""
    return [form for part in parts for form in _forms(part, line) if _stands(form, note)]


def _forms(part: str, line: str) -> Iterator[str]:
    if len(part) > 1 or not re.match(f"[{GLUED}]", part):
        yield part
        return
    for hit in re.finditer(re.escape(part), line):
        yield from (
            form
            for form in (line[max(0, hit.start() - 1) : hit.end()], line[hit.start() : hit.end() + 1])
            if len(form) > 1
        )


def _stands(form: str, note: str) -> bool:
    if re.search(f"[{GLUED}]", form):
        return form in note
    parts = bag(form) | values_in(form)
    return bool(parts) and 2 * len(parts & (bag(note) | values_in(note))) >= len(parts)


def _back_at(note: str, old: Sequence[str], new: Sequence[str]) -> bool:
    """Of a note that names both values: whether the old one stands nearer to a word for "again" than the new one.

    Such a word speaks of what follows it; at the end of a clause ("240 after all, …") of what stands before it.
    """
    low = note.casefold()
    hits = list(any_of("refine.again").finditer(low))

    def far(forms: Sequence[str]) -> int:
        first = [word for form in forms for word in (form.casefold(), *form.casefold().split()[:1])]
        return min((gap for hit in hits for word in first if (gap := _gap(low, hit, word)) >= 0), default=len(low))

    return far(old) < far(new)


def _gap(text: str, hit: re.Match[str], word: str) -> int:
    """How far a word stands from what a hit speaks of; below zero where it does not."""
    if re.match(r"\s*(?:[,，;；.。!！]|\Z)", text[hit.end() :]):
        at = text.rfind(word, 0, hit.start())
        return hit.start() - at - len(word) if at >= 0 else -1
    at = text.find(word, hit.end())
    return at - hit.end() if at >= 0 else -1
