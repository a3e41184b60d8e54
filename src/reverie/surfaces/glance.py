"""`dream status`, apart from the other commands because it must be quick."""

from __future__ import annotations

import argparse
from os import environ

from reverie.features.status import Status
from reverie.features.status import status as status_of
from reverie.workspace.layout import find_workspace, layout_of


def status(options: argparse.Namespace) -> None:
    found = status_of(layout_of(find_workspace(options.workspace, environ)), options.time)
    if options.as_json:
        import json

        print(json.dumps(found._asdict(), indent=1, default=str))
    else:
        print("\n".join(status_lines(found)))


def status_lines(found: Status) -> list[str]:
    """The lines of seed 000, and what to do next."""
    last = "never"
    if found.last_night:
        hours = int((found.now.replace(tzinfo=None) - found.last_night).total_seconds() // 3600)
        last = f"{found.last_night:%Y-%m-%d %H:%M} ({hours} hours ago)"
    share = 100 * found.characters // max(1, found.limit)
    lines = [
        f"🌙 Dream Status — {found.now:%Y-%m-%d %H:%M}",
        f"MEMORY.md: {found.characters:,} chars / {found.limit:,} limit ({share}%), {found.lines} lines",
        f"Permanent archive: {found.archived} records",
        f"Last distillation: {last}",
        f"System state: {found.state}",
        f"Obsidian index: {found.indexed} entries",
        f"Pending journals: {found.pending_notes} files",
        f"Inbox: {found.inbox} cards",
    ]
    lines += [f"Warning: MEMORY.md is nearly full; beyond {found.limit:,} characters its host may cut it."] * (
        share >= 85
    )
    lines += [f"Left alone: {path} ({why})" for path, why in found.unread.items()]
    return [*lines, found.next_step]
