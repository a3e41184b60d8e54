"""What lines say, read from their files when somebody wants to see them: the index and the recall store keep no words.

A file is parsed once in a process and kept while it is the same; the files that were asked for longest ago leave first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock

from reverie.core.layout import LEDGER
from reverie.evidence.claims import FileClaims, claims_of, claims_when_looked_at
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.privacy.redact import redacted
from reverie.workspace.reader import read_one
from reverie.workspace.values import File, Group, Statement, Workspace, stated, to_bytes

MOST_LINES = 20_000  # kept in memory, of all workspaces of this process: about 20 MB
_Key = tuple[Path, Path, frozenset[str], str]


class _Kept:
    """The files parsed last, by workspace and path."""

    def __init__(self) -> None:
        self._files: OrderedDict[_Key, tuple[str, FileClaims]] = OrderedDict()
        self._lines = 0
        self._lock = Lock()  # a recall asks from a thread of its own

    def get(self, key: _Key) -> tuple[str, FileClaims] | None:
        with self._lock:
            if found := self._files.get(key):
                self._files.move_to_end(key)
            return found

    def put(self, key: _Key, digest: str, claims: FileClaims) -> None:
        with self._lock:
            old = self._files.pop(key, None)
            self._files[key] = digest, claims
            self._lines += len(claims) - (len(old[1]) if old else 0)
            while self._lines > MOST_LINES and len(self._files) > 1:
                self._lines -= len(self._files.popitem(last=False)[1][1])


_KEPT = _Kept()


class LiveClaims:
    """The claims of one workspace's files. `files`, where given, are taken instead of what stands on the disk."""

    def __init__(self, workspace: Workspace, files: Mapping[str, File] | None = None) -> None:
        self._workspace, self._files = workspace, files
        self._kinds = workspace.settings.privacy.kinds

    def __call__(self, path: str, digest: str = "") -> tuple[str, FileClaims]:
        """The claims of a file, and the hash of what they were read from. With `digest`, what is kept of it is enough."""
        known = _KEPT.get(self._key(path))
        if known and known[0] == digest:
            return known
        file = self._files.get(path) if self._files is not None else read_one(self._workspace, path)
        if not isinstance(file, File):
            return "", FileClaims(())
        if known and known[0] == file.hash:
            return known
        return file.hash, self.kept(file)

    def kept(self, file: File) -> FileClaims:
        """The claims of a file, kept for the next who asks."""
        claims = (
            FileClaims(list(claims_in(file, self._kinds)))
            if file.path == LEDGER
            else claims_when_looked_at(file, self._kinds)
        )
        _KEPT.put(self._key(file.path), file.hash, claims)
        return claims

    def _key(self, path: str) -> _Key:
        return self._workspace.root, self._workspace.vault, self._kinds, path


def claims_in(file: File, kinds: frozenset[str]) -> Iterator[Statement]:
    """The claims of a file; those of the ledger are its blocks."""
    if file.path != LEDGER:
        yield from claims_of(file, kinds)
        return
    for block, line in zip(read_ledger(file.text), ledger_lines(file.text), strict=True):
        text = redacted(to_bytes(" ".join(" ".join(block.content).split())).decode("utf-8", "replace"), kinds)
        yield stated(
            LEDGER, line, line, text, f"{block.id} {block.category}", "", block.archived[:10], group=Group.ARCHIVE.value
        )
