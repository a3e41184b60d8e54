"""Disks for disaster tests: one whose power is cut, one that fails, one on which somebody else is busy.

What survives a power cut is what POSIX promises and no more: the bytes of a file after `sync`, and the names in a
folder after `sync_folder` of that folder. A name is remembered by a second, hidden name for the same file (a hard
link), so that a folder can be put back to what it surely held.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from reverie.store.disk import Disk
from reverie.workspace.layout import RUNS, Layout

STEPS = ("make_folder", "create", "sync", "rename", "swap", "place", "append", "write_at", "remove", "sync_folder")
Hook = Callable[..., None]


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
        self.data = b""  # what the present step writes

    def step(self, kind: str, *paths: Path) -> None:
        """Before."""

    def made(self, kind: str, *paths: Path) -> None:
        """After."""


def _stepped(kind: str) -> Callable[..., None]:
    real = getattr(Disk, kind)

    def take(disk: SteppedDisk, *args: Any, **more: Any) -> None:
        paths = [arg for arg in args if isinstance(arg, Path)]
        if (kind == "make_folder" and paths[0].is_dir()) or (kind == "remove" and not os.path.lexists(paths[0])):
            return  # there is nothing to do, and nothing to cut
        disk.data = next((arg for arg in args if isinstance(arg, bytes)), b"")
        disk.took.append(f"{kind} {' → '.join(path.name for path in paths)}")
        disk.step(kind, *paths)
        if kind not in ("sync", "sync_folder"):  # only a real power cut could tell
            real(disk, *args, **more)
        disk.made(kind, *paths)

    return take


for _kind in STEPS:
    setattr(SteppedDisk, _kind, _stepped(_kind))


class PowerDisk(SteppedDisk):
    """The power is cut just before step `at` (from one), and stays off. Without `at` it never is."""

    def __init__(self, layout: Layout, at: int = 0, loses: Loses = Loses.NOTHING) -> None:
        super().__init__()
        self.at, self.loses, self.off = at, loses, False
        layout.state.mkdir(parents=True, exist_ok=True)  # the lock makes it, and makes it certain by itself
        outside = [] if layout.vault.is_relative_to(layout.root) else [layout.vault.parent]
        self.roots = [layout.root, *outside]
        self.runs = layout.real(RUNS)
        self.torn: set[int] = set()  # files whose bytes are not certain
        self.certain: dict[Path, dict[str, int | None]] = {}  # the names a folder surely holds; None: a folder
        self.hidden = Path(tempfile.mkdtemp(dir=layout.root.parent, prefix=".names-"))
        for folder in self._folders():
            self._remember(folder)

    def step(self, kind: str, *paths: Path) -> None:
        if len(self.took) == self.at and not self.off:
            self.off = True
            if kind == "append" and self.loses is Loses.BYTES:
                Disk().append(paths[0], self.data[: len(self.data) // 2])  # the one write that others see half
            self._lose()
        if self.off:
            raise PowerCut(f"before step {self.at}: {self.took[self.at - 1]}")
        if kind == "make_folder":
            self.certain |= {folder: {} for folder in (paths[0], *paths[0].parents) if not folder.exists()}

    def made(self, kind: str, *paths: Path) -> None:
        if kind == "create":
            self.torn.add(paths[0].stat().st_ino)
        elif kind in ("sync", "append", "write_at"):
            self.torn.discard(paths[0].stat().st_ino)
        elif kind == "sync_folder" and any(paths[0].is_relative_to(root) for root in self.roots):
            self._remember(paths[0])

    def close(self) -> None:
        shutil.rmtree(self.hidden, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        for root in self.roots:
            for folder, _, _ in os.walk(root):
                yield Path(folder)

    def _remember(self, folder: Path) -> None:
        self.certain[folder] = names = {}
        for item in folder.iterdir():
            names[item.name] = None if item.is_dir() else item.stat().st_ino
            if item.is_file() and not (self.hidden / str(names[item.name])).exists():
                os.link(item, self.hidden / str(names[item.name]))

    def _lose(self) -> None:
        if self.loses is not Loses.NOTHING:
            self._tear()
        if self.loses not in (Loses.NOTHING, Loses.BYTES):
            for root in self.roots:
                self._put_back(root)
        self.close()

    def _tear(self) -> None:
        for file in [file for folder in (*self._folders(), self.hidden) for file in folder.iterdir()]:
            if file.is_file() and file.stat().st_ino in self.torn:
                os.truncate(file, 0 if self.loses is Loses.NAMES else file.stat().st_size // 2)
                self.torn.discard(file.stat().st_ino)

    def _put_back(self, folder: Path) -> None:
        if self.loses is Loses.NAMES or folder.is_relative_to(self.runs) is (self.loses is Loses.RECORD):
            certain = self.certain.get(folder, {})
            for item in folder.iterdir():
                leads_to_record = self.loses is Loses.FILES and self.runs.is_relative_to(item)
                if item.name not in certain and not leads_to_record:
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

    def __init__(self, before: Hook = lambda *_: None, after: Hook = lambda *_: None) -> None:
        super().__init__()
        self.step, self.made = before, after  # type: ignore[method-assign]


class KilledDisk(SteppedDisk):
    """The process is killed before step `at`."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def step(self, kind: str, *paths: Path) -> None:
        if len(self.took) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
