"""What is likely and waits for a yes: `meta/suggestions.json`, best first, and how a suggestion becomes an operation again.

A night adds to the list and lets go what has waited too long; a yes, a no or a later is the owner's, the agent's or a model's.
Nothing in it touches MEMORY.md. What was certain and found no place among tonight's new lines waits here too. What the owner
accepted and declined so far moves what is like it a little up or down in the list.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from reverie.core.layout import SUGGESTIONS
from reverie.judge.forms import is_taken_up, names_a_thing, same_sentence
from reverie.judge.leaving import DUPLICATE, copy_of
from reverie.judge.operation import BUILT_IN, RETRACTED, Level, Op, Operation
from reverie.judge.operation import answer_group as kind_of
from reverie.judge.relation import key_of
from reverie.lang.messages import say
from reverie.plan.ledger import TAG as RETURNED
from reverie.plan.ledger import array_text, read_array
from reverie.plan.splices import VIEW, difference
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.sections import OURS, measured
from reverie.text.terms import plain
from reverie.workspace.values import Edit, File, Snapshot, Statement

OPEN, ACCEPTED, DECLINED = "open", "accepted", "declined"
ROOM = "over budget"  # the tag of what may leave to make room (`night/fit.py`)
KNOWLEDGE = "knowledge"  # the tag of a page that is worth making: its `section` is the page, and a yes writes it
NIGHTS = 30  # days that a suggestion waits
LATER_IS = timedelta(days=7)  # how long a later hides a suggestion or a question
REMEMBERED = 365  # days that a no is kept in the list; the runs know it longer
MOST = 200  # open ones; the least worth leaves first
FURTHEST = 0.1  # how far answers to others like it move a suggestion and the bars of the judge, at most
OUTDATED = 0.5  # chance of a yes to its change or end from which a line counts as outdated; what a note takes back has its own bar (`judge/retractions.py`)
_ANSWERS = 8  # as if so many had been given, half of them a yes: so many answers move it half as far


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One record of the list."""

    id: str
    op: str
    why: str
    text: str = ""
    old: str = ""
    new: str = ""
    section: str = ""
    memory: tuple[str, ...] = ()  # the words of the lines it is about
    cites: tuple[tuple[str, str], ...] = ()  # (place, words) of what it rests on
    worth: float = 0.0
    level: str = str(Level.LIKELY)
    by: str = ""
    asked: str = ""  # the day it came
    later: str = ""  # not to be shown before this day
    status: str = OPEN
    decided: str = ""
    decided_by: str = ""
    tag: str = ""
    day: str = ""  # the latest day of what it rests on
    drops: tuple[str, ...] = ()
    expires: str = ""
    detail: str = ""  # the numbers behind the reason
    beside: str = ""  # the words of the line about the same thing that a new one would stand beside
    project: tuple[
        str, ...
    ] = ()  # of a page about a finished one: its name, and the words of its lines, which a night may archive

    @property
    def words(self) -> str:
        """What it would bring in, or which line it would change or take out."""
        return self.text if self.op == Op.ADD else (self.memory[0] if self.memory else self.text)


def suggestions_in(snapshot: Snapshot) -> tuple[Suggestion, ...]:
    """Everything in the list, answered or not. A damaged record is passed over."""
    return tuple(one for item in read_array(snapshot.text_of(SUGGESTIONS), SUGGESTIONS, dict) if (one := _read(item)))


def open_suggestions(snapshot: Snapshot, today: date | None = None) -> tuple[Suggestion, ...]:
    """What waits for an answer, best first; what the owner wants to see later only when that day has come."""
    everything = suggestions_in(snapshot)
    lean = leaning(everything)
    found = [one for one in everything if one.status == OPEN]
    shown = [one for one in found if today is None or one.later <= today.isoformat()]
    return tuple(sorted(shown, key=lambda one: (-one.worth - lean.get(like(one), 0.0), one.asked, one.id)))


