"""Old notes, wherever they lie: read for a look back, never taken into the workspace.

A note is known by the date in its name. One inside the workspace keeps its path; one from elsewhere is told as if it stood
in `memory/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from reverie.core.errors import BadInput
from reverie.core.layout import Kind, place_of
from reverie.workspace.reader import reread
from reverie.workspace.values import File, Refusal, Snapshot, Workspace, hash_bytes, to_text

MOST_FILES = 512
LARGEST = 1024 * 1024


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
        raise BadInput(f"{where} is not there. Name a note such as 2026-11-15.md, or a folder of them, with --path.")
    texts: dict[str, str] = {}
    hashes: dict[str, str] = {}
    inside: set[str] = set()
    skipped: list[Refusal] = []
    for real in _found(where):
        path, is_inside = _told_as(workspace, where, real)
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
        skipped.append(Refusal(path, "has no date in its name"))
    elif real.is_symlink() or not real.is_file():
        skipped.append(Refusal(path, "is a link or no plain file"))
    elif real.stat().st_size > LARGEST:
        skipped.append(Refusal(path, "is larger than 1 MB"))
    elif so_far >= MOST_FILES:
        skipped.append(Refusal(path, f"comes after the first {MOST_FILES} notes"))
    else:
        return real.read_bytes()
    return None
