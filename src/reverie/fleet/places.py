"""Where a workspace lives: a folder, or an object store of which a copy is made, dreamt on, and put back.

What is put back goes in the journal's own order, each object only if it is still as it was read:

    .MEMORY.md.0007.….dream-tmp  every new file, under the journal's name for it
    runs/0007-review.commit      from here on the run is certain: whoever comes next finishes it
    dream-vault/ledger.md        the archive
    topic files, MEMORY.md       memory last
    lists, logs, stamps
    runs/0007-review.json        what was done; then the commit goes
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from reverie.errors import Busy, Changed, ReverieError
from reverie.store.disk import DISK, bytes_of, opening
from reverie.store.exchange import half_name
from reverie.store.journal import writing
from reverie.store.lock import locked
from reverie.store.runs import COMMITTED, FINISHED, Run, run_files
from reverie.store.views import settle
from reverie.workspace.files import decoded
from reverie.workspace.layout import LATE, LEDGER, LOCK, LONG_TERM, MEMORY, RUNS, TEMPORARY, FileKind, layout_of

LARGEST = 64_000_000  # bytes of an object; a larger one is nobody's note
_LEFT = (LOCK, f"{LATE}/")  # of one machine alone


class _Known(NamedTuple):
    """An object as it was read, and the copy that was made of it."""

    etag: str
    size: int
    modified: int


@contextmanager
def opened(place: str, scratch: Path) -> Iterator[Path]:
    """The folder of a workspace; what happens in it has happened in its place when this ends without an error."""
    if "://" not in place:
        yield Path(place)
        return
    from obstore.store import from_url  # of the extra `fleet`

    copy = Copy(from_url(place), scratch)
    with copy.held():
        copy.fetch()
        if run_files(layout := layout_of(copy.root), COMMITTED):  # somebody's machine went away in the middle
            with writing(layout, "review", DISK):
                settle(layout, DISK)
            copy.put_back()
        yield copy.root
        copy.put_back()


class Copy:
    """A workspace of an object store, copied into a folder of this machine."""

    def __init__(self, store: Any, folder: Path) -> None:
        self._store = store
        self.root, self._manifest, self._lock = folder / "workspace", folder / "manifest.json", folder / "lock"
        self._known: dict[str, _Known] = {}

    @contextmanager
    def held(self) -> Iterator[None]:
        """One night at a time in this copy; another machine has a copy of its own."""
        DISK.make_folder(self.root)
        with opening(self._lock, os.O_RDWR | os.O_CREAT) as handle:
            if not locked(handle):
                raise Busy("Another process has a night in this copy. Try again when it has finished.")
            yield

    def fetch(self) -> None:
        """Bring the copy up to date: what changed there is read, and what is here alone goes."""
        before = self._read_manifest()
        there = {path: about for path, about in self._listed().items() if _is_safe(path) and about["size"] <= LARGEST}
        for path in list(self._files()):
            if path not in there:
                (self.root / path).unlink()
        for path, about in there.items():
            if path not in before or before[path] != (about["e_tag"], *self._stamp(path)):
                self._read(path, about)
            self._known[path] = _Known(about["e_tag"], *self._stamp(path))
        self._write_manifest()

    def put_back(self) -> None:
        """Put what changed here; Changed where somebody was quicker."""
        here = {path: self._stamp(path) for path in self._files() if TEMPORARY not in path}
        changed = [path for path, stamp in here.items() if stamp != self._known.get(path, ("", -1, 0))[1:]]
        gone = [path for path in self._known if not os.path.lexists(self.root / path)]
        if not changed and not gone:
            return
        if {path: about["e_tag"] for path, about in self._listed().items() if path in self._known} != {
            path: known.etag for path, known in self._known.items()
        }:
            raise Changed("The workspace changed in its store while the night was thinking; nothing was put there.")
        records = [path for path in changed if path not in self._known and path.startswith(f"{RUNS}/")]
        commits = {f"{path.removesuffix(FINISHED)}{COMMITTED}": (self.root / path).read_bytes() for path in records}
        halves = {path: half for data in commits.values() for path, half in self._halves(data)}
        for path, half in halves.items():
            self._put(half, (self.root / path).read_bytes())
        for path, data in commits.items():
            self._put(path, data)
        order = self._order()
        for path in sorted([*changed, *gone, *commits], key=lambda path: (order(path), path)):
            if path in commits or path in gone:
                self._remove(path)
            else:
                self._put(path, (self.root / path).read_bytes())
            if path in halves:
                self._remove(halves[path])
        self._write_manifest()

    def _halves(self, record: bytes) -> Iterator[tuple[str, str]]:
        """The new files of a run, with the names by which the journal sees after a cut that they were not yet put."""
        run = msgspec.json.decode(record, type=Run)
        for change in run.changes:
            folder, _, name = change.path.rpartition("/")
            size = self._known[change.path].size if change.path in self._known else 0
            half = half_name(name, run.id, change.after, size, change.before)
            if change.after and change.before != change.after:
                yield change.path, f"{folder}/{half}".lstrip("/")

    def _order(self) -> Any:
        layout = layout_of(self.root)

        def rank(path: str) -> int:
            kind = layout.kind(path)
            if path == LEDGER:
                return 0
            if kind in LONG_TERM or kind in (FileKind.NOTE, FileKind.LOG, FileKind.PAGE, FileKind.CONTENT):
                return 2 if path == MEMORY else 1
            return 3 if not path.startswith(f"{RUNS}/") else 5 if path.endswith(COMMITTED) else 4

        return rank

    def _listed(self) -> dict[str, dict[str, Any]]:
        return {about["path"]: about for page in self._store.list() for about in page}

    def _files(self) -> Iterator[str]:
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.root).replace(os.sep, "/")
                if not path.startswith(_LEFT):
                    yield path

    def _stamp(self, path: str) -> tuple[int, int]:
        try:
            about = os.lstat(self.root / path)
        except OSError:
            return -1, 0
        return about.st_size, about.st_mtime_ns

    def _read(self, path: str, about: dict[str, Any]) -> None:
        found, target = self._store.get(path), self.root / path
        about["e_tag"] = found.meta["e_tag"]  # of the bytes that come now
        DISK.replace(target, bytes(found.bytes()))
        moment = int(found.meta["last_modified"].timestamp() * 1e9)
        os.utime(target, ns=(moment, moment))  # the same on every machine: a note that stayed is not read again

    def _put(self, path: str, data: bytes) -> None:
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        known = self._known.get(path)
        mode: Any = {"e_tag": known.etag} if known else "create"
        try:
            put = self._store.put(path, data, mode=mode, use_multipart=False)
        except (AlreadyExistsError, PreconditionError):
            raise Changed(f"{path} changed in its store; the next night there finishes or forgets this run.") from None
        self._known[path] = _Known(put["e_tag"], *self._stamp(path))

    def _remove(self, path: str) -> None:
        """Stores know no condition for this: what was written in the last instant is looked at, and kept."""
        known = self._known.pop(path, None)
        if known and self._store.head(path)["e_tag"] == known.etag:
            self._store.delete(path)

    def _read_manifest(self) -> dict[str, _Known]:
        try:
            return decoded(bytes_of(self._manifest) or b"{}", dict[str, _Known])
        except (msgspec.DecodeError, ReverieError):
            return {}

    def _write_manifest(self) -> None:
        DISK.replace(self._manifest, msgspec.json.encode(self._known))


def _is_safe(path: str) -> bool:
    """Whether a name stays inside the copy: a store takes any name for an object."""
    parts = PurePosixPath(path).parts
    return bool(parts) and path == "/".join(parts) and ".." not in parts and parts[0] != "/" and path.isprintable()
