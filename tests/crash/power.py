"""Disks for disaster tests: one whose power is cut, one that fails, one on which somebody else is busy.

What survives a power cut is what POSIX promises and no more: the bytes of a file after `sync`, and the names in a
folder after `sync_folder` of that folder. A name is remembered by a second, hidden name for the same file (a hard
link), so that a folder can be put back to what it surely held.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path

from reverie.apply.files import Disk
from reverie.core.layout import RUNS
from reverie.workspace.values import Workspace

STEPS = ("make_folder", "create", "sync", "rename", "swap", "place", "append", "remove", "remove_folder", "sync_folder")


class PowerCut(BaseException):
    """The machine is off. No `except Exception` and no cleanup may survive it."""


class Loses(StrEnum):
    """What a cut takes of that which was not synced; the truth may lie anywhere between these."""

    NOTHING = "nothing"
    BYTES = "half of the bytes"
    NAMES = "all bytes and all names"
    RECORD = "names in the record of the runs"
    FILES = "names everywhere else"


class SteppedDisk(Disk):
    """Tells `step` about every step before it is made, and `made` after it; `took` lists them all."""

    def __init__(self) -> None:
        self.took: list[str] = []

    def step(self, kind: str, *paths: Path) -> None:
        """Before."""

    def made(self, kind: str, *paths: Path) -> None:
        """After."""

    def _do(self, kind: str, *paths: Path, **more: object) -> None:
        self.took.append(f"{kind} {' → '.join(path.name for path in paths)}")
        self.step(kind, *paths)
        if not self.skips(kind):
            getattr(super(), kind)(*paths, **more)
        self.made(kind, *paths)

    def skips(self, kind: str) -> bool:
        """Whether the real step can be left out, because only a real power cut could tell."""
        return kind in ("sync", "sync_folder")

    def make_folder(self, path: Path) -> None:
        self._do("make_folder", path)

    def create(self, path: Path, data: bytes, like: os.stat_result | None = None) -> None:
        self._do("create", path, data=data, like=like)

    def sync(self, path: Path) -> None:
        self._do("sync", path)

    def rename(self, source: Path, target: Path) -> None:
        self._do("rename", source, target)

    def swap(self, fresh: Path, target: Path) -> None:
        self._do("swap", fresh, target)

    def place(self, fresh: Path, target: Path) -> None:
        self._do("place", fresh, target)

    def append(self, path: Path, data: bytes) -> None:
        self._do("append", path, data=data)

    def remove(self, path: Path) -> None:
        self._do("remove", path)

    def remove_folder(self, path: Path) -> None:
        self._do("remove_folder", path)

    def sync_folder(self, path: Path) -> None:
        self._do("sync_folder", path)


class PowerDisk(SteppedDisk):
    """The power is cut just before step `at` (from one), and stays off. Without `at` it never is."""

    def __init__(self, workspace: Workspace, at: int = 0, loses: Loses = Loses.NOTHING) -> None:
        super().__init__()
        self.at, self.loses, self.off = at, loses, False
        outside = [] if workspace.vault.is_relative_to(workspace.root) else [workspace.vault.parent]
        self.roots = [workspace.root, *outside]
        self.runs = workspace.root / RUNS
        self.torn: set[int] = set()  # files whose bytes are not certain
        self.certain: dict[Path, dict[str, int | None]] = {}  # the names a folder surely holds; None: a folder
        self.hidden = Path(tempfile.mkdtemp(dir=workspace.root.parent, prefix=".names-"))
        for root in self.roots:
            for folder in _folders(root):
                self._remember(folder)

    def step(self, kind: str, *paths: Path) -> None:
        if len(self.took) == self.at and not self.off:
            self.off = True
            self._lose()
        if self.off:
            raise PowerCut(f"before step {self.at}: {self.took[self.at - 1]}")

    def made(self, kind: str, *paths: Path) -> None:
        if kind == "create":
            self.torn.add(paths[0].stat().st_ino)
        elif kind == "sync":
            self.torn.discard(paths[0].stat().st_ino)
        elif kind == "sync_folder" and any(paths[0].is_relative_to(root) for root in self.roots):
            self._remember(paths[0])

    def make_folder(self, path: Path) -> None:
        self.certain |= {folder: {} for folder in (path, *path.parents) if not folder.exists()}
        super().make_folder(path)

    def close(self) -> None:
        shutil.rmtree(self.hidden, ignore_errors=True)

    def _remember(self, folder: Path) -> None:
        names: dict[str, int | None] = {}
        for item in folder.iterdir():
            names[item.name] = None if item.is_dir() else item.stat().st_ino
            if names[item.name] is not None and not (self.hidden / str(names[item.name])).exists():
                os.link(item, self.hidden / str(names[item.name]))
        self.certain[folder] = names

    def _lose(self) -> None:
        if self.loses is not Loses.NOTHING:
            self._tear()
        if self.loses in (Loses.NAMES, Loses.RECORD, Loses.FILES):
            for root in self.roots:
                self._put_back(root)
        self.close()

    def _tear(self) -> None:
        for file in [
            file for root in [*self.roots, self.hidden] for folder in _folders(root) for file in _files(folder)
        ]:
            if file.stat().st_ino in self.torn:
                os.truncate(file, 0 if self.loses is Loses.NAMES else file.stat().st_size // 2)
                self.torn.discard(file.stat().st_ino)

    def _put_back(self, folder: Path) -> None:
        if self._is_lost(folder):
            certain = self.certain.get(folder, {})
            for item in folder.iterdir():
                if item.name not in certain and not self._must_stay(item):
                    shutil.rmtree(item) if item.is_dir() else item.unlink()
            for name, inode in certain.items():
                self._put_name_back(folder / name, inode)
        for item in folder.iterdir():
            if item.is_dir():
                self._put_back(item)

    def _put_name_back(self, path: Path, inode: int | None) -> None:
        if inode is None:
            path.mkdir(exist_ok=True)
        elif not path.exists() or path.stat().st_ino != inode:
            path.unlink(missing_ok=True)
            os.link(self.hidden / str(inode), path)

    def _is_lost(self, folder: Path) -> bool:
        if self.loses is Loses.NAMES:
            return True
        return folder.is_relative_to(self.runs) is (self.loses is Loses.RECORD)

    def _must_stay(self, item: Path) -> bool:
        """The way to a record that survives survives with it."""
        return self.loses is Loses.FILES and self.runs.is_relative_to(item)


class FailingDisk(SteppedDisk):
    """Raises an OSError at step `at`, if it is one of these kinds: once, or from then on for ever."""

    def __init__(self, code: int, at: int, kinds: tuple[str, ...] = STEPS, *, forever: bool = False) -> None:
        super().__init__()
        self.code, self.at, self.kinds, self.forever, self.failed = code, at, kinds, forever, False

    def step(self, kind: str, *paths: Path) -> None:
        due = len(self.took) >= self.at if self.forever else len(self.took) == self.at
        if due and kind in self.kinds:
            self.failed = True
            if kind == "create" and self.code == errno.ENOSPC:
                paths[0].write_bytes(b"the disk was full after thes")  # a name needs no room; the bytes do
            raise OSError(self.code, os.strerror(self.code), str(paths[-1]))


class BusyDisk(SteppedDisk):
    """Somebody else is at work: `before` and `after` are called around every step with its kind and paths."""

    def __init__(
        self, before: Callable[..., None] = lambda *_: None, after: Callable[..., None] = lambda *_: None
    ) -> None:
        super().__init__()
        self.step, self.made = before, after  # type: ignore[method-assign]


def _folders(root: Path) -> Iterator[Path]:
    for folder, _, _ in os.walk(root):
        yield Path(folder)


def _files(folder: Path) -> list[Path]:
    return [item for item in folder.iterdir() if item.is_file()]
