"""Reads a workspace: every file of the layout once, with its hash; what did not change is not parsed again. Never writes.

Only real files inside the workspace are read. A symbolic link, a device, a pipe or a file that cannot be opened is refused
with a word and listed in the snapshot, because a file we did not see is not an empty file. `read_one` reads a file by a name
that came from outside. `read_historical` reads old notes wherever they lie, for a look back. `Watch` remembers the files for
one process, so that a question need not look at all of them again.
"""

from __future__ import annotations

import heapq
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from reverie.core.durable import NotPlain, is_utf16, open_plain
from reverie.core.errors import BadInput, NoWorkspace
from reverie.core.layout import (
    CORPUS,
    OWN_CORPUS,
    OWN_CURSORS,
    OWN_OUTPUT,
    PROJECT,
    STATE_DIR,
    TEAM,
    TOPICS,
    VAULT,
    Kind,
    Place,
    holds_memory,
    place_of,
)
from reverie.core.sealing import from_disk
from reverie.lang.messages import say
from reverie.privacy.names import masked_path
from reverie.text.markdown import Document, parse
from reverie.workspace.claude_memory import context_files
from reverie.workspace.claude_topics import about_topic
from reverie.workspace.projection import is_projection
from reverie.workspace.statements import logged_statements, statements_of
from reverie.workspace.transcripts import is_session_dump, spoken_in
from reverie.workspace.values import File, Parsed, Refusal, Snapshot, Workspace, hash_bytes, to_text

MB = 1024 * 1024
LARGEST = 64 * MB  # of what we write ourselves: an archive only grows
LARGEST_NOTE = 8 * MB  # nobody's notes are larger; a runaway log would take all night
LARGEST_MEMORY = MB  # fifty times what a host reads of it
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
    if workspace.home is None and not workspace.root.is_dir():
        raise NoWorkspace(say("read.no_folder", root=workspace.root))
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


class Stamp(NamedTuple):
    """Enough to see, without reading a file, that it did not change."""

    hash: str
    size: int
    mtime: int  # in nanoseconds; zero: not to be trusted


@dataclass(frozen=True, slots=True)
class Seen:
    """A file that changed since somebody last looked."""

    file: File
    stamp: Stamp


Changes = tuple[dict[str, Seen], tuple[str, ...], tuple[Refusal, ...]]


