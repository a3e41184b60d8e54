"""Masking in place what our own files already say: for `dream scrub` only. MEMORY.md and the notes are never touched.

A plan would write the old lines, secrets and all, into the record of its run. So every file is exchanged by itself, in one step,
under the lock; a kill leaves some of them masked and the rest as they were, and the next scrub does the rest. The record of a
run says that a file cannot be brought back before it loses the lines: never the other way round.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from reverie.apply.erase import ERASING, plain_files, rewritten
from reverie.apply.files import Disk, read_bytes
from reverie.apply.projected import BEFORE, target_of
from reverie.apply.state import withdraw
from reverie.apply.writer import mark
from reverie.core.errors import RefusedFile
from reverie.core.layout import (
    CORPUS,
    INDEX_DB,
    LOCK,
    OWN_CORPUS,
    PEER_JOURNAL,
    PEER_RECALLS,
    PEER_SESSIONS,
    PEER_SIGNALS,
    PROPOSAL,
    RUNS,
    STATE_DIR,
    TOPICS,
    VAULT,
    Kind,
    place_of,
)
from reverie.evidence.index import is_other_version, remove_index
from reverie.privacy.masking import Wanted, is_binary, masked_file, owners_lines
from reverie.workspace.values import SCRUBBED, Workspace, json_object, to_text

_HOSTS = (PEER_JOURNAL, PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS)
_OURS = frozenset({
    Kind.DIARY, Kind.REPORT, Kind.PALACE, Kind.KNOWLEDGE, Kind.REVIEW_LOG, Kind.CURSOR, Kind.LEDGER, Kind.INDEX,
})  # fmt: skip
_PARTLY = frozenset({Kind.DIARY, Kind.KNOWLEDGE})  # the owner writes around our blocks
_FOLDERS = ("memory", "knowledge")


class Whose(Enum):
    OURS = "ours"
    HOST = "host"  # OpenClaw's own state: masked only if the owner says so
    OWNER = "owner"
    SHOWN = "shown"  # a projection: made anew from MEMORY.md, never masked by itself


@dataclass(frozen=True, slots=True)
class Item:
    """A file that is looked at: what it is called (a path of the layout, else where it lies), and whose it is."""

    name: str
    path: Path
    whose: Whose


@dataclass(frozen=True, slots=True)
class Held:
    """A file that holds what is wanted, and in which lines (from one); a file that is no text has none."""

    item: Item
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What was looked at, and what was found."""

    files: int
    size: int
    held: tuple[Held, ...]
    named: tuple[Item, ...] = ()  # what is wanted stands in the name of the file, or of its folder
    unread: tuple[Item, ...] = ()  # of ours, and not to be read: a pipe, a folder without permission
    lost: tuple[str, ...] = ()  # runs that could not be undone any more, were it masked


def items_of(workspace: Workspace, beside: Sequence[Path] = ()) -> Iterator[Item]:
    """Every file that a command of ours writes, and the owner's files that are read; `beside` are folders of ours elsewhere."""
    root, vault = workspace.root, workspace.vault
    if (home := workspace.home) is not None:
        yield from (Item(TOPICS + path.relative_to(home).as_posix(), path, Whose.OWNER) for path in plain_files(home))
    tops = sorted(root.iterdir()) if root.is_dir() else []
    here = [path for path in tops if path.is_file() and not path.is_symlink()]
    below = [path for name in _FOLDERS if not (root / name).is_symlink() for path in plain_files(root / name)]
    for path in (*here, *below):
        name = path.relative_to(root).as_posix()
        if name != LOCK and (whose := _whose(name)) is not None:
            yield Item(name, path, whose)
    for path in plain_files(vault) if vault.is_dir() and not vault.is_symlink() else ():
        name = VAULT + path.relative_to(vault).as_posix()
        if place_of(name).kind is not Kind.FOREIGN or path.name.endswith(ERASING):
            yield Item(name, path, Whose.OURS)
    if workspace.peer_db is not None:
        yield Item(str(workspace.peer_db), workspace.peer_db, Whose.HOST)
    yield from _projected(workspace)
    for folder in beside:
        for path in plain_files(folder):
            yield Item(f"{folder.name}/{path.relative_to(folder).as_posix()}", path, Whose.OURS)


def _whose(name: str) -> Whose | None:
    kind = place_of(name).kind
    if name in _HOSTS or (name.startswith(f"{CORPUS}/") and not name.startswith(f"{OWN_CORPUS}/")):
        return Whose.HOST
    if name.startswith(f"{RUNS}/") and name.rpartition("/")[2].startswith("kept-"):
        return Whose.OWNER  # it may be the only copy of the owner's words
    if name.startswith(f"{STATE_DIR}/") or kind in _OURS or name.endswith(ERASING):
        return Whose.OURS
    return Whose.OWNER if kind not in (Kind.FOREIGN, Kind.STATE) else None


