from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from reverie.core.errors import BadInput
from reverie.night import engine
from reverie.privacy.redact import holds_secret, shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("content", nargs=-1, metavar="CONTENT")
@click.option("--title", default="", help="The title; else the first line, or the end of the link.")
@click.option("--topic", "topics", multiple=True, help="A topic (at most five; may be given several times).")
def index(asked: Asked, *, content: tuple[str, ...], title: str, topics: tuple[str, ...]) -> None:
    """Put a link or a text into the content index, with its topics. Nothing is fetched. “-” reads standard input."""
    text = sys.stdin.read() if content == ("-",) else " ".join(content)
    if not text.strip():
        raise BadInput("There is nothing to index. Say `dream index LINK` or `dream index TEXT`.")
    if any(holds_secret(said) for said in (f"{title} {text}", *topics)):
        raise BadInput("The content holds what looks like a secret. Take it out, then index it again.")
    workspace = asked.workspace()
    item, night = engine.index_content(workspace, asked.clock(workspace.settings.timezone), text, title, topics)
    value = {
        "id": item.id, "title": item.title, "url": item.url or None, "summary": item.summary, "topics": list(item.topics),
        "new": night.run is not None, "run": night.run.id if night.run else None, "noted": bool(item.preference and night.run),
    }  # fmt: skip
    asked.answer(value, _lines(item, night))


def _lines(item: engine.Item, night: engine.Night) -> Iterator[tuple[str, str]]:
    if night.run is None:
        yield "plain", f"“{shown(item.title)}” is in the index already."
        return
    topics = ", ".join(item.topics) or "none"
    yield "plain", f"Indexed “{shown(item.title)}” [{item.id}]; topics: {topics}."
    if item.preference:
        yield "plain", "A preference in it went into today's note, for the next night to judge."
    yield "plain", f"Run {night.run.id}. `dream undo` takes it back."
