from __future__ import annotations

from collections.abc import Iterator

import click

from reverie.features import search
from reverie.night import remember
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--force", is_flag=True, help="Build it anew from nothing.")
def reindex(asked: Asked, *, force: bool) -> None:
    """Bring the search index up to date, or build it anew. It is derived: deleting it loses nothing.

    New conversations (see the setting `transcripts`) are read first, and the recall journal is folded afterwards.
    """
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    heard = remember.hear(workspace, clock)
    done = search.reindex(workspace, workspace.embedder, force=force, on_read=asked.progress())
    swept = remember.sweep(workspace, clock)
    value = {
        "heard": heard.appended,
        "left_out": dict(heard.left_out),
        "folded": swept.folded.events,
        "files": done.updated.files,
        "gone": done.updated.gone,
        "added": done.updated.added,
        "kept": done.updated.kept,
        "embedded": done.updated.embedded,
        "waiting": done.updated.waiting,
        "claims": done.claims,
        "refused": [{"path": refusal.path, "why": refusal.why} for refusal in done.refused],
        "degraded": shown(done.trouble) or None,
    }
    asked.answer(value, [*_heard(heard.appended, swept.folded.events), *_lines(done)])


def _heard(turns: int, recalls: int) -> Iterator[tuple[str, str]]:
    if turns:
        yield "plain", f"{turns:,} turns of conversations were added to the session corpus."
    if recalls:
        yield "plain", f"{recalls:,} searches were folded into the recall store."


def _lines(done: search.Reindexed) -> Iterator[tuple[str, str]]:
    updated = done.updated
    yield "plain", f"{done.claims:,} lines indexed; {updated.files} files read, {updated.gone} gone."
    yield "plain", f"{updated.added:,} lines new, {updated.kept:,} as they were, {updated.embedded:,} embedded."
    for refusal in done.refused:
        yield "cut", f"! {shown(refusal.path)} {shown(refusal.why)}"
    if done.trouble:
        yield "cut", f"! {updated.waiting:,} lines have no vectors yet: {shown(done.trouble)}"