def read_changes(
    workspace: Workspace,
    known: Mapping[str, Stamp],
    on_read: Callable[[int], None] | None = None,
    only: Iterable[str] | None = None,
) -> Changes:
    """Files that are new or changed, paths that are gone, and what was refused, given the stamps of those that are known.

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
        if (about.st_size, about.st_mtime_ns) != old[1:] or not stat.S_ISREG(about.st_mode):
            return False
        there.add(path)
        return True

    found: Iterable[tuple[str, Path | str]]
    found = _candidates(workspace, refused, familiar) if only is None else _real_paths(workspace, only)
    for path, real in found:
        place = place_of(path)
        if place.kind in _UNREAD:
            continue
        old = known.get(path, Stamp("", -1, -1))
        try:
            about = os.stat(real, follow_symlinks=False)
        except (
            FileNotFoundError,
            NotADirectoryError,
        ):  # it went while we looked, or a file stands where its folder was
            continue
        except OSError as error:
            refused.append(Refusal(path, say("read.unopened", why=error.strerror)))
            continue
        if (about.st_size, about.st_mtime_ns) == old[1:]:
            there.add(path)
            continue
        data = _read(path, real, refused)
        if data is None:
            continue
        there.add(path)
        stamp = Stamp(hash_bytes(data), about.st_size, about.st_mtime_ns if about.st_mtime_ns < fresh else 0)
        if (stamp.hash, stamp.mtime) != (old.hash, old.mtime):
            changed[path] = Seen(_file(workspace, path, place, stamp.hash, to_text(data)), stamp)
            if on_read is not None:
                on_read(len(changed))
    expected = known if only is None else [path for path in only if path in known]
    return changed, tuple(path for path in expected if path not in there), tuple(refused)


def _real_paths(workspace: Workspace, paths: Iterable[str]) -> Iterator[tuple[str, Path | str]]:
    return ((path, real_path(workspace, path)) for path in sorted(paths))


def real_path(workspace: Workspace, path: str) -> Path:
    """Where a path of the layout stands on the disk."""
    folder, name = workspace.lies(path)
    return folder / name


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
        return Document((), ()), logged_statements(path, text)
    prose = path.endswith(_PROSE) or path.lower().endswith(".md")
    document = (
        parse(text, by_line=place.kind is Kind.DAILY) if prose and not path.startswith(VAULT) else Document((), ())
    )
    if place.kind is Kind.SESSION:
        return document, spoken_in(path, place, text)
    statements = statements_of(path, place, document, workspace.settings.protected_sections)
    return document, about_topic(path, text, statements) if place.kind is Kind.MEMORY_TOPIC else statements


def _candidates(
    workspace: Workspace, refused: list[Refusal], familiar: Familiar | None = None
) -> Iterator[tuple[str, Path | str]]:
    root, vault = workspace.root, workspace.vault
    if workspace.home is None:
        yield from _folder(root, "", refused, familiar, deep=False)
    else:
        yield from _of_the_host(workspace, workspace.home, refused, familiar)
        if not root.is_dir():  # no command has written anything yet
            return
        ours = _folder(root, "", refused, familiar, deep=False)
        yield from ((path, real) for path, real in ours if not holds_memory(path))
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
    if workspace.team is not None and _is_real_folder(workspace.team, TEAM, refused):
        yield from _folder(workspace.team, TEAM, refused, familiar, deep=True)
    elif workspace.team is not None and not workspace.team.exists():  # a disk that is not mounted is no empty folder
        refused.append(Refusal(TEAM, say("share.away")))
    if _is_real_folder(vault, VAULT, refused):
        yield from _folder(vault, VAULT, refused, familiar, deep=False)
        for name in _VAULT_FOLDERS:
            if _is_real_folder(vault / name, VAULT + name, refused):
                yield from _folder(vault / name, f"{VAULT}{name}/", refused, familiar, deep=True)


def _of_the_host(
    workspace: Workspace, home: Path, refused: list[Refusal], familiar: Familiar | None
) -> Iterator[tuple[str, Path | str]]:
    """A host's MEMORY.md and topic files, and what the owner wrote for it in the project."""
    if home.is_dir():  # the host makes it when it has something to write down
        top = _folder(home, "", refused, familiar, deep=False)
        yield from ((path, real) for path, real in top if place_of(path).kind is Kind.MEMORY)
        yield from _folder(home, TOPICS, refused, familiar, deep=True)
    if (project := workspace.project) is not None:
        files = ((name, project / name) for name in context_files(project))
        yield from ((PROJECT + name, real) for name, real in files if not real.is_symlink())


def _is_real_folder(path: Path, shown: str, refused: list[Refusal]) -> bool:
    if path.is_symlink():
        refused.append(Refusal(shown, say("read.linked_folder")))
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
        refused.append(Refusal(prefix.rstrip("/") or ".", say("read.unlisted", why=error.strerror)))
        return
    for item in found:
        path = prefix + item.name
        if not prefix and path.startswith((TOPICS, PROJECT, TEAM)):
            continue  # a name that only looks like one of ours
        if not _is_text(item.name):
            if deep or place_of(path).kind not in _UNREAD:
                refused.append(Refusal(path.encode("utf-8", "backslashreplace").decode(), say("odd.name")))
        elif _would_be_read(path, item, deep=deep) and (told := masked_path(item.name)) != item.name:
            refused.append(Refusal(prefix + told, say("odd.secret_name")))  # whatever is written names its source
        elif item.is_dir(follow_symlinks=False):
            if place_of(path).kind in (Kind.CONFIG, Kind.MEMORY):
                refused.append(Refusal(path, say("read.special")))
            if deep and place_of(f"{path}/x.md").kind is not Kind.STATE:
                yield from _folder(folder / item.name, f"{path}/", refused, familiar, deep=True)
        elif (
            deep and item.is_symlink() and Path(item.path).is_dir() and place_of(f"{path}/x.md").kind is not Kind.STATE
        ):
            refused.append(Refusal(path, say("read.linked_folder")))
        elif place_of(path).kind in _UNREAD:
            if place_of(path).kind is Kind.CONFIG and not Path(item.path).is_file():
                refused.append(Refusal(path, say("read.special")))  # settings are read elsewhere, and these are none
        elif item.is_symlink():
            refused.append(Refusal(path, say("read.linked_file")))
        else:
            yield path, item.path


