"""An operation: one thing a judge wants of memory, on which statements it rests, why, and how sure it is.

Five kinds and no more. Whoever judges (the built-in judge, a language model, the host agent) hands in these values; the
checks let each pass or drop it alone, and the plan turns what passed into splices. A judge never sees a path to write. One kind
becomes a question for the owner, a value of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Any

from reverie.lang import LANGUAGES, table
from reverie.text.terms import plain
from reverie.workspace.openclaw_format import Promoted
from reverie.workspace.values import Source, Statement, short_id

BUILT_IN, AGENT, OWNER = "built-in", "agent", "owner"  # who judged; a model is named by its identity


class Op(StrEnum):
    """What a judge may want."""

    ADD = "add"  # the text enters MEMORY.md, in the section named
    UPDATE = "update"  # a value of a line is swapped, or the line is told anew; what it said is kept in the ledger
    END = "end"  # a line leaves MEMORY.md and is kept in the ledger
    MERGE = "merge"  # several lines say the same: the first stays (with the text, if there is one), the others leave
    ASK = "ask"  # nothing moves; the owner is asked


class Level(StrEnum):
    """How sure the judge is, and so what happens."""

    CERTAIN = "certain"  # it is done
    LIKELY = "likely"  # it waits in the list of suggestions for a yes
    UNLIKELY = "unlikely"  # nothing; only `why-not` tells of it


@dataclass(frozen=True, slots=True)
class Operation:
    """One wish of a judge. `cites` are statements of notes and logs, `memory` lines of MEMORY.md; it is about these alone."""

    op: Op
    why: str  # one short sentence for people
    cites: tuple[Statement, ...] = ()
    memory: tuple[Statement, ...] = ()  # the first is the one that changes, leaves or stays
    text: str = ""  # add, merge: the line; update: the whole new line where no value is swapped; ask: the question
    old: str = ""  # update: words of the line as they stand there …
    new: str = ""  # … and what stands there now
    drops: tuple[str, ...] = ()  # specifics that an update or a merge leaves out on purpose
    section: str = ""  # add: a heading of MEMORY.md, or one of `sections.AREAS`
    level: Level = Level.CERTAIN
    by: str = BUILT_IN
    worth: float = 1.0  # from 0 to 1: who finds room first, and the order of suggestions
    tag: str = ""  # what the archive and the log call it: added, superseded, stale, duplicate, merged, over budget, …
    expires: date | None = None  # add: the last day on which it holds
    detail: str = ""  # the numbers behind `why`, for those who ask; of a new line it begins with its kind
    beside: Statement | None = None  # add: the line of memory about the same thing
    promoted: Promoted | None = None  # add: the numbers that the `append` shape writes behind its words

    @property
    def id(self) -> str:
        """Eight hex digits by which people name it. The same wish about the same lines has the same id on every night."""
        if self.op is Op.ADD:
            return short_id(self.text)  # as the mark at the end of its line
        about = " / ".join(plain(entry.text) for entry in self.memory)
        return short_id(f"{self.op} {about} {plain(self.old)} {plain(self.new or self.text)}")

    @property
    def target(self) -> Statement | None:
        """The line of MEMORY.md that changes or leaves; none for what only enters."""
        return self.memory[0] if self.memory else None

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where what it rests on was read, notes first."""
        said = (*(claim.source for claim in self.cites), *(entry.source for entry in self.memory))
        return tuple(dict.fromkeys(said))

    @property
    def answer_group(self) -> str:
        """What makes operations alike for whoever learns from answers: the kind of a new line, else what is done."""
        return answer_group(str(self.op), self.detail or self.why)

    @property
    def day(self) -> str:
        """The latest day of what it rests on; empty if that has none."""
        return max((claim.day for claim in self.cites), default="")


def answer_group(op: str, detail: str) -> str:
    """The kind of line that the numbers of a judge's add begin with; of anything else what it does."""
    word = re.split("[,，;；]", detail, maxsplit=1)[0]
    kind = _kinds().get(word, word)
    return kind if op == Op.ADD and kind.isalpha() else op


@cache
def _kinds() -> Mapping[str, str]:
    """The words for kinds of lines in every language, each with its code."""
    return {word: code for language in LANGUAGES for code, word in table(language, "say.kinds").items()}


def words_after(operation: Operation) -> str:
    """What the line says afterwards: the new line, the old one with its value swapped, or what leaves."""
    if operation.old and operation.target is not None:
        return operation.target.text.replace(operation.old, operation.new, 1)
    return operation.text or (operation.target.text if operation.target else "")


def leaving_lines(operations: Iterable[Operation]) -> Iterator[tuple[str, int]]:
    """The lines of memory (a path, and the line from zero) that these operations take out."""
    for one in operations:
        gone = one.memory if one.op is Op.END else one.memory[1:] if one.op is Op.MERGE else ()
        for entry in gone:
            yield from ((entry.path, line) for line in range(entry.block.first, entry.block.tail))


def hangs_on(entry: Statement, other: Statement) -> bool:
    """Whether a line stands below another as its sub-item."""
    return entry.path == other.path and other.block.end <= entry.block.first < other.block.tail


RETRACTED = "retracted"  # the tag of an end that a note asks for by taking the line back
OPEN, ANSWERED = "open", "answered"
CHOICES = ("keep-first", "keep-second", "both", "later", "edit")


@dataclass(frozen=True, slots=True)
class Question:
    """One record of `meta/questions.json`."""

    id: str
    first: str
    second: str
    why: str = ""
    first_source: str = ""
    second_source: str = ""
    asked: str = ""
    status: str = OPEN
    answer: str = ""
    answered: str = ""
    later: str = ""  # a day: until then the owner does not want to be asked


def question_id(first: str, second: str) -> str:
    """The same two statements are the same question, whichever stands first and wherever they stand."""
    return short_id("\n".join(sorted((plain(first), plain(second)))))


def question_of(operation: Operation, asked: str) -> Question:
    """What a judge wants to ask, as a question with its two sides: lines of memory first, then what notes say."""
    sides = [(entry.text, str(entry.source)) for entry in operation.memory]
    sides += [(claim.text, str(claim.source)) for claim in operation.cites]
    (first, one), (second, other) = [*sides, ("", ""), ("", "")][:2]
    return Question(question_id(first, second), first, second, operation.text or operation.why, one, other, asked)


def from_record(record: Mapping[str, Any]) -> Question:
    known = {item.name for item in fields(Question)}
    texts = {name: str(value) for name, value in record.items() if name in known}
    return Question(**{"id": "", "first": "", "second": "", **texts})


def as_record(question: Question) -> dict[str, str]:
    return asdict(question)
