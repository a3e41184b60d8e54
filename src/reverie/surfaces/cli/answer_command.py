from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from reverie.core.errors import BadInput
from reverie.night import questions
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told

LARGEST = 1_000_000  # bytes of an answer
_ID = re.compile(r"[0-9a-f]{4,16}")


@command
@click.argument("question", metavar="ID|FILE")
@click.argument("choice", required=False, metavar="[keep-first|keep-second|both|edit]")
@click.argument("text", nargs=-1, metavar="[TEXT]")
def answer(asked: Asked, *, question: str, choice: str | None, text: tuple[str, ...]) -> None:
    """Answer a question of `dream questions`: which of two lines holds, that both do, or what should stand instead.

    The line that gives way is kept in the archive. An answer is a run and can be undone.

    With a FILE alone (`-` for standard input): an agent's answer to `dream brief`, as JSON. What passes the checks is kept for the
    next night, what does not is named with its reason; nothing else is written.
    """
    if choice is None:
        _of_agent(asked, question)
        return
    workspace = asked.workspace()
    night = questions.answer(workspace, asked.clock(workspace.settings.timezone), question, choice, " ".join(text))
    asked.answer(night_as_dict(night), told(night))


def _of_agent(asked: Asked, name: str) -> None:
    from reverie.night.agent import keep_answer  # the prompts and the index, only for an agent
    from reverie.surfaces.cli.for_agent import taken_as_dict, taken_lines

    text = _text(name)
    workspace = asked.workspace()
    found = keep_answer(workspace, asked.clock(workspace.settings.timezone), text)
    asked.answer(taken_as_dict(found), taken_lines(found))
    if found.refused:  # what was taken stays taken, and is told above
        several = "operations were" if len(found.refused) > 1 else "operation was"
        click.echo(f"dream: {len(found.refused)} {several} refused; {found.refused[0].why}.", err=True)
        raise SystemExit(BadInput.exit_code)


def _text(name: str) -> str:
    """What stands in a file, or on standard input."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        if _ID.fullmatch(name):
            raise BadInput(f"What about {name}? Say keep-first, keep-second, both or edit TEXT.") from None
        raise BadInput(
            f"{name} cannot be read ({error.strerror}). Name a file with an answer, or - for stdin."
        ) from None
    if len(data) > LARGEST:
        raise BadInput(
            f"{'Standard input' if name == '-' else name} is larger than {LARGEST:,} bytes; no answer is that long."
        )
    return data.decode("utf-8-sig", "replace")