def leaning(suggestions: Iterable[Suggestion], unwanted: Iterable[str] = ()) -> Mapping[str, float]:
    """How far your answers move what is alike, up in the list and sooner into memory, or down: -0.1 to 0.1.

    `unwanted` are the kinds of lines that entered by themselves and that you took back or deleted.
    """
    votes = Counter((like(one), one.status) for one in suggestions if one.status != OPEN)
    votes.update((kind, DECLINED) for kind in unwanted)
    found = {}
    for kind in sorted({kind for kind, _ in votes}):
        yes, no = votes[kind, ACCEPTED], votes[kind, DECLINED]
        found[kind] = round(FURTHEST * (yes - no) / (yes + no + _ANSWERS), 3)
    return found


def like(one: Suggestion) -> str:
    """What makes suggestions alike: the kind of a new line, else what they do."""
    return kind_of(one.op, one.detail or one.why)


def waiting_operations(snapshot: Snapshot, today: date) -> tuple[Operation, ...]:
    """What was certain on an earlier night and found no place among its new lines: it may have one tonight."""
    return tuple(
        operation
        for one in open_suggestions(snapshot)
        if one.level == Level.CERTAIN and one.asked < today.isoformat() and (operation := operation_of(snapshot, one))
    )


def suggested(operation: Operation, now: datetime) -> Suggestion:
    """An operation as a record."""
    return Suggestion(
        operation.id, str(operation.op), operation.why, operation.text, operation.old, operation.new, operation.section,
        tuple(line_words(entry.text) for entry in operation.memory), tuple((str(c.source), c.text) for c in operation.cites),
        round(operation.worth, 3), str(operation.level), operation.by, f"{now:%Y-%m-%d}", tag=operation.tag, day=operation.day,
        drops=operation.drops, expires=operation.expires.isoformat() if operation.expires else "", detail=operation.detail,
        beside=line_words(operation.beside.text) if operation.beside else "",
    )  # fmt: skip


def is_secret(one: Suggestion) -> bool:
    """Whether any of its words looks like a secret, as they stand in the list: such a card would cost the night its list."""
    words = (
        one.text,
        one.old,
        one.new,
        one.why,
        one.detail,
        one.section,
        *one.memory,
        *one.project,
        *(part for cite in one.cites for part in cite),
    )
    return any(holds_secret(text) or holds_mask(text) for text in words if text)


def operation_of(snapshot: Snapshot, one: Suggestion) -> Operation | None:
    """The operation that a record stands for, on MEMORY.md as it is now; None when its lines are not there any more, or when
    memory says it already."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries_ = [entry for file in snapshot.memories for entry in file.entries]
    known: dict[str, Statement] = {plain(line_words(entry.text)): entry for entry in reversed(entries_)}
    entries = [known.get(plain(words)) for words in one.memory]
    if None in entries or (one.op == Op.ADD and is_taken_up(one.text, [line_words(entry.text) for entry in entries_])):
        return None
    if one.tag == ROOM and not _is_over(snapshot, memory):
        return None
    cites = tuple(claim for place, words in one.cites if (claim := _claim(snapshot, place, words)))
    if one.cites and not cites:
        return None
    why = one.why
    if one.op == Op.END and one.tag == DUPLICATE:
        copy = copy_of(entries_, one.memory[0])
        if copy is None and one.by == BUILT_IN:
            return None
        if copy is not None:
            entries = [copy[1]]
            why = say(copy[2], place=copy[0].source) if one.by == BUILT_IN else why
    elif one.op == Op.MERGE and one.by == BUILT_IN and entries[0]:
        why = say("why.tells_more", place=entries[0].source)
    beside = _beside(one, entries_, known) if one.op == Op.ADD else None
    return Operation(
        Op(one.op), why, cites, tuple(entry for entry in entries if entry), one.text, one.old, one.new, one.drops, one.section,
        Level(one.level), one.by, one.worth, one.tag, date.fromisoformat(one.expires) if one.expires else None, one.detail, beside,
    )  # fmt: skip


def _beside(one: Suggestion, entries: Sequence[Statement], known: Mapping[str, Statement]) -> Statement | None:
    """The line, as it is now, that a new one would stand beside: of the same thing under the same heading, else the nearest."""
    if key := names_a_thing(one.text):
        for entry in entries:
            if one.section in entry.headings and key_of(line_words(entry.text)) == key:
                return entry
    return known.get(plain(one.beside)) if one.beside else None


def _is_over(snapshot: Snapshot, memory: File | None) -> bool:
    """Whether MEMORY.md is over its limit: only then anything has to make room."""
    limits = snapshot.workspace.settings.memory
    units, lines = measured(memory.document) if memory else (0, 0)
    return units > limits.hard_limit or lines > limits.max_lines


def one_card_a_note(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Of the cards that would write what a note says the best one: what came back, else the likelier of a change and a new line.

    A note may change several lines.
    """
    best: dict[str, Suggestion] = {}
    for one in sorted(found, key=lambda one: (one.tag != RETURNED, -one.worth, one.op != Op.UPDATE)):
        for note in _notes(one):
            best.setdefault(note, one)
    ids = {one.id for one in best.values()}
    changing = {note for note, one in best.items() if one.op == Op.UPDATE}
    return [
        one
        for one in found
        if one.id in ids or not (notes := _notes(one)) or (one.op == Op.UPDATE and notes & changing)
    ]


