"""What is certain by its form, and what a form makes likely: each form one small function, no word is weighed, nothing guessed.

`benchmarks/forms.py` measures every form alone on labelled data. One that is right at least 98 times in a hundred, or cannot be
wrong by what it asks for, acts (`ACTS`); the others only suggest. What an owner says in passing has no form: it is a judge's
business. Words of a language come from the table `forms` of its file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from types import MappingProxyType

from reverie.core.layout import Kind as FileKind
from reverie.core.layout import place_of
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.compose import Homes, composed, owner_words, plain_line, weight
from reverie.judge.descriptions import MERGE, understood_rules
from reverie.judge.leaving import DUPLICATE, find_duplicates, find_expired, is_over
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.recurring import decided, lessons, returning
from reverie.judge.relation import (
    Relation,
    RelationKind,
    Value,
    handles,
    key_of,
    relation,
    says_the_same,
    value_of,
    values_of,
)
from reverie.judge.reminders import reminder_in, with_whole_day
from reverie.judge.specifics import missing
from reverie.judge.thresholds import THRESHOLDS
from reverie.judge.vetoes import UNTRUSTED, is_statement, veto
from reverie.judge.written_dates import days_in
from reverie.lang.detect import line_language
from reverie.lang.lexicon import any_of, one_of
from reverie.lang.messages import say
from reverie.text.lines import plain_heading
from reverie.text.marks import is_current_state, is_marked, is_task_list
from reverie.text.terms import bag, is_negated, plain
from reverie.workspace.named_paths import named_paths
from reverie.workspace.values import Statement

LIKELY_WORTH = 0.5  # of a suggestion whose form never fired on labelled data
# What labelled data says of the others, with room for what it has not seen.
_WORTH = MappingProxyType(
    {"passed": 0.9, "finished": 0.7, "ruled": 0.7, "framed": 0.4, "decided": 0.3, "remembered": 0.25}
)
# What logs say becomes a line when it was logged twice (`lessons`), or is a decision (`decided`); one error went wrong once.
SPOKEN = frozenset({FileKind.DAILY, FileKind.SESSION, FileKind.CORPUS})
_QUOTED = re.compile(r"[\"“„«「『‘']")
_STATEMENTS = re.compile(r"[;；]")
_CLAUSE = re.compile(r"[,;:.!]\s|[，；：。！]")
_CLAUSES = re.compile(r"[,;.!?，；。！？、](?=[\s`]*[^\s`])")
_SENTENCE = 3  # telling words from which a line is no name
_FEW_WORDS = 4  # of a value that is told in words
_POINTER = 12  # words of a line that only tells where a file is

Form = Callable[[Brief], Iterable[Operation]]


@dataclass(frozen=True, slots=True)
class Formed:
    """What the forms want, and the ids of the notes that say what memory says already, or change a line of it."""

    operations: tuple[Operation, ...]
    known: frozenset[str]


def by_form(brief: Brief) -> Formed:
    """Every operation that a form gives, certain ones and likely ones; about one line of memory only the surest."""
    found = [one for name in _ALONE for one in FORMS[name](brief)]
    certain = [one for one in found if one.level is Level.CERTAIN]
    found += [one for file in brief.files for one in find_duplicates(file, certain)]
    changed, known = updates(brief)
    spoken = [one for name in _SPOKEN_WORDS for one in FORMS[name](brief)]
    taken = {source for line in brief.memory for source in line.made_from}
    known |= {note.id for note in brief.notes if reminder_in(note.text) or note.claim.source in taken}
    wishes = [_believed(brief, one) for one in (*found, *spoken, *changed, *repeated(brief), *similar(brief))]
    return Formed(tuple(_surest(wishes)), frozenset(known))


def _believed(brief: Brief, wish: Operation) -> Operation:
    """On the word of a program alone no line changes or leaves for certain: somebody says yes first."""
    noted = {note.claim.key for note in brief.notes if note.by}
    only_programs = bool(noted and wish.cites) and all(claim.key in noted for claim in wish.cites)
    certain = wish.level is Level.CERTAIN and bool(wish.memory) and wish.op is not Op.ASK
    return replace(wish, level=Level.LIKELY) if certain and only_programs else wish


def _surest(wishes: Sequence[Operation]) -> Iterator[Operation]:
    """Without what only suggests something about a line that a certain form already changes or takes out."""
    done = {one.target.source for one in wishes if one.level is Level.CERTAIN and one.op is not Op.ASK and one.target}
    for one in wishes:
        if one.level is Level.CERTAIN or not any(entry.source in done for entry in one.memory):
            yield one


# --- tasks ------------------------------------------------------------------------------------------------------------


def ticked(brief: Brief) -> Iterator[Operation]:
    """Tasks that their owner ticked off: in a list of tasks of MEMORY.md, or in a note that repeats the task's words.

    A box alone under its heading may be no task but a fact; not where others stood and were ticked off before it.
    """
    boxes = [line for line in brief.memory if line.entry.block.checked is not None]
    lists = Counter((line.entry.path, line.entry.headings) for line in boxes)
    done = {plain(note.text): note for note in brief.notes if note.ticked and not note.quoted}
    for line in boxes:
        block = line.entry.block
        if not _may_leave(line):
            continue
        listed = lists[line.entry.path, line.entry.headings] > 1 or any(map(is_task_list, line.entry.headings))
        if block.checked and listed:
            yield Operation(Op.END, say("why.ticked"), (), (line.entry,), tag="completed")
        elif not block.checked and (note := done.get(plain(line.text))):
            why = say("why.ticked_on", day=note.claim.day)
            yield Operation(Op.END, why, (note.claim,), (line.entry,), tag="completed")


# --- days -------------------------------------------------------------------------------------------------------------


def passed(brief: Brief) -> Iterator[Operation]:
    """Lines about one day that lay ahead when the new notes began and is over now: "technician comes on 10 February".

    Only likely. It may come back every year, and a deadline that passed may be one that was missed.
    """
    since = min((note.claim.day for note in brief.notes if note.claim.day), default="")
    for line in brief.memory if since else ():
        may = _may_leave(line) and reminder_in(line.text) is None
        day = _only_day(line.text, brief.today) if may else None
        if day is not None and date.fromisoformat(since) <= day < brief.today:
            why = say("why.over", day=day.isoformat())
            yield _leveled("passed", Operation(Op.END, why, (), (line.entry,), tag="stale"))


def _only_day(text: str, today: date) -> date | None:
    """The day that a line of one statement names, if that is all it counts; without a year, this year's."""
    days = [one for one in days_in(text, line_language(text)) if one.month and one.day]
    if len(days) != 1 or _STATEMENTS.search(text):
        return None
    (day,) = days
    if values_of(text[: day.start] + " " + text[day.end :]):
        return None
    try:
        return date(day.year or today.year, day.month, day.day)
    except ValueError:  # 31 February
        return None


