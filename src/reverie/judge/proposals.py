"""What is likely: for each note the one operation that a person may well want, ranked so that the first cards are worth reading.

Every note is weighed first: its worth, and the lines of memory that it may be about. A note near a memory line may change words of
it (the swap is shown inside the line), end it, or stand beside it as a new line. How likely each is wanted is one number for all
three, so adds, updates and ends stand in one list. Nothing here is done by itself, and a swap that would lose another specific of
the line is never proposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from math import log

import numpy as np

from reverie.core.layout import place_of
from reverie.dates.relative import absolute
from reverie.evidence.claims import frame_of
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.changes import Effect, Pair, Swap, effects_of, says_change, swaps, weights
from reverie.judge.checks import line_after, refusal
from reverie.judge.compose import Homes, composed, plain_line
from reverie.judge.forgotten import tombstone
from reverie.judge.forms import SPOKEN, against, confirmed_in
from reverie.judge.operation import RETRACTED, Level, Op, Operation
from reverie.judge.ranking import RANKING
from reverie.judge.relation import key_of
from reverie.judge.retractions import LIKELY, retractions
from reverie.judge.vetoes import is_statement
from reverie.judge.worth import LineToWeigh, Worth, about_same, bare, terms, worth_of
from reverie.lang.lexicon import any_of
from reverie.lang.messages import said_with, say
from reverie.text.lines import plain_heading
from reverie.text.terms import bag, plain
from reverie.workspace.values import Source, Statement

MOST = 120  # cards of a night; twice as many as anybody wants
LEAST = 0.08  # chance of a yes below which nobody is asked
FEW = 5  # cards up to which a night also shows the best of the rest
REST = 3  # cards of it
LOOKED_AT = 12  # notes of it that are weighed once more
FAINT = 0.005  # chance of a yes below which not even then
LASTS = 0.12  # chance that a line said once is of a kind that lasts: below, it is lunch and weather
SAME = 0.27  # chance of being about the same thing from which a change is looked for, whatever else is unlikely
WORDED = 0.4  # … and from which a clause is exchanged for another, not only a value
SECOND = 0.6  # of its chance is what a second card about the same note is worth: one yes answers both
BESIDE = 0.5  # chance of being about the same thing from which a card for a new line names the old one
ABOUT = 0.03  # chance of being about the same thing below which a pair is not looked at
CHANGES = 0.06  # of an effect, below which no change is looked for
MOST_CHANGES = 60  # pairs a night whose words are compared
TRIED = 4  # swaps of a pair that are held against the checks
LONGEST_NEW = 160  # characters that a swap may bring
NEAREST = 4  # lines of memory that each note is looked at with
NEAR = 0.3  # cosine from which a line of memory may be concerned
SURELY = 0.5  # chance from which a note takes back a line that it otherwise seems to repeat
RARE = 3  # lines of memory that a word may stand in and still tell which one is meant
BY_WORDS = 2  # lines that a note is looked at with for such a word alone
CLOSE = 0.6  # cosine from which it may be without a common word
ACCESS = 0.06  # chance from which a line may open something: without a model it stays in its note (3 of 717 wanted lines did)
ACCESS_VETO = "it may tell how something is opened"
COMMON_DAYS = 4  # a heading of so many days is the frame of a day


@dataclass(frozen=True, slots=True)
class WeighedNote:
    """A note line with all that the judge knows of it: its line for MEMORY.md, its worth, and the lines it may concern."""

    note: NoteLine
    line: str  # empty when it cannot stand alone
    worth: Worth
    near: tuple[MemoryLine, ...] = ()
    about: tuple[float, ...] = ()  # how likely it is about what each of those lines is about
    against: str = ""  # one of the four vetoes

    @property
    def same_thing(self) -> float:
        return max(self.about, default=0.0)


def weigh(brief: Brief) -> tuple[WeighedNote, ...]:
    """Every note line with its worth, beside the lines of memory that are nearest to it."""
    notes = [note for note in brief.notes if place_of(note.claim.path).kind in SPOKEN]
    vetoes = [against(note) for note in notes]
    near = _nearest(brief, notes)
    lines = [
        LineToWeigh(plain_line(note.text), under(note.claim), note.claim.day, tuple(plain_line(old.text) for old, _ in its))
        for note, its in zip(notes, near, strict=True)
    ]  # fmt: skip
    embed = brief.embedder.embed if brief.embedder else None
    common = frozenset(_common_headings(brief))
    asked = [  # of what may not enter nobody wants to know
        (old, line.text)
        for line, its, veto in zip(lines, near, vetoes, strict=True)
        for old, (_, close) in zip(line.near, its, strict=True)
        if not veto and _may_be_about(line.text, old, close)
    ]
    about = dict(zip(asked, about_same(asked, embed), strict=True))
    return tuple(
        WeighedNote(
            note, composed(note.claim, common), worth, tuple(old for old, _ in its),
            tuple(about.get((old, line.text), 0.0) for old in line.near), veto or (ACCESS_VETO if worth.access >= ACCESS else ""),
        )
        for note, line, worth, its, veto in zip(notes, lines, worth_of(lines, embed, quick=True), near, vetoes, strict=True)
    )  # fmt: skip


def under(claim: Statement) -> str:
    """What a line stands under, as the judge learnt it: without the day, which is the title of a note and says nothing of it."""
    names = [name for name in claim.heading.split(" > ") if name and not (claim.day and claim.day in name)]
    return " > ".join((*names, *filter(None, (claim.lead,))))


def _may_be_about(note: str, old: str, close: float) -> bool:
    """Whether it is worth asking: lines that are not close and share no word had at most 0.09 in seven workspaces."""
    return close >= CLOSE or not terms(bare(note)).isdisjoint(terms(bare(old)))


def note_named(one: WeighedNote) -> str:
    """The note that says it, by its day."""
    days = one.note.days
    return say("why.note_days", n=len(days)) if len(days) > 1 else note_of("".join(days))


def note_of(day: str) -> str:
    return say("why.note_day", day=day) if day else say("why.note_undated")


def why_new(one: WeighedNote) -> str:
    """Why a line should enter, for people."""
    return say("why.noted", note=note_named(one))


def numbers_of(one: WeighedNote, *, new: bool = False) -> str:
    """What the judge knows of a note, for those who ask. Of a new line it begins with the word for its kind, by which
    answers are learned from (`answer_group`)."""
    worth = [say("why.worth", kind=said_with("kinds", one.worth.kind), worth=f"{one.worth.keep:.2f}")] if new else []
    return "; ".join((*worth, *filter(None, (one.note.recalled,))))


def _nearest(brief: Brief, notes: Sequence[NoteLine]) -> list[tuple[tuple[MemoryLine, float], ...]]:
    """For each note the lines of memory that may be concerned, near in meaning or with the same key, and how near each is."""
    olds = list(brief.memory)
    if not olds or not notes:
        return [() for _ in notes]
    keys: dict[str, list[int]] = {}
    for at, line in enumerate(olds):
        if key := key_of(line.text):
            keys.setdefault(key, []).append(at)
    if brief.embedder is None:  # then as near as the words that they share
        said = [bag(plain_line(old.text)) for old in olds]
        near = np.array([[_shared(bag(plain_line(note.text)), other) for other in said] for note in notes])
    else:
        texts = [[plain_line(x.text) for x in olds], [plain_line(x.text) for x in notes]]
        rows = [np.asarray(brief.embedder.embed(part)) for part in texts]
        near = rows[1] @ rows[0].T
    found = []
    for i, note in enumerate(notes):
        ranked = [int(j) for j in np.argsort(-near[i])[:NEAREST] if near[i, j] >= NEAR]
        same = keys.get(key_of(note.text), ())
        words = [j for j, old in enumerate(olds) if plain(old.text) == plain(note.text)] if not ranked else []
        found.append(tuple((olds[j], float(near[i, j])) for j in dict.fromkeys((*ranked, *same, *words))))
    return found


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Which part of the shorter one's words stands in both."""
    return len(one & other) / max(min(len(one), len(other)), 1)


