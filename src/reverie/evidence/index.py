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

import numpy as np

from reverie.errors import RefusedFile
from reverie.evidence.claims import Claim
from reverie.evidence.steps import Steps, make_real_folder, refuse_links
from reverie.evidence.vectors import Vectors
from reverie.layout import INDEX_DB, STATE_DIR
from reverie.ports import Embedder
from reverie.terms import terms

VERSION = "2"
BATCH = 512
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, hash TEXT, size INTEGER, mtime INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, place INTEGER, first INTEGER, last INTEGER, text TEXT, heading TEXT, parents TEXT,
  day TEXT, origin TEXT, grp TEXT, key TEXT NOT NULL, length INTEGER, embedder TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS free(id INTEGER PRIMARY KEY);
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
        self.folder = make_real_folder(root, STATE_DIR, Steps())
        for item in self.folder.glob("index*"):
            if item.is_symlink():
                raise RefusedFile(f"{item} is a link. Nothing under {STATE_DIR} may be one; take it away.")
        self.db = sqlite3.connect(root / INDEX_DB, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")  # derived: a power cut may cost the last update, not the file
            self._prepare()
        except BaseException:  # also Ctrl-C: nobody else will close it
            self.db.close()
            raise
        self.embedder = embedder
        self.vectors: Vectors | None = None
        self.trouble = self.name = ""
        try:
            if embedder:  # the width is part of the name: a server may change it and keep the name of its model
                self.name = f"{embedder.identity}/{embedder.dimensions}"
                self.vectors = Vectors(self.folder, self.name, embedder.dimensions)
        except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
            self.trouble = f"{type(error).__name__}: {error}"[:200]
        self._freed: list[int] = []

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.db.close()

    def known(self) -> dict[str, Known]:
        return {path: Known(*rest) for path, *rest in self.db.execute("SELECT path, hash, size, mtime FROM files")}

    def seen(self) -> dict[str, tuple[str, int, int]]:
        """Hash, size and time of every file, as they were read."""
        return {row[0]: row[1:] for row in self.db.execute("SELECT path, hash, size, mtime FROM files")}

    def roughly(self) -> int:
        """About how many claims there are, without counting them: numbers are used again."""
        return int(self.db.execute("SELECT coalesce(max(id), 0) FROM claims").fetchone()[0])

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
        self._freed.clear()
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
        except BaseException:  # also Ctrl-C: half an update is none
            self.db.execute("ROLLBACK")
            raise
        self._clear_freed()
        embedded, waiting, trouble = self.embed_waiting()
        return Updated(len(changed), removed, added, kept, embedded, waiting, trouble)

    def embed_waiting(
        self, most: int | None = None, on_step: Callable[[int], None] | None = None
    ) -> tuple[int, int, str]:
        """Give vectors to claims that have none of this embedder; stops at the first trouble and says it."""
        if self.embedder is None or self.vectors is None:
            return 0, self._waiting() if self.trouble else 0, self.trouble
        name, done = self.name, 0
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
                if found.shape != (len(rows), self.embedder.dimensions) or not np.isfinite(found).all():
                    raise ValueError("the embedder answered something else than vectors")
            except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
                return done, self._waiting(), f"{type(error).__name__}: {error}"[:200]
            done += self._keep_vectors(rows, found)
            if on_step:
                on_step(done)
        return done, self._waiting(), ""

    def _keep_vectors(self, rows: Sequence[Sequence[Any]], found: Any) -> int:
        """Keep the vectors of claims that still say what was embedded: another process may have used a number again."""
        assert self.vectors is not None
        self.db.execute("BEGIN IMMEDIATE")
        try:
            first, last = rows[0][0], rows[-1][0]
            sql = "SELECT id, text, heading, parents FROM claims WHERE id BETWEEN ? AND ? AND embedder=''"
            waiting = {row[0]: row for row in self.db.execute(sql, (first, last))}
            same = [at for at, row in enumerate(rows) if waiting.get(row[0]) == row]
            for start, end in _runs([rows[at][0] for at in same]):
                at = next(at for at in same if rows[at][0] == start)
                self.vectors.put(start, found[at : at + end - start + 1])
            self.db.executemany("UPDATE claims SET embedder=? WHERE id=?", [(self.name, rows[at][0]) for at in same])
            self.db.execute("COMMIT")
        except BaseException:  # also Ctrl-C: a transaction left open would lock everybody out
            self.db.execute("ROLLBACK")
            raise
        return len(same)

    def _clear_freed(self) -> None:
        """Rows of numbers that are still free. One that was given away again belongs to its new claim."""
        if not self.vectors or not self._freed:
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            free = {row[0] for row in self.db.execute("SELECT id FROM free")}
            self.vectors.clear([number for number in self._freed if number in free])
        finally:
            self.db.execute("COMMIT")

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
        for place, claim in enumerate(claims):
            same = rows.get((claim.key, claim.heading))
            if same and same[0][1] == claim.text:
                row = same.pop(0)
                self.db.execute(
                    "UPDATE claims SET place=?, first=?, last=?, day=?, origin=? WHERE id=?",
                    (place, claim.first, claim.last, claim.day, claim.origin, row[0]),
                )
                kept += 1
            else:
                self._add(claim, place)
                added += 1
        self._forget([row[:4] for left in rows.values() for row in left])
        return added, kept

    def _add(self, claim: Claim, place: int) -> None:
        said, context = terms(claim.text), terms(claim.context)
        free = self.db.execute("DELETE FROM free WHERE id=(SELECT min(id) FROM free) RETURNING id").fetchall()
        row = (
            free[0][0] if free else None, claim.path, place, claim.first, claim.last, claim.text, claim.heading, claim.parents, claim.day, claim.origin, claim.group,
            claim.key, len(said),
        )  # fmt: skip
        sql = "INSERT INTO claims(id,path,place,first,last,text,heading,parents,day,origin,grp,key,length) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"
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
            self.db.execute("INSERT OR IGNORE INTO free VALUES (?)", (number,))
            self._freed.append(number)

    def _prepare(self) -> None:
        tables = {row[0] for row in self.db.execute("SELECT name FROM sqlite_master")}
        if tables and ("meta" not in tables or self._meta("version") != VERSION):
            raise sqlite3.DatabaseError("it was made by another version")  # derived: whoever hears this builds it anew
        self.db.executescript(_SCHEMA)
        if not tables:
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
    try:
        refuse_links(root, STATE_DIR)
    except RefusedFile:
        return  # what stands behind a link is not ours
    folder = (root / INDEX_DB).parent
    for item in [*folder.glob("index.db*"), *folder.glob("index-*.codes"), *folder.glob("index-*.rows")]:
        item.unlink(missing_ok=True)