# --- reminders --------------------------------------------------------------------------------------------------------


def reminders(brief: Brief) -> Iterator[Operation]:
    """What the owner wants to be reminded of stands in memory until it was given, and then leaves."""
    standing: set[str] = set()
    for memory in brief.memory:
        reminder = reminder_in(memory.text)
        if reminder is None:
            continue
        standing.add(reminder.key)
        if reminder.key in brief.reminded and _may_leave(memory):
            yield Operation(Op.END, say("time.was_given"), (), (memory.entry,), tag="completed")
    for note in _owned(brief):
        line = reminder_line(note.claim)
        reminder = reminder_in(line)
        if reminder is None or reminder.key in standing | brief.reminded:
            continue
        if veto(
            line, note.claim.context, note.claim.origin, note.beside
        ):  # as it will stand: its day makes it a reminder
            continue
        # What was given and archived does not come back by the same note.
        if note.claim.day > brief.settled.get(reminder.key, ""):
            standing.add(reminder.key)
            home = Homes(brief).home_of(line, "project")
            yield Operation(Op.ADD, say("time.wanted"), (note.claim,), text=line, section=home, worth=1.0, tag="added")


def reminder_line(claim: Statement) -> str:
    """A note that asks for a reminder as a line of memory, its day written out; empty for any other note."""
    text = with_whole_day(claim.text, date.fromisoformat(claim.day)) if claim.day else claim.text
    reminder = reminder_in(text)
    if reminder is None or (reminder.day and reminder.day.isoformat() < claim.day):  # "yesterday it reminded me"
        return ""
    return composed(replace(claim, text=text, headings=(), parents=()))


