"""The index: SQLite with full text over our own terms, and vectors beside it. Derived: delete it at any time.

One row a claim. A changed file is compared with its rows, and only claims that are new are indexed and embedded; those
of a deleted file go. Terms are made by `reverie.text.terms` and kept as tokens: **no word of a note stands in the index**, so a
secret that nobody recognised is not copied by it. What a line says is read again from its file when somebody wants to see
it, and the line must still be the one that was indexed.

Opening an index costs more than asking it, so a process keeps a few open: one is borrowed, used by one thread alone, and put
back. Before it is given out again it must still be the file at its place.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from reverie.core.durable import is_plain_database, is_plain_or_missing, new_mode
from reverie.core.errors import RefusedFile
from reverie.core.layout import INDEX_DB, STATE_DIR
from reverie.core.ports import Embedder
from reverie.core.sealing import mark_of
from reverie.evidence import spelling
from reverie.evidence.spelling import Tokens, new_salt
from reverie.evidence.state_files import Steps, make_real_folder, open_plain, read_plain, refuse_links, replace_file
from reverie.evidence.vectors import Held, Vectors
from reverie.lang.messages import say
from reverie.text.terms import terms
from reverie.workspace.reader import Stamp
from reverie.workspace.values import Statement, hexadecimal, lettered

VERSION = "5"
WAL_KEPT = 65_536  # bytes of SQLite's write-ahead log that stay on the disk between two updates
BATCH = 512
SMALL_BATCH = 64  # when somebody waits for the answer
HELD = 50_000  # new lines whose words wait in memory for their vectors, so that no file is read a second time for them
Reader = Callable[
    [str, str], tuple[str, Sequence[Statement]]
]  # path and hash → the file as it is: its hash and its claims
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files(path TEXT PRIMARY KEY, hash TEXT, size INTEGER, mtime INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims(
  id INTEGER PRIMARY KEY, path TEXT NOT NULL, place INTEGER, first INTEGER, last INTEGER,
  day TEXT, origin TEXT, grp TEXT, key TEXT NOT NULL, line BLOB NOT NULL, embedder INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS embedders(number INTEGER PRIMARY KEY, identity TEXT NOT NULL, width INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS free(id INTEGER PRIMARY KEY);
CREATE INDEX IF NOT EXISTS claims_path ON claims(path);
CREATE INDEX IF NOT EXISTS claims_key ON claims(key);
CREATE INDEX IF NOT EXISTS claims_embedder ON claims(embedder);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(said, context, tokenize='ascii');
"""
_PLACED = "SELECT id, claims.path, hash, place, first, key FROM claims JOIN files ON files.path = claims.path"


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


def _no_reader(_path: str, _digest: str) -> tuple[str, Sequence[Statement]]:
    return "", ()