def _projected(workspace: Workspace) -> Iterator[Item]:
    for one in workspace.settings.project:
        with suppress(RefusedFile):
            target = target_of(workspace, one.path)
            yield Item(str(target), target, Whose.SHOWN)
            before = target.with_name(target.name + BEFORE)
            if before.is_file():
                yield Item(str(before), before, Whose.OURS)


def look(workspace: Workspace, items: Sequence[Item], wanted: Wanted, owners: frozenset[Kind]) -> Look:
    """Read every byte of these files, and say which hold what is wanted; of the owner's, those of the given kinds."""
    held: list[Held] = []
    unread: list[Item] = []
    files = size = 0
    for item in items:
        data = bytes_of(item.path)
        if data is None:
            unread += [item] if item.whose is Whose.OURS and os.path.lexists(item.path) else []
            continue
        theirs = item.whose is Whose.OWNER
        files, size = (files, size) if theirs else (files + 1, size + len(data))
        if theirs and place_of(item.name).kind not in owners:
            continue
        held += _held(workspace, item, data, wanted)
    named = tuple(item for item in items if not Path(item.name).is_absolute() and wanted.in_name(item.name))
    folders = sorted({one.item.path.parent for one in held if one.item.name.startswith(f"{RUNS}/")})
    lost = tuple(folder.name for folder in folders if _lost_paths(folder, wanted))
    return Look(files, size, tuple(held), named, tuple(unread), lost)


def _held(workspace: Workspace, item: Item, data: bytes, wanted: Wanted) -> Iterator[Held]:
    if item.path.name.endswith(ERASING):  # the old bytes, beside a file that a killed scrub or purge had exchanged
        yield Held(item)
        return
    if is_binary(data):
        other = item.name == INDEX_DB and is_other_version(workspace.root)
        if other or wanted.in_bytes(data):
            yield Held(item)
        return
    if item.whose is Whose.OWNER:
        lines = owners_lines(item.name, to_text(data), wanted)
    else:
        lines = masked_file(item.name, data, wanted).lines
    if lines:
        yield Held(item, lines)
    if item.whose is Whose.OURS and place_of(item.name).kind in _PARTLY:
        theirs = owners_lines(item.name, to_text(data), wanted)
        yield from [Held(Item(item.name, item.path, Whose.OWNER), theirs)] if theirs else []


def bytes_of(path: Path) -> bytes | None:
    """The bytes of a plain file; None for anything else, and for what went while we looked."""
    with suppress(OSError, RefusedFile):
        return read_bytes(path)
    return None


def mask(workspace: Workspace, held: Sequence[Held], wanted: Wanted, disk: Disk | None = None) -> None:
    """Mask all of it; first the records say which of the owner's files they can no longer bring back."""
    disk = disk or Disk()
    for folder in sorted({one.item.path.parent for one in held if one.item.name.startswith(f"{RUNS}/")}):
        if lost := _lost_paths(folder, wanted):
            done = json_object(bytes_of(folder / "DONE"))
            mark(folder, "DONE", {**done, "after": done["after"] | dict.fromkeys(lost, SCRUBBED)}, disk)
    for one in held:
        if one.item.path.name.startswith(("index.db", "index-")) and one.item.path.parent == workspace.root / STATE_DIR:
            remove_index(workspace.root)  # derived: the next search builds it anew
        elif one.item.path.name.endswith(ERASING) or _is_displaced(one.item):
            disk.remove(one.item.path)
        elif one.item.name == PROPOSAL:
            withdraw(workspace, disk)  # the next night proposes it anew
        elif one.lines:
            _mask_file(one.item, wanted, disk)


def _mask_file(item: Item, wanted: Wanted, disk: Disk) -> None:
    rewritten(item.path, lambda data: masked_file(item.name, data, wanted).data, disk)


def _is_displaced(item: Item) -> bool:
    """A replaced file that a start has looked at already; masked, it would be taken for somebody's late words."""
    return item.name.startswith(f"{RUNS}/") and item.path.name.startswith("old-")


def _lost_paths(folder: Path, wanted: Wanted) -> set[str]:
    """The owner's files that this run could bring back only with a mask in them."""
    plan, done = bytes_of(folder / "plan.json"), json_object(bytes_of(folder / "DONE"))
    if plan is None or not isinstance(done.get("after"), dict):
        return set()
    before = _edits(plan)
    after = _edits(masked_file(f"{RUNS}/{folder.name}/plan.json", plan, wanted).data)
    if len(before) != len(after):
        return set()
    changed = [
        str(old.get("path"))
        for old, new in zip(before, after, strict=True)
        if (old.get("old"), old.get("new")) != (new.get("old"), new.get("new"))
    ]
    return {path for path in changed if _whose(path) is Whose.OWNER} & set(done["after"])


def _edits(data: bytes) -> list[dict[str, Any]]:
    try:
        found = json.loads(data)["edits"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
