"""What was asked and answered: `meta/questions.json`, and the plan of an answer.

A night only adds questions. An answer is a run like any other: the line that gives way leaves for the ledger, what the
owner chose stands in its place, and the question is marked as answered, so that it is never asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from reverie.core.errors import BadInput
from reverie.core.layout import LEDGER, LEDGER_INDEX, QUESTIONS
from reverie.judge.operation import (
    ANSWERED,
    CHOICES,
    OPEN,
    OWNER,
    Op,
    Operation,
    Question,
    as_record,
    from_record,
    question_of,
)
from reverie.judge.relation import says_the_same
from reverie.lang.detect import language_of
from reverie.lang.messages import say
from reverie.plan.build import memory_changes, plan_of
from reverie.plan.enter import entering
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array
from reverie.plan.splices import VIEW, difference
from reverie.plan.suggested import LATER_IS
from reverie.text.lines import appended, split_lines
from reverie.text.sections import AREAS, OURS, STABLE, name_of
from reverie.text.terms import plain
from reverie.workspace.values import Edit, Intent, Origin, Plan, Snapshot, Source, Statement, stated

LATER = "later"
_CATEGORY = "superseded"  # the owner chose the other one: it does not come back by itself


def questions_in(snapshot: Snapshot) -> tuple[Question, ...]:
    """Everything that was ever asked, oldest first."""
    return tuple(map(from_record, read_array(snapshot.text_of(QUESTIONS), QUESTIONS, dict)))


def asked_before(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(question.id for question in questions_in(snapshot))


def question_edits(snapshot: Snapshot, operations: Sequence[Operation], now: datetime) -> list[Edit]:
    """The list with tonight's questions at its end; nothing when there are none."""
    known = questions_in(snapshot)
    asked = f"{now:%Y-%m-%d %H:%M}"
    new = {
        question.id: question
        for one in operations
        if one.op is Op.ASK
        for question in [question_of(one, asked)]
        if question.id not in {one.id for one in known}
    }
    return _listed(snapshot, (*known, *new.values()), say("why.question")) if new else []


def answer_plan(snapshot: Snapshot, its_id: str, choice: str, text: str, now: datetime) -> Plan:
    """The plan that does what the owner answered. What is answered already may be answered again."""
    question = next((one for one in questions_in(snapshot) if one.id.startswith(its_id.lower()) and its_id), None)
    if question is None:
        raise BadInput(say("questions.unknown", its_id=its_id))
    if choice not in CHOICES:
        raise BadInput(say("questions.no_answer", choice=choice, CHOICES=", ".join(CHOICES[:-1])))
    if (choice == "edit") != bool(text.strip()):
        raise BadInput(say("questions.edit_words"))
    if choice == LATER:
        return _put_off(snapshot, question, now)
    answer = " ".join(text.split()) if choice == "edit" else choice
    done = replace(question, status=ANSWERED, answer=answer, answered=f"{now:%Y-%m-%d %H:%M}")
    everything = [done if one.id == question.id else one for one in questions_in(snapshot)]
    edits = _decided(snapshot, question, choice, answer, now)
    return plan_of(snapshot, Intent.ANSWER, [*edits, *_listed(snapshot, everything, say("why.your_answer"))], now)


def _put_off(snapshot: Snapshot, question: Question, now: datetime) -> Plan:
    """Ask again in a week, as with a suggestion; nothing else changes."""
    put_off = replace(question, status=OPEN, answer="", answered="", later=(now.date() + LATER_IS).isoformat())
    everything = [put_off if one.id == question.id else one for one in questions_in(snapshot)]
    return plan_of(snapshot, Intent.ANSWER, _listed(snapshot, everything, say("why.your_answer")), now)


def open_questions(snapshot: Snapshot, today: date | None = None) -> tuple[Question, ...]:
    """What waits for an answer; with `today` without what the owner wants to be asked later."""
    day = today.isoformat() if today else "9999"
    return tuple(one for one in questions_in(snapshot) if one.status == OPEN and one.later <= day)


