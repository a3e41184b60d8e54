"""Snapshots of the whole memory: `memory/.dreams/snapshots/NAME.json`, each a copy that no night changes.

Lines, not texts, so that a purge or a scrub can take out one of them. Sealed where the memory is sealed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reverie.apply.files import Disk, read_bytes, real_path
from reverie.apply.state import exchange
from reverie.core.errors import BadInput, WriteFailed
from reverie.core.layout import SNAPSHOTS
from reverie.lang.messages import say
from reverie.workspace.values import Workspace, json_object, to_bytes

_NAME = re.compile(r"[^\W_][\w.-]{0,59}\Z")


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it was: its files by path, line by line."""

    name: str
    made: str
    files: Mapping[str, Sequence[str]]


def keep_snapshot(workspace: Workspace, kept: Kept, disk: Disk | None = None) -> None:
    """Write it down for good. Raises BadInput for a name that is taken or is none."""
    if not _NAME.match(kept.name):
        raise BadInput(say("snapshot.bad_name", name=kept.name))
    target = real_path(workspace, f"{SNAPSHOTS}/{kept.name}.json")
    if target.exists():
        raise BadInput(say("snapshot.taken", name=kept.name))
    files = [{"path": path, "lines": list(lines)} for path, lines in kept.files.items()]
    value = {"version": 1, "name": kept.name, "made": kept.made, "files": files}
    try:
        exchange(target, to_bytes(json.dumps(value, indent=1)) + b"\n", disk or Disk())
    except OSError as error:
        raise WriteFailed(say("write.failed", path=SNAPSHOTS, strerror=error.strerror)) from None


def snapshots(workspace: Workspace) -> tuple[Kept, ...]:
    """All that can be read, oldest first."""
    folder = real_path(workspace, SNAPSHOTS)
    names = [path.stem for path in folder.glob("*.json") if _NAME.match(path.stem)] if folder.is_dir() else []
    found = (_read(workspace, name) for name in names)
    return tuple(sorted((one for one in found if one), key=lambda one: (one.made, one.name)))


def snapshot_named(workspace: Workspace, name: str) -> Kept:
    """Raises BadInput with the names there are."""
    if _NAME.match(name) and (found := _read(workspace, name)) is not None:
        return found
    names = ", ".join(one.name for one in snapshots(workspace))
    raise BadInput(say("snapshot.unknown" if names else "snapshot.none", name=name, names=names))


def _read(workspace: Workspace, name: str) -> Kept | None:
    value = json_object(read_bytes(real_path(workspace, f"{SNAPSHOTS}/{name}.json")))
    try:
        files = {str(one["path"]): tuple(map(str, one["lines"])) for one in value["files"]}
        return Kept(name, str(value["made"]), files)
    except (KeyError, TypeError):
        return None
