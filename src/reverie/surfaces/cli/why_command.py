from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from reverie.judge.operation import BUILT_IN
from reverie.night import engine
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command

MOST = 20


@command
@click.argument("line", nargs=-1, required=True, metavar="ID|TEXT")
def why(asked: Asked, *, line: tuple[str, ...]) -> None:
    """Tell the story of a line, by its id (eight hex digits) or by its words."""
    story = engine.why(asked.workspace(), " ".join(line))
    asked.answer(safe(asdict(story)), _lines(story))


def _lines(story: engine.Story) -> Iterator[tuple[str, str]]:
    asked = shown(story.asked)
    if story.empty:
        yield "plain", f"No dream has touched “{asked}”, and it stands neither in MEMORY.md nor in the archive."
        return
    for chapter in story.chapters[-MOST:]:
        yield "path", f"{chapter.at[:16].replace('T', ' ')}  run {chapter.run}  {chapter.did} [{chapter.id}]"
        for text in chapter.text.split("\n"):
            yield "plain", f"    {shown(text)}"
        yield "why", f"    {operation_words(chapter.op, chapter.by)}because {shown(chapter.why)}"
        if chapter.sources:
            yield "plain", f"    sources: {', '.join(chapter.sources)}"
        if chapter.undone_by:
            yield "cut", f"    undone by {chapter.undone_by}"
    for place in story.stands[:MOST]:
        words = "in your own words" if not story.chapters else "now"
        yield "add", f"It stands in {place}, {words}."
    for block in story.archived[-MOST:]:
        yield (
            "plain",
            f"The archive holds it as [{block.id}] since {block.archived} ({block.category}): {shown(block.note)}",
        )


def operation_words(op: str, by: str) -> str:
    """What was done and who judged, before the reason: `update, judged by agent, `; empty for what no judge decided."""
    judged = f", judged by {shown(by)}" if by not in ("", BUILT_IN) else ""
    return f"{op}{judged}, " if op else ""


def safe(value: Any) -> Any:
    """The same value with secrets hidden."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: safe(item) for key, item in value.items()}
    return [safe(item) for item in value] if isinstance(value, (list, tuple)) else value
