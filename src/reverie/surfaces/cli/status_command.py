from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from reverie.glance import Glance, as_lines, glance, warning
from reverie.surfaces.cli.common import Asked, command

if TYPE_CHECKING:
    from reverie.lanes import Deep


@command
@click.option("--deep", is_flag=True, help="Also the recall store, the phases and the index.")
def status(asked: Asked, *, deep: bool) -> None:
    """Six lines about the memory, from small state files only."""
    workspace = asked.workspace()
    now = asked.clock(workspace.settings.timezone).now()
    seen = glance(workspace.root, workspace.vault, workspace.settings, now)
    value: dict[str, Any] = {
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
    if not deep:
        asked.answer(value, _lines(seen))
        return
    from reverie.lanes import deep_status  # loads the rooms, which a glance does without
    from reverie.surfaces.cli.deep_status import deep_as_dict, deep_lines

    found: Deep = deep_status(workspace)
    asked.answer(value | {"deep": deep_as_dict(found)}, [*_lines(seen), *deep_lines(found)])


def _lines(seen: Glance) -> Iterator[tuple[str, str]]:
    for line in as_lines(seen):
        yield "plain", line
    if warning(seen):
        yield "cut", f"⚠ {warning(seen)}"
    for one in seen.kept:
        yield "cut", f"⚠ {one}"
