"""How the words of the index are spelled: what a question is led to when it has a word the index does not know.

One row a word, found by its letter triples. A word goes when the last line that said it is gone, so a slip never leads
to a word that nobody can read any more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

SCHEMA = """
CREATE TABLE IF NOT EXISTS spelled(id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE IF NOT EXISTS spelling USING fts5(term, content='', tokenize='trigram');
"""
SHORTEST = 4
_LIKE = 60  # words that are compared letter by letter


def learn(db: sqlite3.Connection, terms: Iterable[str], learnt: set[str]) -> None:
    """Remember how these are spelled; `learnt` holds those of this transaction, so that each is asked for once."""
    for term in set(terms) - learnt:
        learnt.add(term)
        if len(term) < SHORTEST or term.isdecimal():  # a number is never a slip of another
            continue
        done = db.execute("INSERT OR IGNORE INTO spelled(term) VALUES (?)", (term,))
        if done.rowcount:
            db.execute("INSERT INTO spelling(rowid, term) VALUES (?,?)", (done.lastrowid, term))


def unlearn(db: sqlite3.Connection, terms: Iterable[str]) -> None:
    """Forget those that no line says any more."""
    for term in terms:
        if len(term) < SHORTEST or frequency(db, term, 1):
            continue
        row = db.execute("DELETE FROM spelled WHERE term=? RETURNING id", (term,)).fetchone()
        if row:
            db.execute("INSERT INTO spelling(spelling, rowid, term) VALUES ('delete',?,?)", (row[0], term))


def frequency(db: sqlite3.Connection, term: str, most: int) -> int:
    """In how many lines a term stands; counting stops at `most`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    return int(db.execute(sql, (quoted(term), most)).fetchone()[0])


def spellings(db: sqlite3.Connection, term: str) -> list[str]:
    """The known words most like an unknown one: a slip, an inflection, part of a compound."""
    if len(term) < SHORTEST:
        return []
    match = " OR ".join(quoted(term[i : i + 3]) for i in range(len(term) - 2))
    sql = (
        "SELECT term FROM spelled WHERE id IN (SELECT rowid FROM spelling WHERE spelling MATCH ? ORDER BY rank LIMIT ?)"
    )
    like = sorted((-alike(term, row[0]), row[0]) for row in db.execute(sql, (match, _LIKE)))
    return [known for score, known in like if score <= -0.6][:6]


def alike(one: str, other: str) -> float:
    """Share of letter pairs, or nearly one if the one is part of the other (a compound)."""
    if one in other or (len(other) >= 5 and other in one):
        return 0.9
    if one[0] == other[0] and sorted(one) == sorted(other):
        return 0.8  # two letters changed places: the commonest slip of all
    first = {f" {one} "[i : i + 2] for i in range(len(one) + 1)}
    second = {f" {other} "[i : i + 2] for i in range(len(other) + 1)}
    return 2 * len(first & second) / (len(first) + len(second))


def quoted(term: str) -> str:
    """A term as a query names it, whatever it holds."""
    return '"' + term.replace('"', '""') + '"'
