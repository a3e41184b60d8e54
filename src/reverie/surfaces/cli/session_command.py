from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from reverie.features import sessions
from reverie.features.sessions import Begun, Ended
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.cli.suggestions_command import SUGGESTED, SUGGESTED_HOW, card_as_dict, card_lines
from reverie.surfaces.first_words import night_of


@command
@click.argument("action", type=click.Choice(["start", "end"]))
@click.option("--summary", metavar="TEXT", help="With `end`: what to add to today's note (- reads standard input).")
def session(asked: Asked, *, action: str, summary: str | None) -> None:
    """Begin or end a conversation: start prints what an agent should read, end takes its summary into today's note."""
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    if action == "start":
        if summary is not None:
            raise click.UsageError("--summary belongs to `dream session end`.")
        begun = sessions.begin(workspace, clock)
        asked.answer(_begun(begun), _read(begun))
        return
    said = sys.stdin.read() if summary == "-" else summary or ""
    ended = sessions.end(workspace, clock, said)
    asked.answer(
        {"note": ended.path or None, "lines": list(ended.lines), "run": ended.run or None}, _told(ended)
    )  # fmt: skip


def _begun(begun: Begun) -> dict[str, Any]:
    return {
        "read": [{"title": page.title, "path": page.path, "text": shown(page.text)} for page in begun.pages],
        "questions": [
            {"id": one.id, "first": shown(one.first), "second": shown(one.second)} for one in begun.questions
        ],
        "suggestions": [card_as_dict(card) for card in begun.suggestions],
        "todos": [shown(todo) for todo in begun.todos],
        "unjudged": begun.unjudged,
    }


def _read(begun: Begun) -> Iterator[tuple[str, str]]:
    for page in begun.pages:
        yield "path", f"# {page.title}: {page.path}"
        yield "plain", f"{shown(page.text)}\n"
    if begun.questions:
        yield "path", "# Open questions"
        for one in begun.questions:
            yield "plain", f"- {one.id}: “{shown(one.first)}” or “{shown(one.second)}”"
        yield "plain", ""
    if begun.suggestions:
        yield "path", SUGGESTED
        yield from (line for card in begun.suggestions for line in card_lines(card, "- "))
        yield "plain", f"{SUGGESTED_HOW}\n"
    if begun.todos:
        yield "path", "# Open tasks"
        yield from (("plain", f"- {shown(todo)}") for todo in begun.todos)
    if not (begun.pages or begun.questions or begun.suggestions or begun.todos):
        yield "plain", "There is nothing to read yet."
    if begun.unjudged:
        yield "why", night_of(begun)


def _told(ended: Ended) -> Iterator[tuple[str, str]]:
    if not ended.run:
        yield "plain", "Nothing was written: there is no summary. Say `dream session end --summary TEXT`."
        return
    yield from (("add", f"+ {shown(line)}") for line in ended.lines)
    yield "plain", f"In {ended.path}; the night decides what lasts."
    yield "plain", f"Run {ended.run}. `dream undo` takes it back."
