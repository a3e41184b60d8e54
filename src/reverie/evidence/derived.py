"""Which files under `memory/.dreams` a command brought up to date: what it must name if it says that nothing else changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reverie.core.layout import OWN_CORPUS, RUNS, STATE_DIR

LAST_RUNS = 4  # a start looks at three; a new one may have come
Stamps = Mapping[str, tuple[int, int, int]]  # size, moment of the last change and number of the file, by its path
_PASSING = ("lock", ".lock", "-wal", "-shm", "-journal")  # how locks and a database at work end; they say nothing


def stamps_of(root: Path) -> Stamps:
    """The files of machine state as they are now. Nothing that is in the way stops it."""
    folders = (STATE_DIR, OWN_CORPUS, *_last_runs(root))
    return {path: stamp for folder in folders for path, stamp in _files(root, folder)}


def changed_since(root: Path, before: Stamps) -> tuple[str, ...]:
    """The files that are new, gone or written anew since then, by name; of a run the folder, which is what people know."""
    now = stamps_of(root)
    changed = (path for path in {*before, *now} if before.get(path) != now.get(path))
    return tuple(sorted({path.rpartition("/")[0] if path.startswith(f"{RUNS}/") else path for path in changed}))


def _last_runs(root: Path) -> list[str]:
    """The folders in which a start may still let go what a replaced file left behind."""
    try:
        return [f"{RUNS}/{name}" for name in sorted(item.name for item in (root / RUNS).iterdir())[-LAST_RUNS:]]
    except OSError:
        return []


def _files(root: Path, folder: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    try:
        items = sorted((root / folder).iterdir())
    except OSError:
        return
    for item in items:
        if item.name.startswith(".") or item.name.endswith(_PASSING) or not item.is_file():
            continue
        try:
            about = item.lstat()
        except OSError:  # gone between the list and the look
            continue
        yield f"{folder}/{item.name}", (about.st_size, about.st_mtime_ns, about.st_ino)
