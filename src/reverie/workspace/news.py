"""Which notes no night has judged yet. A note is known by its path and its hash: one that grew is new again.

The cursor is a text with a line for each note (`hash path`), so that a night changes only the lines of what it read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from reverie.core.layout import JUDGED, Kind
from reverie.workspace.values import File, Snapshot, hexadecimal, lettered

MATERIAL = frozenset({Kind.DAILY, Kind.SESSION, Kind.CORPUS, Kind.LOG, Kind.TOPIC, Kind.CLASSIFIED})
_WIDTH = 16  # signs of a hash that are kept


def unjudged(snapshot: Snapshot) -> tuple[File, ...]:
    """The notes, dumps, logs and conversations that are new or changed since the last night, in the order of their paths."""
    known = judged_in(snapshot.text_of(JUDGED))
    fresh = [
        file
        for path, file in snapshot.files.items()
        if file.place.kind in MATERIAL and (told := file.told) and known.get(path) != told[:_WIDTH]
    ]
    return tuple(sorted(fresh, key=lambda file: file.path))


def told_hash(file: File) -> str:
    """The hash of what people wrote in it; empty if nobody told anything."""
    return file.told


@lru_cache(maxsize=4)  # a night asks several times, and ten years of notes are a long text
def judged_in(text: str) -> Mapping[str, str]:
    """Path → hash of the notes that were judged. A damaged line only means that a note is looked at again."""
    found = {}
    for line in text.split("\n"):
        digest, _, path = line.partition(" ")
        if len(digest) == _WIDTH and path:
            found[path] = hexadecimal(digest)
    return MappingProxyType(found)


def judged_line(told: str, path: str) -> str:
    return f"{lettered(told[:_WIDTH])} {path}\n"


def judged_text(snapshot: Snapshot) -> str:
    """The cursor after a night that judged everything in this snapshot."""
    lines = [
        judged_line(told, path)
        for path, file in sorted(snapshot.files.items())
        if file.place.kind in MATERIAL and path.isprintable() and (told := told_hash(file))
    ]
    return "".join(lines)
