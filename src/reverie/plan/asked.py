"""What was asked and answered: `meta/questions.json`, and the plan of an answer.

A night only adds questions. An answer is a run like any other: the line that gives way leaves for the ledger, what the
owner chose stands in its place, and the question is marked as answered, so that it is never asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from reverie.errors import BadInput
from reverie.language import language_of
from reverie.layout import LEDGER, LEDGER_INDEX, QUESTIONS
from reverie.lines import appended, bare, split_lines
from reverie.model import Does, Edit, Entry, File, Finding, Intent, Origin, Plan, Snapshot, Source, short_id
from reverie.plan.build import plan_of
from reverie.plan.enter import entering, replaced
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array
from reverie.plan.views import TAG as VIEW
from reverie.question import ANSWERED, CHOICES, OPEN, TAG, Question, as_record, from_record, question_of
from reverie.reserve import OURS
from reverie.sections import AREAS, STABLE, name_of
from reverie.sense import same_sense
from reverie.splice import difference
from reverie.terms import plain

_CATEGORY = "superseded"  # the owner chose the other one: it does not come back by itself


def questions_in(snapshot: Snapshot) -> tuple[Question, ...]:
    """Everything that was ever asked, oldest first."""
    return tuple(map(from_record, read_array(snapshot.text_of(QUESTIONS), QUESTIONS, dict)))


def asked_before(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(question.id for question in questions_in(snapshot))


def question_edits(snapshot: Snapshot, findings: Sequence[Finding], now: datetime) -> list[Edit]:
    """The list with tonight's questions at its end; nothing when there are none."""
    known = questions_in(snapshot)
    asked = f"{now:%Y-%m-%d %H:%M}"
    new = {
        question.id: question
        for finding in findings
        if finding.does is Does.FLAG and finding.tag == TAG
        for question in [question_of(finding, asked)]
        if question.id not in {one.id for one in known}
    }
    return _listed(snapshot, (*known, *new.values()), "a question for you") if new else []


def answer_plan(snapshot: Snapshot, its_id: str, choice: str, text: str, now: datetime) -> Plan:
    """The plan that does what the owner answered. What is answered already may be answered again."""
    question = next((one for one in questions_in(snapshot) if one.id.startswith(its_id.lower()) and its_id), None)
    if question is None:
        raise BadInput(f"There is no question {its_id!r}. `dream questions` lists them.")
    if choice not in CHOICES:
        raise BadInput(f"{choice!r} is no answer. Say {', '.join(CHOICES[:-1])} or edit TEXT.")
    if (choice == "edit") != bool(text.strip()):
        raise BadInput("`edit` needs the words that should stand, and only `edit` takes any.")
    answer = " ".join(text.split()) if choice == "edit" else choice
    done = replace(question, status=ANSWERED, answer=answer, answered=f"{now:%Y-%m-%d %H:%M}")
    everything = [done if one.id == question.id else one for one in questions_in(snapshot)]
    edits = _decided(snapshot, question, choice, answer, now)
    return plan_of(snapshot, Intent.ANSWER, [*edits, *_listed(snapshot, everything, "your answer")], now)


def open_questions(snapshot: Snapshot) -> tuple[Question, ...]:
    return tuple(one for one in questions_in(snapshot) if one.status == OPEN)


def _decided(snapshot: Snapshot, question: Question, choice: str, answer: str, now: datetime) -> list[Edit]:
    """What the answer does to MEMORY.md: the chosen words stand once, the others leave."""
    if choice == "both" and question.second:
        return []
    first = _line(snapshot, question.first)
    if not question.second and choice != "edit":  # whether one line belongs into memory at all
        return _kept_or_not(snapshot, question, first, now, keep=choice != "keep-second")
    second = _line(snapshot, question.second) if question.second else None
    chosen = {"keep-first": question.first, "keep-second": question.second}.get(choice, answer)
    stays = first if choice == "keep-first" else second if choice == "keep-second" else None
    leaving = [one for one in dict.fromkeys((first, second)) if one is not None and one is not stays]
    source = _source(question, choice)
    why = f"your answer to question {question.id}"
    findings = [Finding(Does.ARCHIVE, _CATEGORY, one.text, why, (one.source,), one) for one in leaving]
    if stays is None:
        if findings:
            findings[0] = Finding(Does.REPLACE, "answer", chosen, why, source, leaving[0])
        else:
            findings.append(Finding(Does.ADD, "answer", chosen, why, source, section=STABLE))
    return _written(snapshot, findings, now)


def _kept_or_not(
    snapshot: Snapshot, question: Question, line: Entry | None, now: datetime, *, keep: bool
) -> list[Edit]:
    """The line stands in memory, or it does not, as the owner says; nothing is done twice."""
    why = f"your answer to question {question.id}"
    if keep and line is None:
        source = _source(question, "keep-first")
        return _written(snapshot, [Finding(Does.ADD, "answer", question.first, why, source, section=STABLE)], now)
    if not keep and line is not None:
        return _written(snapshot, [Finding(Does.ARCHIVE, _CATEGORY, line.text, why, (line.source,), line)], now)
    return []


def _written(snapshot: Snapshot, findings: Sequence[Finding], now: datetime) -> list[Edit]:
    memory = snapshot.files.get(snapshot.memory_path)
    language = language_of([entry.text for entry in memory.entries]) if memory else "en"
    names = {area: name_of(area, language) for area in AREAS}
    edits = entering(snapshot, [one for one in findings if one.does is Does.ADD], names)
    gone: list[Archived] = []
    for finding in findings:
        if memory is not None and finding.target is not None:
            edits.append(replaced(memory, finding) if finding.does is Does.REPLACE else _removal(memory, finding))
            gone.append(_archived(memory, finding, now))
    return [*edits, *_archive(snapshot, gone)]


def _removal(memory: File, finding: Finding) -> Edit:
    assert finding.target is not None
    first, end = finding.target.block.first, finding.target.block.end
    old = memory.document.lines[first:end]
    return Edit(short_id(finding.text), memory.path, first, old, (), finding.tag, finding.why, finding.sources)


def _archived(memory: File, finding: Finding, now: datetime) -> Archived:
    assert finding.target is not None
    target = finding.target.block
    content = tuple(bare(line) for line in memory.document.lines[target.first : target.end])
    here = str(finding.target.source)
    return Archived(short_id("\n".join(content)), f"{now:%Y-%m-%d %H:%M}", _CATEGORY, content, here, finding.why)


def _archive(snapshot: Snapshot, gone: Sequence[Archived]) -> list[Edit]:
    if not gone:
        return []
    why = "what leaves MEMORY.md is kept"
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


def _line(snapshot: Snapshot, text: str) -> Entry | None:
    """The line of MEMORY.md that says one side of a question: these words, perhaps with their subject before them."""
    memory = snapshot.files.get(snapshot.memory_path)
    wanted = plain(text)
    for entry in memory.entries if memory else ():
        said = OURS.sub("", entry.text).strip()
        mine = entry.origin is Origin.OWNER and entry.block.tail == entry.block.end
        if mine and (plain(said) == wanted or plain(said).endswith(f" {wanted}") or same_sense(said, text)):
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
