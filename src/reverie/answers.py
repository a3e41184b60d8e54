"""Questions to the memory: search, and the index behind it. The engine's other half; it writes no file of the owner's.

A search first looks whether files changed, brings the index up to date, and answers. Whatever goes wrong with the index
or the embedder, there is an answer, and it says what it lacks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reverie.errors import RefusedFile
from reverie.evidence.claims import Claim, Group, claims_of
from reverie.evidence.fold import Folded, fold
from reverie.evidence.index import Index, Known, Updated, remove_index
from reverie.evidence.ingest import Ingested, append_turns, read_cursors
from reverie.evidence.journal import record_search
from reverie.evidence.search import Answer, Hit, scan, search
from reverie.layout import LEDGER, Kind, place_of
from reverie.model import File, Refusal, Workspace, to_bytes
from reverie.plan.ledger import ledger_lines, read_ledger
from reverie.ports import Clock, Embedder
from reverie.redact import redacted
from reverie.settings import Search
from reverie.turns import Transcript
from reverie.workspace.reader import Seen, read_changes
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import read_transcript

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What bringing the index up to date came to."""

    updated: Updated
    claims: int
    refused: tuple[Refusal, ...]
    trouble: str = ""


def ask(
    workspace: Workspace,
    embedder: Embedder | None,
    clock: Clock,
    question: str,
    *,
    limit: int = 6,
    min_score: float = 0.0,
    record: bool = True,
    on_read: Progress | None = None,
) -> Answer:
    """Search memory, archive and content index. Always answers; `degraded` says what is missing and why."""
    try:
        with Index(workspace.root, embedder) as index:
            updated = _refresh(workspace, index, on_read)[0]
            answer = search(index, question, limit, min_score)
            if updated.trouble and not answer.degraded:
                answer = Answer(question, answer.hits, f"new lines have no vectors yet ({updated.trouble})")
    except (sqlite3.Error, OSError, RefusedFile) as error:
        answer = _without_index(
            workspace, question, limit, f"the index could not be used ({error}); every file was read instead"
        )
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            remove_index(workspace.root)  # damaged: derived, so the next search builds it anew
    if record:
        record_search(workspace.root, question, answer.hits, clock.now())
    return answer


def reindex(
    workspace: Workspace, embedder: Embedder | None, *, force: bool = False, on_read: Progress | None = None
) -> Reindexed:
    """Bring the index up to date; with `force`, from nothing."""
    if force:
        remove_index(workspace.root)
    try:
        with Index(workspace.root, embedder) as index:
            updated, refused = _refresh(workspace, index, on_read)
            return Reindexed(updated, index.count(), refused, updated.trouble)
    except sqlite3.DatabaseError as error:
        if force or isinstance(error, sqlite3.OperationalError):
            raise
        return reindex(workspace, embedder, force=True, on_read=on_read)


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep came to: conversations heard, lines indexed, recalls folded."""

    heard: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    indexed: Updated = field(default_factory=Updated)
    folded: Folded = field(default_factory=Folded)
    trouble: str = ""


def sweep(workspace: Workspace, embedder: Embedder | None, clock: Clock, on_read: Progress | None = None) -> Swept:
    """What happens before a night decides: hear new conversations, index what changed, fold the recall journal."""
    heard = hear(workspace, clock)
    try:
        with Index(workspace.root, embedder) as index:
            indexed, _ = _refresh(workspace, index, on_read)
            folded = fold(workspace.root, _Snippets(index), _daily_notes(index), clock.now())
    except (sqlite3.Error, OSError, RefusedFile) as error:
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
    return append_turns(workspace.root, found, clock.now().tzinfo, now=clock.now())


class _Snippets(Mapping[str, str]):
    """The text of a claim by its key, looked up in the index when it is asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getitem__(self, key: str) -> str:
        row = self._index.db.execute("SELECT text FROM claims WHERE key=? LIMIT 1", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return str(row[0])

    def __iter__(self) -> Iterator[str]:
        return (str(row[0]) for row in self._index.db.execute("SELECT DISTINCT key FROM claims"))

    def __len__(self) -> int:
        return self._index.count()


def _daily_notes(index: Index) -> dict[str, tuple[int, int]]:
    return {
        path: (about.mtime, about.size) for path, about in index.known().items() if place_of(path).kind is Kind.DAILY
    }


def _refresh(workspace: Workspace, index: Index, on_read: Progress | None) -> tuple[Updated, tuple[Refusal, ...]]:
    changed, gone, refused = read_changes(workspace, index.seen(), on_read)
    rows = {
        path: (Known(seen.file.hash, seen.size, seen.mtime), tuple(_claims(seen.file)))
        for path, seen in changed.items()
    }
    if not rows and not gone:
        done, waiting, trouble = index.embed_waiting()
        return Updated(embedded=done, waiting=waiting, trouble=trouble), refused
    return index.update(rows, gone), refused


def _claims(file: File) -> Iterator[Claim]:
    """The claims of a file; those of the ledger are its blocks."""
    if file.path != LEDGER:
        yield from claims_of(file)
        return
    for block, line in zip(read_ledger(file.text), ledger_lines(file.text), strict=True):
        text = redacted(to_bytes(" ".join(" ".join(block.content).split())).decode("utf-8", "replace"))
        yield Claim(
            LEDGER, line, line, text, f"{block.id} {block.category}", "", block.archived[:10], group=Group.ARCHIVE.value
        )


def _without_index(workspace: Workspace, question: str, limit: int, trouble: str) -> Answer:
    changed, _, _ = read_changes(workspace, {})
    return scan((claim for seen in changed.values() for claim in _claims(seen.file)), question, limit, trouble)


def chosen_embedder(settings: Search, cache: Path | None, environ: Mapping[str, str]) -> Embedder | None:
    """The embedder the owner set; the embedded one unless another is named. Loads nothing before it is used."""
    if settings.embedder == "off":
        return None
    if settings.embedder == "embedded":
        return default_embedder(cache)
    from reverie.evidence.remote import RemoteEmbedder  # only for those who chose a server

    return RemoteEmbedder(settings, environ.get(settings.key_variable, ""))


def default_embedder(cache: Path | None) -> Embedder:
    from reverie.evidence.static import StaticEmbedder  # numpy and the tables, only for those who search

    return StaticEmbedder(cache)


__all__ = [
    "Answer",
    "Hit",
    "Reindexed",
    "Seen",
    "Swept",
    "ask",
    "chosen_embedder",
    "default_embedder",
    "hear",
    "reindex",
    "sweep",
]