# --- files ------------------------------------------------------------------------------------------------------------


def gone(brief: Brief) -> Iterator[Operation]:
    """Lines that name a file which is not there. Certain where a line only says where it is and a night has seen it there.

    Likely where one of both is so: the file may be elsewhere, or the rest of the line may hold. What forbids something stays.
    """
    for line in brief.memory:
        absent = brief.missing.get(line.id)
        if absent is None or not _may_leave(line) or is_marked(line.text) or is_negated(line.text):
            continue
        points = _points_to(line.text, absent.path)
        if points or absent.deleted:
            why = say("why.missing_file", path=absent.path)
            wish = Operation(Op.END, why, (), (line.entry,), tag="stale")
            yield _leveled("deleted" if points and absent.deleted else "gone", wish)


def _points_to(text: str, path: str) -> bool:
    """Nothing but the way to a file: no rule, no other value, no second statement."""
    rest = text.replace(path, " ", 1)
    rule = any_of("custom_rules.firm").search(text)
    return not (rule or values_of(rest) or named_paths(rest) or _CLAUSES.search(rest) or weight(rest) > _POINTER)


# --- values that changed ----------------------------------------------------------------------------------------------


def updates(brief: Brief) -> tuple[list[Operation], set[str]]:
    """Values that changed, for each line the latest word; and the notes that say what memory says, or change it.

    A value that two notes of one day give differently is a question.
    """
    latest: dict[str, Operation] = {}
    asked: list[Operation] = []
    known: set[str] = set()
    for name, memory, note, form in _changes(brief):
        if name != "turned":  # whether it takes the line back is for the learned judge to say
            known.add(note.id)
        if not name or memory.fixed:
            continue
        wish = _leveled(name, _swap(memory, note, form.old, form.new))
        before = latest.get(memory.id)
        if before is not None and before.day == wish.day and before.new != wish.new:
            text, cites = f"{before.new} / {wish.new}?", (*before.cites, *wish.cites)
            asked.append(Operation(Op.ASK, say("why.two_values"), cites, wish.memory, text))
            wish = replace(wish, level=Level.UNLIKELY)
        latest[memory.id] = wish
    return [*asked, *latest.values()], known


def _changes(brief: Brief) -> Iterator[tuple[str, MemoryLine, NoteLine, Relation]]:
    """Lines of memory with the notes that say the same (no name), or another value; in the order of their days."""
    keys = Counter(key_of(line.text) for line in brief.memory)
    alone = {key for key, count in keys.items() if key and count == 1}
    for memory, note in sorted(_pairs(brief), key=lambda pair: pair[1].claim.day):
        said = _without_label(note)
        form = relation(memory.text, said)
        if form.kind is RelationKind.SAME:
            yield "", memory, note, form
        elif form.kind is RelationKind.UPDATE:
            corrected = said != owner_words(note.text)
            keyed = "keyed" if corrected or same_heading(memory, note) else "key elsewhere"
            yield keyed if form.keyed else "framed", memory, note, form
        elif form.kind is RelationKind.TURNED:
            yield "turned", memory, note, replace(form, old=memory.text, new=plain_line(note.text))
        elif (worded := _other_words(memory, note, alone)) is not None:
            yield "key in words", memory, note, worded


