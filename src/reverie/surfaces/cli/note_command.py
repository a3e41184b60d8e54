from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from reverie.features import note as feature
from reverie.features.note import Noted
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.argument("text", nargs=-1, metavar="TEXT")
def note(asked: Asked, *, text: tuple[str, ...]) -> None:
    """Write a statement into today's note; a correction, a decision or a new project into MEMORY.md at once, too."""
    said = sys.stdin.read() if text == ("-",) else " ".join(text)
    workspace = asked.workspace()
    noted = feature.note(workspace, asked.clock(workspace.settings.timezone), said)
    value = {
        "note": noted.path, "kind": noted.kind or None, "memory": noted.line or None, "replaced": noted.replaced or None,
        "why": noted.why or None, "run": noted.run,
    }  # fmt: skip
    asked.answer(value, _lines(noted))


def _lines(noted: Noted) -> Iterator[tuple[str, str]]:
    if noted.replaced:
        yield "cut", f"- {shown(noted.replaced)}"
    if noted.line:
        yield "add", f"+ {shown(noted.line)}"
        yield "plain", f"A {noted.kind}: in MEMORY.md now, and in {noted.path}."
    else:
        yield "plain", f"In {noted.path} ({shown(noted.why)})."
    yield "plain", f"Run {noted.run}. `dream undo` takes it back."