def _common_headings(brief: Brief) -> Iterator[str]:
    """Headings of several days: the frame of a day, no subject."""
    days: dict[str, set[str]] = {}
    for note in brief.notes:
        for heading in note.claim.heading.split(" > "):
            days.setdefault(plain_heading(heading), set()).add(note.claim.day)
    yield from (heading for heading, seen in days.items() if len(seen) >= COMMON_DAYS)


@dataclass(frozen=True, slots=True)
class Met:
    """A note and a line of memory that it may be about."""

    weighed: WeighedNote
    memory: MemoryLine
    about: float
    effect: Effect


@dataclass(frozen=True, slots=True)
class Proposal:
    """An operation, and the numbers that its place in the list comes from."""

    operation: Operation  # a new line has no section yet
    row: tuple[float, ...]
    kind: str = ""  # of a new line …
    beside: Source | None = None  # … and the line about the same thing that it would stand beside
    given: float = 0.0  # a chance that was learnt elsewhere: that the note takes the line back

    @property
    def chance(self) -> float:
        """How likely a person says yes."""
        if self.given:
            return self.given
        score = sum(a * b for a, b in zip(RANKING[str(self.operation.op)], self.row, strict=True))
        return float(1 / (1 + np.exp(-score)))


def likely(brief: Brief, weighed: Sequence[WeighedNote], sure: Sequence[Operation] = ()) -> list[Operation]:
    """What waits for a yes, best first: `worth` is the chance of one. `sure` happens anyway, so nothing repeats it."""
    said = {frame_of(plain_line(line.text)) for line in brief.memory} | {frame_of(one.text) for one in sure}
    notes = {claim.key for one in sure for claim in one.cites}
    lines, found, homes = dict[str, set[str]](), list[Operation](), Homes(brief)
    below: list[Proposal] = []
    for one in proposals(brief, weighed):
        operation, note = one.operation, one.operation.cites[0].key
        chance = one.chance * (SECOND if note in notes else 1.0)
        asked = operation.promoted is not None and note not in notes  # it came up often enough to be promoted
        if chance + brief.leaning.get(operation.answer_group, 0.0) < LEAST and not asked:
            below.append(one)
        elif not _is_repeated(operation, said, lines):
            notes.add(note)
            found.append(_card(one, chance, homes))
    rest = (
        _best_of_the_rest(brief, below, notes, {one.note.claim.key: one for one in weighed}) if len(found) < FEW else ()
    )
    found += [_card(one, one.chance, homes) for one in rest if not _is_repeated(one.operation, said, lines)]
    return sorted(found, key=lambda one: -one.worth)[:MOST]


