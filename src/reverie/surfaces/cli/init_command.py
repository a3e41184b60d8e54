from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from reverie.core.errors import NoWorkspace, WriteFailed
from reverie.night import engine
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.nights import night_as_dict
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace


@command
@click.option("--tools", help="Tools you prefer.")
@click.option("--environment", help="Your work environment.")
@click.option("--project", help="Your most important project.")
@click.option("--values", help="Core value judgements.")
@click.option("--people", help="The most important relationships.")
def init(asked: Asked, **given: str | None) -> None:
    """Create the vault and, where MEMORY.md is missing or empty, a first one from five answers.

    The answers come from the flags; what is missing is asked on a terminal, or read from standard input, one answer
    a line in the order of the flags.
    """
    workspace = _workspace(asked)
    asks = engine.needs_answers(workspace)
    answers = _answers(given) if asks else {}
    night = engine.init(workspace, asked.clock(workspace.settings.timezone), answers)
    asked.answer(night_as_dict(night, with_plan=False), _lines(night, asked_for=asks))


def _workspace(asked: Asked) -> Workspace:
    """A folder that does not exist yet is made, but only when it was named."""
    try:
        return asked.workspace()
    except NoWorkspace:
        named = asked.where or os.environ.get("OPENCLAW_WORKSPACE")
        folder = Path(named or "").expanduser()
        if not named or folder.exists():
            raise
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise WriteFailed(f"{named} cannot be made ({error.strerror}).") from None
        return configured(folder.resolve(), os.environ)


def _answers(given: dict[str, str | None]) -> dict[str, str]:
    answers = {name: said for name, said in given.items() if said}
    missing = [(name, question) for name, question, *_ in engine.QUESTIONS if name not in answers]
    if not missing:
        return answers
    if sys.stdin.isatty():
        click.echo("Five questions for a first memory. Press Enter to leave one out.", err=True)
        for name, question in missing:
            answers[name] = str(click.prompt(question, default="", show_default=False, err=True))
    elif not answers:
        for (name, _), line in zip(missing, sys.stdin.read().split("\n"), strict=False):
            answers[name] = line.strip()
    return answers


def _lines(night: engine.Night, *, asked_for: bool) -> Iterator[tuple[str, str]]:
    if night.run is None:
        yield "plain", "Everything is there already; nothing was changed."
        return
    workspace = night.snapshot.workspace
    yield "plain", f"The vault is ready in {workspace.vault}."
    if asked_for:
        yield "plain", "MEMORY.md has its four sections. Edit it as you like; `dream review` keeps it tidy."
    else:
        yield "plain", "MEMORY.md was left exactly as it is."
    yield "plain", f"Run {night.run.id}. `dream undo` takes it back."
