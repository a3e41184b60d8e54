"""Reads a workspace: every file of the layout once, with its hash; what did not change is not parsed again.

Only real files inside the workspace are read. A symbolic link, a device, a pipe or a file that cannot be
opened is refused with a word and listed in the snapshot, because a file we did not see is not an empty file.

Reads one file of the layout by its name, for those who were told a place and want to see it. Never writes.

A name comes from outside, so it is checked as one: it must be a path of the layout, and no folder on the way to it may be
a link that leads elsewhere.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from reverie.core.errors import NoWorkspace
from reverie.core.layout import CORPUS, OWN_CORPUS, OWN_CURSORS, STATE_DIR, VAULT, Kind, Place, place_of
from reverie.text.markdown import Document, parse
from reverie.workspace.dumps import is_session_dump, spoken_in
from reverie.workspace.entries import entries_of
from reverie.workspace.logs import records_of
from reverie.workspace.projection import is_projection
from reverie.workspace.values import File, Parsed, Refusal, Snapshot, Workspace, hash_bytes, to_text

LARGEST = 64 * 1024 * 1024  # nobody's notes are larger; a runaway log would take all memory
_FOLDERS = ("memory", "Memory", ".learnings", "knowledge")
_VAULT_FOLDERS = ("meta", "obsidian-index")
_PROSE = (".md", ".proposed")  # files that hold Markdown; others are kept as text without blocks
_UNREAD = frozenset({Kind.STATE, Kind.FOREIGN, Kind.CONFIG})
Familiar = Callable[[str, "os.DirEntry[str]"], bool]


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
    workspace: Workspace,
    known: Mapping[str, tuple[str, int, int]],
    on_read: Callable[[int], None] | None = None,
    only: Iterable[str] | None = None,
) -> tuple[dict[str, Seen], tuple[str, ...], tuple[Refusal, ...]]:
    """Files that are new or changed, and paths that are gone, given (hash, size, mtime) of those that are known.

    As git does it: a file whose size and time of change are the same is not read. One that changed within the last two
    seconds may change again within the same tick of the clock, so its time is not trusted (it is returned as zero).
    With `only`, no folder is listed: these paths are looked at, whose folders the caller knows to be as they were.
    """
    refused: list[Refusal] = []
    changed: dict[str, Seen] = {}
    there: set[str] = set()
    fresh = time.time_ns() - 2_000_000_000

    def familiar(path: str, item: os.DirEntry[str]) -> bool:
        """Whether a file is as it was: nearly all are, so nothing else is asked about them."""
        if (old := known.get(path)) is None:
            return False
        try:
            about = item.stat(follow_symlinks=False)
        except OSError:  # it went while we looked, or must be refused with a word
            return False
        if about.st_size != old[1] or about.st_mtime_ns != old[2] or not stat.S_ISREG(about.st_mode):
            return False
        there.add(path)
        return True

    found = _candidates(workspace, refused, familiar) if only is None else _named(workspace, only)
    for path, real in found:
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
    expected = known if only is None else [path for path in only if path in known]
    return changed, tuple(path for path in expected if path not in there), tuple(refused)


def _named(workspace: Workspace, paths: Iterable[str]) -> Iterator[tuple[str, Path | str]]:
    return ((path, real_path(workspace, path)) for path in sorted(paths))


def real_path(workspace: Workspace, path: str) -> Path:
    """Where a path of the layout stands on the disk."""
    return workspace.vault / path.removeprefix(VAULT) if path.startswith(VAULT) else workspace.root / path


def reread(snapshot: Snapshot, texts: dict[str, str], hashes: dict[str, str]) -> Snapshot:
    """The snapshot as it would be with these texts in place: what a plan leads to, without writing it."""
    files = dict(snapshot.files)
    for path, text in texts.items():
        files[path] = _file(snapshot.workspace, path, place_of(path), hashes[path], text)
    return Snapshot(snapshot.workspace, MappingProxyType(files), snapshot.refused)


def _file(workspace: Workspace, path: str, place: Place, digest: str, text: str) -> File:
    if is_projection(text):
        place = Place(Kind.PROJECTION)  # what another memory said, wherever it lies: own output, never evidence
    elif place.kind is Kind.DAILY and is_session_dump(text):
        place = Place(Kind.SESSION, place.day, place.time, place.slug)
    return File(path, place, digest, text, partial(_parsed, workspace, path, place, text))


def _parsed(workspace: Workspace, path: str, place: Place, text: str) -> Parsed:
    if place.kind is Kind.LOG and path.endswith(".jsonl"):
        return Document((), ()), records_of(path, text)
    prose = path.endswith(_PROSE) or path.lower().endswith(".md")
    document = (
        parse(text, by_line=place.kind is Kind.DAILY) if prose and not path.startswith(VAULT) else Document((), ())
    )
    if place.kind is Kind.SESSION:
        return document, spoken_in(path, place, text)
    return document, entries_of(path, place, document, workspace.settings.protected_sections)


def _candidates(
    workspace: Workspace, refused: list[Refusal], familiar: Familiar | None = None
) -> Iterator[tuple[str, Path | str]]:
    root, vault = workspace.root, workspace.vault
    yield from _folder(root, "", refused, familiar, deep=False)
    for name in _FOLDERS:
        if _is_real_folder(root / name, name, refused):
            yield from _folder(root / name, f"{name}/", refused, familiar, deep=True)
    if (
        not (root / "memory").is_symlink()
        and any((root / path).exists() for path in OWN_CURSORS)
        and _is_real_folder(root / STATE_DIR, STATE_DIR, refused)
    ):  # of our own state, only the cursors are part of a snapshot
        yield from ((path, root / path) for path in OWN_CURSORS if (root / path).exists())
    if _is_real_folder(root / CORPUS, CORPUS, refused):
        yield from _folder(root / CORPUS, f"{CORPUS}/", refused, familiar, deep=False)
        if _is_real_folder(root / OWN_CORPUS, OWN_CORPUS, refused):
            yield from _folder(root / OWN_CORPUS, f"{OWN_CORPUS}/", refused, familiar, deep=False)
    if _is_real_folder(vault, VAULT, refused):
        yield from _folder(vault, VAULT, refused, familiar, deep=False)
        for name in _VAULT_FOLDERS:
            if _is_real_folder(vault / name, VAULT + name, refused):
                yield from _folder(vault / name, f"{VAULT}{name}/", refused, familiar, deep=True)


def _is_real_folder(path: Path, shown: str, refused: list[Refusal]) -> bool:
    if path.is_symlink():
        refused.append(Refusal(shown, "is a symbolic link to a folder; only real folders are read"))
        return False
    return path.is_dir()


def _folder(
    folder: Path, prefix: str, refused: list[Refusal], familiar: Familiar | None = None, *, deep: bool
) -> Iterator[tuple[str, str]]:
    """The files of a folder in a fixed order; only what the layout knows is even looked at, and no familiar file."""
    try:
        with os.scandir(folder) as listed:
            unsure = [item for item in listed if not (familiar and familiar(prefix + item.name, item))]
        found = sorted(unsure, key=lambda item: item.name)
    except OSError as error:
        refused.append(Refusal(prefix.rstrip("/") or ".", f"cannot be listed ({error.strerror})"))
        return
    for item in found:
        path = prefix + item.name
        if item.is_dir(follow_symlinks=False):
            if deep and place_of(f"{path}/x.md").kind is not Kind.STATE:
                yield from _folder(folder / item.name, f"{path}/", refused, familiar, deep=True)
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
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            refused.append(Refusal(path, "is a device, a pipe or a socket; only real files are read"))
        elif about.st_size > LARGEST:
            refused.append(Refusal(path, f"is larger than {LARGEST // 1024 // 1024} MB; it was left unread"))
        else:
            return _all_of(handle, about.st_size)
    finally:
        os.close(handle)
    return None


def _all_of(handle: int, size: int) -> bytes:
    """Every byte up to the end; a file that grows while it is read is read to where it ends now."""
    parts = []
    while part := os.read(handle, max(size, 4096) + 1):  # one byte more, so that most files take two calls
        parts.append(part)
    return b"".join(parts)


_CLOSED = frozenset({Kind.STATE, Kind.FOREIGN, Kind.CONFIG, Kind.CURSOR})  # ours, not ours at all, or nobody's reading


def read_one(workspace: Workspace, path: str) -> File | Refusal | None:
    """The file of this name; a refusal with its reason where it may not be read; None where there is none."""
    name = path.replace("\\", "/").removeprefix("./")
    inner = PurePosixPath(name.removeprefix(VAULT))
    if inner.is_absolute() or ".." in inner.parts or "\0" in name or place_of(name).kind in _CLOSED:
        return Refusal(path, "is no note of this workspace")
    if not _stays_inside(workspace, name):
        return Refusal(path, "is reached through a link; only real folders are read")
    changed, _, refused = read_changes(workspace, {}, only=[name])
    if refused:
        return refused[0]
    return changed[name].file if name in changed else None


def _stays_inside(workspace: Workspace, name: str) -> bool:
    base = workspace.vault if name.startswith(VAULT) else workspace.root
    real = os.path.realpath(real_path(workspace, name).parent)
    return real == os.path.normpath(
        os.path.join(os.path.realpath(base), *PurePosixPath(name.removeprefix(VAULT)).parent.parts)
    )