def _card(one: Proposal, chance: float, homes: Homes) -> Operation:
    operation, section = one.operation, one.operation.section
    detail = "; ".join(filter(None, (operation.detail, say("why.chance", chance=f"{chance:.2f}"))))
    if operation.op is Op.ADD:
        section = homes.home_of(operation.text, one.kind, operation.cites[0].heading)
    return replace(operation, section=section, worth=round(chance, 3), detail=detail)


def _best_of_the_rest(
    brief: Brief, below: Sequence[Proposal], shown: Set[str], weighed: Mapping[str, WeighedNote]
) -> Sequence[Proposal]:
    """On a night with few cards, the likeliest notes that would else be passed over without a word.

    What was said on several days comes first; a value that may have changed before a new line beside the old one. Nothing ends
    on so small a chance, and what was said once must be of a kind that lasts.
    """
    best: dict[str, Proposal] = {}
    for one in below:
        note = one.operation.cites[0].key
        if note not in shown and one.operation.op is not Op.END and one.chance >= FAINT:
            before = best.setdefault(note, one)
            best[note] = one if one.operation.op is Op.UPDATE and before.operation.op is Op.ADD else before
    ranked = sorted(best.items(), key=lambda item: (-min(len(weighed[item[0]].note.days), 2), -item[1].chance))
    ranked = ranked[:LOOKED_AT]
    lasting = _lasting(brief, [weighed[note].note for note, _ in ranked])
    stand = [
        one
        for note, one in ranked
        if one.operation.op is Op.UPDATE or len(weighed[note].note.days) > 1 or note in lasting
    ]
    return stand[:REST]


