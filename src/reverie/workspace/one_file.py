"""Reads one file of the layout by its name, for those who were told a place and want to see it. Never writes.

A name comes from outside, so it is checked as one: it must be a path of the layout, and no folder on the way to it may be
a link that leads elsewhere.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from reverie.layout import VAULT, Kind, place_of
from reverie.model import File, Refusal, Workspace
from reverie.workspace.reader import read_changes, real_path

_CLOSED = frozenset({Kind.STATE, Kind.FOREIGN, Kind.CONFIG, Kind.CURSOR})  # ours, not ours at all, or nobody's reading


def read_one(workspace: Workspace, path: str) -> File | Refusal | None:
    """The file of this name; a refusal with its reason where it may not be read; None where there is none."""
    name = path.replace("\\", "/").removeprefix("./")
    inner = PurePosixPath(name.removeprefix(VAULT))
    if inner.is_absolute() or ".." in inner.parts or "\0" in name or place_of(name).kind in _CLOSED:
        return Refusal(path, "is no note of this workspace")
    if not _stays_inside(workspace, name):
        return Refusal(path, "is reached through a link; only real folders are read")
    changed, _, refused = read_changes(workspace, {}, only=[name])
    if refused:
        return refused[0]
    return changed[name].file if name in changed else None


def _stays_inside(workspace: Workspace, name: str) -> bool:
    base = workspace.vault if name.startswith(VAULT) else workspace.root
    real = os.path.realpath(real_path(workspace, name).parent)
    return real == os.path.normpath(
        os.path.join(os.path.realpath(base), *PurePosixPath(name.removeprefix(VAULT)).parent.parts)
    )
