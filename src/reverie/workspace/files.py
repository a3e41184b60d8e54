"""The files of a workspace, before anybody says what they hold. Nothing is followed, nothing is written."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from reverie.errors import Unreadable
from reverie.workspace.layout import (
    ABOUT_OWNER,
    FOLDERS,
    LONG_TERM,
    MEMORY,
    OWNER_RULES,
    TODOS,
    FileKind,
    Layout,
    is_flat_topic,
)

LARGEST = 4_000_000  # bytes; nobody writes such a note, programs do
FRESH = 2_000_000_000  # nanoseconds: a file changed so lately may change again without another time
_T = TypeVar("_T")
Entries = Callable[[str | Path], list[os.DirEntry[str]]]
_READ = LONG_TERM | {FileKind.NOTE, FileKind.LOG, FileKind.RULES, FileKind.PAGE, FileKind.CONTENT}


def read_bytes(path: str | Path, largest: int = LARGEST) -> bytes:
    """The bytes of a plain file; Unreadable says why not. A link is never followed: it may lead out."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise Unreadable("a link is not followed" if os.path.islink(path) else str(error.strerror).lower()) from None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("it is no plain file")
        if about.st_size > largest:
            raise Unreadable(f"it is larger than {largest:,} bytes")
        return file.read()


def decoded(data: bytes | str, kind: type[_T]) -> _T:
    """JSON as a value; half a million brackets are as damaged as half a file, and no end of the program."""
    import msgspec  # a warm search does without

    try:
        return msgspec.json.decode(data, type=kind)
    except RecursionError:
        raise msgspec.DecodeError("its brackets are nested too deeply") from None


def entries_of(folder: str | Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def candidates(layout: Layout, entries: Entries = entries_of) -> Iterator[tuple[str, FileKind, os.DirEntry[str]]]:
    """Every file that we read, by its name; folders are not entered where nothing of ours can lie."""
    names = {layout.memory_name: MEMORY, **{name: name for name in (OWNER_RULES, TODOS, ABOUT_OWNER)}}
    for entry in entries(layout.root):
        is_topic = entry.name not in names and not layout.topics and is_flat_topic(entry.path)
        if name := entry.name if is_topic else names.get(entry.name):
            yield name, layout.kind(name), entry
    for folder in FOLDERS:
        yield from _below(layout, folder, layout.real(folder), entries)


def _below(
    layout: Layout, prefix: str, folder: str | Path, entries: Entries
) -> Iterator[tuple[str, FileKind, os.DirEntry[str]]]:
    for entry in entries(folder):
        path = f"{prefix}/{entry.name}"
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _below(layout, path, entry.path, entries)
        elif (kind := layout.kind(path)) in _READ and path.isprintable():  # no record could hold the other names
            yield path, kind, entry