def _lasting(brief: Brief, notes: Sequence[NoteLine]) -> Set[str]:
    """Those that the whole judge, which costs more, takes for a kind that lasts."""
    lines = [LineToWeigh(plain_line(note.text), under(note.claim), note.claim.day) for note in notes]
    found = zip(notes, worth_of(lines, brief.embedder.embed if brief.embedder else None), strict=True)
    return {note.claim.key for note, worth in found if worth.lasting >= LASTS and is_statement(plain_line(note.text))}


def _is_repeated(operation: Operation, said: set[str], lines: dict[str, set[str]]) -> bool:
    """Whether a better card says the same words with other digits, swaps the same value, or ends or changes the line to end."""
    if operation.op is Op.ADD:
        frame = frame_of(operation.text)
        known = frame in said
        said.add(frame)
        return known
    its = lines.setdefault(operation.memory[0].text, set())
    known = bool(its) if operation.op is Op.END else operation.old in its or not operation.old or "" in its
    its.add(operation.old if operation.op is Op.UPDATE else "")
    return known


def proposals(brief: Brief, weighed: Sequence[WeighedNote]) -> list[Proposal]:
    """Every operation that may be wanted of these notes, likeliest first."""
    met = _met(brief, weighed)
    may = [one for one in met if not one.memory.fixed]
    likely = sorted((one for one in may if one.effect.update >= CHANGES), key=lambda one: -one.effect.update)
    about = sorted(
        (one for one in may if one.effect.update < CHANGES and one.about >= SAME), key=lambda one: -one.about
    )
    changes = list(_changes(brief, likely[:MOST_CHANGES]))
    renewed = {_pair(one) for one in changes}  # a note that gives a new value takes nothing back
    retracted = [one for one in _retracted(brief, weighed, met) if _pair(one) not in renewed]
    gone = {_pair(one) for one in retracted if one.given >= SURELY}
    faint = [one for one in _changes(brief, about[:REST]) if _pair(one) not in gone]
    asked = gone | {_pair(one) for one in retracted} - {_pair(one) for one in faint}
    retracted = [one for one in retracted if _pair(one) in asked]
    ends = [_renewing(brief, one) for one in (*_ends(met), *retracted)]
    found = _one_card_a_line([*changes, *faint, *ends], list(_adds(weighed, met)))
    return sorted(found, key=lambda one: (-one.chance, one.operation.id))


def _renewing(brief: Brief, one: Proposal) -> Proposal:
    """An end, or where the note brings another value, the change to it: a yes to the end would lose that value."""
    wish, line = one.operation, one.operation.memory[0]
    renewed = any_of("forms.renewed").search(wish.cites[0].text)
    found = _swaps(brief, line, wish.cites[0], ended=True)
    told = [swap for swap in found if swap.family != "clause" or renewed]
    change = _sound(brief, line, wish.cites[0], told)
    if change is None:
        return one
    why = say("why.may_change", note=note_of(wish.cites[0].day))
    return Proposal(replace(change[0], why=why), (), given=one.chance)


def _stands_against(wish: Operation) -> bool:
    """Whether a note cannot hold beside the line that it would change: it tells the old value too, or that something changed.

    Else both may be true: somebody can be allergic to two things.
    """
    line, note = wish.memory[0].text, plain_line(wish.cites[0].text)
    if wish.op is not Op.UPDATE or bag(line) <= bag(wish.old):  # told anew: nothing of the line may be missing
        return wish.op is Op.UPDATE and bag(line) <= bag(note)
    return wish.old in note or says_change(note)


def _one_card_a_line(changes: Sequence[Proposal], adds: Sequence[Proposal]) -> list[Proposal]:
    """Without new lines that would stand beside the line which another card of the same note changes: that card has their chance."""
    beside = {(one.operation.cites[0].key, one.beside): one for one in adds if one.beside}
    found: list[Proposal] = []
    taken: set[int] = set()
    for one in changes:
        add = beside.get(_pair(one))
        if add is not None and _stands_against(one.operation):
            taken.add(id(add))
            one = replace(one, given=max(one.chance, add.chance))
        found.append(one)
    return found + [one for one in adds if id(one) not in taken]


