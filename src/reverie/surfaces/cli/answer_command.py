from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from reverie import asking
from reverie.errors import BadInput
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told

LARGEST = 1_000_000  # bytes of a file of answers
_ID = re.compile(r"[0-9a-f]{4,16}")


@command
@click.argument("question", metavar="ID|FILE")
@click.argument("choice", required=False, metavar="[keep-first|keep-second|both|edit]")
@click.argument("text", nargs=-1, metavar="[TEXT]")
def answer(asked: Asked, *, question: str, choice: str | None, text: tuple[str, ...]) -> None:
    """Answer a question of `dream questions`: which of two lines holds, that both do, or what should stand instead.

    The line that gives way is kept in the archive. An answer is a run and can be undone.

    With a FILE alone (`-` for standard input): the answers of an agent to `dream questions --for-agent`, as JSON. They are
    kept for the next night, and nothing else is written.
    """
    if choice is None:
        _of_agent(asked, question)
        return
    workspace = asked.workspace()
    night = asking.answer(workspace, asked.clock(workspace.settings.timezone), question, choice, " ".join(text))
    asked.answer(night_as_dict(night), told(night))


def _of_agent(asked: Asked, name: str) -> None:
    from reverie.agent_answers import take_answers  # the prompts and the rooms, only for an agent
    from reverie.surfaces.cli.for_agent import refused_sentence, taken_as_dict, taken_lines

    value = _value(name)
    workspace = asked.workspace()
    found = take_answers(workspace, asked.clock(workspace.settings.timezone), value)
    asked.answer(taken_as_dict(found), taken_lines(found))
    if found.refused:  # what was taken stays taken, and is told above
        click.echo(f"dream: {refused_sentence(found)}", err=True)
        raise SystemExit(BadInput.exit_code)


def _value(name: str) -> Any:
    """The JSON of a file, or of standard input."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        if _ID.fullmatch(name):
            raise BadInput(f"What about {name}? Say keep-first, keep-second, both or edit TEXT.") from None
        raise BadInput(f"{name} cannot be read ({error.strerror}). Name a file with answers, or - for stdin.") from None
    where = "standard input" if name == "-" else name
    if len(data) > LARGEST:
        raise BadInput(f"{where} is larger than {LARGEST:,} bytes; no answers are that long.")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise BadInput(f"{where}:{line} is not valid JSON. `dream questions --for-agent` tells the form.") from None
