"""SNAPSHOT → EVIDENCE: what happens before a night decides. It writes no file of the owner's.

A sweep hears new conversations, brings the index up to date and folds the recall journal. Then everything that is known
about the statements of new notes is gathered. A dry run does the same over a copy of the index that is thrown away. The index and
the recall store keep no words: what a line says is read from its file when somebody wants to see it, each file once.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from reverie.core.errors import RefusedFile
from reverie.core.layout import INDEX_DB, JOURNAL, LEDGER, PEER_JOURNAL, place_of
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, FileClaims, claims_of, claims_when_looked_at, without_routine
from reverie.evidence.gather import copy_index, gather, gather_plainly
from reverie.evidence.index import Index, Updated, remove_index
from reverie.evidence.recall_store import Folded, fold
from reverie.evidence.session_corpus import Ingested, append_turns, read_cursors
from reverie.features.search import refreshed
from reverie.night.recall_state import recall_state
from reverie.openclaw.recall_lane import rest
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.privacy.redact import redacted
from reverie.workspace.news import unjudged
from reverie.workspace.openclaw_format import PeerState, questions_in
from reverie.workspace.reader import read_one
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import Transcript, read_transcript
from reverie.workspace.values import File, Group, Refusal, Snapshot, Statement, Workspace, stated, to_bytes

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


Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep came to: conversations heard, lines indexed, recalls folded."""

    heard: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    indexed: Updated = field(default_factory=Updated)
    folded: Folded = field(default_factory=Folded)
    trouble: str = ""


def sweep(workspace: Workspace, clock: Clock, on_read: Progress | None = None, *, asleep: bool = True) -> Swept:
    """What happens before a night decides: hear new conversations, index what changed, fold the recall journal.

    `asleep`, light then stages what is new, and light and REM leave their marks; a look by day does without. A folder
    without conversations, searches and an embedder has nothing to sweep, and nothing is written.
    """
    heard = hear(workspace, clock)
    asked = any((workspace.root / journal).exists() for journal in (JOURNAL, PEER_JOURNAL))
    if workspace.embedder is None and not asked and not heard.appended:
        return Swept(heard.appended, heard.left_out)
    try:
        with Index(workspace.root, workspace.embedder) as index:
            indexed, _ = refreshed(workspace, index, on_read)
            folded = fold(workspace.root, clock.now())
            if asleep:
                rest(workspace, _lately(index, clock.now(), workspace.settings.dreaming.light_ttl_days), clock.now())
    except (sqlite3.Error, OSError, RefusedFile) as error:
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            remove_index(workspace.root)  # damaged: derived, so the next one who needs it builds it anew
        return Swept(heard.appended, heard.left_out, trouble=f"the index could not be used ({error})")
    return Swept(heard.appended, heard.left_out, indexed, folded, indexed.trouble)


def hear(workspace: Workspace, clock: Clock) -> Ingested:
    """Append what was said since last time to the session corpus, exactly once."""
    folders = [Path(folder).expanduser() for folder in workspace.settings.transcripts]
    known = read_cursors(workspace.root) if folders else {}
    found: list[Transcript] = []
    for path, real, agent in find_transcripts(folders):
        cursor = known.get(path)
        while True:
            read = read_transcript(real, path, agent, cursor)
            if isinstance(read, Refusal):
                break
            found.append(read)
            cursor = read.cursor
            if not read.more:
                break
    if not found:
        return Ingested()
    kinds = workspace.settings.privacy.kinds
    return append_turns(workspace.root, found, clock.now().tzinfo, now=clock.now(), kinds=kinds)


def evidence_of(snapshot: Snapshot, *, keep: bool = False) -> Evidence:
    """All that is known about what is new in this snapshot. Without an index the notes themselves must do.

    With `keep` the workspace's own index is brought up to date; without it a copy is, and nothing is written.
    """
    workspace = snapshot.workspace
    kinds = workspace.settings.privacy.kinds
    told = [claim for file in unjudged(snapshot) for claim in claims_of(file, kinds)]
    state = recall_state(workspace, snapshot.files, told)
    fresh, machines = without_routine(told)
    state = replace(
        state,
        doubts=(
            *state.doubts,
            *(f"{n:,} lines of {path} say the same with other numbers" for path, n in machines.items()),
        ),
    )
    if not fresh or (workspace.embedder is None and not (workspace.root / INDEX_DB).exists()):
        everything = (claim for file in snapshot.files.values() for claim in claims_of(file, kinds)) if fresh else ()
        plainly = gather_plainly(fresh, everything, state.recalls)
        return Evidence(plainly, state.recalls, state.signals, questions=questions_in(state), doubts=state.doubts)
    try:
        return _gathered(snapshot, fresh, state, "kept" if keep else "copied")
    except (sqlite3.Error, OSError, RefusedFile) as error:  # damaged or locked: a night does not wait for an index
        return replace(_gathered(snapshot, fresh, state, "new"), trouble=f"the index could not be used ({error})")


def _gathered(snapshot: Snapshot, fresh: Sequence[Statement], state: PeerState, how: str) -> Evidence:
    workspace = snapshot.workspace
    with _index(workspace, how) as index:
        updated = _up_to(snapshot, index)
        index.read = LiveClaims(workspace, snapshot.files)
        found = gather(index, fresh, state.recalls)
        return Evidence(
            found, state.recalls, state.signals, workspace.embedder, updated.trouble, questions_in(state), state.doubts
        )


def _up_to(snapshot: Snapshot, index: Index) -> Updated:
    """Bring the index up to the snapshot; a sweep has mostly done it, and then no file is looked at again."""
    seen = index.seen()
    if len(seen) == len(snapshot.files) and all(
        path in seen and seen[path][0] == file.hash for path, file in snapshot.files.items()
    ):
        index.read = LiveClaims(snapshot.workspace, snapshot.files)
        done, waiting, trouble = index.embed_waiting()
        return Updated(embedded=done, waiting=waiting, trouble=trouble)
    return refreshed(snapshot.workspace, index, None)[0]


@contextmanager
def _index(workspace: Workspace, how: str) -> Iterator[Index]:
    """The workspace's own index (`kept`), a copy of it that is thrown away (`copied`), or a `new` one for this night."""
    if how == "kept":
        with Index(workspace.root, workspace.embedder) as index:
            yield index
        return
    with tempfile.TemporaryDirectory(prefix="dream-") as folder:
        if how == "copied":
            copy_index(workspace.root, Path(folder))
        with Index(Path(folder), workspace.embedder) as index:
            yield index


def _lately(index: Index, now: datetime, days: int) -> list[Statement]:
    """What notes and conversations of the last days said."""
    since = now.date() - timedelta(days=days)
    recent = sorted(path for path in index.seen() if (day := place_of(path).day) is not None and day > since)
    return [claim for path in recent for claim in index.claims_in(path)]
