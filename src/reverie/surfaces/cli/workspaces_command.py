from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from reverie.features.glance import is_on, last_dream
from reverie.night.workspaces import Found, Outcome, over_all
from reverie.surfaces.cli.all_of_them import everywhere
from reverie.surfaces.cli.common import Asked, command
from reverie.surfaces.configure import configured

_WHO = {"settings": "your settings", "openclaw": "OpenClaw", "claude-code": "Claude Code"}


@command
def workspaces(asked: Asked) -> None:
    """List every workspace of this machine: OpenClaw's, Claude Code's, and those of your settings."""
    seen = over_all(everywhere(), _about)
    value = [
        {"root": str(one.found.root), "label": one.found.label, "source": one.found.source, **(one.value or {"error": one.error})}
        for one in seen
    ]  # fmt: skip
    asked.answer(value, _lines(seen))


def _about(found: Found) -> dict[str, Any]:
    workspace = configured(found.root, os.environ)
    return {"on": is_on(workspace.root), "last_review": last_dream(workspace.vault) or None}


def _lines(seen: Sequence[Outcome[dict[str, Any]]]) -> Iterator[tuple[str, str]]:
    for one in seen:
        about = one.value or {}
        when = one.error or f"last dream {about.get('last_review') or 'never'}"
        off = "" if about.get("on", True) else ", off"
        yield (
            "cut" if one.failed else "plain",
            f"{one.found.root}  ({_WHO[one.found.source]}: {one.found.label})  {when}{off}",
        )
    if not seen:
        yield (
            "plain",
            "No workspace was found: neither in `workspaces` of your reverie.toml, nor OpenClaw's, nor Claude Code's.",
        )
