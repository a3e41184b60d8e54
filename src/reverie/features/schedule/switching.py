"""`dream on`, `dream off`: whether anything happens by itself. A review by hand always works."""

from __future__ import annotations

from reverie.apply.files import Disk
from reverie.apply.state import put_state
from reverie.core.layout import SWITCH
from reverie.features.glance import is_on
from reverie.workspace.values import Workspace


def switch(workspace: Workspace, *, on: bool, disk: Disk | None = None) -> bool:
    """Switch dreaming on or off. False when it was so already; then nothing is written."""
    if is_on(workspace.root) == on:
        return False
    return put_state(workspace, SWITCH, "on" if on else "off", disk)


__all__ = ["is_on", "switch"]
