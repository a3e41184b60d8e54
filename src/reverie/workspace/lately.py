"""When somebody last wrote a note or spoke: names and times of files only, nothing is opened but a host's list of sessions.

Times of files are no evidence about facts. Here they only tell a schedule whether it is worth looking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from reverie.core.layout import Kind, place_of
from reverie.workspace.news import MATERIAL
from reverie.workspace.noise import session_reason
from reverie.workspace.sessions import find_transcripts, reason_by_name, session_key

_OURS = frozenset({".dreams", "dreaming", "palace"})
_TOPS = ("memory", "Memory", ".learnings")


def last_word(root: Path, transcripts: Sequence[Path], since: datetime | None = None) -> datetime | None:
    """The latest time of a note or of a person's conversation; with `since`, any that is later will do."""
    after = since.timestamp() if since else float("-inf")
    latest = after
    for time in _noted(root):
        latest = max(latest, time)
    if latest <= after:
        latest = max(latest, last_spoken(transcripts, after))
    return datetime.fromtimestamp(latest, UTC) if latest > after else None


def last_spoken(transcripts: Sequence[Path], after: float) -> float:
    """The latest time after this one at which a person's conversation was written to; sessions of machines do not count."""
    latest = after
    for _, real, _ in find_transcripts(transcripts):
        time = _time(real)
        if time > latest and not reason_by_name(real.name) and not session_reason(session_key(real)):
            latest = time
    return latest


def unheard(transcripts: Sequence[Path], known: Mapping[str, int]) -> int:
    """How many conversations of people hold more than was read of them; `known` is how far each was read, by its path."""
    return sum(
        1
        for path, real, _ in find_transcripts(transcripts)
        if _size(real) > known.get(path, 0) and not reason_by_name(real.name) and not session_reason(session_key(real))
    )


def _noted(root: Path) -> Iterator[float]:
    yield from (_time(root / name) for name in _names(root) if place_of(name).kind in MATERIAL)
    for top in _TOPS:
        yield from _below(root / top, top)


def _below(folder: Path, prefix: str) -> Iterator[float]:
    try:
        items = list(os.scandir(folder))
    except OSError:
        return
    for item in items:
        path = f"{prefix}/{item.name}"
        if item.is_dir(follow_symlinks=False):
            if item.name not in _OURS:
                yield from _below(folder / item.name, path)
        elif (kind := place_of(path).kind) in MATERIAL and kind is not Kind.CORPUS:
            yield _time(folder / item.name)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _time(path: Path) -> float:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return float("-inf")


def _size(path: Path) -> int:
    try:
        return os.stat(path, follow_symlinks=False).st_size
    except OSError:
        return 0