def _pair(one: Proposal) -> tuple[str, Source]:
    """The note and the line of memory that it is about."""
    return one.operation.cites[0].key, one.operation.memory[0].source


def _met(brief: Brief, weighed: Sequence[WeighedNote]) -> list[Met]:
    if brief.embedder is None:
        return []
    near = [
        (one, line, about) for one in weighed for line, about in zip(one.near, one.about, strict=True) if about >= ABOUT
    ]
    pairs = [
        Pair(plain_line(line.text), line.section, plain_line(one.note.text), one.note.claim.context)
        for one, line, _ in near
    ]
    return [Met(*item, effect) for item, effect in zip(near, effects_of(pairs), strict=True)]


def _changes(brief: Brief, may: Sequence[Met]) -> Iterator[Proposal]:
    """Swaps inside lines that may change, for each pair the best one that the checks let through."""
    for one in may:
        line, claim = one.memory.entry, one.weighed.note.claim
        near = [swap for swap in _swaps(brief, line, claim) if swap.family != "clause" or one.about >= WORDED]
        if found := _sound(brief, line, claim, near):
            why = say("why.may_change", note=note_named(one.weighed))
            told = replace(found[0], why=why, detail=numbers_of(one.weighed))
            yield Proposal(told, _change_row(one, found[1]))


def _swaps(brief: Brief, line: Statement, claim: Statement, *, ended: bool = False) -> Sequence[Swap]:
    return swaps(line.text, plain_line(claim.text), brief.language, weights(), ended=ended)[:TRIED]


def _sound(brief: Brief, line: Statement, claim: Statement, found: Sequence[Swap]) -> tuple[Operation, Swap] | None:
    """The first swap that the checks let through; a relative day of the note is written out."""
    day = date.fromisoformat(claim.day) if claim.day else None
    for swap in found:
        new = absolute(swap.new, day, weekdays=False) if day else swap.new
        operation = Operation(
            Op.UPDATE, "", (claim,), (line,), old=swap.old, new=new, level=Level.LIKELY, tag="superseded"
        )
        if _is_sound(operation, brief):
            return operation, swap
    return None


def _is_sound(operation: Operation, brief: Brief) -> bool:
    """Whether the checks let the swap through, and also the same change as a new wording, which may lose nothing else."""
    if len(operation.new) > LONGEST_NEW or refusal(operation, brief):
        return False
    anew = replace(operation, text=line_after(operation), old="", new="")
    return not refusal(anew, brief)


def _ends(met: Sequence[Met]) -> Iterator[Proposal]:
    for one in met:
        confirmed = confirmed_in(plain_line(one.weighed.note.text))
        if one.effect.ends >= CHANGES and one.about >= BESIDE and not one.memory.fixed and not confirmed:
            why = say("why.may_end", note=note_named(one.weighed))
            operation = Operation(
                Op.END, why, (one.weighed.note.claim,), (one.memory.entry,), level=Level.LIKELY, tag="completed",
                detail=numbers_of(one.weighed),
            )  # fmt: skip
            yield Proposal(operation, _end_row(one))


def _retracted(brief: Brief, weighed: Sequence[WeighedNote], met: Sequence[Met]) -> Iterator[Proposal]:
    """Of each note that takes something back, the one line of memory that it most likely means."""
    if brief.embedder is None:
        return
    found = [(one.weighed, one.memory, one.about) for one in met]
    by_word = _lines_by_word(brief.memory)
    more = [(one, line) for one in weighed for line in _by_rare_words(brief, by_word, one)]
    pairs = [(plain_line(line.text), plain_line(one.note.text)) for one, line in more]
    found += [(*pair, about) for pair, about in zip(more, about_same(pairs, brief.embedder.embed), strict=True)]
    pairs = [(plain_line(line.text), plain_line(one.note.text)) for one, line, _ in found]
    best: dict[str, tuple[float, WeighedNote, MemoryLine]] = {}
    for (one, line, _), chance in zip(found, retractions(pairs, [about for _, _, about in found]), strict=True):
        better = chance >= LIKELY and chance > best.get(one.note.id, (0.0, None, None))[0]
        again = confirmed_in(plain_line(one.note.text)) or (
            chance < SURELY and tombstone(line.text).covers(one.note.text)
        )
        if better and not again:
            best[one.note.id] = chance, one, line
    for chance, one, line in best.values():
        if not line.fixed:
            why = say("why.may_retract", note=note_named(one))
            operation = Operation(
                Op.END, why, (one.note.claim,), (line.entry,), level=Level.LIKELY, tag=RETRACTED, detail=numbers_of(one)
            )
            yield Proposal(operation, (), given=chance)