def _would_be_read(path: str, item: os.DirEntry[str], *, deep: bool) -> bool:
    """Whether this is a source, or a folder of them; what the vault holds is ours, and named by us."""
    inner = f"{path}/x.md" if item.is_dir(follow_symlinks=False) else path
    return not path.startswith(VAULT) and place_of(inner).kind not in _UNREAD and (deep or inner == path)


def _is_text(name: str) -> bool:
    """Whether a name can be kept and shown: an index and a log hold Unicode, and a file system any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(path: str, real: Path | str, refused: list[Refusal]) -> bytes | None:
    """The bytes of a regular file, or a word about why there are none."""
    try:
        handle = open_plain(real)
    except NotPlain:
        refused.append(Refusal(path, say("read.special")))
        return None
    except OSError as error:
        refused.append(Refusal(path, say("read.unopened", why=error.strerror)))
        return None
    try:
        size, largest = os.fstat(handle).st_size, _largest(place_of(path).kind)
        if size <= largest:
            data = from_disk(real, _all_of(handle, size))
            if not is_utf16(data):
                return data
            refused.append(Refusal(path, say("read.utf16")))
            return None
    except OSError as error:  # a disk that fails, or a file of the kernel's that cannot be read
        refused.append(Refusal(path, say("read.unopened", why=error.strerror)))
        return None
    finally:
        os.close(handle)
    refused.append(Refusal(path, say("read.too_large", mb=largest // MB)))
    return None


def _largest(kind: Kind) -> int:
    """How many bytes are read of a file of this kind: what its owner or a stranger writes must not take the night's time."""
    if kind in OWN_OUTPUT:
        return LARGEST
    return LARGEST_MEMORY if kind is Kind.MEMORY else LARGEST_NOTE


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
        return Refusal(path, say("read.no_note"))
    if not _stays_inside(workspace, name):
        return Refusal(path, say("read.through_link"))
    changed, _, refused = read_changes(workspace, {}, only=[name])
    if refused:
        return refused[0]
    return changed[name].file if name in changed else None


def _stays_inside(workspace: Workspace, name: str) -> bool:
    base, inner = workspace.lies(name)
    real = os.path.realpath(real_path(workspace, name).parent)
    return real == os.path.normpath(os.path.join(os.path.realpath(base), *PurePosixPath(inner).parent.parts))


MOST_FILES = 512
LARGEST_HISTORICAL = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Historical:
    """The notes that were read, in the order of their paths, and what was passed over with the reason."""

    files: tuple[File, ...] = ()
    inside: frozenset[str] = frozenset()  # paths of those that stand in the workspace itself
    skipped: tuple[Refusal, ...] = ()


def read_historical(workspace: Workspace, where: Path) -> Historical:
    """The dated notes at this path, a file or a folder with all below it."""
    where = where.expanduser()
    if not where.exists():
        raise BadInput(say("read.nothing_there", where=where))
    texts: dict[str, str] = {}
    hashes: dict[str, str] = {}
    inside: set[str] = set()
    skipped: list[Refusal] = []
    for real in _found(where):
        path, is_inside = _told_as(workspace, where, real)
        if (told := masked_path(path)) != path:
            skipped.append(Refusal(told, say("odd.secret_name")))
            continue
        data = _data(real, path, len(texts), skipped)
        if data is not None and path not in texts:
            texts[path], hashes[path] = to_text(data), hash_bytes(data)
            inside |= {path} if is_inside else set()
    read = reread(Snapshot(workspace, MappingProxyType({})), texts, hashes)
    return Historical(tuple(read.files[path] for path in sorted(texts)), frozenset(inside), tuple(skipped))