def _other_words(memory: MemoryLine, note: NoteLine, alone: Set[str]) -> Relation | None:
    """`Main database: MySQL` and `Main database: PostgreSQL`: the same key with a few other words behind it; a card, no more."""
    key, old, new = key_of(memory.text), value_of(memory.text).rstrip(" .。|"), value_of(note.text).rstrip(" .。|")
    if not key or key != key_of(note.text) or not (key in alone or same_heading(memory, note)):
        return None
    short = max(weight(old), weight(new)) <= _FEW_WORDS and memory.text.count(old) == 1
    short = short and not (values_of(old) or values_of(new))  # of values the other forms know more
    other = bag(old) and bag(new) and not (bag(old) <= bag(new) or bag(new) <= bag(old))
    return Relation(RelationKind.UPDATE, old, new, keyed=True) if short and other else None


def _changed(wanted: str) -> Form:
    """One of the forms of `updates` alone."""
    return lambda brief: (
        _leveled(name, _swap(memory, note, form.old, form.new))
        for name, memory, note, form in _changes(brief)
        if name == wanted and not memory.fixed
    )


def same_heading(memory: MemoryLine, note: NoteLine) -> bool:
    """Both stand under a heading of the same name, and both name the same parents or none."""
    mine = {plain_heading(heading) for heading in memory.entry.headings[1:] or memory.entry.headings}
    its = {plain_heading(heading) for heading in note.claim.heading.split(" > ")}
    parents = {plain(part) for part in memory.entry.parents} == {plain(p) for p in note.claim.lead.split(" > ") if p}
    return parents and bool(mine & its - {""})


def _pairs(brief: Brief) -> Iterator[tuple[MemoryLine, NoteLine]]:
    """Lines of memory with the notes that their form may relate them to."""
    by_handle: dict[str, list[MemoryLine]] = {}
    for line in brief.memory:
        for handle in handles(line.text):
            by_handle.setdefault(handle, []).append(line)
    for note in _spoken(brief):
        lines = {line.id: line for handle in handles(_without_label(note)) for line in by_handle.get(handle, ())}
        if lines and not against(note):
            yield from ((line, note) for line in lines.values())


def _without_label(note: NoteLine) -> str:
    """What a note says, without its hour and "Correction:" before it: who corrects means what is known, under whatever heading."""
    said = owner_words(note.text)
    return correction_in(said) or said


# --- the owner's explicit words ---------------------------------------------------------------------------------------


def _corrections(brief: Brief, *, labelled: bool) -> Iterator[Operation]:
    """`Correction: the port is 8443, not 8080`, where one line of memory alone has the wrong value and shares a word.

    Without the label it may tell two things apart that are both true. A correction may also name the right value alone.
    """
    name = "corrected" if labelled else "contrasted"
    for note in _owned(brief):
        text = plain_line(note.text)
        said = correction_in(text)
        if bool(said) is not labelled or against(note):
            continue
        sides = _two_sides(said or text)
        if sides is None:
            yield from _named_anew(brief, note, said)
            continue
        wrong, new = sides
        lines = [line for line in brief.memory if not line.fixed and _has_once(line.text, wrong)]
        lines = [line for line in lines if bag(line.text) & (bag(said or text) - bag(wrong) - bag(new))]
        if len(lines) == 1 and plain(new) not in plain(lines[0].text):
            yield _leveled(name, _swap(lines[0], note, wrong, new))


def is_taken_up(text: str, lines: Sequence[str]) -> bool:
    """Whether memory says it already: in the same words, or, of `A, not B`, a line about it has A and none has B any more."""
    if any(same_sentence(line, text) for line in lines):
        return True
    said = _announced(text)
    sides = _two_sides(said)
    if sides is None:
        return False
    wrong, new = sides
    about = [line for line in lines if bag(line) & (bag(said) - bag(wrong) - bag(new))]
    return any(_has_once(line, new) for line in about) and not any(_has_once(line, wrong) for line in about)


