"""What is likely and waits for a yes: `meta/suggestions.json`, best first, and how a suggestion becomes an operation again.

A night adds to the list and lets go what has waited too long; a yes, a no or a later is the owner's, the agent's or a model's.
Nothing in it touches MEMORY.md. What was certain and found no place among tonight's new lines waits here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime, timedelta
from typing import Any

from reverie.claim import Claim
from reverie.judge.operation import Level, Op, Operation
from reverie.layout import SUGGESTIONS
from reverie.model import Edit, Entry, Snapshot
from reverie.plan.ledger import array_text, read_array
from reverie.plan.views import TAG as VIEW
from reverie.reserve import OURS
from reverie.splice import difference
from reverie.terms import plain

OPEN, ACCEPTED, DECLINED = "open", "accepted", "declined"
NIGHTS = 30  # days that a suggestion waits
REMEMBERED = 365  # days that a no is kept in the list; the runs know it longer
MOST = 200  # open ones; the least worth leaves first


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

    @property
    def words(self) -> str:
        """What it would bring in, or which line it would change or take out."""
        return self.text if self.op == Op.ADD else (self.memory[0] if self.memory else self.text)


def suggestions_in(snapshot: Snapshot) -> tuple[Suggestion, ...]:
    """Everything in the list, answered or not. A damaged record is passed over."""
    return tuple(one for item in read_array(snapshot.text_of(SUGGESTIONS), SUGGESTIONS, dict) if (one := _read(item)))


def open_suggestions(snapshot: Snapshot, today: date | None = None) -> tuple[Suggestion, ...]:
    """What waits for an answer, best first; what the owner wants to see later only when that day has come."""
    found = [one for one in suggestions_in(snapshot) if one.status == OPEN]
    shown = [one for one in found if today is None or one.later <= today.isoformat()]
    return tuple(sorted(shown, key=lambda one: (-one.worth, one.asked, one.id)))


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
        tuple(_words(entry.text) for entry in operation.memory), tuple((str(c.source), c.text) for c in operation.cites),
        round(operation.worth, 3), str(operation.level), operation.by, f"{now:%Y-%m-%d}", tag=operation.tag,
    )  # fmt: skip


def operation_of(snapshot: Snapshot, one: Suggestion) -> Operation | None:
    """The operation that a record stands for, on MEMORY.md as it is now; None when its lines are not there any more."""
    memory = snapshot.files.get(snapshot.memory_path)
    known: dict[str, Entry] = {plain(_words(entry.text)): entry for entry in reversed(memory.entries if memory else ())}
    entries = [known.get(plain(words)) for words in one.memory]
    if None in entries:
        return None
    cites = tuple(claim for place, words in one.cites if (claim := _claim(snapshot, place, words)))
    if one.cites and not cites:
        return None
    return Operation(
        Op(one.op), one.why, cites, tuple(entry for entry in entries if entry), one.text, one.old, one.new, section=one.section,
        level=Level(one.level), by=one.by, worth=one.worth, tag=one.tag,
    )  # fmt: skip


def suggestion_edits(snapshot: Snapshot, fresh: Sequence[Suggestion], gone: Iterable[str], now: datetime) -> list[Edit]:
    """The list after a night: what is new in it, without what happened, what waited too long and what is no longer so."""
    since = (now.date() - timedelta(days=NIGHTS)).isoformat()
    no_since = (now.date() - timedelta(days=REMEMBERED)).isoformat()
    done = set(gone)
    kept = {
        one.id: one
        for one in suggestions_in(snapshot)
        if one.id not in done and (one.asked > since if one.status == OPEN else one.decided[:10] > no_since)
    }
    for one in fresh:
        kept.setdefault(one.id, one)
    waiting = sorted((one for one in kept.values() if one.status == OPEN), key=lambda one: (-one.worth, one.id))
    dropped = {one.id for one in waiting[MOST:]}
    return listed(
        snapshot, [one for one in kept.values() if one.id not in dropped], "what is likely and waits for a yes"
    )


def answered(snapshot: Snapshot, its_id: str, status: str, by: str, now: datetime, later: str = "") -> list[Edit]:
    """The list with one suggestion answered; with `later` it stays open and is shown again from that day on."""
    stamp = f"{now:%Y-%m-%d %H:%M}"
    changed = [
        one
        if one.id != its_id
        else replace(one, later=later)
        if later
        else replace(one, status=status, decided=stamp, decided_by=by)
        for one in suggestions_in(snapshot)
    ]
    return listed(snapshot, changed, "your answer")


def listed(snapshot: Snapshot, suggestions: Sequence[Suggestion], why: str) -> list[Edit]:
    before = snapshot.text_of(SUGGESTIONS)
    if not suggestions and not before:
        return []
    text = array_text([_record(one) for one in suggestions])
    return list(difference(SUGGESTIONS, before, text, id="suggestion", tag=VIEW, why=why))


def _record(one: Suggestion) -> dict[str, Any]:
    return {name: value for name, value in asdict(one).items() if value not in ("", (), 0.0)}


def _read(item: Mapping[str, Any]) -> Suggestion | None:
    known = {one.name for one in fields(Suggestion)}
    try:
        values: dict[str, Any] = {name: value for name, value in item.items() if name in known}
        values["memory"] = tuple(map(str, values.get("memory", ())))
        values["cites"] = tuple((str(place), str(words)) for place, words in values.get("cites", ()))
        values["worth"] = float(values.get("worth", 0.0))
        found = Suggestion(**{"id": "", "op": "", "why": "", **values})
        Op(found.op), Level(found.level)
        return found if found.id else None
    except (TypeError, ValueError):
        return None


def _words(text: str) -> str:
    return OURS.sub("", text).strip()


def _claim(snapshot: Snapshot, place: str, words: str) -> Claim | None:
    """The statement as it stands in its note now: the same words, on this line or another of the file."""
    path, _, span = place.rpartition(":")
    file = snapshot.files.get(path)
    for entry in file.entries if file else ():
        if plain(entry.text) == plain(words) or (words and plain(words) in plain(entry.text)):
            day = entry.day.isoformat() if entry.day else ""
            heading, parents = " > ".join(entry.headings[-2:]), " > ".join(entry.parents)
            return Claim(path, entry.source.first, entry.source.last, words, heading, parents, day, entry.origin.value)
    return None


__all__ = [
    "ACCEPTED", "DECLINED", "OPEN", "Suggestion", "answered", "open_suggestions", "operation_of", "suggested", "suggestion_edits",
    "suggestions_in", "waiting_operations",
]  # fmt: skip