def _decided(snapshot: Snapshot, question: Question, choice: str, answer: str, now: datetime) -> list[Edit]:
    """What the answer does to MEMORY.md: the chosen words stand once, the others leave."""
    if choice == "both" and question.second:
        return _both(snapshot, question, now)
    first = _line(snapshot, question.first)
    if not question.second and choice != "edit":  # whether one line belongs into memory at all
        return _kept_or_not(snapshot, question, first, now, keep=choice != "keep-second")
    second = _line(snapshot, question.second) if question.second else None
    chosen = {"keep-first": question.first, "keep-second": question.second}.get(choice, answer)
    stays = first if choice == "keep-first" else second if choice == "keep-second" else None
    leaving = [one for one in dict.fromkeys((first, second)) if one is not None and one is not stays]
    source = _source(question, choice)
    why = say("why.answer", id=question.id)
    operations = [_operation(Op.END, why, (), one) for one in leaving]
    if stays is None:
        if operations:
            operations[0] = _operation(Op.UPDATE, why, source, leaving[0], chosen)
        else:
            operations.append(_operation(Op.ADD, why, source, None, chosen))
    return _written(snapshot, operations, now)


def _both(snapshot: Snapshot, question: Question, now: datetime) -> list[Edit]:
    """Nothing gives way; what left by an earlier answer comes back."""
    if question.status != ANSWERED:
        return []
    why, sides = say("why.answer", id=question.id), {"keep-first": question.first, "keep-second": question.second}
    gone = [(choice, text) for choice, text in sides.items() if _line(snapshot, text) is None]
    return _written(
        snapshot, [_operation(Op.ADD, why, _source(question, choice), None, text) for choice, text in gone], now
    )


def _kept_or_not(
    snapshot: Snapshot, question: Question, line: Statement | None, now: datetime, *, keep: bool
) -> list[Edit]:
    """The line stands in memory, or it does not, as the owner says; nothing is done twice."""
    why = say("why.answer", id=question.id)
    if keep and line is None:
        source = _source(question, "keep-first")
        return _written(snapshot, [_operation(Op.ADD, why, source, None, question.first)], now)
    if not keep and line is not None:
        return _written(snapshot, [_operation(Op.END, why, (), line)], now)
    return []


def _operation(op: Op, why: str, said: Sequence[Source], line: Statement | None, text: str = "") -> Operation:
    """What the owner's answer wants; the words were read in a note, or come from the owner."""
    cites = tuple(stated(one.path, one.first, one.last, text) for one in said)
    tag = "answer" if op is Op.ADD else _CATEGORY
    return Operation(op, why, cites, (line,) if line else (), text, section=STABLE, by=OWNER, tag=tag)


def _written(snapshot: Snapshot, operations: Sequence[Operation], now: datetime) -> list[Edit]:
    memory = snapshot.files.get(snapshot.memory_path)
    language = language_of([entry.text for entry in memory.entries]) if memory else "en"
    names = {area: name_of(area, language) for area in AREAS}
    changed = [memory_changes(file, operations, now) for file in snapshot.memories]
    changes, gone = [edit for edits, _ in changed for edit in edits], [one for _, blocks in changed for one in blocks]
    edits = entering(snapshot, [one for one in operations if one.op is Op.ADD], names)
    return [*changes, *edits, *_archive(snapshot, gone)]


def _archive(snapshot: Snapshot, gone: Sequence[Archived]) -> list[Edit]:
    if not gone:
        return []
    why = say("why.ledger")
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    for entry in gone:
        records = indexed(records, entry)
    at, old, new = appended(split_lines(snapshot.text_of(LEDGER)), [line for entry in gone for line in block(entry)])
    return [
        Edit(gone[0].id, LEDGER, at, old, new, _CATEGORY, why),
        *difference(
            LEDGER_INDEX, snapshot.text_of(LEDGER_INDEX), array_text(records), id="index", tag=VIEW, why=why
        ),
    ]  # fmt: skip


def _line(snapshot: Snapshot, text: str) -> Statement | None:
    """The line of MEMORY.md that says one side of a question: these words, perhaps with their subject before them."""
    wanted = plain(text)
    for entry in (entry for file in snapshot.memories for entry in file.entries):
        said = OURS.sub("", entry.text).strip()
        mine = entry.origin is Origin.OWNER and entry.block.tail == entry.block.end
        if mine and (plain(said) == wanted or plain(said).endswith(f" {wanted}") or says_the_same(said, text)):
            return entry
    return None


def _source(question: Question, choice: str) -> tuple[Source, ...]:
    """Where the chosen words were read; the owner's own words were read nowhere."""
    where = {"keep-first": question.first_source, "keep-second": question.second_source}.get(choice, "")
    path, _, lines = where.rpartition(":")
    first, _, last = lines.partition("-")
    return (Source(path, int(first), int(last or first)),) if path and first.isdecimal() else ()


def _listed(snapshot: Snapshot, questions: Sequence[Question], why: str) -> list[Edit]:
    text = array_text([as_record(question) for question in questions])
    return list(difference(QUESTIONS, snapshot.text_of(QUESTIONS), text, id="question", tag=VIEW, why=why))
