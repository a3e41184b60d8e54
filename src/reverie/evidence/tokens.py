"""Words as the index keeps them: keyed hashes, so that no word of a note stands in a second file.

A line that holds a secret nobody recognised must not be readable in what was derived from it. The salt stands in the same
index, so this hides words from whoever reads, greps, backs up or uploads the file, not from whoever guesses words one by
one with the salt in hand. Tokens and hashes are letters only: a number of the owner's never stands in one by chance.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable
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
