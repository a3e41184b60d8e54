from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from reverie import asking
from reverie.question import ANSWERED, Question, as_record
from reverie.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--all", "everything", is_flag=True, help="Also what was answered.")
def questions(asked: Asked, *, everything: bool) -> None:
    """List what the nights could not settle: two lines that cannot both hold."""
    found = asking.questions(asked.workspace(), everything=everything)
    value = [{name: shown(text) for name, text in as_record(question).items()} for question in found]
    asked.answer(value, _lines(found))


def _lines(found: Sequence[Question]) -> Iterator[tuple[str, str]]:
    if not found:
        yield "plain", "Nothing waits for you."
        return
    for question in found:
        yield "path", f"{question.id}  {question.asked[:10]}"
        yield "plain", f"  first:  {shown(question.first)}  ({question.first_source})"
        if question.second:
            yield "plain", f"  second: {shown(question.second)}  ({question.second_source})"
        else:
            yield "plain", f"  second: it does not belong into memory  ({shown(question.why).partition(' [')[0]})"
        if question.status == ANSWERED:
            yield "add", f"  answered {question.answered[:10]}: {shown(question.answer)}"
    if any(question.status != ANSWERED for question in found):
        yield "why", "Answer with `dream answer ID keep-first`, `keep-second`, `both` or `edit TEXT`."