class Index:
    """An open index. Use as a context manager; raises sqlite3.Error when the file is damaged or locked.

    An embedder has a number here, and every claim the number of the one that made its vector. The present one has the
    highest: whatever is lower waits. With `remember`, its width is taken from the last time instead of being asked for.
    Whoever wants to see lines gives it a reader of files: `read`.
    """

    def __init__(self, root: Path, embedder: Embedder | None, *, remember: bool = False) -> None:
        self.folder = make_real_folder(root, STATE_DIR, Steps())
        for item in self.folder.glob("index*"):
            if not is_plain_or_missing(item):
                raise RefusedFile(say("state.refused", path=item, folder=STATE_DIR))
        self._held: Held | None = {} if mark_of(root / INDEX_DB) else None
        self._root, self._file_now = root, _file_at(root)
        if self._held is not None:
            self.db = _in_memory(root / INDEX_DB)
        else:
            if not (root / INDEX_DB).exists():  # the log beside it gets the same permissions
                os.close(open_plain(root / INDEX_DB, os.O_RDWR | os.O_CREAT, new_mode(root / INDEX_DB)))
            self.db = sqlite3.connect(root / INDEX_DB, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute("PRAGMA synchronous=NORMAL")  # derived: a power cut may cost the last update, not the file
            self.db.execute(f"PRAGMA journal_size_limit={WAL_KEPT}")  # the log of a large update is given back
            self.db.execute(f"PRAGMA wal_autocheckpoint={WAL_KEPT // 4096}")  # pages
            self.db.execute("PRAGMA cache_size=-32000")  # 32 MB, taken only when as much is read
            self._prepare()
            self._changes = self.db.total_changes if self._file_now else -1  # as it stands on the disk
        except BaseException:  # also Ctrl-C: nobody else will close it
            self.db.close()
            raise
        self.embedder = embedder
        self.vectors: Vectors | None = None
        self.trouble = ""
        self.number = -1  # of the present embedder; none of the claims' until it has been given one
        try:
            if embedder:
                self._use(embedder, (self._width() if remember else 0) or embedder.dimensions)
        except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
            self.trouble = f"{type(error).__name__}: {error}"[:200]
        self.read: Reader = _no_reader
        self._spoken: dict[int, tuple[bytes, str]] = {}  # new lines without a vector: which, and what is embedded
        self._freed: list[int] = []
        self._learnt: set[str] = set()
        self._unlearnt: set[str] = set()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.keep()
        self.close()

    def keep(self) -> tuple[int, int] | None:
        """Put a sealed index on the disk, if it changed; not over another one, for whoever removed or wrote it had a reason.

        Returns which file it is now; None where nothing was put there.
        """
        if self._held is None or self.db.total_changes == self._changes or _file_at(self._root) != self._file_now:
            return None
        with suppress(OSError):  # a disk that says no costs the next one the time to build it
            for path, rows in self._held.items():
                replace_file(path, bytes(rows), Steps())
            replace_file(self._root / INDEX_DB, self.db.serialize(), Steps())
        self._file_now, self._changes = _file_at(self._root), self.db.total_changes
        return self._file_now

    def close(self) -> None:
        self.vectors = None
        self.db.close()

    def present(self) -> None:
        """Look again whose vectors stand here: another process may have come with another embedder."""
        if self.embedder and self.vectors:
            self._use(self.embedder, self.vectors.dimensions)

    def seen(self) -> dict[str, Stamp]:
        """The stamps of all files, as they were read."""
        return _stamps(self.db)

    def roughly(self) -> int:
        """About how many claims there are, without counting them: numbers are used again."""
        return int(self.db.execute("SELECT coalesce(max(id), 0) FROM claims").fetchone()[0])

    def count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM claims").fetchone()[0])

    def frequency(self, term: str, most: int) -> int:
        """In how many lines a term stands; counting stops at `most`."""
        return spelling.frequency(self.db, self.tokens.term(term), most)

    def update(
        self,
        changed: Mapping[str, tuple[Stamp, Iterable[Statement] | None]],
        gone: Iterable[str],
        on_step: Callable[[int], None] | None = None,
        patience: float | None = None,
        forgets: str = "",
    ) -> Updated:
        """Bring the index to these files. One transaction: a crash leaves the index as it was.

        Claims may be made while they are asked for; None means that only the file's time changed. With `patience`,
        vectors are made for so many seconds, or for as long as the words took: the rest wait.
        """
        added = kept = removed = 0
        started = time.monotonic()
        self._freed.clear()
        self._learnt.clear()
        self._unlearnt.clear()
        with self._transaction():
            for path in gone:
                rows = self.db.execute("SELECT id FROM claims WHERE path=?", (path,)).fetchall()
                self._forget(row[0] for row in rows)
                self.db.execute("DELETE FROM files WHERE path=?", (path,))
                removed += 1
            for number, (path, (stamp, claims)) in enumerate(sorted(changed.items()), 1):
                if claims is not None:
                    more, same = self._file(path, claims)
                    added, kept = added + more, kept + same
                row = (path, lettered(stamp.hash), stamp.size, stamp.mtime)
                self.db.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?)", row)
                if on_step:
                    on_step(number)
            spelling.unlearn(self.db, self._unlearnt)
            if forgets != self.forgets():
                self.db.execute("INSERT OR REPLACE INTO meta VALUES ('forgets', ?)", (forgets,))
        self._clear_freed()
        seconds = None if patience is None else max(patience, time.monotonic() - started)
        embedded, waiting, trouble = self.embed_waiting(seconds)
        return Updated(len(changed), removed, added, kept, embedded, waiting, trouble)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, also at Ctrl-C: a transaction left open would lock everybody out."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.execute("ROLLBACK")
            self._spoken.clear()
            raise

    def embed(self, texts: Sequence[str]) -> Any:
        """Vectors of the present embedder. Raises whatever it raises, and ValueError for what are no vectors."""
        if self.embedder is None or self.vectors is None:
            raise ValueError(say("found.no_embedder"))
        found = self.embedder.embed(texts)
        width = self.embedder.dimensions
        if found.shape != (len(texts), width) or not np.isfinite(found).all():
            raise ValueError(say("embedder.no_vectors"))
        if width != self.vectors.dimensions:  # a server may change its width and keep the name of its model
            self._use(self.embedder, width)
            self._register(self.embedder.identity, width)
        return found

    def embed_waiting(
        self, seconds: float | None = None, on_step: Callable[[int], None] | None = None
    ) -> tuple[int, int, str]:
        """Give vectors to claims that have none of this embedder; stops at the first trouble and says it.

        With `seconds`, stops after about that time: the rest is for the next one who comes.
        """
        if self.embedder is None or self.vectors is None:
            return 0, self.waiting() if self.trouble else 0, self.trouble
        if self.number < 0:
            self._register(self.embedder.identity, self.vectors.dimensions)
        done, started = 0, time.monotonic()
        unread: set[int] = set()  # lines that stand there no more: the next look at the files lets them go
        while seconds is None or not done or time.monotonic() - started < seconds:
            batch = BATCH if seconds is None else SMALL_BATCH
            sql = "SELECT id, line FROM claims WHERE embedder<? ORDER BY embedder, id LIMIT ?"
            waiting = self.db.execute(sql, (self.number, batch + len(unread))).fetchall()
            rows = [row for row in waiting if row[0] not in unread][:batch]
            if not rows:
                break
            texts = self._texts(rows)
            unread |= {number for number, _ in rows if number not in texts}
            rows = sorted(row for row in rows if row[0] in texts)
            if not rows:
                continue
            try:
                found = self.embed([texts[row[0]] for row in rows])
            except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
                return done, self.waiting(), f"{type(error).__name__}: {error}"[:200]
            kept = self._keep_vectors(rows, found)
            for row in rows:
                self._spoken.pop(row[0], None)
            if not done:
                started = time.monotonic()  # the first vectors may wait for tables to be loaded; that is paid once
            done += kept
            if on_step:
                on_step(done)
            if not kept and seconds is not None:
                break  # somebody else is at it
        return done, max(0, self.waiting() - len(unread)), ""

    def _texts(self, rows: Sequence[tuple[int, bytes]]) -> dict[int, str]:
        """What is embedded of these lines, from memory where they are new, else from their files."""
        held = {number: self._spoken[number] for number, _ in rows if number in self._spoken}
        texts = {number: held[number][1] for number, line in rows if number in held and held[number][0] == line}
        claims = self.claims([number for number, _ in rows if number not in texts])
        lines = dict(rows)
        texts |= {n: spoken(claim) for n, claim in claims.items() if self.tokens.line(claim) == lines[n]}
        return texts

    def claims(self, numbers: Sequence[int]) -> dict[int, Statement]:
        """These claims as they stand in their files; without those that do not stand there any more."""
        marks = ",".join("?" * len(numbers))
        sql = f"{_PLACED} WHERE id IN ({marks})"
        return self._read_again(self.db.execute(sql, tuple(numbers)).fetchall())

    def claims_in(self, path: str) -> list[Statement]:
        """Every claim of a file, in its order."""
        found = self._read_again(self.db.execute(f"{_PLACED} WHERE claims.path=?", (path,)).fetchall())
        return sorted(found.values(), key=lambda claim: claim.first)

    def _read_again(self, rows: Sequence[tuple[int, str, str, int, int, str]]) -> dict[int, Statement]:
        found: dict[int, Statement] = {}
        files: dict[str, tuple[bool, Sequence[Statement], dict[str, list[Statement]]]] = {}
        for number, path, letters, place, first, key in rows:
            if path not in files:
                digest = hexadecimal(letters)
                now, claims = self.read(path, digest)
                files[path] = now == digest, claims, {}
            same, claims, by_key = files[path]
            # A file that did not change has the line at its place, also when rules of privacy were changed meanwhile.
            if same and place < len(claims) and claims[place].first == first:
                found[number] = claims[place]
                continue
            if not by_key:
                for claim in claims:
                    by_key.setdefault(lettered(claim.key), []).append(claim)
            if at := by_key.get(key):
                found[number] = min(at, key=lambda claim: abs(claim.first - first))
        return found

    def _keep_vectors(self, rows: Sequence[tuple[int, bytes]], found: Any) -> int:
        """Keep the vectors of claims that still say what was embedded: another process may have used a number again."""
        assert self.vectors is not None
        with self._transaction():
            marks = ",".join("?" * len(rows))
            sql = f"SELECT id, line FROM claims WHERE id IN ({marks}) AND +embedder<?"
            waiting = dict(self.db.execute(sql, (*(row[0] for row in rows), self.number)))
            same = [at for at, row in enumerate(rows) if waiting.get(row[0]) == row[1]]
            for start, end in _runs([rows[at][0] for at in same]):
                at = next(at for at in same if rows[at][0] == start)
                self.vectors.put(start, found[at : at + end - start + 1])
            self.db.executemany("UPDATE claims SET embedder=? WHERE id=?", [(self.number, rows[at][0]) for at in same])
        return len(same)

    def _use(self, embedder: Embedder, width: int) -> None:
        """Vectors of this embedder and width from now on; the width is part of the name of their files."""
        if self.vectors is None or self.vectors.dimensions != width:
            self.vectors = Vectors(self.folder, f"{embedder.identity}/{width}", width, self._held)
        row = self.db.execute("SELECT number, identity, width FROM embedders ORDER BY number DESC LIMIT 1").fetchone()
        self.number = row[0] if row and tuple(row[1:]) == (embedder.identity, width) else -1

    def _register(self, identity: str, width: int) -> None:
        """Give the present embedder the next number. No claim is touched: all of them now wait by being lower."""
        with self._transaction():
            row = self.db.execute("SELECT number, identity, width FROM embedders ORDER BY number DESC").fetchone()
            if row is None or tuple(row[1:]) != (identity, width):
                row = (row[0] + 1 if row else 1, identity, width)
                self.db.execute("INSERT INTO embedders(number, identity, width) VALUES (?,?,?)", row)
            self.number = row[0]

    def _width(self) -> int:
        """How wide the vectors of this embedder were the last time."""
        sql = "SELECT width FROM embedders WHERE identity=? ORDER BY number DESC LIMIT 1"
        row = self.db.execute(sql, (self.embedder.identity,)).fetchone() if self.embedder else None
        return int(row[0]) if row else 0

    def _clear_freed(self) -> None:
        """Rows of numbers that are still free. One that was given away again belongs to its new claim."""
        if not self.vectors or not self._freed:
            return
        with self._transaction():
            sql = "SELECT id FROM free WHERE id=?"
            self.vectors.clear([number for number in self._freed if self.db.execute(sql, (number,)).fetchone()])

    def waiting(self) -> int:
        """How many claims have no vector of the present embedder."""
        number = self.number if self.number >= 0 else 1 << 62
        return int(self.db.execute("SELECT count(*) FROM claims WHERE embedder<?", (number,)).fetchone()[0])

    def _file(self, path: str, claims: Iterable[Statement]) -> tuple[int, int]:
        """Compare a file's claims with its rows; only what is new is indexed."""
        rows: dict[bytes, list[int]] = defaultdict(list)
        for number, line in self.db.execute("SELECT id, line FROM claims WHERE path=? ORDER BY id", (path,)):
            rows[line].append(number)
        added = kept = 0
        for place, claim in enumerate(claims):
            line = self.tokens.line(claim)
            if same := rows.get(line):
                self.db.execute(
                    "UPDATE claims SET place=?, first=?, last=?, day=?, origin=? WHERE id=?",
                    (place, claim.first, claim.last, claim.day, claim.origin, same.pop(0)),
                )
                kept += 1
            else:
                self._add(claim, place, line)
                added += 1
        self._forget(number for left in rows.values() for number in left)
        return added, kept

    def _add(self, claim: Statement, place: int, line: bytes) -> None:
        said, context = terms(claim.text), terms(claim.context)
        free = self.db.execute("DELETE FROM free WHERE id=(SELECT min(id) FROM free) RETURNING id").fetchall()
        where = (claim.path, place, claim.first, claim.last, claim.day, claim.origin, claim.group)
        row = (free[0][0] if free else None, *where, lettered(claim.key), line)
        sql = "INSERT INTO claims(id,path,place,first,last,day,origin,grp,key,line) VALUES (?,?,?,?,?,?,?,?,?,?)"
        number = int(self.db.execute(sql, row).lastrowid or 0)
        tokens = (self.tokens.joined(said), self.tokens.joined(context))
        self.db.execute("INSERT INTO words(rowid, said, context) VALUES (?,?,?)", (number, *tokens))
        spelling.learn(self.db, self.tokens, said, self._learnt)
        if self.embedder and len(self._spoken) < HELD:
            self._spoken[number] = line, spoken(claim)

    def _forget(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            for (said,) in self.db.execute("SELECT said FROM words WHERE rowid=?", (number,)).fetchall():
                self._unlearnt.update(said.split())
            self.db.execute("DELETE FROM words WHERE rowid=?", (number,))
            self.db.execute("DELETE FROM claims WHERE id=?", (number,))
            self.db.execute("INSERT OR IGNORE INTO free VALUES (?)", (number,))
            self._freed.append(number)
            self._spoken.pop(number, None)

    def _prepare(self) -> None:
        tables = {row[0] for row in self.db.execute("SELECT name FROM sqlite_master")}
        if tables and ("meta" not in tables or self._meta("version") != VERSION):
            raise sqlite3.DatabaseError(say("state.other_version"))  # derived: whoever hears this builds it anew
        if not tables:  # whole or not at all: another process may be opening it at this very moment
            about = f"INSERT OR IGNORE INTO meta VALUES ('version', '{VERSION}'), ('salt', '{new_salt()}');"
            self.db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}{spelling.SCHEMA}{about}COMMIT;")
        self.tokens = Tokens(self._meta("salt"))

    def forgets(self) -> str:
        """Which forgotten facts these rows were made without."""
        return self._meta("forgets")

    def _meta(self, key: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""


def spoken(claim: Statement) -> str:
    """What is embedded: the claim with the nearest thing it hangs on."""
    near = (claim.lead or claim.heading).rpartition(" > ")[2]
    return f"{near}: {claim.text}" if near else claim.text


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


GOOD, MISSING, LOCKED, DAMAGED = "good", "missing", "locked", "damaged"


def look_at_index(root: Path) -> tuple[str, dict[str, Stamp]]:
    """GOOD with the stamps of the files it knows; or MISSING, LOCKED or DAMAGED. Touches nothing."""
    path = root / INDEX_DB
    if not os.path.lexists(path):
        return MISSING, {}
    if not is_plain_database(path):
        return DAMAGED, {}
    try:
        with closing(_to_look_at(path)) as db:
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return DAMAGED, {}
            return GOOD, _stamps(db)
    except sqlite3.OperationalError as error:
        return (LOCKED if "locked" in str(error) else DAMAGED), {}
    except (sqlite3.DatabaseError, OSError):
        return DAMAGED, {}


def is_other_version(root: Path) -> bool:
    """Whether an index stands there that this version did not make: older ones kept words, in pages that nobody uses too."""
    path = root / INDEX_DB
    try:
        with closing(_to_look_at(path)) as db:
            found = db.execute("SELECT value FROM meta WHERE key='version'").fetchone()
    except sqlite3.Error:
        return True
    return found is None or str(found[0]) != VERSION


def _to_look_at(path: Path) -> sqlite3.Connection:
    """Where nobody writes just now, not even the files beside the database are made for a look."""
    if mark_of(path):
        return _in_memory(path)
    how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=2.0)


