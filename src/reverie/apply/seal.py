"""Sealing what lies on the disk, and opening it again, file by file: at any moment each is whole, plain or sealed.

    the key           in the keyring, or in a file of the owner's                     it is there before anything needs it
    .sealed           in memory/.dreams, then in the vault: `sealing`                 from now on what is written is sealed
    every file        exchanged for itself, sealed
    .sealed           in the vault, then in memory/.dreams: `sealed`

Opening goes the same way (`opening`) and takes the marks away at the end. What a crash interrupts, the next start goes on with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from reverie.apply.files import Disk, bring_under_seal
from reverie.core.errors import BadInput
from reverie.core.layout import STATE_DIR, TEMPORARY
from reverie.core.sealing import (
    KEYRING,
    MARK,
    OPENING,
    SEALING,
    WHOLE,
    Mark,
    identity,
    is_kept_sealed,
    keep_in_keyring,
    mark_in,
    new_key,
    recipient_in,
)
from reverie.lang.messages import say
from reverie.workspace.values import Workspace


def seal_files(workspace: Workspace, key_file: Path | None, disk: Disk | None = None) -> tuple[Mark, int]:
    """Seal everything that holds words, now and from now on. Where it is sealed already, a key file is a new place of the key."""
    disk = disk or Disk()
    there = mark_in(workspace.root / STATE_DIR)
    if there is not None:
        mark = replace(there, key=str(key_file)) if key_file else there
        identity(mark)
    else:
        mark = _new_mark(workspace, key_file, disk)
    return mark, _carried_out(workspace, replace(mark, state=SEALING), disk)


def open_files(workspace: Workspace, disk: Disk | None = None) -> tuple[Mark, int] | None:
    """Write everything plain again; None when nothing is sealed. The key stays where it is: a backup may need it."""
    mark = mark_in(workspace.root / STATE_DIR)
    if mark is None:
        return None
    return mark, _carried_out(workspace, replace(mark, state=OPENING), disk or Disk())


def settle_seal(workspace: Workspace, disk: Disk) -> None:
    """What every start does first: see that the key is there, and go on with what a crash interrupted. The state's mark leads."""
    ours, beside = (mark_in(folder) for folder in _folders(workspace))
    mark = ours or (beside and replace(beside, state=OPENING if beside.state == OPENING else SEALING))
    if mark is None:
        return
    identity(mark)
    if mark.state != WHOLE or beside != mark:
        _carried_out(workspace, replace(mark, state=OPENING if mark.state == OPENING else SEALING), disk)


def _carried_out(workspace: Workspace, mark: Mark, disk: Disk) -> int:
    folders = _folders(workspace)
    for folder in folders:
        _put_mark(folder, mark, disk)
    count = sum(bring_under_seal(path, disk) for folder in folders for path in list(_files(folder)))
    for folder in reversed(folders):
        if mark.state == OPENING:
            disk.remove(folder / MARK)
            disk.sync_folder(folder)
        else:
            _put_mark(folder, replace(mark, state=WHOLE), disk)
    return count


def _folders(workspace: Workspace) -> tuple[Path, Path]:
    return workspace.root / STATE_DIR, workspace.vault


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder that are sealed where it has a mark; links are none, and what is half written goes anyway."""
    for above, names, files in os.walk(folder):
        names.sort()
        for path in (Path(above) / name for name in sorted(files)):
            if is_kept_sealed(folder, path) and TEMPORARY not in path.name and not path.is_symlink():
                yield path


def _put_mark(folder: Path, mark: Mark, disk: Disk) -> None:
    if mark_in(folder) == mark:
        return
    disk.make_folder(folder)
    temporary = folder / f"{MARK}{TEMPORARY}"
    disk.write(temporary, mark.as_bytes())
    disk.rename(temporary, folder / MARK)
    disk.sync_folder(folder)


def _new_mark(workspace: Workspace, key_file: Path | None, disk: Disk) -> Mark:
    """A mark for a key that is certain to be there: a new one, or the owner's own in the file that was named."""
    key, recipient = new_key()
    if key_file is None:
        if not keep_in_keyring(recipient, key):
            raise BadInput(say("seal.no_keyring"))
        return Mark(recipient, KEYRING, SEALING)
    if any(key_file.is_relative_to(place) for place in (workspace.root, workspace.vault, workspace.folder)):
        raise BadInput(say("seal.key_inside", path=key_file))
    if key_file.exists():
        recipient = recipient_in(key_file)
    else:
        disk.make_folder(key_file.parent)
        disk.write(key_file, f"# reverie\n# public key: {recipient}\n{key}\n".encode())
        key_file.chmod(0o600)
        disk.sync_folder(key_file.parent)
    return Mark(recipient, str(key_file), SEALING)
