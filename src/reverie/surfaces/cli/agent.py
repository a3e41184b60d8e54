"""What the next night has to decide, for the owner or for an agent: `brief`, `questions`, `answer`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.core.errors import BadInput
from reverie.judge.operation import ANSWERED, Question, as_record
from reverie.lang.messages import say
from reverie.night import commands
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command

if TYPE_CHECKING:
    from reverie.judge.answer import RefusedOperation
    from reverie.judge.brief import Brief
    from reverie.night.agent import Taken

LARGEST = 1_000_000  # bytes of an answer
_LONGEST = 160  # characters of a refused operation that are shown
_ID = re.compile(r"[0-9a-f]{4,16}")


@command
def brief(asked: Asked) -> None:
    # the prompts and the index, only for those who ask for them
    from reverie.night.agent import notice
    from reverie.night.briefing import brief_of

    workspace, clock = asked.open()
    value = brief_as_dict(brief_of(workspace, clock), notice(workspace))
    lines = [("plain", value["text"].rstrip())]
    asked.answer(value, [*lines, ("why", value["notice"])] if value["notice"] else lines)


def brief_as_dict(brief: Brief, notice: str) -> dict[str, Any]:
    from reverie.judge.by_agent import hash_of, text_for_agent
    from reverie.night.agent import is_something

    return {
        "brief": hash_of(brief),
        "memory": len(brief.memory),
        "new": len(brief.notes),
        "text": text_for_agent(brief) if is_something(brief) else say("answer.nothing_new"),
        "notice": notice or None,
    }


@command
@click.option("--all", "everything", is_flag=True)
@click.option("--for-agent", is_flag=True)
def questions(asked: Asked, *, everything: bool, for_agent: bool) -> None:
    if for_agent:  # the name that `dream brief` had before
        brief.callback(where=asked.where, now=asked.now, as_json=asked.json, quiet=asked.quiet)  # type: ignore[misc]
        return
    workspace, clock = asked.open()
    found = commands.questions(workspace, everything=everything, today=clock.now().date())
    value = [{name: shown(text) for name, text in as_record(question).items()} for question in found]
    asked.answer(value, _question_lines(found))


def _question_lines(found: Sequence[Question]) -> Lines:
    if not found:
        yield "plain", say("cli.agent.nothing_waits")
        return
    for question in found:
        yield "path", f"{question.id}  {question.asked[:10]}"
        if question.second and question.why:
            yield "plain", "  " + shown(question.why).partition(" [")[0]
        yield "plain", "  " + say("cli.agent.first", text=shown(question.first), source=question.first_source)
        if question.second:
            yield "plain", "  " + say("cli.agent.second", text=shown(question.second), source=question.second_source)
        else:
            yield "plain", "  " + say("cli.agent.does_not_belong", why=shown(question.why).partition(" [")[0])
        if question.status == ANSWERED:
            yield "add", "  " + say("cli.agent.answered", day=question.answered[:10], answer=shown(question.answer))
    if any(question.status != ANSWERED for question in found):
        yield "why", say("cli.agent.how_to_answer")


@command
@click.argument("question", metavar="ID|FILE")
@click.argument("choice", required=False, metavar="[keep-first|keep-second|both|later|edit]")
@click.argument("text", nargs=-1, metavar="[TEXT]")
def answer(asked: Asked, *, question: str, choice: str | None, text: tuple[str, ...]) -> None:
    if choice is None:
        _agents_answer(asked, question)
        return
    from reverie.surfaces.cli.nights import night_as_dict, night_lines

    night = commands.answer(*asked.open(), question, choice, " ".join(text))
    heard = [("plain", say(f"cli.agent.heard_{choice}", id=question))] if choice in ("later", "both") else []
    asked.answer(night_as_dict(night), [*heard, *night_lines(night)])


def _agents_answer(asked: Asked, name: str) -> None:
    from reverie.night.agent import keep_answer  # the prompts and the index, only for an agent

    text = _text_of(name)
    found = keep_answer(*asked.open(), text)
    asked.answer(taken_as_dict(found), _taken_lines(found))
    if found.refused:  # what was taken stays taken, as the lines above say
        refused = say("cli.agent.refused", n=len(found.refused), why=found.refused[0].why)
        click.echo(f"dream: {refused}", err=True)
        raise SystemExit(BadInput.exit_code)


def _text_of(name: str) -> str:
    """What stands in a file, or on standard input."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        if _ID.fullmatch(name):
            raise BadInput(say("cli.agent.no_choice", id=name)) from None
        raise BadInput(say("cli.agent.no_file", path=name, error=error.strerror)) from None
    if len(data) > LARGEST:
        raise BadInput(say("cli.agent.too_large", path=name, bytes=LARGEST))
    return data.decode("utf-8-sig", "replace")


def taken_as_dict(found: Taken) -> dict[str, Any]:
    return {
        "brief": found.brief,
        "taken": len(found.taken),
        "refused": [
            {"operation": one.place or None, "given": shown(_given(one)), "why": shown(one.why)}
            for one in found.refused
        ],
        "waiting": found.waiting,
        "notice": found.notice or None,
    }


def _taken_lines(found: Taken) -> Lines:
    yield "add", say("cli.agent.taken", n=len(found.taken))
    for one in found.refused:
        message = "cli.agent.refused_operation" if one.place else "cli.agent.refused_answer"
        yield "cut", say(message, place=one.place, why=shown(one.why), given=shown(_given(one))).rstrip()
    if found.refused:
        yield "plain", say("cli.agent.hand_in_again")
    yield "plain", say("cli.agent.waiting", n=found.waiting)
    if found.notice:
        yield "why", found.notice


def _given(one: RefusedOperation) -> str:
    text = one.given if isinstance(one.given, str) else json.dumps(one.given, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
