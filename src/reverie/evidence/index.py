"""The index: SQLite with full text over our own terms, and vectors beside it. Derived: delete it at any time.

One row a claim. A changed file is compared with its rows, and only claims that are new are indexed and embedded; those
of a deleted file go. Terms are made by `reverie.terms`, so SQLite's own tokenizer only has to split at spaces.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reverie.evidence.claims import Claim
from reverie.evidence.vectors import Vectors
from reverie.layout import INDEX_DB
from reverie.ports import Embedder
from reverie.terms import terms

VERSION = "1"
BATCH = 512
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, hash TEXT, size INTEGER, mtime INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims(
  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, first INTEGER, last INTEGER, text TEXT, heading TEXT, parents TEXT,
  day TEXT, origin TEXT, grp TEXT, key TEXT NOT NULL, length INTEGER, embedder TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS claims_path ON claims(path);
CREATE INDEX IF NOT EXISTS claims_key ON claims(key);
CREATE INDEX IF NOT EXISTS claims_bare ON claims(embedder) WHERE embedder = '';
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  said, context, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, 'row');
CREATE TABLE IF NOT EXISTS spelled(term TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS spelling USING fts5(term, tokenize='trigram');
"""


@dataclass(frozen=True, slots=True)
class Known:
    """What the index knows of a file: enough to see, without reading it, that it did not change."""

    hash: str
    size: int
    mtime: int


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update came to."""

    files: int = 0
    gone: int = 0
    added: int = 0
    kept: int = 0
    embedded: int = 0
    waiting: int = 0  # claims without a vector of the present embedder
    trouble: str = ""  # why vectors could not be made


class Index:
    """An open index. Use as a context manager; raises sqlite3.Error when the file is damaged or locked."""

    def __init__(self, root: Path, embedder: Embedder | None) -> None:
        self.folder = (root / INDEX_DB).parent
        self.folder.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(root / INDEX_DB, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")  # derived: a power cut may cost the last update, not the file
            self._prepare()
        except BaseException:
            self.db.close()
            raise
        self.embedder = embedder
        self.vectors = Vectors(self.folder, embedder.identity, embedder.dimensions) if embedder else None

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def known(self) -> dict[str, Known]:
        return {path: Known(*rest) for path, *rest in self.db.execute("SELECT path, hash, size, mtime FROM files")}

    def count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM claims").fetchone()[0])

    def update(
        self,
        changed: Mapping[str, tuple[Known, Sequence[Claim]]],
        gone: Iterable[str],
        on_step: Callable[[int], None] | None = None,
    ) -> Updated:
        """Bring the index to these files. One transaction: a crash leaves the index as it was."""
        added = kept = removed = 0
        self.db.execute("BEGIN IMMEDIATE")
        try:
            for path in gone:
                self._forget(
                    self.db.execute("SELECT id, text, heading, parents FROM claims WHERE path=?", (path,)).fetchall()
                )
                self.db.execute("DELETE FROM files WHERE path=?", (path,))
                removed += 1
            for number, (path, (about, claims)) in enumerate(sorted(changed.items()), 1):
                more, same = self._file(path, claims)
                added, kept = added + more, kept + same
                row = (path, about.hash, about.size, about.mtime)
                self.db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?)", row)
                if on_step:
                    on_step(number)
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        embedded, waiting, trouble = self.embed_waiting()
        return Updated(len(changed), removed, added, kept, embedded, waiting, trouble)

    def embed_waiting(
        self, most: int | None = None, on_step: Callable[[int], None] | None = None
    ) -> tuple[int, int, str]:
        """Give vectors to claims that have none of this embedder; stops at the first trouble and says it."""
        if self.embedder is None or self.vectors is None:
            return 0, 0, ""
        name, done = self.embedder.identity, 0
        if self._meta("embedder") != name:
            self.db.execute("UPDATE claims SET embedder='' WHERE embedder<>?", (name,))
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (name,))
        while most is None or done < most:
            rows = self.db.execute(
                "SELECT id, text, heading, parents FROM claims WHERE embedder='' ORDER BY id LIMIT ?", (BATCH,)
            ).fetchall()
            if not rows:
                break
            try:
                found = self.embedder.embed([_spoken(*row[1:]) for row in rows])
            except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
                return done, self._waiting(), f"{type(error).__name__}: {error}"[:200]
            for first, last in _runs([row[0] for row in rows]):
                start = next(i for i, row in enumerate(rows) if row[0] == first)
                self.vectors.put(first, found[start : start + last - first + 1])
            self.db.executemany("UPDATE claims SET embedder=? WHERE id=?", [(name, row[0]) for row in rows])
            done += len(rows)
            if on_step:
                on_step(done)
        return done, self._waiting(), ""

    def _waiting(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM claims WHERE embedder=''").fetchone()[0])

    def _file(self, path: str, claims: Sequence[Claim]) -> tuple[int, int]:
        """Compare a file's claims with its rows; only what is new is indexed."""
        rows: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for row in self.db.execute(
            "SELECT id, text, heading, parents, key FROM claims WHERE path=? ORDER BY id", (path,)
        ):
            rows[row[4], row[2]].append(row)
        added = kept = 0
        for claim in claims:
            same = rows.get((claim.key, claim.heading))
            if same and same[0][1] == claim.text:
                row = same.pop(0)
                self.db.execute(
                    "UPDATE claims SET first=?, last=?, day=?, origin=? WHERE id=?",
                    (claim.first, claim.last, claim.day, claim.origin, row[0]),
                )
                kept += 1
            else:
                self._add(claim)
                added += 1
        self._forget([row[:4] for left in rows.values() for row in left])
        return added, kept

    def _add(self, claim: Claim) -> None:
        said, context = terms(claim.text), terms(claim.context)
        row = (
            claim.path, claim.first, claim.last, claim.text, claim.heading, claim.parents, claim.day, claim.origin, claim.group,
            claim.key, len(said),
        )  # fmt: skip
        sql = "INSERT INTO claims(path,first,last,text,heading,parents,day,origin,grp,key,length) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
        number = self.db.execute(sql, row).lastrowid
        self.db.execute(
            "INSERT INTO words(rowid, said, context) VALUES (?,?,?)", (number, " ".join(said), " ".join(context))
        )
        for term in set(said):
            if len(term) >= 4 and self.db.execute("INSERT OR IGNORE INTO spelled VALUES (?)", (term,)).rowcount:
                self.db.execute("INSERT INTO spelling VALUES (?)", (term,))

    def _forget(self, rows: Iterable[Sequence[Any]]) -> None:
        for number, text, heading, parents in rows:
            context = " ".join(filter(None, (heading, parents)))
            said = (" ".join(terms(text)), " ".join(terms(context)))
            self.db.execute("INSERT INTO words(words, rowid, said, context) VALUES ('delete',?,?,?)", (number, *said))
            self.db.execute("DELETE FROM claims WHERE id=?", (number,))

    def _prepare(self) -> None:
        self.db.executescript(_SCHEMA)
        if self._meta("version") != VERSION:
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('version', ?)", (VERSION,))

    def _meta(self, key: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""


def _spoken(text: str, heading: str, parents: str) -> str:
    """What is embedded: the claim with the nearest thing it hangs on."""
    near = (parents or heading).rpartition(" > ")[2]
    return f"{near}: {text}" if near else text


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def remove_index(root: Path) -> None:
    """Take the index away, vectors included. It is rebuilt by the next search."""
    folder = (root / INDEX_DB).parent
    for item in [*folder.glob("index.db*"), *folder.glob("index-*.codes"), *folder.glob("index-*.rows")]:
        item.unlink(missing_ok=True)