def _notes(one: Suggestion) -> Set[str]:
    """What a card that would write something takes up, in plain words."""
    writes = one.status == OPEN and one.op in (Op.ADD, Op.UPDATE)
    return {plain(words) for _, words in one.cites} if writes else set()


def suggestion_edits(
    snapshot: Snapshot,
    fresh: Sequence[Suggestion],
    done: Sequence[Operation],
    now: datetime,
    gone: Set[str] = frozenset(),
) -> list[Edit]:
    """The list after a night: what is new in it, without what happened (or is `gone`), what waited too long and what is no longer
    so. A new line that rests on a note which already changed memory tonight is what happened, in other words."""
    since = (now.date() - timedelta(days=NIGHTS)).isoformat()
    no_since = (now.date() - timedelta(days=REMEMBERED)).isoformat()
    happened = gone | {one.id for one in done}
    heard = {plain(claim.text) for one in done if one.op in (Op.ADD, Op.UPDATE) for claim in one.cites}
    stays = [
        one
        for one in suggestions_in(snapshot)
        if (_still_waits(snapshot, one, since) if one.status == OPEN else one.decided[:10] > no_since)
    ]
    kept: dict[str, Suggestion] = {}
    for one in (*stays, *fresh):
        again = one.op == Op.ADD and any(plain(words) in heard for _, words in one.cites)
        if one.id in happened or (one.status == OPEN and again):
            continue
        before = kept.get(one.id) or next((other for other in kept.values() if _same_sentence(one, other)), None)
        if before is not None and before.status != OPEN and one.day > before.decided[:10]:  # newer evidence asks again
            del kept[before.id]
            before = None
        if before is None:
            kept[one.id] = one
        elif (
            before.status == OPEN and before.id != one.id
        ):  # the same in other dress: one card, worth the more of the two
            kept[before.id] = replace(before, worth=max(before.worth, one.worth))
    after = one_card_a_note(list(kept.values()))
    waiting = sorted((one for one in after if one.status == OPEN), key=lambda one: (-one.worth, one.id))
    dropped = {one.id for one in waiting[MOST:]}
    return listed(snapshot, [one for one in after if one.id not in dropped], say("why.suggestions"))


def _same_sentence(one: Suggestion, other: Suggestion) -> bool:
    return one.op == other.op == Op.ADD and same_sentence(one.text, other.text)


def _still_waits(snapshot: Snapshot, one: Suggestion, since: str) -> bool:
    return one.asked > since and operation_of(snapshot, one) is not None


