"""Reads a workspace: every file of the layout once, with its hash; what did not change is not parsed again.

Only real files inside the workspace are read. A symbolic link, a device, a pipe or a file that cannot be
opened is refused with a word and listed in the snapshot, because a file we did not see is not an empty file.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from reverie.errors import NoWorkspace
from reverie.layout import CORPUS, REVIEWED, STATE_DIR, VAULT, Kind, Place, place_of
from reverie.markdown import Document, parse
from reverie.model import File, Refusal, Snapshot, Workspace, hash_bytes, to_text
from reverie.workspace.entries import entries_of, is_session_dump

LARGEST = 64 * 1024 * 1024  # nobody's notes are larger; a runaway log would take all memory
_FOLDERS = ("memory", "Memory", ".learnings", "knowledge")
_VAULT_FOLDERS = ("meta", "obsidian-index")
_PROSE = (".md", ".proposed")  # files that hold Markdown; others are kept as text without blocks
_UNREAD = frozenset({Kind.STATE, Kind.FOREIGN, Kind.CONFIG})


def read_workspace(
    workspace: Workspace, previous: Snapshot | None = None, on_read: Callable[[int], None] | None = None
) -> Snapshot:
    """The workspace as it is now. Files whose hash `previous` knows keep their parsed form.

    `on_read` hears the count after each file, for those who like to see progress.
    """
    if not workspace.root.is_dir():
        raise NoWorkspace(f"{workspace.root} is not a folder. Name one with --workspace PATH.")
    known = previous.files if previous and previous.workspace == workspace else {}
    files: dict[str, File] = {}
    refused: list[Refusal] = []
    for path, real in _candidates(workspace, refused):
        place = place_of(path)
        if place.kind in _UNREAD:
            continue
        data = _read(path, real, refused)
        if data is None:
            continue
        digest = hash_bytes(data)
        old = known.get(path)
        files[path] = old if old and old.hash == digest else _file(workspace, path, place, digest, to_text(data))
        if on_read is not None:
            on_read(len(files))
    return Snapshot(workspace, MappingProxyType(files), tuple(refused))


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that changed since somebody last looked, with what shows at a glance that it did not change again."""

    file: File
    size: int
    mtime: int


def read_changes(
    workspace: Workspace, known: Mapping[str, tuple[str, int, int]], on_read: Callable[[int], None] | None = None
) -> tuple[dict[str, Seen], tuple[str, ...], tuple[Refusal, ...]]:
    """Files that are new or changed, and paths that are gone, given (hash, size, mtime) of those that are known.

    As git does it: a file whose size and time of change are the same is not read. One that changed within the last two
    seconds may change again within the same tick of the clock, so its time is not trusted (it is returned as zero).
    """
    refused: list[Refusal] = []
    changed: dict[str, Seen] = {}
    there: set[str] = set()
    fresh = time.time_ns() - 2_000_000_000
    for path, real in _candidates(workspace, refused, corpus=True):
        place = place_of(path)
        if place.kind in _UNREAD:
            continue
        there.add(path)
        digest, size, mtime = known.get(path, ("", -1, -1))
        try:
            about = os.stat(real, follow_symlinks=False)
        except FileNotFoundError:  # it went while we looked
            there.discard(path)
            continue
        if size == about.st_size and mtime == about.st_mtime_ns:
            continue
        data = _read(path, real, refused)
        if data is None:
            there.discard(path)
            continue
        trusted = about.st_mtime_ns if about.st_mtime_ns < fresh else 0
        if hash_bytes(data) != digest or mtime != trusted:
            file = _file(workspace, path, place, hash_bytes(data), to_text(data))
            changed[path] = Seen(file, about.st_size, trusted)
            if on_read is not None:
                on_read(len(changed))
    return changed, tuple(path for path in known if path not in there), tuple(refused)