def _by_rare_words(brief: Brief, lines: Mapping[str, list[int]], one: WeighedNote) -> list[MemoryLine]:
    """Lines of memory that are not near by their meaning and share a word that few lines have: "sold the Volvo" says little else."""
    near = {line.id for line in one.near}
    shared = Counter(
        at for word in terms(bare(one.note.text)) for at in lines.get(word, ()) if len(lines[word]) <= RARE
    )
    chosen = [brief.memory[at] for at, _ in shared.most_common(NEAREST)]
    return [line for line in chosen if line.id not in near][:BY_WORDS]


def _lines_by_word(memory: Sequence[MemoryLine]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, line in enumerate(memory):
        for word in terms(bare(plain_line(line.text))):
            if len(word) > 1:
                found.setdefault(word, []).append(at)
    return found


def _adds(weighed: Sequence[WeighedNote], met: Sequence[Met]) -> Iterator[Proposal]:
    """New lines. Beside a line that is about the same thing, the card names that line."""
    near: dict[str, list[Met]] = {}
    for one in met:
        near.setdefault(one.weighed.note.id, []).append(one)
    for it in weighed:
        text = it.line or plain_line(it.note.text)
        if not text:
            continue
        its = near.get(it.note.id, [])
        beside = max(its, key=lambda one: one.about, default=None)
        beside = beside if beside and beside.about >= SAME else None
        operation = Operation(
            Op.ADD, why_new(it), (it.note.claim,), text=text, level=Level.LIKELY, tag="added", promoted=it.note.promoted,
            detail=numbers_of(it, new=True), beside=beside.memory.entry if beside and beside.about >= BESIDE else None,
        )  # fmt: skip
        yield Proposal(
            operation, _add_row(it, its), it.worth.kind, beside=beside.memory.entry.source if beside else None
        )


# What the ranking looks at. `training/ranking.py` learns what each number is worth.

ROWS = {
    "add": ("one", "keep", "about", "same", "update", "ends", "richer", "days", "asked for", "alone", "statement"),
    "update": ("one", "effect", "swap", "about", "keep", "same", "ends", "days", "value"),
    "end": ("one", "effect", "about", "keep", "same", "update", "days"),
}


def _odds(chance: float) -> float:
    return log((chance + 0.01) / (1.01 - chance))


def _change_row(one: Met, swap: Swap) -> tuple[float, ...]:
    it, effect = one.weighed, one.effect
    value = float(len(swap.old) <= 24 and len(swap.new) <= 24)
    return (
        1.0, _odds(effect.update), _odds(swap.chance), _odds(one.about), _odds(it.worth.keep), _odds(effect.same), _odds(effect.ends),
        _days(it), value,
    )  # fmt: skip


def _end_row(one: Met) -> tuple[float, ...]:
    it, effect = one.weighed, one.effect
    return (
        1.0,
        _odds(effect.ends),
        _odds(one.about),
        _odds(it.worth.keep),
        _odds(effect.same),
        _odds(effect.update),
        _days(it),
    )


def _add_row(it: WeighedNote, its: Sequence[Met]) -> tuple[float, ...]:
    highest = [
        max((getattr(one.effect, name) for one in its), default=0.0) for name in ("same", "update", "ends", "richer")
    ]
    asked = min(it.note.queries, 5) / 5 + float(it.note.promoted is not None)
    statement = float(is_statement(plain_line(it.note.text)))
    return (
        1.0,
        _odds(it.worth.keep),
        _odds(it.same_thing),
        *map(_odds, highest),
        _days(it),
        asked,
        float(bool(it.line)),
        statement,
    )


def _days(it: WeighedNote) -> float:
    return min(len(it.note.days) - 1, 4) / 4 if it.note.days else 0.0
