"""Open indexes that wait for the next question of this process.

Opening one costs more than asking it. An index is taken from the shelf, used by one thread alone, and put back; who
finds none opens another. Before it is given out again it must still be the file at its place: one that was deleted,
replaced or damaged is let go. At the end of the process all are closed.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reverie.core.layout import INDEX_DB
from reverie.core.ports import Embedder
from reverie.evidence.index import Index, remove_index

MOST = 4  # workspaces whose index is kept open
_SHELF: dict[Path, Open] = {}
_INHERITED: list[Open] = []  # of a parent process: they are the parent's to use and to close


@dataclass(slots=True)
class Open:
    """An open index, and what its users remember from one question to the next."""

    index: Index
    identity: tuple[int, int]
    version: int
    memory: object = None  # forgotten when another process changed the index


@contextmanager
def borrowed(root: Path, embedder: Embedder | None) -> Iterator[Open]:
    """The index of a workspace, open. After an error it is closed, whatever it was."""
    held = _SHELF.pop(root, None)
    if held is not None and not _good(held, root, embedder):
        held.index.close()
        held = None
    held = held or _opened(root, embedder)
    try:
        yield held
    except BaseException:  # also Ctrl-C: what was interrupted is not put back on the shelf
        held.index.close()
        raise
    _keep(root, held)


def removed(root: Path) -> None:
    """Take the index of a workspace away, from the shelf and from the disk."""
    if held := _SHELF.pop(root, None):
        held.index.close()
    remove_index(root)


def _opened(root: Path, embedder: Embedder | None) -> Open:
    index = Index(root, embedder, remember=True)
    try:
        return Open(index, _identity(root), _version(index))
    except BaseException:  # also Ctrl-C: nobody else will close it
        index.close()
        raise


def _good(held: Open, root: Path, embedder: Embedder | None) -> bool:
    """Whether this is still the index at its place, for the same embedder. Notices what another process wrote."""
    if held.index.embedder is not embedder or held.index.trouble:
        return False
    try:
        if _identity(root) != held.identity:
            return False
        if (version := _version(held.index)) != held.version:
            held.version = version
            held.memory = None
            held.index.present()
    except (OSError, sqlite3.Error):
        return False
    return True


def _keep(root: Path, held: Open) -> None:
    if held.index.trouble:
        held.index.close()
        return
    for old in (_SHELF.pop(root, None), _SHELF.pop(next(iter(_SHELF)), None) if len(_SHELF) >= MOST else None):
        if old is not None:
            old.index.close()
    _SHELF[root] = held


def _identity(root: Path) -> tuple[int, int]:
    about = os.stat(root / INDEX_DB, follow_symlinks=False)
    return about.st_dev, about.st_ino


def _version(index: Index) -> int:
    """A number that changes when another connection wrote."""
    return int(index.db.execute("PRAGMA data_version").fetchone()[0])


def _close_all() -> None:
    while _SHELF:
        _SHELF.popitem()[1].index.close()


def _leave_to_parent() -> None:
    _INHERITED.extend(_SHELF.values())
    _SHELF.clear()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
