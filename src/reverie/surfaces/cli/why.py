"""Why a line is in memory, and why a text is not: `why` and `why-not`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from reverie.core.errors import BadInput
from reverie.judge.operation import BUILT_IN
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, Lines, command
from reverie.workspace.values import author_named

MOST = 20


@command
@click.argument("line", nargs=-1, required=True, metavar="ID|TEXT")
def why(asked: Asked, *, line: tuple[str, ...]) -> None:
    story = commands.why(asked.workspace(), " ".join(line))
    asked.answer(safe(asdict(story)), _story_lines(story))


def _story_lines(story: commands.Story) -> Lines:
    if story.empty:
        yield "plain", say("cli.why.unknown", text=shown(story.asked))
        return
    for chapter in story.chapters[-MOST:]:
        did = said_with("tags", chapter.did)
        at = chapter.at[:16].replace("T", " ")
        yield "path", f"{at}  {say('cli.why.run', run=chapter.run)}  {did} [{chapter.id}]"
        for text in chapter.text.split("\n"):
            yield "plain", f"    {shown(text)}"
        for text in filter(None, chapter.was.split("\n")):
            yield "cut", "    " + say("cli.why.was", text=shown(text))
        done = [said_with("operations", chapter.op)] if chapter.op else []
        if chapter.op and chapter.by not in ("", BUILT_IN):
            done.append(say("cli.why.judged_by", by=said_with("judges", shown(chapter.by))))
        yield "why", "    " + ", ".join([*done, say("cli.because", why=shown(chapter.why))])
        if chapter.detail:
            yield "plain", f"    {shown(chapter.detail)}"
        if chapter.sources:
            yield "plain", "    " + say("cli.why.sources", sources=", ".join(chapter.sources))
        if chapter.noted_by:
            yield "plain", "    " + say("authority.noted_by", who=", ".join(map(_author, chapter.noted_by)))
        if chapter.undone_by:
            yield "cut", "    " + say("cli.night.undone_by", run=chapter.undone_by)
    for place in story.stands[:MOST]:
        yield "add", say("cli.why.stands" if story.chapters else "cli.why.stands_unchanged", place=place)
    for block in story.archived[-MOST:]:
        about = {
            "id": block.id,
            "day": block.archived,
            "category": said_with("tags", block.category),
            "note": shown(block.note),
        }
        yield "plain", say("cli.why.archived", **about)


def _author(name: str) -> str:
    author = author_named(name)
    return say(f"authority.{author.who}", surface=author.surface)


def safe(value: Any) -> Any:
    """The same value with secrets hidden."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: safe(item) for key, item in value.items()}
    return [safe(item) for item in value] if isinstance(value, (list, tuple)) else value


@command
@click.argument("words", nargs=-1, required=True, metavar="TEXT")
def why_not(asked: Asked, *, words: tuple[str, ...]) -> None:
    from reverie.features import why_not as feature  # the recall lane, which the story of a line does without
    from reverie.surfaces.cli.openclaw import gate_as_dict

    text = " ".join(words)
    if not text.strip():
        raise BadInput(say("cli.why.no_text"))
    found = feature.why_not(*asked.open(), text)
    reasons = [
        {
            "verdict": one.verdict,
            "detail": shown(one.detail),
            "text": shown(one.text) or None,
            "place": one.place or None,
            "gates": [gate_as_dict(gate) for gate in one.gates],
        }
        for one in found
    ]
    asked.answer({"asked": shown(text), "reasons": reasons}, _reason_lines(shown(text), reasons))


def _reason_lines(text: str, reasons: Sequence[dict[str, Any]]) -> Lines:
    there = reasons[0]["verdict"] == "in memory"
    yield "path", say("cli.why.in_memory" if there else "cli.why.not_in_memory", text=text)
    for one in reasons:
        place = f" — {shown(one['place'])}" if one["place"] else ""
        role = "add" if one["verdict"] == "in memory" else "plain"
        yield role, f"· {said_with('verdicts', one['verdict'])}{place}"
        if one["text"]:
            yield "plain", f"    {one['text']}"
        yield "why", f"    {one['detail']}"
