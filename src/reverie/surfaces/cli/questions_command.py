from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from reverie import asking
from reverie.privacy.redact import shown
from reverie.question import ANSWERED, Question, as_record
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--all", "everything", is_flag=True, help="Also what was answered.")
@click.option("--for-agent", is_flag=True, help="What the next night is unsure of, for an agent to judge.")
def questions(asked: Asked, *, everything: bool, for_agent: bool) -> None:
    """List what the nights could not settle: two lines that cannot both hold.

    With --for-agent: small questions about new lines, with their evidence and how to answer them.
    """
    if for_agent:
        _for_agent(asked, everything=everything)
        return
    found = asking.questions(asked.workspace(), everything=everything)
    value = [{name: shown(text) for name, text in as_record(question).items()} for question in found]
    asked.answer(value, _lines(found))


def _for_agent(asked: Asked, *, everything: bool) -> None:
    # the prompts and the rooms, only for those who ask for them
    from reverie.agent_answers import bundle_for_agent
    from reverie.surfaces.cli.for_agent import bundle_as_dict, bundle_lines

    workspace = asked.workspace()
    found = bundle_for_agent(workspace, asked.clock(workspace.settings.timezone), everything=everything)
    asked.answer(bundle_as_dict(found), bundle_lines(found))


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
