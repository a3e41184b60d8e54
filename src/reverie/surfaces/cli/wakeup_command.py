from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from reverie.features.waking import Awake, days_of, remembered
from reverie.features.waking import wakeup as wake
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Asked, command


@command
@click.option("--snapshot", is_flag=True, help="Only tell what the memory holds; change nothing.")
def wakeup(asked: Asked, *, snapshot: bool) -> None:
    """Wake up from hibernation: the last of the archive, what the memory holds, what is new. Deletes nothing."""
    workspace = asked.workspace()
    seen = remembered(workspace) if snapshot else wake(workspace)
    asked.answer(_as_dict(seen), _lines(seen, snapshot=snapshot))


def _as_dict(seen: Awake) -> dict[str, Any]:
    return {
        "state": {"before": seen.state, "restored": seen.restored},
        "memory": {
            "characters": seen.characters,
            "sections": [
                {"heading": shown(part.heading), "lines": [shown(line) for line in part.lines], "more": part.more}
                for part in seen.sections
            ],
        },
        "archived": [
            {"id": one.id, "archived": one.archived, "category": one.category, "content": shown("\n".join(one.content))}
            for one in seen.archived
        ],
        "since": {
            "last_review": seen.last_review or None, "last_night": seen.last_night or None,
            "new_notes": list(seen.new_notes), "memory_edited": seen.edited,
        },
    }  # fmt: skip


def _lines(seen: Awake, *, snapshot: bool) -> Iterator[tuple[str, str]]:
    if not snapshot:
        yield "path", "🌙 Awake" if seen.restored else "🌙 It was awake already"
    for part in seen.sections:
        yield "path", shown(part.heading) or "MEMORY.md"
        for line in part.lines:
            yield "plain", f"  {shown(line)}"
        if part.more:
            yield "why", f"  … and {part.more} more"
    if not seen.sections:
        yield "plain", "MEMORY.md holds nothing yet. `dream init` writes a first one."
    if snapshot:
        return
    yield "path", "Archived last"
    for one in reversed(seen.archived):
        yield "plain", f"  [{one.id}] {one.archived[:10]} [{one.category}] {shown(one.content[0].strip())}"
    if not seen.archived:
        yield "plain", "  nothing yet"
    yield "path", f"Since the last dream ({seen.last_review or 'there was none'})"
    yield from _since(seen)


def _since(seen: Awake) -> Iterator[tuple[str, str]]:
    days = days_of(seen.new_notes)
    span = f", {days[0]} to {days[-1]}" if len(days) > 1 else f", {days[0]}" if days else ""
    count = len(seen.new_notes)
    yield "plain", f"  {count} new file{'s' if count != 1 else ''}{span}" if count else "  nothing new"
    if seen.edited:
        yield "plain", "  MEMORY.md was edited since"
    if seen.last_night:
        yield "why", f"  That night: {seen.last_night.partition(': ')[2]}"