def same_sentence(one: str, other: str) -> bool:
    """Whether two lines say the same in the same words, whatever announces them ("Remember:")."""
    one, other = _announced(one), _announced(other)
    return not handles(one).isdisjoint(handles(other)) and says_the_same(one, other)


@lru_cache(maxsize=4_000)
def _announced(text: str) -> str:
    """What a line says behind the word that announces it, without markup."""
    text = plain_line(text)
    return _behind("corrections", text) or _behind("remember", text) or text


def confirmed_in(text: str) -> str:
    """What a note says behind "yes, exactly" where that is a sentence: who confirms takes nothing back."""
    found = _assent().match(text)
    said = text[found.end() :] if found else ""
    denies = is_negated(said) or any_of("forms.ended").search(said)
    return said if len(bag(said)) >= _SENTENCE and not denies else ""


@cache
def _assent() -> re.Pattern[str]:
    assent = one_of("forms.assents")
    return re.compile(rf"{assent}(?:[\s,，、]+{assent})*\s*[,，、.。!！:：;；–—]\s*", re.I)


def names_a_thing(text: str) -> str:
    """The key of a line that says something of one thing (`Flour supplier: …`); none where it only says what kind of line it is."""
    labelled = any(_behind(group, plain_line(text)) for group in _LABELS)
    return "" if labelled else key_of(text)


def _named_anew(brief: Brief, note: NoteLine, said: str) -> Iterator[Operation]:
    """`No, the berth is 320 EUR`: the one line that says it of the same thing; certain where it says nothing else."""
    new = values_of(said)
    about = _said_of(said, new[0].text) if len(new) == 1 else frozenset()
    lines = [(line, _rival(line.text, new[0])) for line in brief.memory if about and about <= bag(line.text)]
    if len(lines) == 1 and lines[0][1] and not lines[0][0].fixed and is_negated(said) == is_negated(lines[0][0].text):
        line, old = lines[0]
        whole = about == _said_of(line.text, old)
        yield _leveled("corrected" if whole else "named anew", _swap(line, note, old, new[0].text))


def _said_of(text: str, value: str) -> frozenset[str]:
    """What a line says its value of: its words without the value and the word that binds them."""
    return bag(any_of("forms.copulas").sub(" ", text.replace(value, " ", 1)))


def _rival(text: str, value: Value) -> str:
    """The one other value of this type in a line."""
    found = [one.text for one in values_of(text) if one.type == value.type]
    return found[0] if len(found) == 1 and plain(found[0]) != plain(value.text) and _has_once(text, found[0]) else ""


def _two_sides(text: str) -> tuple[str, str] | None:
    """The wrong value and the right one of `A, not B`: the only ones of their type on either side."""
    for sides, pattern in zip((("one", "other"), ("other", "one")), _contrasts(), strict=True):
        if found := pattern.search(text):
            right, wrong = (values_of(found[side]) for side in sides)
            same = [(bad.text, good.text) for good in right for bad in wrong if good.type == bad.type]
            return same[0] if len(same) == 1 and len(wrong) == 1 else None
    return None


