"""What is new: which notes no night has judged yet, and when somebody last wrote a note or spoke.

A note is known by its path and its hash: one that grew is new again. The cursor is a text with a line for each note
(`hash path`), so that a night changes only the lines of what it read. Times of files are no evidence about facts; they only
tell a schedule whether it is worth looking, and nothing is opened for them but a host's list of sessions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from reverie.core.layout import JUDGED, Kind, place_of
from reverie.workspace.sessions import find_transcripts, is_of_people
from reverie.workspace.values import File, Snapshot, hexadecimal, lettered

MATERIAL = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.LOG, Kind.TOPIC, Kind.CLASSIFIED})
_WIDTH = 16  # signs of a hash that are kept
_TOPS = ("memory", "Memory", ".learnings")
_OURS = frozenset({".dreams", "dreaming", "palace"})  # folders inside them that hold our own output


def unjudged(snapshot: Snapshot) -> tuple[File, ...]:
    """The notes, dumps, logs and conversations that are new or changed since the last night, in the order of their paths."""
    known = judged_in(snapshot.text_of(JUDGED))
    fresh = [
        file
        for path, file in snapshot.files.items()
        if file.place.kind in MATERIAL and (digest := file.written_hash) and known.get(path) != digest[:_WIDTH]
    ]
    return tuple(sorted(fresh, key=lambda file: file.path))


@lru_cache(maxsize=4)  # a night asks several times, and ten years of notes are a long text
def judged_in(text: str) -> Mapping[str, str]:
    """Path → hash of the notes that were judged. A damaged line only means that a note is looked at again."""
    found = {}
    for line in text.split("\n"):
        digest, _, path = line.partition(" ")
        if len(digest) == _WIDTH and path:
            found[path] = hexadecimal(digest)
    return MappingProxyType(found)


def judged_line(digest: str, path: str) -> str:
    return f"{lettered(digest[:_WIDTH])} {path}\n"


def judged_text(snapshot: Snapshot) -> str:
    """The cursor after a night that judged everything in this snapshot."""
    return "".join(
        judged_line(digest, path)
        for path, file in sorted(snapshot.files.items())
        if file.place.kind in MATERIAL and path.isprintable() and (digest := file.written_hash)
    )


def last_word(root: Path, transcripts: Sequence[Path], since: datetime | None = None) -> datetime | None:
    """The latest time of a note or of a person's conversation; with `since`, any that is later will do."""
    after = since.timestamp() if since else float("-inf")
    latest = max(
        [after, *_note_times(root, ""), *(time for top in _TOPS for time in _note_times(root / top, f"{top}/"))]
    )
    if latest <= after:
        for _, real, _ in find_transcripts(transcripts):
            time = _time(real)
            if time > latest and is_of_people(real):
                latest = time
    return datetime.fromtimestamp(latest, UTC) if latest > after else None


def unheard(transcripts: Sequence[Path], known: Mapping[str, int]) -> int:
    """How many conversations of people hold more than was read of them; `known` is how far each was read, by its path."""
    return sum(
        1 for path, real, _ in find_transcripts(transcripts) if _size(real) > known.get(path, 0) and is_of_people(real)
    )


def _note_times(folder: Path, prefix: str) -> Iterator[float]:
    try:
        items = list(os.scandir(folder))
    except OSError:
        return
    for item in items:
        path = prefix + item.name
        if item.is_dir(follow_symlinks=False):
            if prefix and item.name not in _OURS:
                yield from _note_times(folder / item.name, f"{path}/")
        elif (kind := place_of(path).kind) in MATERIAL and kind is not Kind.CORPUS:
            yield _time(folder / item.name)


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
