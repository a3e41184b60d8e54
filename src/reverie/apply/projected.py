"""Writes a projection: one whole file, or one section of it, at the place the owner's settings name.

It may lie outside the workspace, so nothing there is taken for ours unless its marker says so: a file without it, one that
somebody wrote into, one of another memory, a link and a device are all refused and left as they are. The first time a
section enters somebody's file, the file as it was is kept beside it, once, as `<name>.before`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from reverie.apply.files import Disk, read_bytes
from reverie.core.errors import RefusedFile, WriteFailed
from reverie.core.layout import TEMPORARY, TOPICS, VAULT, Kind, place_of
from reverie.lang.messages import say
from reverie.workspace.projection import (
    UnpairedMarkers,
    front_of,
    is_projection,
    is_untouched,
    memory_of,
    section_of,
    with_section,
)
from reverie.workspace.values import Workspace, to_bytes, to_text

BEFORE = ".before"


def target_of(workspace: Workspace, named: str) -> Path:
    """Where a projection lies. The folder is the owner's choice, links included; the file itself must be a plain one."""
    path = Path(named).expanduser()
    try:
        folder = path.parent.resolve()
    except (OSError, RuntimeError) as error:
        raise RefusedFile(say("projection.unreachable", named=named, error=error)) from None
    if not folder.is_dir():
        raise RefusedFile(say("projection.no_folder", folder=folder))
    target = folder / path.name
    if target.is_symlink():
        raise RefusedFile(say("projection.link", named=named))
    home = ((workspace.home, TOPICS),) if workspace.home is not None else ()
    for root, prefix in ((workspace.root, ""), (workspace.vault, VAULT), *home):
        if root == folder or root in folder.parents:
            inner = prefix + target.relative_to(root).as_posix()
            if place_of(inner).kind is not Kind.FOREIGN or prefix:
                raise RefusedFile(say("projection.inside", named=named))
    return target


def standing(target: Path, text: str, of: str, *, section: bool, claimed: bool) -> tuple[bytes | None, bytes]:
    """The bytes that stand there now and those that should; raises where what stands there is not ours to change.

    `claimed`: the owner's settings say whose memory goes here, so one of another memory gives way.
    """
    data = read_bytes(target)
    if data is None:
        return None, to_bytes(with_section("", text) if section else text)
    there = to_text(data)
    try:
        ours = section_of(there) if section else there
    except UnpairedMarkers as error:
        raise RefusedFile(say("projection.markers", target=target, error=error)) from None
    if ours is None:
        return data, to_bytes(with_section(there, text))
    if not is_projection(ours):
        raise RefusedFile(say("projection.not_ours", target=target))
    if not is_untouched(ours):
        raise RefusedFile(say("projection.changed", target=target))
    if memory_of(ours) != of and not claimed:
        raise RefusedFile(say("projection.of_another", target=target))
    return data, to_bytes(with_section(there, text) if section else front_of(there) + text[len(front_of(text)) :])


def put_projection(target: Path, before: bytes | None, after: bytes, disk: Disk | None = None) -> None:
    """Exchange the file in one step. What somebody wrote at that very instant comes back, and we give way."""
    disk = disk or Disk()
    fresh = target.with_name(f".{target.name}{TEMPORARY}")
    try:
        if before is not None and not is_projection(to_text(before)):
            _keep(target, before, disk)
        disk.write(fresh, after, target.stat() if before is not None else None)
        if before is None:
            disk.place(fresh, target)
        else:
            disk.swap(fresh, target)
            if read_bytes(fresh) != before:
                disk.swap(fresh, target)
                disk.remove(fresh)
                raise RefusedFile(say("projection.busy", target=target))
            disk.remove(fresh)
        disk.sync_folder(target.parent)
    except FileExistsError:
        disk.remove(fresh)
        raise RefusedFile(say("projection.appeared", target=target)) from None
    except OSError as error:
        with suppress(OSError):
            disk.remove(fresh)
        raise WriteFailed(say("projection.unwritten", target=target, strerror=error.strerror)) from None


def _keep(target: Path, data: bytes, disk: Disk) -> None:
    """Somebody's file as it was before our section first entered it."""
    kept = target.with_name(target.name + BEFORE)
    if os.path.lexists(kept) or section_of(to_text(data)) is not None:
        return
    disk.write(kept, data, target.stat())
    disk.sync_folder(target.parent)


__all__ = ["BEFORE", "put_projection", "standing", "target_of"]
