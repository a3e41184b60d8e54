from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from reverie.judge.question import ANSWERED, Question, as_record
from reverie.night import questions as asking
from reverie.privacy.redact import shown
from reverie.surfaces.cli.brief_command import brief
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--all", "everything", is_flag=True, help="Also what was answered.")
@click.option("--for-agent", is_flag=True, help="The same as `dream brief`.")
def questions(asked: Asked, *, everything: bool, for_agent: bool) -> None:
    """List what the nights could not settle: two lines that cannot both hold.

    With --for-agent: what the next night has to decide on, as `dream brief` prints it.
    """
    if for_agent:  # the name it had before
        brief.callback(where=asked.where, now=asked.now, as_json=asked.json, quiet=asked.quiet)  # type: ignore[misc]
        return
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