def _asked_for(name: str, group: str, brief: Brief) -> Iterator[Operation]:
    """`Remember: …`, `Rule: …`, `Lesson: …`, `Decision: …` or `We decided …`, said by the owner, in the owner's words.

    What is labelled as a lesson or a decision is one, unless a program noted it. The others are only likely: people remember to
    buy milk, and every joke has its house rule.
    """
    homes: Homes | None = None
    for note in _owned(brief):
        text = plain_line(note.text)
        said = _behind(group, text) if not _QUOTED.match(text) else ""
        labelled = bool(said) and group in _KINDS and not note.by
        if not said and group == "decisions" and (any_of("forms.decided").match(text) or confirmed_in(text)):
            said = text
        if not said or against(note) or not is_statement(said) or veto(said):
            continue
        kept = said if name == "remembered" else note.text
        line = composed(replace(note.claim, text=kept, headings=(), parents=()))
        if (
            not line
            or is_over(line, (), brief.today)
            or any(says_the_same(memory.text, line) for memory in brief.memory)
        ):
            continue
        homes = homes or Homes(brief)
        asked = "upkeep.labelled" if name == "labelled" else "why.asked_for_on" if note.claim.day else "why.asked_for"
        why = say(asked, day=note.claim.day)
        section = homes.home_of(line, _KINDS.get(group, "rule"), note.claim.heading)
        # Nobody weighed it: where room is short, what the learned judge is surer of goes first.
        worth = THRESHOLDS["sure"]
        wish = Operation(Op.ADD, why, (note.claim,), text=line, section=section, worth=worth, tag="added")
        yield _leveled("decided" if group in _KINDS and not labelled else name, wish)


def forgotten(brief: Brief) -> Iterator[Operation]:
    """`Forget that …`: the one line of memory that has all of its words may leave."""
    for note in _owned(brief):
        found = _forget().match(plain_line(note.text))
        asked = bag(found["rest"]) if found else frozenset()
        lines = [line for line in brief.memory if not line.fixed and len(asked) > 1 and asked <= bag(line.text)]
        if len(lines) == 1 and not against(note):
            yield _leveled("forgotten", _end(lines[0], note, "forget"))


def ended(brief: Brief) -> Iterator[Operation]:
    """`Cancelled: X` or `X is over`, where X is the key or the whole of one line of memory."""
    subjects: dict[str, list[MemoryLine]] = {}
    for line in brief.memory:
        for subject in {plain(line.text), key_of(line.text)} - {""}:
            subjects.setdefault(subject, []).append(line)
    for note in _owned(brief):
        text = plain_line(note.text)
        found = _over().match(text)
        subject = plain(_behind("ended", text) or (found["subject"] if found else ""))
        lines = [line for line in subjects.get(subject, ()) if not line.fixed]
        if len(lines) == 1 and not against(note):
            yield _leveled("ended", _end(lines[0], note, "ended"))


def finished(brief: Brief) -> Iterator[Operation]:
    """What stands under a heading for what is going on, and a note whose first clause has its whole key and a word of end."""
    going_on = [line for line in brief.memory if _may_leave(line) and any(map(is_current_state, line.entry.headings))]
    open_ends = [(line, bag(key_of(line.text))) for line in going_on]
    for note in _owned(brief) if open_ends else ():
        clause = _CLAUSE.split(plain_line(note.text))[0]
        if not any_of("forms.ended").search(clause) or is_negated(clause) or not is_statement(note.text):
            continue
        lines = [line for line, subject in open_ends if len(subject) > 1 and subject <= bag(clause)]
        if len(lines) == 1 and not against(note):
            yield _leveled("finished", _end(lines[0], note, "ended"))


def _may_leave(line: MemoryLine) -> bool:
    """It may change, and nothing hangs on it."""
    return not line.fixed and line.entry.block.tail == line.entry.block.end


_COMPARED = 40  # lines of the same words that one is compared with: a list of thousands ("item 1", "item 2") has no end otherwise


def repeated(brief: Brief) -> Iterator[Operation]:
    """Two lines of memory with the same words and values in the same order, whatever section they stand in."""
    seen: dict[frozenset[str], list[MemoryLine]] = {}
    for line in brief.memory:
        earlier = seen.setdefault(bag(line.text), [])
        same = next(
            (one for one in earlier[-_COMPARED:] if relation(one.text, line.text).kind is RelationKind.SAME), None
        )
        earlier.append(line)
        if same is None or not is_statement(plain_line(line.text)):
            continue
        stays, leaves = (same, line) if _may_leave(line) else (line, same)
        if _may_leave(leaves):
            why = say("why.says_the_same", place=stays.entry.source)
            yield _leveled("repeated", Operation(Op.END, why, (), (leaves.entry,), tag=DUPLICATE))