def _in_memory(path: Path) -> sqlite3.Connection:
    """A sealed index, opened where no disk sees it; an empty one where there is none."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    try:
        if data := read_plain(path):
            db.deserialize(data)
    except BaseException:  # also Ctrl-C: nobody else will close it
        db.close()
        raise
    return db


def _stamps(db: sqlite3.Connection) -> dict[str, Stamp]:
    rows = db.execute("SELECT path, hash, size, mtime FROM files")
    return {path: Stamp(hexadecimal(digest), size, mtime) for path, digest, size, mtime in rows}


MOST = 4  # workspaces whose index is kept open
_SHELF: dict[Path, Open] = {}
_INHERITED: list[Open] = []  # of a parent process: they are the parent's to use and to close


@dataclass(slots=True)
class Open:
    """An open index, and what its users remember from one question to the next."""

    index: Index
    identity: tuple[int, int] | None
    version: int
    memory: object = None  # forgotten when another process changed the index


@contextmanager
def borrowed(root: Path, embedder: Embedder | None) -> Iterator[Open]:
    """The index of a workspace, open. After an error it is closed, whatever it was."""
    held = _SHELF.pop(root, None)
    if held is not None and not _good(held, root, embedder):
        held.index.close()
        held = None
    held = held or _opened(root, embedder)
    try:
        yield held
    except BaseException:  # also Ctrl-C: what was interrupted is not put back on the shelf
        held.index.close()
        raise
    _keep(root, held)


def remove_index(root: Path) -> None:
    """Take the index away, vectors included: it is closed here, and rebuilt by the next search."""
    if held := _SHELF.pop(root, None):
        held.index.close()
    try:
        refuse_links(root, STATE_DIR)
    except RefusedFile:
        return  # what stands behind a link is not ours
    folder = (root / INDEX_DB).parent
    for item in [*folder.glob("index.db*"), *folder.glob("index-*.codes"), *folder.glob("index-*.rows")]:
        item.unlink(missing_ok=True)


def _opened(root: Path, embedder: Embedder | None) -> Open:
    index = Index(root, embedder, remember=True)
    try:
        index.keep()
        return Open(index, _file_at(root), _version(index))
    except BaseException:  # also Ctrl-C: nobody else will close it
        index.close()
        raise


def _good(held: Open, root: Path, embedder: Embedder | None) -> bool:
    """Whether this is still the index at its place, for the same embedder. Notices what another process wrote."""
    if held.index.embedder is not embedder or held.index.trouble:
        return False
    try:
        if _file_at(root) != held.identity:
            return False
        if (version := _version(held.index)) != held.version:
            held.version = version
            held.memory = None
            held.index.present()
    except (OSError, sqlite3.Error):
        return False
    return True


def _keep(root: Path, held: Open) -> None:
    if held.index.trouble:
        held.index.close()
        return
    if (file := held.index.keep()) is not None:
        held.identity = file
    for old in (_SHELF.pop(root, None), _SHELF.pop(next(iter(_SHELF)), None) if len(_SHELF) >= MOST else None):
        if old is not None:
            old.index.close()
    _SHELF[root] = held


def _file_at(root: Path) -> tuple[int, int] | None:
    """Which file the index is; None where there is none."""
    try:
        about = os.stat(root / INDEX_DB, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return about.st_dev, about.st_ino


def _version(index: Index) -> int:
    """A number that changes when another connection wrote."""
    return int(index.db.execute("PRAGMA data_version").fetchone()[0])


def _close_all() -> None:
    while _SHELF:
        _SHELF.popitem()[1].index.close()


def _leave_to_parent() -> None:
    _INHERITED.extend(_SHELF.values())
    _SHELF.clear()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