def answered(
    snapshot: Snapshot, answers: Mapping[str, str], by: str, now: datetime, told: Mapping[str, str]
) -> list[Edit]:
    """The list after answers, by id: a status, or the day from which on it is shown again.

    `told` are words of memory lines that the same run changes: what else waits about such a line goes on waiting about it.
    """
    stamp = f"{now:%Y-%m-%d %H:%M}"
    after = []
    everything = suggestions_in(snapshot)
    heard = [(one.op, set(one.cites), answers[one.id]) for one in everything if one.id in answers]
    for one in everything:
        answer = answers.get(one.id)
        alike = [(op, said) for op, cites, said in heard if cites & set(one.cites)] if one.status == OPEN else []
        # What ended and what is new instead are two things to say yes to.
        others = {said for op, said in alike if not answer and {op, one.op} != {Op.END, Op.ADD}}
        if ACCEPTED in others:
            continue  # another way to take up the same note: the yes was the answer
        answer = DECLINED if DECLINED in others else answer
        if answer in (ACCEPTED, DECLINED):
            one = replace(one, status=answer, decided=stamp, decided_by=by)
        elif answer:
            one = replace(one, later=answer)
        elif one.status == OPEN and any(words in told for words in one.memory):
            one = replace(one, memory=tuple(told.get(words, words) for words in one.memory))
        after.append(one)
    return listed(snapshot, after, say("why.your_answer"))


def listed(snapshot: Snapshot, suggestions: Sequence[Suggestion], why: str) -> list[Edit]:
    before = snapshot.text_of(SUGGESTIONS)
    if not suggestions and not before:
        return []
    text = array_text([_record(one) for one in suggestions])
    return list(difference(SUGGESTIONS, before, text, id="suggestion", tag=VIEW, why=why))


class Doubt(NamedTuple):
    """Why a line of memory is most likely outdated: the note, its day, and the reason in words."""

    place: str
    day: str
    why: str


def outdated_lines(text: str) -> Mapping[str, Doubt]:
    """Of the list as it stands in its file: by their plain words the lines of memory that a note more likely than not changes, ends
    or takes back. Search, recall, the page and the figures all ask here."""
    try:
        records = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return {}
    listed_ones = (_read(one) for one in records if isinstance(one, dict)) if isinstance(records, list) else ()
    waiting = [one for one in listed_ones if one and one.status == OPEN and one.cites and one.memory]
    doubted = [
        one for one in waiting if one.op in (Op.UPDATE, Op.END) and (one.worth >= OUTDATED or one.tag == RETRACTED)
    ]
    return {plain(one.memory[0]): Doubt(one.cites[0][0], one.day, one.why) for one in doubted}


def _record(one: Suggestion) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value not in ("", (), 0.0)}


def _read(item: Mapping[str, Any]) -> Suggestion | None:
    known = {one.name for one in fields(Suggestion)}
    try:
        values: dict[str, Any] = {name: value for name, value in item.items() if name in known}
        values["memory"] = tuple(map(str, values.get("memory", ())))
        values["cites"] = tuple((str(place), str(words)) for place, words in values.get("cites", ()))
        values["drops"] = tuple(map(str, values.get("drops", ())))
        values["project"] = tuple(map(str, values.get("project", ())))
        values["worth"] = float(values.get("worth", 0.0))
        found = Suggestion(**{"id": "", "op": "", "why": "", **values})
        Op(found.op), Level(found.level), date.fromisoformat(found.expires or found.asked or "2000-01-01")
        return found if found.id else None
    except (TypeError, ValueError):
        return None


def line_words(text: str) -> str:
    """The words of a line of memory without our mark."""
    return OURS.sub("", text).strip()


def _claim(snapshot: Snapshot, place: str, words: str) -> Statement | None:
    """The statement as it stands in its note now: the same words, on this line or else on another of the file."""
    path = place.rpartition(":")[0]
    file = snapshot.files.get(path)
    for entry in sorted(file.entries, key=lambda one: str(one.source) != place) if file else ():
        if plain(entry.text) == plain(words) or (words and plain(words) in plain(entry.text)):
            return replace(entry, text=words)
    return None


__all__ = [
    "ACCEPTED",
    "DECLINED",
    "KNOWLEDGE",
    "OPEN",
    "Suggestion",
    "answered",
    "is_secret",
    "leaning",
    "like",
    "line_words",
    "one_card_a_note",
    "open_suggestions",
    "operation_of",
    "outdated_lines",
    "suggested",
    "suggestion_edits",
    "suggestions_in",
    "waiting_operations",
]  # fmt: skip