def similar(brief: Brief) -> Iterator[Operation]:
    """A line all of whose words, values and names a longer line of memory has: the longer one may stay alone.

    Where a rule of the owner's wants such lines merged ("merge duplicate API references"), it does.
    """
    rules = [rule for rule in understood_rules(brief.rules) if rule.does == MERGE]
    lines = [line for line in brief.memory if line.entry.block.checked is None]
    having: dict[str, list[MemoryLine]] = {}
    for line in lines:
        for word in bag(line.text):
            having.setdefault(word, []).append(line)
    for line in lines:
        words = bag(line.text)
        rarest = min(words, key=lambda word: (len(having[word]), word), default="")
        longer = [
            other for other in having.get(rarest, ())[:_COMPARED]
            if words < bag(other.text) and _says_all_of(other.text, line.text) and other.entry.headings == line.entry.headings
        ]  # fmt: skip
        if len(words) >= _SENTENCE and longer and _may_leave(line) and is_statement(plain_line(line.text)):
            kept = max(longer, key=lambda other: len(bag(other.text)))
            why = say("why.tells_more", place=kept.entry.source)
            wish = Operation(Op.MERGE, why, (), (kept.entry, line.entry), tag="merged")
            yield wish if any(rule.means(line.text) for rule in rules) else _leveled("similar", wish)


def _says_all_of(more: str, text: str) -> bool:
    over = any_of("forms.ended").search(more) and not any_of("forms.ended").search(text)
    return is_negated(more) == is_negated(text) and not over and not missing(text, (more,))


# --- what they share --------------------------------------------------------------------------------------------------


def against(note: NoteLine) -> str:
    """Why nothing may rest on this note alone: one of the four vetoes; empty if nothing speaks against it."""
    claim = note.claim
    return UNTRUSTED if note.quoted else veto(plain_line(note.text), claim.context, claim.origin, note.beside)


def _spoken(brief: Brief) -> Iterator[NoteLine]:
    return (note for note in brief.notes if place_of(note.claim.path).kind in SPOKEN)


def _owned(brief: Brief) -> Iterator[NoteLine]:
    """What the owner said; an assistant's or a stranger's "remember" is nobody's wish."""
    return (note for note in _spoken(brief) if note.claim.origin == "owner" and not note.quoted)


def _swap(memory: MemoryLine, note: NoteLine, old: str, new: str) -> Operation:
    why = say("why.value_since" if note.claim.day else "why.value", value=new, day=note.claim.day)
    return Operation(Op.UPDATE, why, (note.claim,), (memory.entry,), old=old, new=new, tag="superseded")


def _end(memory: MemoryLine, note: NoteLine, why: str) -> Operation:
    why = say(f"why.{why}", day=note.claim.day or say("why.unnamed_day"))
    return Operation(Op.END, why, (note.claim,), (memory.entry,), tag="stale")


def _leveled(name: str, wish: Operation) -> Operation:
    return wish if name in ACTS else replace(wish, level=Level.LIKELY, worth=_WORTH.get(name, LIKELY_WORTH))


def _has_once(text: str, value: str) -> bool:
    """The value stands in the text once, and not as a part of a longer word or number."""
    return text.count(value) == 1 and re.search(rf"(?<![\d.,]){re.escape(value)}(?!\d|[.,]\d)", text) is not None


def _behind(group: str, text: str) -> str:
    """What follows a label of this group and its colon; empty without the label."""
    found = _label(group).match(text)
    return found["rest"].strip() if found else ""


@cache
def _label(group: str) -> re.Pattern[str]:
    return re.compile(rf"\W*{one_of(f'forms.{group}')}\W*?[:：]\s*(?P<rest>\S.*)$", re.I | re.S)


