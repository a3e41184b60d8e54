"""What one process remembers of the files of a workspace, so that a question need not look at all of them again.

A new process looks at every file. After that a question looks at the folders, whose time of change tells that a file
came or went, and at the files that changed last, to which people and agents append. Everything is looked at again when
a folder changed or `AGAIN` seconds passed: an old file edited in place is noticed by every new process at once, and by
one that goes on running within that time.
"""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from reverie.core.layout import CORPUS, OWN_CORPUS, VAULT
from reverie.workspace.reader import Seen, read_changes
from reverie.workspace.values import Refusal, Workspace

AGAIN = 2.0  # seconds
HOT = 64  # files that changed last, looked at by every question
TICK = 100_000_000  # nanoseconds: two changes of a folder may carry the same time if they are nearer than this
Stamp = tuple[str, int, int]  # hash, size, time of change
Changes = tuple[dict[str, Seen], tuple[str, ...], tuple[Refusal, ...]]
_TOPS = ("", "memory", "Memory", ".learnings", "knowledge", CORPUS, OWN_CORPUS)
_VAULT_TOPS = ("", "meta", "obsidian-index")


class Watch:
    """The files as they were when last looked at. `known` is (hash, size, mtime) by path, as the index has it."""

    def __init__(
        self, workspace: Workspace, known: Mapping[str, Stamp], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.workspace = workspace
        self.known = dict(known)
        self._now = now
        self._looked = float("-inf")
        self._folders: dict[Path, tuple[int, int]] = {}
        self._hot: list[str] = []
        self._refused: tuple[Refusal, ...] = ()

    def changes(self, on_read: Callable[[int], None] | None = None) -> Changes:
        """What is new, changed or gone. Say what you made of it with `settle`, else you are told again."""
        if self._now() - self._looked < AGAIN and all(_stamp(path) == was for path, was in self._folders.items()):
            changed, gone, _ = read_changes(self.workspace, self.known, on_read, only=self._hot)
            return changed, gone, self._refused
        started, late = self._now(), time.time_ns() - TICK
        stamps = {path: _stamp(path) for path in self._places()}  # before the look, so that nothing falls between
        folders = {path: stamp if stamp[1] < late else (-1, -1) for path, stamp in stamps.items()}
        changed, gone, self._refused = read_changes(self.workspace, self.known, on_read)
        self._looked, self._folders = started, folders
        return changed, gone, self._refused

    def settle(self, changed: Mapping[str, Stamp], gone: Sequence[str]) -> None:
        """The index holds these now."""
        for path in gone:
            self.known.pop(path, None)
        self.known.update(changed)
        self._hot = heapq.nlargest(HOT, self.known, key=self._age) if not self._hot or gone else self._hotter(changed)

    def _hotter(self, changed: Iterable[str]) -> list[str]:
        return list(dict.fromkeys([*changed, *self._hot]))[:HOT]

    def _age(self, path: str) -> float:
        """When it changed; a time that is not trusted yet is the latest of all."""
        return self.known[path][2] or float("inf")

    def _places(self) -> set[Path]:
        inside = {path.rpartition("/")[0] for path in self.known if "/" in path and not path.startswith(VAULT)}
        root, vault = self.workspace.root, self.workspace.vault
        return {root / name for name in (*_TOPS, *inside)} | {vault / name for name in _VAULT_TOPS}


def _stamp(folder: Path) -> tuple[int, int]:
    """Which folder this is and when a file last came or went; a link or nothing has another stamp than a folder."""
    try:
        about = os.stat(folder, follow_symlinks=False)
    except OSError:
        return 0, 0
    return about.st_ino, about.st_mtime_ns
