from __future__ import annotations

from collections.abc import Iterator

from reverie.glance import Glance, as_lines, glance, warning
from reverie.surfaces.cli.common import Asked, command


@command
def status(asked: Asked) -> None:
    """Six lines about the memory, from small state files only."""
    workspace = asked.workspace()
    now = asked.clock(workspace.settings.timezone).now()
    seen = glance(workspace.root, workspace.vault, workspace.settings, now)
    value = {
        "now": seen.now.isoformat(timespec="seconds"),
        "memory": {"characters": seen.characters, "exact": seen.exact, "limit": seen.limit, "percent": seen.share},
        "archive": seen.archive,
        "last_review": seen.last_review or None,
        "state": seen.state,
        "index": seen.index,
        "pending": seen.pending,
        "warning": warning(seen) or None,
        "kept": [{"path": one.path, "of": one.of} for one in seen.kept],
    }
    asked.answer(value, _lines(seen))


def _lines(seen: Glance) -> Iterator[tuple[str, str]]:
    for line in as_lines(seen):
        yield "plain", line
    if warning(seen):
        yield "cut", f"⚠ {warning(seen)}"
    for one in seen.kept:
        yield "cut", f"⚠ {one}"
