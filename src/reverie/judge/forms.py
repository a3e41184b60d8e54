"""What is certain by its form, each form one small function: no word is weighed here and nothing is guessed.

The same words twice, a task its owner ticked off, a last day that passed, the same key under the same heading with another
value of the same type, what the logs corrected twice, what came back in the same words. How often each form is right on
labelled data is measured by `benchmarks/forms.py`; one that is right less often than 98 times in a hundred only suggests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reverie.headings import plain_heading
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.compose import plain_line
from reverie.judge.duplicates import find_duplicates
from reverie.judge.expired import find_expired
from reverie.judge.lessons import lessons
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.relation import Kind, handles, relation
from reverie.judge.returning import returning
from reverie.judge.vetoes import UNTRUSTED, veto
from reverie.layout import Kind as FileKind
from reverie.layout import place_of
from reverie.terms import plain

LIKELY_WORTH = 0.5  # of a suggestion that rests on its form alone
# What logs say becomes a line when it was logged twice (`lessons`); one record is what went wrong once.
SPOKEN = frozenset({FileKind.DAILY, FileKind.SESSION, FileKind.CORPUS})


@dataclass(frozen=True, slots=True)
class Formed:
    """What the forms want, and the ids of the notes that say what memory says already, or change a line of it."""

    operations: tuple[Operation, ...]
    told: frozenset[str]


def by_form(brief: Brief) -> Formed:
    """Every operation that a form gives, certain ones and likely ones."""
    found = [*find_expired(brief.file, brief.today), *ticked(brief), *lessons(brief), *returning(brief)]
    found += find_duplicates(brief.file, found)
    changed, told = updates(brief)
    return Formed((*found, *changed), frozenset(told))


def ticked(brief: Brief) -> Iterator[Operation]:
    """Tasks that their owner ticked off: in a list of tasks of MEMORY.md, or in a note that repeats the task's words."""
    boxes = [line for line in brief.memory if line.entry.block.checked is not None]
    lists = Counter((line.entry.headings, line.entry.block.parent) for line in boxes)
    done = {plain(note.claim.text): note for note in brief.notes if note.ticked and not note.quoted}
    for line in boxes:
        block = line.entry.block
        if line.fixed or block.tail != block.end:
            continue
        if block.checked and lists[line.entry.headings, block.parent] > 1:
            yield Operation(Op.END, "its owner ticked it off in a list of tasks", (), (line.entry,), tag="completed")
        elif not block.checked and (note := done.get(plain(line.entry.text))):
            why = f"its owner ticked it off on {note.claim.day}"
            yield Operation(Op.END, why, (note.claim,), (line.entry,), tag="completed")


def updates(brief: Brief) -> tuple[list[Operation], set[str]]:
    """Values that changed, for each line the latest word; and the notes that say what memory says, or change it.

    Certain is only the same key under the same heading with one other value of the same type. A value that two notes of one
    day give differently is a question.
    """
    latest: dict[str, Operation] = {}
    asked: list[Operation] = []
    told: set[str] = set()
    for memory, note in sorted(_pairs(brief), key=lambda pair: pair[1].claim.day):
        form = relation(memory.entry.text, note.claim.text)
        if form.kind in (Kind.SAME, Kind.UPDATE):
            told.add(note.id)
        if form.kind is not Kind.UPDATE or memory.fixed:
            continue
        sure = form.keyed and same_heading(memory, note)
        wish = Operation(
            Op.UPDATE, _since(note, f"“{form.new}”"), (note.claim,), (memory.entry,), old=form.old, new=form.new,
            level=Level.CERTAIN if sure else Level.LIKELY, worth=1.0 if sure else LIKELY_WORTH, tag="superseded",
        )  # fmt: skip
        before = latest.get(memory.id)
        if before is not None and before.day == wish.day and before.new != wish.new:
            asked += _question(before, wish)
            wish = replace(wish, level=Level.UNLIKELY)
        latest[memory.id] = wish
    return [*asked, *latest.values()], told


def same_heading(memory: MemoryLine, note: NoteLine) -> bool:
    """Both stand under a heading of the same name, and both name the same parents or none."""
    mine = {plain_heading(heading) for heading in memory.entry.headings[1:] or memory.entry.headings}
    its = {plain_heading(heading) for heading in note.claim.heading.split(" > ")}
    parents = {plain(part) for part in memory.entry.parents} == {plain(p) for p in note.claim.parents.split(" > ") if p}
    return parents and bool(mine & its - {""})


def against(note: NoteLine) -> str:
    """Why nothing may rest on this note alone: one of the four vetoes; empty if nothing speaks against it."""
    return UNTRUSTED if note.quoted else veto(plain_line(note.claim.text), note.claim.context, note.claim.origin)


def _pairs(brief: Brief) -> Iterator[tuple[MemoryLine, NoteLine]]:
    """Lines of memory with the notes that their form may relate them to."""
    known: dict[str, list[MemoryLine]] = {}
    for line in brief.memory:
        for handle in handles(line.entry.text):
            known.setdefault(handle, []).append(line)
    for note in brief.notes:
        if place_of(note.claim.path).kind not in SPOKEN:
            continue
        lines = {line.id: line for handle in handles(note.claim.text) for line in known.get(handle, ())}
        if lines and not against(note):
            yield from ((line, note) for line in lines.values())


def _question(one: Operation, other: Operation) -> Iterator[Operation]:
    """Two notes of one day give a line two values, and nothing tells which one is newer."""
    text = f"{one.new} / {other.new}?"
    yield Operation(Op.ASK, "two notes of one day say different things", (*one.cites, *other.cites), one.memory, text)


def _since(note: NoteLine, what: str) -> str:
    return f"{what} since {note.claim.day}" if note.claim.day else f"{what}, in a note without a day"


__all__ = ["LIKELY_WORTH", "SPOKEN", "Formed", "against", "by_form", "same_heading", "ticked", "updates"]
