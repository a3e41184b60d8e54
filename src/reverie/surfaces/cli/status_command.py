from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from reverie.features.glance import Glance, as_lines, glance, warning
from reverie.surfaces.cli.common import Asked, command

if TYPE_CHECKING:
    from reverie.openclaw.recall_lane import Deep
    from reverie.workspace.values import Workspace


@command
@click.option("--deep", is_flag=True, help="Also the recall store, the phases, the index and how good the memory is.")
@click.option("--all", "everywhere", is_flag=True, help="Every workspace of this machine.")
def status(asked: Asked, *, deep: bool, everywhere: bool) -> None:
    """Six lines about the memory, from small state files only."""
    if not everywhere:
        asked.answer(*_told(asked, asked.workspace(), deep=deep))
        return
    from reverie.surfaces.cli.all_of_them import each  # a glance at one workspace needs none of it

    each(asked, lambda workspace: _told(asked, workspace, deep=deep))


def _told(asked: Asked, workspace: Workspace, *, deep: bool) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    now = asked.clock(workspace.settings.timezone).now()
    seen = glance(workspace.root, workspace.vault, workspace.settings, now)
    value, lines = status_as_dict(seen), list(_lines(seen))
    if workspace.settings.model.kind != "off":
        from reverie.night.exam_results import standing_of, told_of  # one small file, only for those who have a model

        value["model"] = str(standing_of(workspace, glance=True)[0])
        lines.append(("plain", told_of(workspace, glance=True)))
    if not deep:
        return value, lines
    from reverie.features.quality import quality
    from reverie.features.stages import hits, stages
    from reverie.openclaw.recall_lane import deep_status  # loads the rooms, which a glance does without
    from reverie.surfaces.cli.deep_status import deep_as_dict, deep_lines
    from reverie.surfaces.cli.quality_figures import quality_as_dict, quality_lines
    from reverie.surfaces.cli.stage_figures import stage_lines, stages_as_dict

    found: Deep = deep_status(workspace)
    clock = asked.clock(workspace.settings.timezone)
    figures, come, asked_for = quality(workspace, clock), stages(workspace, clock), hits(workspace, clock)
    told = {"deep": deep_as_dict(found) | stages_as_dict(come, asked_for), "quality": quality_as_dict(figures)}
    return value | told, [
        *lines,
        *deep_lines(found),
        *stage_lines(come, asked_for),
        *quality_lines(figures, now.date()),
    ]


def status_as_dict(seen: Glance) -> dict[str, Any]:
    return {
        "now": seen.now.isoformat(timespec="seconds"),
        "on": seen.on,
        "memory": {"characters": seen.characters, "exact": seen.exact, "limit": seen.limit, "percent": seen.share},
        "archive": seen.archive,
        "last_review": seen.last_review or None,
        "state": seen.state,
        "index": seen.index,
        "pending": seen.pending,
        "warning": warning(seen) or None,
        "kept": [{"path": one.path, "of": one.of} for one in seen.kept],
    }


def _lines(seen: Glance) -> Iterator[tuple[str, str]]:
    for line in as_lines(seen):
        yield "plain", line
    if not seen.on:
        yield "cut", "⚠ Dreaming is off: nothing happens by itself. `dream on` switches it on."
    if warning(seen):
        yield "cut", f"⚠ {warning(seen)}"
    for one in seen.kept:
        yield "cut", f"⚠ {one}"