def _found(where: Path) -> Iterator[Path]:
    """Markdown files in a fixed order; hidden folders hold machine state, and links lead elsewhere."""
    if where.is_file():
        yield where
        return
    for item in sorted(where.iterdir()):
        if item.name.startswith(".") or item.is_symlink():
            continue
        if item.is_dir():
            yield from _found(item)
        elif item.suffix.lower() == ".md":
            yield item


def _told_as(workspace: Workspace, where: Path, real: Path) -> tuple[str, bool]:
    try:
        return real.resolve().relative_to(workspace.root.resolve()).as_posix(), True
    except ValueError:
        inner = real.name if where.is_file() else real.relative_to(where).as_posix()
        return f"memory/{inner}", False


def _data(real: Path, path: str, so_far: int, skipped: list[Refusal]) -> bytes | None:
    kind = place_of(path).kind
    if kind is Kind.REPORT:
        return None  # what a dream wrote is no note
    if kind is not Kind.DAILY:
        skipped.append(Refusal(path, say("read.undated")))
    elif real.is_symlink() or not real.is_file():
        skipped.append(Refusal(path, say("read.no_plain_file")))
    elif real.stat().st_size > LARGEST_HISTORICAL:
        skipped.append(Refusal(path, say("read.too_large", mb=1)))
    elif so_far >= MOST_FILES:
        skipped.append(Refusal(path, say("read.too_many", n=MOST_FILES)))
    else:
        return real.read_bytes()
    return None


AGAIN = 2.0  # seconds
HOT = 64  # files that changed last, looked at by every question
TICK = 100_000_000  # nanoseconds: two changes of a folder may carry the same time if they are nearer than this
_TOPS = ("", "memory", "Memory", ".learnings", "knowledge", CORPUS, OWN_CORPUS)
_VAULT_TOPS = ("", "meta", "obsidian-index")


class Watch:
    """The files as they were when last looked at. `known` are their stamps by path, as the index has them."""

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

    def look_again(self) -> None:
        """Every file counts as changed the next time."""
        self.known = dict.fromkeys(self.known, Stamp("", -1, -1))
        self._looked = float("-inf")

    def settle(self, changed: Mapping[str, Stamp], gone: Sequence[str]) -> None:
        """The index holds these now."""
        for path in gone:
            self.known.pop(path, None)
        self.known.update(changed)
        if self._hot and not gone:
            self._hot = list(dict.fromkeys([*changed, *self._hot]))[:HOT]
        else:  # a time that is not trusted yet is the latest of all
            self._hot = heapq.nlargest(HOT, self.known, key=lambda path: self.known[path].mtime or float("inf"))

    def _places(self) -> set[Path]:
        inside = {path.rpartition("/")[0] for path in self.known if "/" in path and not path.startswith(VAULT)}
        root, vault, home = self.workspace.root, self.workspace.vault, self.workspace.home
        others = (TOPICS, PROJECT, TEAM)
        beside = {real_path(self.workspace, path).parent for path in self.known if path.startswith(others)}
        beside |= {folder for folder in (home, self.workspace.team) if folder is not None}
        return {root / name for name in (*_TOPS, *inside)} | {vault / name for name in _VAULT_TOPS} | beside


def _stamp(folder: Path) -> tuple[int, int]:
    """Which folder this is and when a file last came or went; a link or nothing has another stamp than a folder."""
    try:
        about = os.stat(folder, follow_symlinks=False)
    except OSError:
        return 0, 0
    return about.st_ino, about.st_mtime_ns
