"""Words as the index keeps them: keyed hashes, so that no word of a note stands in a second file; and how they are spelled.

A line that holds a secret nobody recognised must not be readable in what was derived from it. The salt stands in the same
index, so this hides words from whoever reads, greps, backs up or uploads the file, not from whoever guesses words one by
one with the salt in hand. Tokens and hashes are letters only: a number of the owner's never stands in one by chance.

A question that has a word the index does not know is led to words that are spelled like it: one row a word, found by its letter
triples, which are compared by their tokens. A word goes when the last line that said it is gone, so a slip never leads to a
word that nobody can read any more.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from reverie.workspace.values import Statement, lettered, to_bytes

_TERM, _GRAM, _LINE = 5, 3, 8  # bytes: 40 bits tell a million words apart, 24 bits the pieces of a word


def new_salt() -> str:
    return lettered(secrets.token_hex(16))


class Tokens:
    """The tokens of one index."""

    def __init__(self, salt: str) -> None:
        self._salt = salt.encode()
        self.term: Callable[[str], str] = lru_cache(maxsize=50_000)(self._term)
        self.gram: Callable[[str], str] = lru_cache(maxsize=50_000)(self._gram)

    def joined(self, terms: Iterable[str]) -> str:
        """A text for the full-text table."""
        return " ".join(map(self.term, terms))

    def line(self, claim: Statement) -> bytes:
        """By what a line is known to be the same, its heading included, letter by letter."""
        return self._digest(f"{claim.key}\0{claim.heading}\0{claim.text}", _LINE).digest()

    def _term(self, term: str) -> str:
        return lettered(self._digest(term, _TERM).hexdigest())

    def _gram(self, gram: str) -> str:
        return lettered(self._digest(gram, _GRAM).hexdigest())

    def _digest(self, text: str, size: int) -> hashlib.blake2b:
        return hashlib.blake2b(to_bytes(text), digest_size=size, key=self._salt)


SCHEMA = """
CREATE TABLE IF NOT EXISTS spelled(id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, letters TEXT NOT NULL, pairs TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS spelling USING fts5(triples, tokenize='ascii');
"""
SHORTEST = 4
_LIKE = 60  # words that are compared letter by letter
_NEAR = 0.6
_MOST = 6


@dataclass(frozen=True, slots=True)
class Pieces:
    """A word as its pieces: enough to say how much two words are alike, and not to read one."""

    letters: str  # all of them, in no order
    pairs: frozenset[str]  # the ends of the word count as letters
    triples: frozenset[str]
    start: str = ""  # the pair that begins it


def pieces_of(term: str, tokens: Tokens) -> Pieces:
    ended = f" {term} "
    pairs = [tokens.gram(ended[i : i + 2]) for i in range(len(term) + 1)]
    triples = frozenset(tokens.gram(term[i : i + 3]) for i in range(len(term) - 2))
    return Pieces(tokens.gram("".join(sorted(term))), frozenset(pairs), triples, pairs[0])


def learn(db: sqlite3.Connection, tokens: Tokens, terms: Iterable[str], learnt: set[str]) -> None:
    """Remember how these are spelled; `learnt` holds those of this transaction, so that each is asked for once."""
    for term in set(terms) - learnt:
        learnt.add(term)
        if len(term) < SHORTEST or term.isdecimal():  # a number is never a slip of another
            continue
        known = tokens.term(term)
        if db.execute("SELECT 1 FROM spelled WHERE term=?", (known,)).fetchone():
            continue
        pieces = pieces_of(term, tokens)
        row = known, pieces.letters, " ".join(sorted(pieces.pairs))
        done = db.execute("INSERT INTO spelled(term, letters, pairs) VALUES (?,?,?)", row)
        triples = " ".join(sorted(pieces.triples))
        db.execute("INSERT INTO spelling(rowid, triples) VALUES (?,?)", (done.lastrowid, triples))


def unlearn(db: sqlite3.Connection, terms: Iterable[str]) -> None:
    """Forget those, given as tokens, that no line says any more."""
    for term in terms:
        row = db.execute("SELECT id FROM spelled WHERE term=?", (term,)).fetchone()
        if row and not frequency(db, term, 1):
            db.execute("DELETE FROM spelled WHERE id=?", row)
            db.execute("DELETE FROM spelling WHERE rowid=?", row)


def frequency(db: sqlite3.Connection, token: str, most: int) -> int:
    """In how many lines a token stands; counting stops at `most`."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    return int(db.execute(sql, (quoted(token), most)).fetchone()[0])


def spellings(db: sqlite3.Connection, tokens: Tokens, term: str) -> list[str]:
    """The tokens of the known words most like an unknown one: a slip, an inflection, part of a compound."""
    if len(term) < SHORTEST:
        return []
    asked = pieces_of(term, tokens)
    sql = (
        "SELECT term, letters, pairs, triples FROM spelling JOIN spelled ON id = spelling.rowid "
        "WHERE spelling MATCH ? ORDER BY spelling.rank LIMIT ?"
    )
    found = db.execute(sql, (" OR ".join(map(quoted, sorted(asked.triples))), _LIKE)).fetchall()
    like = sorted(((-alike(asked, _known(*row)), token) for token, *row in found))
    enough = like[_MOST - 1][0] if len(like) >= _MOST else 0.0  # of equals all: which token is less means nothing
    return [token for score, token in like if score <= min(-_NEAR, enough)]


def _known(letters: str, pairs: str, triples: str) -> Pieces:
    return Pieces(letters, frozenset(pairs.split()), frozenset(triples.split()))


def alike(asked: Pieces, known: Pieces) -> float:
    """Share of letter pairs, or nearly one if the one is part of the other (a compound)."""
    if asked.triples <= known.triples or (len(known.triples) >= 3 and known.triples <= asked.triples):
        return 0.9
    if asked.letters == known.letters and asked.start in known.pairs:
        return 0.8  # two letters changed places: the commonest slip of all
    return 2 * len(asked.pairs & known.pairs) / (len(asked.pairs) + len(known.pairs))


def quoted(term: str) -> str:
    """A term as a query names it, whatever it holds."""
    return '"' + term.replace('"', '""') + '"'
