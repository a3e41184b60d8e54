from __future__ import annotations

import click

from reverie import asking
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict, told


@command
@click.argument("question", metavar="ID")
@click.argument("choice", metavar="keep-first|keep-second|both|edit")
@click.argument("text", nargs=-1, metavar="[TEXT]")
def answer(asked: Asked, *, question: str, choice: str, text: tuple[str, ...]) -> None:
    """Answer a question of `dream questions`: which of two lines holds, that both do, or what should stand instead.

    The line that gives way is kept in the archive. An answer is a run and can be undone.
    """
    workspace = asked.workspace()
    night = asking.answer(workspace, asked.clock(workspace.settings.timezone), question, choice, " ".join(text))
    asked.answer(night_as_dict(night), told(night))