def correction_in(text: str, *, firm: bool = False) -> str:
    """What a line says that begins as a correction (`No, actually …`), without that beginning. `firm`: not by a mere `No, …`."""
    found = _corrects().match(text)
    return found["rest"].strip() if found and not (firm and found["no"]) else ""


@cache
def _corrects() -> re.Pattern[str]:
    no, really, label = (one_of(group) for group in ("announced.no", "announced.really", "forms.corrections"))
    firm = rf"{label}\W*?[:：]|{no}[\s,，.。!！、—–-]+{really}[\s,，:：]*|(?:{really}|{label})\s?[,，:：]"
    return re.compile(rf"\W*(?:{firm}|(?P<no>{no}\s?[,，.。!！、—–]))\s*(?P<rest>\S.*)$", re.I | re.S)


@cache
def _contrasts() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`A, not B`, where the wrong side ends the sentence; and the languages in which it comes first."""
    other = r"(?P<other>(?:[^,;，；。]|(?<=\d),(?=\d))+?)[.。)）!！]*$"
    last = rf"^(?P<one>.+?)[\s,;，；、(（]+{one_of('forms.rather')}\s*{other}"
    first = rf"^(?P<one>.+?)\s*{one_of('forms.rather_before')}[\s,、]*(?P<other>.+)$"
    return re.compile(last, re.I), re.compile(first)


@cache
def _forget() -> re.Pattern[str]:
    return re.compile(rf"\W*{one_of('forms.forget')}[\s:：,，]*(?P<rest>\S.*)$", re.I)


@cache
def _over() -> re.Pattern[str]:
    copula, over = one_of("forms.copulas"), one_of("forms.ended")
    return re.compile(rf"^(?P<subject>.+?)\s*{copula}?\s*{over}[.。!！\s]*$", re.I)


_KINDS = MappingProxyType({"lessons": "lesson", "decisions": "decision"})
_LABELS = (*_KINDS, "corrections", "remember", "rules")  # they say what kind of line follows
FORMS: Mapping[str, Form] = MappingProxyType({
    "expired": lambda brief: [one for file in brief.files for one in find_expired(file, brief.today)],
    "passed": passed,
    "reminders": reminders,
    "ticked": ticked,
    "deleted": gone,
    "lessons": lambda brief: [*lessons(brief), *decided(brief)],
    "returning": returning,
    "duplicates": lambda brief: [one for file in brief.files for one in find_duplicates(file)],
    "repeated": repeated,
    "similar": similar,
    "keyed": _changed("keyed"),
    "key elsewhere": _changed("key elsewhere"),
    "framed": _changed("framed"),
    "turned": _changed("turned"),
    "key in words": _changed("key in words"),
    "corrected": lambda brief: _corrections(brief, labelled=True),
    "contrasted": lambda brief: _corrections(brief, labelled=False),
    "remembered": lambda brief: _asked_for("remembered", "remember", brief),
    "ruled": lambda brief: _asked_for("ruled", "rules", brief),
    "labelled": lambda brief: [one for group in _KINDS for one in _asked_for("labelled", group, brief)],
    "forgotten": forgotten,
    "ended": ended,
    "finished": finished,
})  # fmt: skip
ENDING = ("forgotten", "ended", "finished")
# Measured at 98 % or more, or certain by what they ask for. The others suggest.
ACTS = frozenset(
    {
        "expired",
        "reminders",
        "ticked",
        "deleted",
        "lessons",
        "returning",
        "duplicates",
        "keyed",
        "corrected",
        "labelled",
    }
)
_OVER = ("expired", "passed", "ticked", "deleted")
_ALONE = (*_OVER, "lessons", "returning")
_ASKED = ("remembered", "ruled", "labelled")
_SPOKEN_WORDS = ("reminders", "corrected", "contrasted", *_ASKED, *ENDING)