def reread(snapshot: Snapshot, texts: dict[str, str], hashes: dict[str, str]) -> Snapshot:
    """The snapshot as it would be with these texts in place: what a plan leads to, without writing it."""
    files = dict(snapshot.files)
    for path, text in texts.items():
        files[path] = _file(snapshot.workspace, path, place_of(path), hashes[path], text)
    return Snapshot(snapshot.workspace, MappingProxyType(files), snapshot.refused)


def _file(workspace: Workspace, path: str, place: Place, digest: str, text: str) -> File:
    prose = path.endswith(_PROSE) or path.lower().endswith(".md")
    document = parse(text) if prose and not path.startswith(VAULT) else Document((), ())
    if place.kind is Kind.DAILY and is_session_dump(document):
        place = Place(Kind.SESSION, place.day, place.time, place.slug)
    entries = entries_of(path, place, document, workspace.settings.protected_sections)
    return File(path, place, digest, text, document, entries)


def _candidates(
    workspace: Workspace, refused: list[Refusal], *, corpus: bool = False
) -> Iterator[tuple[str, Path | str]]:
    root, vault = workspace.root, workspace.vault
    yield from _folder(root, "", refused, deep=False)
    for name in _FOLDERS:
        if _is_real_folder(root / name, name, refused):
            yield from _folder(root / name, f"{name}/", refused, deep=True)
    if (
        not (root / "memory").is_symlink()
        and (root / REVIEWED).exists()
        and _is_real_folder(root / STATE_DIR, STATE_DIR, refused)
    ):
        yield REVIEWED, root / REVIEWED  # of our own state, only the cursor is part of a snapshot
    if corpus and _is_real_folder(root / CORPUS, CORPUS, refused):
        yield from _folder(root / CORPUS, f"{CORPUS}/", refused, deep=False)
    if _is_real_folder(vault, VAULT, refused):
        yield from _folder(vault, VAULT, refused, deep=False)
        for name in _VAULT_FOLDERS:
            if _is_real_folder(vault / name, VAULT + name, refused):
                yield from _folder(vault / name, f"{VAULT}{name}/", refused, deep=True)


def _is_real_folder(path: Path, shown: str, refused: list[Refusal]) -> bool:
    if path.is_symlink():
        refused.append(Refusal(shown, "is a symbolic link to a folder; only real folders are read"))
        return False
    return path.is_dir()


def _folder(folder: Path, prefix: str, refused: list[Refusal], *, deep: bool) -> Iterator[tuple[str, str]]:
    """The files of a folder in a fixed order; only what the layout knows is even looked at."""
    try:
        found = sorted(os.scandir(folder), key=lambda item: item.name)
    except OSError as error:
        refused.append(Refusal(prefix.rstrip("/") or ".", f"cannot be listed ({error.strerror})"))
        return
    for item in found:
        path = prefix + item.name
        if item.is_dir(follow_symlinks=False):
            if deep and place_of(f"{path}/x.md").kind is not Kind.STATE:
                yield from _folder(folder / item.name, f"{path}/", refused, deep=True)
        elif deep and item.is_symlink() and item.is_dir() and place_of(f"{path}/x.md").kind is not Kind.STATE:
            refused.append(Refusal(path, "is a symbolic link to a folder; only real folders are read"))
        elif place_of(path).kind in _UNREAD:
            continue
        elif item.is_symlink():
            refused.append(Refusal(path, "is a symbolic link; only real files are read"))
        else:
            yield path, item.path


def _read(path: str, real: Path | str, refused: list[Refusal]) -> bytes | None:
    """The bytes of a regular file, opened so that neither a link nor a waiting pipe can trick us."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(real, flags)
    except OSError as error:
        refused.append(Refusal(path, f"cannot be opened ({error.strerror})"))
        return None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            refused.append(Refusal(path, "is a device, a pipe or a socket; only real files are read"))
        elif about.st_size > LARGEST:
            refused.append(Refusal(path, f"is larger than {LARGEST // 1024 // 1024} MB; it was left unread"))
        else:
            return file.read()
    return None
