"""A question for the owner, as a value: two lines that cannot both hold, and what was answered.

Without a second line it asks whether the first belongs into memory at all: `keep-first` says yes, `keep-second` no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from reverie.judge.operation import Operation
from reverie.text.terms import plain
from reverie.workspace.values import short_id

OPEN, ANSWERED = "open", "answered"
CHOICES = ("keep-first", "keep-second", "both", "edit")


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
