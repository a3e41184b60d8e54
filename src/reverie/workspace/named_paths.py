"""Files that a line names, and whether they are there. Reads names, opens nothing.

A path may be one of another machine or of another project, so it is called missing only where this can be known: where it begins
with a folder that is there, or where only this workspace keeps such files. That a file was *deleted* is known of what stood there on an earlier night (`standing`, kept as short hashes).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reverie.core.durable import read_plain
from reverie.core.errors import RefusedFile, Sealed
from reverie.core.layout import REVIEWED, Kind, place_of
from reverie.workspace.values import Snapshot, short_id

STANDING = "standing"  # in `reviewed.json`: what lines of memory named and what was there
_NAMED = re.compile(r"`([^`\s]+)`|(?<![\w/.:~@-])((?:~/|/|\.{1,2}/)?[\w.@+-]+(?:/[\w.@+-]+)+)")
_STRANGE = re.compile(r"[*?<>|$%{}\[\]\\]|://|\.\.|\u2026")
_BARE = re.compile(r"(?<![\w/.:~@-])[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/@-])")
_END = ".,;:!?。，；：！？)）”"
_NOTES = frozenset({Kind.DAILY, Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED})


@dataclass(frozen=True, slots=True)
class MissingPath:
    """A path that a line names and that is not there; `deleted` where an earlier night saw it in this workspace."""

    path: str
    deleted: bool = False


def named_paths(text: str) -> tuple[str, ...]:
    """Every path that a text names, once."""
    return tuple(dict.fromkeys(_paths(text)))


def missing_paths(root: Path, text: str) -> tuple[str, ...]:
    """The paths that a text names and that are surely not there (seed 003), by what the last night had seen too."""
    seen = _seen_in(_reviewed(root / REVIEWED))
    return tuple(_missing(root, text, seen))


def missing_in(snapshot: Snapshot, text: str) -> tuple[MissingPath, ...]:
    """The same for a night, which also knows what was only moved."""
    root, seen = snapshot.workspace.root, _seen_in(snapshot.text_of(REVIEWED))
    found = _missing(root, text, seen)
    return tuple(MissingPath(path, short_id(path) in seen and _is_deleted(snapshot, path)) for path in found)


def standing(snapshot: Snapshot, texts: Iterable[str]) -> list[str]:
    """What these lines name and what is or was there, without a word of it: so that whoever reads them later knows what is gone."""
    seen, root = _seen_in(snapshot.text_of(REVIEWED)), snapshot.workspace.root
    paths = {path for text in texts for path in (*named_paths(text), *_bare_names(text))}
    return sorted(known for path in paths if (known := short_id(path)) in seen or os.path.lexists(_at(root, path)))


def _missing(root: Path, text: str, seen: frozenset[str]) -> Iterator[str]:
    for path in named_paths(text):
        if not os.path.lexists(_at(root, path)) and (short_id(path) in seen or _is_missing(root, path)):
            yield path
    for name in _bare_names(text):  # a word with a stop in it is a file only where one stood
        if short_id(name) in seen and not os.path.lexists(root / name):
            yield name


def _bare_names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_BARE.findall(text)))


def _seen_in(reviewed: str) -> frozenset[str]:
    try:
        listed = json.loads(reviewed or "{}").get(STANDING)
    except (ValueError, AttributeError, RecursionError):
        return frozenset()  # a damaged cursor only means that nothing is known of before
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()


def _reviewed(path: Path) -> str:
    try:
        return read_plain(path).decode("utf-8", "replace")
    except (OSError, RefusedFile, Sealed):
        return ""  # no night yet, or its key is not here


def _is_deleted(snapshot: Snapshot, path: str) -> bool:
    """Out of a folder of this workspace, alone or with it, and not moved. The files of a project come and go with its branches: there nobody knows."""
    root, at = snapshot.workspace.root, _at(snapshot.workspace.root, path)
    moved = any(other.rpartition("/")[2] == at.name for other in snapshot.files)
    if snapshot.workspace.home is not None or not at.is_relative_to(root) or moved:
        return False
    above = next(
        folder for folder in at.parents if os.path.lexists(folder)
    )  # a link to a disk that is away tells nothing
    return above.is_relative_to(root) and above.is_dir()


def _paths(text: str) -> Iterator[str]:
    for quoted, bare in _NAMED.findall(text):
        path = (quoted or bare).rstrip(_END)
        if "/" in path.strip("/") and not _STRANGE.search(path):
            yield path


def _at(root: Path, path: str) -> Path:
    try:
        return Path(path).expanduser() if path.startswith(("~/", "/")) else root / path
    except RuntimeError:  # a user without a home
        return root


def _is_missing(root: Path, path: str) -> bool:
    try:
        at = _at(root, path)
        known = _begins_here(root, at) or place_of(path.removeprefix("./")).kind in _NOTES or _is_whole(root, path, at)
        return known and not os.path.lexists(at)
    except (OSError, ValueError, RuntimeError):  # a name that is too long, or a user without a home
        return False


def _is_whole(root: Path, path: str, at: Path) -> bool:
    return path.startswith("/") and at.is_relative_to(root)


def _begins_here(root: Path, at: Path) -> bool:
    """Whether its beginning is a folder of this machine: below the workspace or the home one, elsewhere two, as every one has /etc."""
    base, deep = next(((one, 1) for one in (root, Path("~").expanduser()) if at.is_relative_to(one)), (Path("/"), 2))
    parts = at.relative_to(base).parts
    return len(parts) > deep and base.joinpath(*parts[:deep]).is_dir()


__all__ = ["STANDING", "MissingPath", "missing_in", "missing_paths", "named_paths", "standing"]
